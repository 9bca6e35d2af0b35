//! Methods that train in their own way: on games that are played through again, not on single states. One method is one file
//! and one line in [`open`].

mod again;
#[cfg(feature = "torch")]
mod alphago;
#[cfg(feature = "torch")]
mod dqn;
mod examine;
mod games;
#[cfg(feature = "torch")]
mod muzero;
#[cfg(feature = "torch")]
mod several;
mod sight;
mod unroll;

pub use again::reanalyse;
pub use examine::{Examined, examine};
pub use games::{FoundThere, Games, Played};

use super::config::{Config, Learns};
use super::team::Team;
use super::train::{Loss, TrainError};
use anyhow::Result;
use treeline_nets::file::Tensors;

/// What a generation's training begins with.
#[derive(Debug, Clone, Copy)]
pub struct Desk<'a> {
    pub config: &'a Config,
    /// What was played, this generation's games included.
    pub games: &'a Games,
    /// What learns, and what [`Course::state`] said of it last; empty at the beginning of the run.
    pub network: &'a Team,
    /// What has played.
    pub player: &'a Team,
    pub state: &'a Tensors,
    /// From 1.
    pub generation: u32,
    /// Of this generation.
    pub seed: u64,
    pub rate: f64,
    pub threads: usize,
}

/// A generation's training, each of whose steps is a pure function of the desk, of its number and of the steps before.
pub trait Course {
    /// How many there are.
    fn steps(&self) -> u64;
    /// What each shows.
    fn batch(&self) -> usize;
    fn step(&mut self, games: &Games, step: u64) -> Result<Loss>;
    /// The networks as they are.
    fn network(&self) -> Result<Team>;
    /// Those to play with.
    fn player(&self) -> Result<Team>;
    /// What besides the weights the next step depends on.
    fn state(&self) -> Result<Tensors>;
    /// A line to be told when all steps are taken.
    fn report(&self, _games: &Games) -> Result<Option<String>> {
        Ok(None)
    }
}

/// Whether the configuration's method trains here.
pub fn studies(config: &Config) -> Result<bool> {
    Ok(config.method()?.learns != Learns::Rows)
}

/// Begins a generation's training, or goes on with it.
#[cfg(feature = "torch")]
pub fn open(desk: Desk<'_>) -> Result<Box<dyn Course>> {
    match desk.config.method()?.learns {
        Learns::Rows => Err(TrainError::NoLibtorch.into()),
        Learns::Q => dqn::open(desk),
        Learns::Several { .. } => several::open(desk),
        Learns::Model => muzero::open(desk),
        Learns::Stages => alphago::open(desk),
    }
}

#[cfg(not(feature = "torch"))]
pub fn open(_: Desk<'_>) -> Result<Box<dyn Course>> {
    Err(TrainError::NoLibtorch.into())
}
