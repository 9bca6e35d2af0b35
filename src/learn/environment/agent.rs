//! Who acts, remembers and learns; each method is one.

use super::keep::Standing;
use super::learner::Learner;
use crate::environment::Environment;
use anyhow::Result;

/// What a training was like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trained {
    pub loss: f64,
    /// The mean of what was thought of the steps.
    pub worth: f64,
}

/// One agent, for one environment.
pub trait Agent {
    /// An episode begins with this observation.
    fn begin(&mut self, seen: &[u8]);
    /// What to do now. The environment is left as it was.
    fn act(&mut self, environment: &mut dyn Environment, standing: &Standing) -> Result<usize>;
    /// What the action brought, and what is seen now.
    fn step(&mut self, action: usize, reward: f32, terminated: bool, seen: &[u8]);
    /// Trains if it is time.
    fn train(&mut self, standing: &Standing) -> Result<Option<Trained>>;
    /// How much is left to chance: epsilon, or a temperature.
    fn chance(&self, standing: &Standing) -> f64;
    /// Its network.
    fn learner(&self) -> &dyn Learner;
    fn learner_mut(&mut self) -> &mut dyn Learner;
}

/// A line from `high` to `low` in so many steps, and `low` then.
pub fn falling([high, low]: [f64; 2], gone: f64, steps: f64) -> f64 {
    high + (low - high) * (gone / steps).clamp(0.0, 1.0)
}
