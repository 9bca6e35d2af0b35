//! An environment as its own model: states are copied, brought back, and gone on from.

use super::learner::Model;
use super::replay::learned_reward;
use crate::environment::{About, Environment, Space};
use crate::search::muzero::{Advanced, Dynamics};
use anyhow::{Error, Result, ensure};

/// A search's states, kept by the environment until [`Copies::end`].
pub struct Copies<'a> {
    environment: &'a mut dyn Environment,
    model: &'a dyn Model,
    /// Whether of rewards only the sign counts.
    signs: bool,
    /// The number of the next copy.
    next: u64,
    /// The copy that the environment is in, where nothing was done since.
    now: Option<u64>,
}

/// A state that can be brought back.
pub struct Copy {
    number: u64,
    /// `[stack, observation]`.
    seen: Vec<u8>,
}

/// The number of the state that the search began in.
const ROOT: u64 = 0;

/// An error where states cannot be copied and a method needs that.
pub fn needed(about: &About, method: &str) -> Result<()> {
    ensure!(
        about.copies,
        "{}: its states cannot be copied, which {method} needs; muzero and dqn do without",
        about.name
    );
    Ok(())
}

impl<'a> Copies<'a> {
    /// Begins where the environment is; `seen` is what the network sees there.
    pub fn of(
        environment: &'a mut dyn Environment,
        model: &'a dyn Model,
        seen: &[u8],
        signs: bool,
    ) -> Result<(Self, Copy)> {
        environment.copy(ROOT)?;
        let root = Copy {
            number: ROOT,
            seen: seen.to_vec(),
        };
        let copies = Copies {
            environment,
            model,
            signs,
            next: ROOT + 1,
            now: Some(ROOT),
        };
        Ok((copies, root))
    }

    /// Brings the environment back where it was, and drops all copies.
    pub fn end(self) -> Result<()> {
        if self.now != Some(ROOT) {
            self.environment.restore(ROOT)?;
        }
        (ROOT..self.next).try_for_each(|number| Ok(self.environment.forget(number)?))
    }

    /// z: the rewards of at most so many actions that `choose` takes by what it sees (`[stack, observation]`), beginning in a state that
    /// was copied, discounted; unless the episode is over, with what the network says of where that ended.
    pub fn play_out(
        &mut self,
        from: &Copy,
        (steps, discount): (usize, f32),
        mut choose: impl FnMut(&[u8]) -> usize,
    ) -> Result<f32> {
        self.bring(from)?;
        let mut seen = from.seen.clone();
        let (mut sum, mut factor) = (0.0, 1.0);
        for _ in 0..steps {
            let step = self.environment.step(choose(&seen))?;
            sum += factor * learned_reward(step.reward, self.signs);
            factor *= discount;
            if step.terminated {
                return Ok(sum);
            }
            seen = self.shown(&seen);
            if step.truncated {
                break;
            }
        }
        let (value, _) = self.model.predict(&self.model.represent(&seen)?)?;
        Ok(sum + factor * value)
    }

    /// Has the environment be where a copy was made, from which it is about to leave.
    fn bring(&mut self, state: &Copy) -> Result<()> {
        if self.now != Some(state.number) {
            self.environment.restore(state.number)?;
        }
        self.now = None;
        Ok(())
    }

    /// What the network sees after one more observation.
    fn shown(&self, before: &[u8]) -> Vec<u8> {
        let now = self.environment.observation();
        match self.environment.about().space {
            Space::Numbers(_) => now.to_vec(),
            // The oldest frame gives way.
            Space::Frames(_) => [&before[now.len()..], now].concat(),
        }
    }
}

impl Dynamics for Copies<'_> {
    type State = Copy;
    type Error = Error;

    fn advance(&mut self, state: &Copy, action: usize) -> Result<Advanced<Copy>> {
        self.bring(state)?;
        let step = self.environment.step(action)?;
        let number = self.next;
        if !step.is_last() {
            self.environment.copy(number)?;
            self.next += 1;
            self.now = Some(number);
        }
        Ok(Advanced {
            state: Copy {
                number,
                seen: self.shown(&state.seen),
            },
            passes: false,
            reward: learned_reward(step.reward, self.signs),
            over: step.is_last(),
        })
    }

    fn predict(&mut self, state: &Copy) -> Result<(f32, Vec<f32>)> {
        Ok(self.model.predict(&self.model.represent(&state.seen)?)?)
    }

    fn bytes(state: &Copy) -> usize {
        state.seen.len()
    }
}
