//! What trains a network: libtorch, where this program was built with it.

#[cfg(not(feature = "torch"))]
use super::config::Config;
use super::data::Batch;
use treeline_nets::arch::Network;
use treeline_nets::device::DeviceError;
use treeline_nets::file::Tensors;

/// How far off a network was before a step.
#[derive(Debug, Clone, Copy, Default)]
pub struct Loss {
    /// The mean squared error of the values, as far as bounds blame them.
    pub value: f64,
    /// The mean cross-entropy of the policies.
    pub policy: f64,
}

/// A network that learns.
pub trait Learner {
    /// Adam's step size from now on.
    fn set_rate(&mut self, rate: f64);
    /// Learns from a batch.
    fn step(&mut self, batch: &Batch) -> Result<Loss, TrainError>;
    /// The network as it is.
    fn network(&self) -> Result<Network, TrainError>;
    /// The network to play with: the mean of the last steps', as the configuration says.
    fn averaged(&self) -> Result<Network, TrainError>;
    /// What besides the weights the next step depends on.
    fn state(&self) -> Result<Tensors, TrainError>;
    /// Restores a state from [`Learner::state`].
    fn restore(&mut self, state: &Tensors) -> Result<(), TrainError>;
}

/// Why nothing is learned.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    #[error(
        "this program was built without libtorch, which trains networks: run tools/libtorch/setup.sh, then\n  \
         . target/libtorch.env && cargo run --release --features torch -- learn …"
    )]
    NoLibtorch,
    #[error(transparent)]
    Config(anyhow::Error),
    #[error(
        "[run] device: {0}; tools/libtorch/README.md says what a GPU needs, and device = \"cpu\" in learn.toml does without"
    )]
    Gpu(DeviceError),
    #[error(
        "the device has too little memory for a step: a smaller [train] batch, or [run] device = \"cpu\", does with less ({0})"
    )]
    OutOfMemory(DeviceError),
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Whether this program can train; the error says how to get one that can.
pub fn available() -> Result<(), TrainError> {
    match cfg!(feature = "torch") {
        true => Ok(()),
        false => Err(TrainError::NoLibtorch),
    }
}

#[cfg(not(feature = "torch"))]
pub fn learner(
    _network: &Network,
    _config: &Config,
    _threads: usize,
) -> Result<Box<dyn Learner>, TrainError> {
    Err(TrainError::NoLibtorch)
}

#[cfg(feature = "torch")]
pub use torch::learner;

#[cfg(feature = "torch")]
mod torch {
    use super::{Batch, Learner, Loss, TrainError};
    use crate::learn::config::Config;
    use crate::learn::data;
    use crate::learn::play;
    use treeline_nets::arch::Network;
    use treeline_nets::device::{self, Device, DeviceError};
    use treeline_nets::file::Tensors;
    use treeline_nets::torch::{self, Bound, Inputs, Learning, Trainable};

    /// The network, ready to learn where the configuration says; on the CPU with so many threads.
    pub fn learner(
        network: &Network,
        config: &Config,
        threads: usize,
    ) -> Result<Box<dyn Learner>, TrainError> {
        // Games on a GPU want more threads than there are cores; training does not.
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        torch::set_threads(threads.min(cores));
        let train = config.get("train");
        let real = |name| train.real(name).unwrap_or(0.0);
        let learning = Learning {
            rate: real("rate"),
            weight_decay: real("weight-decay"),
            policy_factor: real("policy-factor"),
            average: train.int("average").map_or(1.0, |steps| steps as f64),
            ..Learning::default()
        };
        let gpu = match play::device(config).map_err(TrainError::Config)? {
            Device::Cuda(number) => Some(number),
            Device::Auto if device::gpus() > 0 => Some(0),
            Device::Auto | Device::Cpu => None,
        };
        let made = Trainable::new(network, gpu, learning).map_err(|e| match gpu {
            Some(_) => TrainError::Gpu(e),
            None => TrainError::Device(e),
        })?;
        Ok(Box::new(Torch {
            trainable: made,
            bounds: Vec::new(),
        }))
    }

    /// Why a step failed.
    fn refused(error: DeviceError) -> TrainError {
        match error.to_string().contains("out of memory") {
            true => TrainError::OutOfMemory(error),
            false => TrainError::Device(error),
        }
    }

    struct Torch {
        trainable: Trainable,
        bounds: Vec<Bound>,
    }

    impl Learner for Torch {
        fn set_rate(&mut self, rate: f64) {
            self.trainable.set_rate(rate);
        }

        fn step(&mut self, batch: &Batch) -> Result<Loss, TrainError> {
            self.bounds.clear();
            let bounds = batch.bounds.iter().map(|bound| match bound {
                data::Bound::Upper => Bound::Upper,
                data::Bound::Exact => Bound::Exact,
                data::Bound::Lower => Bound::Lower,
            });
            self.bounds.extend(bounds);
            let learns = |rows: &Vec<f32>| !rows.is_empty();
            let batch = torch::Batch {
                inputs: match batch.features.is_empty() {
                    true => Inputs::Planes(&batch.planes),
                    false => Inputs::Features(&batch.features),
                },
                values: &batch.values,
                bounds: Some(&self.bounds),
                policies: learns(&batch.policies).then_some(&batch.policies[..]),
                policy_weights: learns(&batch.weights).then_some(&batch.weights[..]),
            };
            let loss = self.trainable.step(&batch).map_err(refused)?;
            Ok(Loss {
                value: loss.value,
                policy: loss.policy,
            })
        }

        fn network(&self) -> Result<Network, TrainError> {
            Ok(self.trainable.network()?)
        }

        fn averaged(&self) -> Result<Network, TrainError> {
            Ok(self.trainable.averaged()?)
        }

        fn state(&self) -> Result<Tensors, TrainError> {
            Ok(self.trainable.state()?)
        }

        fn restore(&mut self, state: &Tensors) -> Result<(), TrainError> {
            Ok(self.trainable.restore(state)?)
        }
    }
}
