//! The search's leaves: half the network's value, half a play-out by the fast policy (ALPHAS §4.5).

use super::super::copies::{Copies, Copy};
use super::super::planning::drawn;
use super::fast::Fast;
use crate::game::Rng;
use crate::search::muzero::{Advanced, Dynamics};
use anyhow::{Error, Result};

/// What play-outs are like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Playout {
    /// λ.
    pub weight: f32,
    /// At most.
    pub steps: usize,
    /// Of a step.
    pub discount: f32,
}

impl Playout {
    /// What a leaf is worth: (1-λ)·v + λ·z.
    fn worth(&self, v: f32, z: f32) -> f32 {
        (1.0 - self.weight) * v + self.weight * z
    }
}

/// Copied states whose values are mixed with play-outs.
pub struct Playouts<'a> {
    pub copies: Copies<'a>,
    pub fast: &'a Fast,
    pub playout: Playout,
    pub rng: Rng,
}

impl Dynamics for Playouts<'_> {
    type State = Copy;
    type Error = Error;

    fn advance(&mut self, state: &Copy, action: usize) -> Result<Advanced<Copy>> {
        self.copies.advance(state, action)
    }

    fn predict(&mut self, state: &Copy) -> Result<(f32, Vec<f32>)> {
        let (v, logits) = self.copies.predict(state)?;
        let Playout {
            weight,
            steps,
            discount,
        } = self.playout;
        if weight == 0.0 {
            return Ok((v, logits));
        }
        let (fast, rng) = (self.fast, &mut self.rng);
        let choose = |seen: &[u8]| drawn(&fast.shares(seen), 1.0, rng);
        let z = self.copies.play_out(state, (steps, discount), choose)?;
        Ok((self.playout.worth(v, z), logits))
    }

    fn bytes(state: &Copy) -> usize {
        Copies::bytes(state)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::learner::{Learner, Model, Unrolled};
    use super::*;
    use crate::environment::{About, Environment, EnvironmentError, Space, Step};
    use crate::game::random;
    use crate::learn::train::TrainError;
    use std::collections::BTreeMap;
    use treeline_nets::file::Tensors;

    /// Counts its steps, each of which brings its number; the fifth ends the episode, or breaks it off.
    struct Counting {
        about: About,
        at: u8,
        seen: [u8; 4],
        copies: BTreeMap<u64, u8>,
        truncates: bool,
    }

    impl Counting {
        fn is_at(&mut self, at: u8) {
            (self.at, self.seen) = (at, f32::from(at).to_le_bytes());
        }
    }

    impl Environment for Counting {
        fn about(&self) -> &About {
            &self.about
        }
        fn reset(&mut self, _: u64) -> Result<(), EnvironmentError> {
            self.is_at(0);
            Ok(())
        }
        fn step(&mut self, _: usize) -> Result<Step, EnvironmentError> {
            self.is_at(self.at + 1);
            Ok(Step {
                reward: f32::from(self.at),
                terminated: self.at == 5 && !self.truncates,
                truncated: self.at == 5 && self.truncates,
                frames: 1,
            })
        }
        fn observation(&self) -> &[u8] {
            &self.seen
        }
        fn copy(&mut self, number: u64) -> Result<(), EnvironmentError> {
            self.copies.insert(number, self.at);
            Ok(())
        }
        fn restore(&mut self, number: u64) -> Result<(), EnvironmentError> {
            self.is_at(self.copies[&number]);
            Ok(())
        }
        fn forget(&mut self, number: u64) -> Result<(), EnvironmentError> {
            self.copies.remove(&number);
            Ok(())
        }
    }

    /// A place is worth a hundred times its number.
    struct Hundred;

    impl Learner for Hundred {
        fn weights(&self) -> Result<Tensors, TrainError> {
            Ok(Tensors::new())
        }
        fn state(&self) -> Result<Tensors, TrainError> {
            Ok(Tensors::new())
        }
        fn restore(&mut self, _: &Tensors, _: &Tensors) -> Result<(), TrainError> {
            Ok(())
        }
    }

    impl Model for Hundred {
        fn represent(&self, seen: &[u8]) -> Result<Vec<f32>, TrainError> {
            Ok(vec![f32::from_le_bytes([
                seen[0], seen[1], seen[2], seen[3],
            ])])
        }
        fn predict(&self, state: &[f32]) -> Result<(f32, Vec<f32>), TrainError> {
            Ok((100.0 * state[0], vec![0.0]))
        }
        fn advance(&self, _: &[f32], _: usize) -> Result<(Vec<f32>, f32), TrainError> {
            Err(TrainError::State)
        }
        fn step(&mut self, _: &Unrolled) -> Result<f64, TrainError> {
            Err(TrainError::State)
        }
        fn set_rate(&mut self, _: f64) {}
    }

    /// What the place after one step is worth.
    fn leaf(weight: f32, steps: usize, truncates: bool) -> f32 {
        let mut environment = Counting {
            about: About {
                name: "counting".into(),
                actions: 1,
                space: Space::Numbers(1),
                copies: true,
            },
            at: 0,
            seen: [0; 4],
            copies: BTreeMap::new(),
            truncates,
        };
        let fast = Fast::new(Space::Numbers(1), 1, 0.1);
        let (copies, root) = Copies::of(&mut environment, &Hundred, &[0; 4], false).unwrap();
        let mut playouts = Playouts {
            copies,
            fast: &fast,
            playout: Playout {
                weight,
                steps,
                discount: 0.5,
            },
            rng: random::seeded(1),
        };
        let made = playouts.advance(&root, 0).unwrap();
        assert_eq!((made.reward, made.over), (1.0, false));
        let (value, _) = playouts.predict(&made.state).unwrap();
        // It goes on from the leaf and not from where the play-out ended.
        let next = playouts.advance(&made.state, 0).unwrap();
        assert_eq!(next.reward, 2.0);
        playouts.copies.end().unwrap();
        assert!(environment.copies.is_empty());
        assert_eq!(environment.at, 0);
        value
    }

    #[test]
    fn a_leaf_is_a_mean_of_its_value_and_of_a_play_out() {
        // v = 100. Rewards 2 and 3, then place 3 is worth 300.
        let two = 2.0 + 0.5 * 3.0 + 0.25 * 300.0;
        assert_eq!(leaf(0.0, 2, false), 100.0);
        assert_eq!(leaf(1.0, 2, false), two);
        assert_eq!(leaf(0.5, 2, false), 0.5 * 100.0 + 0.5 * two);
        assert_eq!(leaf(0.25, 2, false), 0.75 * 100.0 + 0.25 * two);
        // Rewards 2 to 5, and the end; or what follows where it was broken off.
        let all = 2.0 + 0.5 * 3.0 + 0.25 * 4.0 + 0.125 * 5.0;
        assert_eq!(leaf(1.0, 10, false), all);
        assert_eq!(leaf(1.0, 10, true), all + 0.0625 * 500.0);
    }
}
