//! What learns Q: libtorch, where this program was built with it.

use super::config::Config;
use crate::environment::About;
use crate::learn::train::TrainError;
use treeline_nets::file::Tensors;

/// Steps that were drawn from the replay, a row each.
#[derive(Debug, Default)]
pub struct Drawn {
    /// Observations as they are remembered, `[batch, stack, observation]`.
    pub before: Vec<u8>,
    pub after: Vec<u8>,
    pub actions: Vec<i64>,
    /// Discounted, until `after`.
    pub rewards: Vec<f32>,
    /// What the best action in `after` counts; 0 where the episode is over.
    pub discounts: Vec<f32>,
}

impl Drawn {
    pub fn clear(&mut self) {
        self.before.clear();
        self.after.clear();
        self.actions.clear();
        self.rewards.clear();
        self.discounts.clear();
    }
}

/// A network of Q that learns.
pub trait Learner {
    /// Q of every action for what is seen, `[stack, observation]`.
    fn answers(&self, seen: &[u8]) -> Result<Vec<f32>, TrainError>;
    /// Learns from a batch; the mean loss, and the mean Q.
    fn step(&mut self, drawn: &Drawn) -> Result<(f64, f64), TrainError>;
    /// The target network becomes the learning one.
    fn refresh_target(&mut self) -> Result<(), TrainError>;
    fn weights(&self) -> Result<Tensors, TrainError>;
    /// What besides the weights the next step depends on.
    fn state(&self) -> Result<Tensors, TrainError>;
    fn restore(&mut self, weights: &Tensors, state: &Tensors) -> Result<(), TrainError>;
}

/// Whether this program can train networks of Q; the error says how to get one that can.
pub fn available() -> Result<(), TrainError> {
    match cfg!(feature = "torch") {
        true => Ok(()),
        false => Err(TrainError::NoLibtorch),
    }
}

#[cfg(not(feature = "torch"))]
pub fn learner(_: &Config, _: &About) -> Result<Box<dyn Learner>, TrainError> {
    Err(TrainError::NoLibtorch)
}

#[cfg(feature = "torch")]
pub use torch::learner;

#[cfg(feature = "torch")]
mod torch {
    use super::*;
    use crate::environment::Space;
    use treeline_nets::device::{self, Device};
    use treeline_torch::{QLearning, QNetwork, QShape, Seen, Sees, Transitions, set_threads};

    struct Torch {
        network: QNetwork,
        space: Space,
    }

    /// A network with random weights, ready to learn as the configuration says.
    pub fn learner(config: &Config, about: &About) -> Result<Box<dyn Learner>, TrainError> {
        set_threads(config.size("run", "threads"));
        let shape = QShape {
            sees: match about.space {
                Space::Frames(side) => Sees::Frames {
                    stack: config.size("environment", "stack"),
                    side,
                },
                Space::Numbers(count) => Sees::Numbers(count),
            },
            actions: about.actions,
            hidden: config.size("dqn", "hidden"),
            dueling: config.get("dqn").flag("dueling"),
        };
        let learning = QLearning {
            rate: config.real("train", "rate"),
            double: config.get("dqn").flag("double"),
            clip: config.get("train").real("clip"),
        };
        let asked: Device = config
            .get("run")
            .name("device")
            .parse()
            .map_err(|e| TrainError::Config(anyhow::anyhow!("[run] device: {e}")))?;
        let gpu = match asked {
            Device::Cuda(number) => Some(number),
            Device::Auto if device::gpus() > 0 => Some(0),
            Device::Auto | Device::Cpu => None,
        };
        let seed = config.size("run", "seed") as i64;
        let network = QNetwork::new(shape, learning, seed, gpu).map_err(|e| match gpu {
            Some(_) => TrainError::Gpu(e),
            None => TrainError::Device(e),
        })?;
        Ok(Box::new(Torch {
            network,
            space: about.space,
        }))
    }

    fn numbers(bytes: &[u8]) -> Vec<f32> {
        let numbers = bytes.chunks_exact(4);
        numbers
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect()
    }

    impl Learner for Torch {
        fn answers(&self, seen: &[u8]) -> Result<Vec<f32>, TrainError> {
            Ok(match self.space {
                Space::Frames(_) => self.network.answers(Seen::Frames(seen))?,
                Space::Numbers(_) => self.network.answers(Seen::Numbers(&numbers(seen)))?,
            })
        }

        fn step(&mut self, drawn: &Drawn) -> Result<(f64, f64), TrainError> {
            let (left, right);
            let (before, after) = match self.space {
                Space::Frames(_) => (Seen::Frames(&drawn.before), Seen::Frames(&drawn.after)),
                Space::Numbers(_) => {
                    (left, right) = (numbers(&drawn.before), numbers(&drawn.after));
                    (Seen::Numbers(&left), Seen::Numbers(&right))
                }
            };
            Ok(self.network.step(&Transitions {
                before,
                actions: &drawn.actions,
                rewards: &drawn.rewards,
                discounts: &drawn.discounts,
                after,
            })?)
        }

        fn refresh_target(&mut self) -> Result<(), TrainError> {
            Ok(self.network.refresh_target()?)
        }

        fn weights(&self) -> Result<Tensors, TrainError> {
            Ok(self.network.weights()?)
        }

        fn state(&self) -> Result<Tensors, TrainError> {
            Ok(self.network.state()?)
        }

        fn restore(&mut self, weights: &Tensors, state: &Tensors) -> Result<(), TrainError> {
            self.network
                .restore(weights, state)
                .map_err(|_| TrainError::State)
        }
    }
}
