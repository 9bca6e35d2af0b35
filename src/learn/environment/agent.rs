//! Who acts, remembers and learns; each method is one.

use super::keep::{Figures, Standing};
use super::learner::Learner;
use crate::environment::{Environment, Step};
use anyhow::Result;

/// What a training was like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trained {
    pub loss: f64,
    /// The mean of what was thought of the steps.
    pub worth: f64,
}

/// An episode that was open when a checkpoint was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Open {
    /// Its actions, and the learned reward of each.
    pub taken: Vec<(usize, f32)>,
    /// What was seen after the last.
    pub seen: Vec<u8>,
}

/// One agent, for one environment.
pub trait Agent {
    /// An episode begins with this observation.
    fn begin(&mut self, seen: &[u8], standing: &Standing) -> Result<()>;
    /// What to do now. The environment is left as it was.
    fn act(&mut self, environment: &mut dyn Environment, standing: &Standing) -> Result<usize>;
    /// What the action brought, its reward as it is learned, and what is seen now.
    fn step(&mut self, action: usize, step: Step, seen: &[u8]) -> Result<()>;
    /// Trains if it is time.
    fn train(&mut self, standing: &Standing) -> Result<Option<Trained>>;
    /// How much is left to chance: epsilon, or a temperature.
    fn chance(&self, standing: &Standing) -> f64;
    /// What it draws from now on comes of this.
    fn seed(&mut self, seed: u64);
    /// Its network.
    fn learner(&self) -> &dyn Learner;
    fn learner_mut(&mut self) -> &mut dyn Learner;

    /// Makes what it remembers safe, before a checkpoint.
    fn keep(&mut self, _: &Standing) -> Result<()> {
        Ok(())
    }

    /// Brings back what it remembered at a checkpoint, once its network is there; the episode that was open, if it goes on.
    fn recall(&mut self, _: &Standing) -> Result<Option<Open>> {
        Ok(None)
    }

    /// What else is told of the newest episode.
    fn figures(&self) -> Figures {
        Figures::default()
    }
}

/// A line from `high` to `low` in so many steps, and `low` then.
pub fn falling([high, low]: [f64; 2], gone: f64, steps: f64) -> f64 {
    high + (low - high) * (gone / steps).clamp(0.0, 1.0)
}
