//! What trains a network: over planes libtorch, where this program was built with it; what sees features needs none.

mod inc;
mod tables;
#[cfg(feature = "torch")]
mod torch;

use super::config::Config;
use super::data::Batch;
use treeline_game::options::Values;
use treeline_nets::NetError;
use treeline_nets::arch::{self, Network};
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
    /// The step size from now on: Adam's, or of pattern tables the longest one of a weight.
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
        "this program was built without libtorch, which trains networks over planes: run tools/libtorch/setup.sh, then\n  \
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
    #[error(transparent)]
    Network(#[from] NetError),
    #[error("[train] {key}: {what} are learned without it; leave it at {neutral}")]
    Unused {
        key: &'static str,
        what: &'static str,
        neutral: &'static str,
    },
    #[error("the checkpoint's optimizer.safetensors is not of this network")]
    State,
}

/// Whether this program can train what the configuration asks for; the error says how to get one that can.
pub fn available(config: &Config) -> Result<(), TrainError> {
    let (architecture, _) = arch::parse(config.get("run").name("architecture"))?;
    match cfg!(feature = "torch") || !architecture.needs_libtorch() {
        true => Ok(()),
        false => Err(TrainError::NoLibtorch),
    }
}

/// The network, ready to learn as the configuration says, with so many threads where it can use them.
pub fn learner(
    network: &Network,
    config: &Config,
    threads: usize,
) -> Result<Box<dyn Learner>, TrainError> {
    match network {
        Network::Patterns { meta, patterns } => tables::learner(meta, patterns, config),
        Network::Inc { meta, inc } => inc::learner(meta, inc, config, threads),
        Network::Planes { .. } => over_libtorch(network, config, threads),
    }
}

/// The weight decay that is added to the gradient, and that which is taken off the weights themselves; one of them is 0.
fn decays(train: &Values) -> [f64; 2] {
    let decay = train.real("weight-decay").unwrap_or(0.0);
    match train.flag("decoupled") {
        true => [0.0, decay],
        false => [decay, 0.0],
    }
}

/// Refuses keys that have no meaning for what is learned, where they say more than nothing.
fn unused(train: &Values, what: &'static str, keys: &[&'static str]) -> Result<(), TrainError> {
    for key in keys {
        let (said, neutral) = match *key {
            "norm" => (train.flag(key), "off"),
            "average" => (train.int(key).is_some_and(|steps| steps > 1), "1"),
            _ => (train.real(key).is_some_and(|number| number > 0.0), "0"),
        };
        if said {
            return Err(TrainError::Unused { key, what, neutral });
        }
    }
    Ok(())
}

#[cfg(feature = "torch")]
use torch::learner as over_libtorch;
#[cfg(feature = "torch")]
pub use torch::learning;

#[cfg(not(feature = "torch"))]
fn over_libtorch(_: &Network, _: &Config, _: usize) -> Result<Box<dyn Learner>, TrainError> {
    Err(TrainError::NoLibtorch)
}
