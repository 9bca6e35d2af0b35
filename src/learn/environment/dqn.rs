//! DQN: acts by Q or by chance, and learns what actions are worth (Mnih et al. 2015).

use super::agent::{Agent, Trained, falling};
use super::config::Config;
use super::keep::Standing;
use super::learner::{self, Drawn, Learner, Q};
use super::replay::Replay;
use crate::environment::{About, Environment, Step};
use crate::game::{Rng, random};
use anyhow::Result;

pub struct Dqn {
    q: Box<dyn Q>,
    replay: Replay,
    drawn: Drawn,
    rng: Rng,
    actions: usize,
    first: usize,
    every: u64,
    target: u64,
    batch: usize,
    returns: usize,
    discount: f32,
    epsilon: [f64; 2],
    epsilon_steps: f64,
}

impl Dqn {
    pub fn new(config: &Config, about: &About, seed: u64) -> Result<Dqn> {
        let size = |key| config.size("dqn", key);
        let stack = config.size("environment", "stack");
        Ok(Dqn {
            q: learner::q(config, about)?,
            replay: Replay::new(about.space, stack, size("replay"), 0)?,
            drawn: Drawn::default(),
            rng: random::seeded(seed),
            actions: about.actions,
            first: size("first"),
            every: size("every") as u64,
            target: size("target") as u64,
            batch: config.size("train", "batch"),
            returns: size("returns"),
            discount: config.real("dqn", "discount") as f32,
            epsilon: ["epsilon", "epsilon-end"].map(|key| config.real("dqn", key)),
            epsilon_steps: size("epsilon-steps") as f64,
        })
    }
}

impl Agent for Dqn {
    fn begin(&mut self, seen: &[u8], _: &Standing) -> Result<()> {
        self.replay.begin(seen);
        Ok(())
    }

    fn act(&mut self, _: &mut dyn Environment, standing: &Standing) -> Result<usize> {
        let drawn = f64::from(random::pick(&mut self.rng, 1 << 20));
        if drawn < self.chance(standing) * f64::from(1 << 20) {
            return Ok(random::pick(&mut self.rng, self.actions as u32) as usize);
        }
        self.replay.now(&mut self.drawn.before);
        let q = self.q.answers(&self.drawn.before)?;
        let best = (0..q.len().min(self.actions)).max_by(|a, b| q[*a].total_cmp(&q[*b]));
        Ok(best.unwrap_or(0))
    }

    fn step(&mut self, action: usize, step: Step, seen: &[u8]) -> Result<()> {
        let Step {
            reward, terminated, ..
        } = step;
        self.replay.step(action, reward, terminated, seen);
        Ok(())
    }

    fn train(&mut self, standing: &Standing) -> Result<Option<Trained>> {
        let due = standing.steps.is_multiple_of(self.every);
        if !due || self.replay.len() < self.first {
            return Ok(None);
        }
        let (rng, drawn) = (&mut self.rng, &mut self.drawn);
        let replay = &self.replay;
        if !replay.draw(self.batch, self.returns, self.discount, rng, drawn) {
            return Ok(None);
        }
        let (loss, worth) = self.q.step(drawn)?;
        if (standing.updates + 1).is_multiple_of(self.target) {
            self.q.refresh_target()?;
        }
        Ok(Some(Trained { loss, worth }))
    }

    /// Epsilon, which falls once training has begun.
    fn chance(&self, standing: &Standing) -> f64 {
        let gone = standing.steps as f64 - self.first as f64;
        falling(self.epsilon, gone, self.epsilon_steps)
    }

    fn seed(&mut self, seed: u64) {
        self.rng = random::seeded(seed);
    }

    fn learner(&self) -> &dyn Learner {
        &*self.q
    }

    fn learner_mut(&mut self) -> &mut dyn Learner {
        &mut *self.q
    }
}
