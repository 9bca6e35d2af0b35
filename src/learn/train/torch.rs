//! libtorch, where this program was built with it.

use super::{Batch, Learner, Loss, TrainError, decays};
use crate::learn::config::{Config, TRAINS_IN, cores};
use crate::learn::play;
use treeline_nets::arch::Network;
use treeline_nets::device::{self, Device, DeviceError, Precision};
use treeline_nets::file::Tensors;
use treeline_torch::{self as torch, Learning, Trainable};

/// The network, ready to learn where the configuration says; on the CPU with so many threads.
pub fn learner(
    network: &Network,
    config: &Config,
    threads: usize,
) -> Result<Box<dyn Learner>, TrainError> {
    let (learning, gpu) = learning(config, threads)?;
    let made = Trainable::new(network, gpu, learning).map_err(|e| match gpu {
        Some(_) => TrainError::Gpu(e),
        None => TrainError::Device(e),
    })?;
    Ok(Box::new(Torch(made)))
}

/// How the configuration wants networks to learn, and on which GPU, if any; on the CPU with so many threads.
pub fn learning(config: &Config, threads: usize) -> Result<(Learning, Option<usize>), TrainError> {
    // Games on a GPU want more threads than there are cores; training does not.
    torch::set_threads(threads.min(cores()));
    let train = config.get("train");
    let real = |name| train.real(name).unwrap_or(0.0);
    let [coupled, decoupled] = decays(train);
    let mut learning = Learning {
        rate: real("rate"),
        weight_decay: coupled,
        decoupled_decay: decoupled,
        policy_factor: real("policy-factor"),
        norm: train.flag("norm"),
        dropout: real("dropout"),
        average: train.int("average").map_or(1.0, |steps| steps as f64),
        precision: Precision::F32,
    };
    let gpu = match play::device(config).map_err(TrainError::Config)? {
        Device::Cuda(number) => Some(number),
        Device::Auto if device::gpus() > 0 => Some(0),
        Device::Auto | Device::Cpu => None,
    };
    let pays = || match gpu {
        None if torch::bf16_pays() => Precision::Bf16,
        _ => Precision::F32,
    };
    learning.precision = TRAINS_IN.read(train, "precision").unwrap_or_else(pays);
    Ok((learning, gpu))
}

/// Why a step failed.
fn refused(error: DeviceError) -> TrainError {
    match error.to_string().contains("out of memory") {
        true => TrainError::OutOfMemory(error),
        false => TrainError::Device(error),
    }
}

struct Torch(Trainable);

impl Learner for Torch {
    fn set_rate(&mut self, rate: f64) {
        self.0.set_rate(rate);
    }

    fn step(&mut self, batch: &Batch) -> Result<Loss, TrainError> {
        let learns = |rows: &Vec<f32>| !rows.is_empty();
        let batch = torch::Batch {
            inputs: &batch.planes,
            values: &batch.values,
            bounds: Some(&batch.bounds),
            policies: learns(&batch.policies).then_some(&batch.policies[..]),
            legal: None,
            policy_weights: learns(&batch.weights).then_some(&batch.weights[..]),
        };
        let loss = self.0.step(&batch).map_err(refused)?;
        Ok(Loss {
            value: loss.value,
            policy: loss.policy,
        })
    }

    fn network(&self) -> Result<Network, TrainError> {
        Ok(self.0.network()?)
    }

    fn averaged(&self) -> Result<Network, TrainError> {
        Ok(self.0.averaged()?)
    }

    fn state(&self) -> Result<Tensors, TrainError> {
        Ok(self.0.state()?)
    }

    fn restore(&mut self, state: &Tensors) -> Result<(), TrainError> {
        Ok(self.0.restore(state)?)
    }
}
