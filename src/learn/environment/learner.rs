//! What learns: networks of libtorch, where this program was built with it.

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

/// Steps that were drawn with the K that followed each, in the order of libtorch's `Followed`.
#[derive(Debug, Default)]
pub struct Unrolled {
    /// K.
    pub steps: usize,
    pub seen: Vec<u8>,
    pub actions: Vec<i64>,
    pub rewards: Vec<f32>,
    pub values: Vec<f32>,
    pub policies: Vec<f32>,
    pub known: Vec<f32>,
    pub weights: Vec<f32>,
}

impl Unrolled {
    /// Nothing, with K.
    pub fn clear(&mut self, steps: usize) {
        self.steps = steps;
        self.seen.clear();
        self.actions.clear();
        let numbers = [
            &mut self.rewards,
            &mut self.values,
            &mut self.policies,
            &mut self.known,
            &mut self.weights,
        ];
        numbers.into_iter().for_each(Vec::clear);
    }
}

/// What every network has that learns.
pub trait Learner {
    fn weights(&self) -> Result<Tensors, TrainError>;
    /// What besides the weights the next step depends on.
    fn state(&self) -> Result<Tensors, TrainError>;
    fn restore(&mut self, weights: &Tensors, state: &Tensors) -> Result<(), TrainError>;
}

/// A network of Q.
pub trait Q: Learner {
    /// Q of every action for what is seen, `[stack, observation]`.
    fn answers(&self, seen: &[u8]) -> Result<Vec<f32>, TrainError>;
    /// Learns from a batch; the mean loss, and the mean Q.
    fn step(&mut self, drawn: &Drawn) -> Result<(f64, f64), TrainError>;
    /// The target network becomes the learning one.
    fn refresh_target(&mut self) -> Result<(), TrainError>;
}

/// A learned model.
pub trait Model: Learner {
    /// The state of what is seen, `[stack, observation]`.
    fn represent(&self, seen: &[u8]) -> Result<Vec<f32>, TrainError>;
    /// The value of a state, and the logit of every action.
    fn predict(&self, state: &[f32]) -> Result<(f32, Vec<f32>), TrainError>;
    /// Where an action leads, and what it brings.
    fn advance(&self, state: &[f32], action: usize) -> Result<(Vec<f32>, f32), TrainError>;
    /// Learns from a batch; the sum of the mean losses.
    fn step(&mut self, rows: &Unrolled) -> Result<f64, TrainError>;
    /// Adam's step size from now on.
    fn set_rate(&mut self, rate: f64);
}

/// Whether this program can train networks for environments; the error says how to get one that can.
pub fn available() -> Result<(), TrainError> {
    match cfg!(feature = "torch") {
        true => Ok(()),
        false => Err(TrainError::NoLibtorch),
    }
}

#[cfg(not(feature = "torch"))]
pub fn q(_: &Config, _: &About) -> Result<Box<dyn Q>, TrainError> {
    Err(TrainError::NoLibtorch)
}

#[cfg(not(feature = "torch"))]
pub fn model(_: &Config, _: &About) -> Result<Box<dyn Model>, TrainError> {
    Err(TrainError::NoLibtorch)
}

#[cfg(feature = "torch")]
pub use torch::{model, q};

#[cfg(feature = "torch")]
mod torch {
    use super::*;
    use crate::environment::Space;
    use treeline_nets::device::{self, Device, DeviceError};
    use treeline_torch::{
        Followed, LatentLearning, LatentModel, LatentShape, QLearning, QNetwork, QShape, Seen,
        Sees, Transitions, set_threads,
    };

    /// A network, and what it sees.
    struct Torch<N> {
        network: N,
        space: Space,
    }

    /// A network of Q with random weights, ready to learn as the configuration says.
    pub fn q(config: &Config, about: &About) -> Result<Box<dyn Q>, TrainError> {
        let shape = QShape {
            sees: sees(config, about.space),
            actions: about.actions,
            hidden: config.size("dqn", "hidden"),
            dueling: config.get("dqn").flag("dueling"),
        };
        let learning = QLearning {
            rate: config.real("train", "rate"),
            double: config.get("dqn").flag("double"),
            clip: config.get("train").real("clip"),
        };
        made(config, about.space, |seed, gpu| {
            QNetwork::new(shape, learning, seed, gpu)
        })
        .map(|torch| Box::new(torch) as Box<dyn Q>)
    }

    /// A model with random weights, ready to learn as the configuration says.
    pub fn model(config: &Config, about: &About) -> Result<Box<dyn Model>, TrainError> {
        let size = |key| config.size("search", key);
        let shape = LatentShape {
            sees: sees(config, about.space),
            actions: about.actions,
            hidden: size("hidden"),
            latent: size("latent"),
            support: size("support"),
            dynamics: config.method() == "muzero",
        };
        let learning = LatentLearning {
            rate: config.real("train", "rate"),
            clip: config.get("train").real("clip"),
            value_factor: config.real("search", "value-factor"),
        };
        made(config, about.space, |seed, gpu| {
            LatentModel::new(shape, learning, seed, gpu)
        })
        .map(|torch| Box::new(torch) as Box<dyn Model>)
    }

    fn sees(config: &Config, space: Space) -> Sees {
        match space {
            Space::Frames(side) => Sees::Frames {
                stack: config.size("environment", "stack"),
                side,
            },
            Space::Numbers(count) => Sees::Numbers(count),
        }
    }

    /// A network on the device that the configuration names.
    fn made<N>(
        config: &Config,
        space: Space,
        make: impl FnOnce(i64, Option<usize>) -> Result<N, DeviceError>,
    ) -> Result<Torch<N>, TrainError> {
        set_threads(config.size("run", "threads"));
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
        let network = make(config.size("run", "seed") as i64, gpu).map_err(|e| match gpu {
            Some(_) => TrainError::Gpu(e),
            None => TrainError::Device(e),
        })?;
        Ok(Torch { network, space })
    }

    impl<N> Torch<N> {
        /// Does something with what is seen as the network takes it.
        fn shown<T>(&self, seen: &[u8], work: impl FnOnce(Seen<'_>) -> T) -> T {
            match self.space {
                Space::Frames(_) => work(Seen::Frames(seen)),
                Space::Numbers(_) => work(Seen::Numbers(&numbers(seen))),
            }
        }
    }

    fn numbers(bytes: &[u8]) -> Vec<f32> {
        let numbers = bytes.chunks_exact(4);
        numbers
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect()
    }

    impl Q for Torch<QNetwork> {
        fn answers(&self, seen: &[u8]) -> Result<Vec<f32>, TrainError> {
            Ok(self.shown(seen, |seen| self.network.answers(seen))?)
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
    }

    impl Model for Torch<LatentModel> {
        fn represent(&self, seen: &[u8]) -> Result<Vec<f32>, TrainError> {
            Ok(self.shown(seen, |seen| self.network.represent(seen))?)
        }

        fn predict(&self, state: &[f32]) -> Result<(f32, Vec<f32>), TrainError> {
            Ok(self.network.predict(state)?)
        }

        fn advance(&self, state: &[f32], action: usize) -> Result<(Vec<f32>, f32), TrainError> {
            let next = self.network.advance(state, action)?;
            Ok((next.state, next.reward))
        }

        fn step(&mut self, rows: &Unrolled) -> Result<f64, TrainError> {
            let numbers = match self.space {
                Space::Frames(_) => Vec::new(),
                Space::Numbers(_) => numbers(&rows.seen),
            };
            let seen = match self.space {
                Space::Frames(_) => Seen::Frames(&rows.seen),
                Space::Numbers(_) => Seen::Numbers(&numbers),
            };
            let loss = self.network.step(&Followed {
                steps: rows.steps,
                seen,
                actions: &rows.actions,
                rewards: &rows.rewards,
                values: &rows.values,
                policies: &rows.policies,
                known: &rows.known,
                weights: &rows.weights,
            })?;
            Ok(loss.value + loss.reward + loss.policy)
        }

        fn set_rate(&mut self, rate: f64) {
            self.network.set_rate(rate);
        }
    }

    /// The same for both networks.
    macro_rules! learner {
        ($network:ty) => {
            impl Learner for Torch<$network> {
                fn weights(&self) -> Result<Tensors, TrainError> {
                    Ok(self.network.weights()?)
                }

                fn state(&self) -> Result<Tensors, TrainError> {
                    Ok(self.network.state()?)
                }

                fn restore(
                    &mut self,
                    weights: &Tensors,
                    state: &Tensors,
                ) -> Result<(), TrainError> {
                    let restored = self.network.restore(weights, state);
                    restored.map_err(|_| TrainError::State)
                }
            }
        };
    }

    learner!(QNetwork);
    learner!(LatentModel);
}
