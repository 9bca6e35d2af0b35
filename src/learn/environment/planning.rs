//! The search before a step, and the draw of an action from what it found.

use super::config::Config;
use crate::game::{ForMover, Rng, random};
use crate::search::Stats;
use crate::search::muzero::{Dynamics, Puct, Tree};
use anyhow::{Error, Result};

/// The constant c2 of PUCT, as published.
const BASE: f32 = 19_652.0;
/// Bytes of a search's tree.
const ROOM: usize = 1 << 30;

/// What a search is like.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    puct: Puct,
    simulations: usize,
    actions: usize,
    /// Part and parameter of the root's noise.
    noise: (f32, f64),
}

impl Search {
    /// As the section [search] says.
    pub fn of(config: &Config, actions: usize) -> Search {
        let real = |key| config.real("search", key);
        Search {
            puct: Puct {
                c1: real("exploration") as f32,
                c2: BASE,
                discount: real("discount") as f32,
            },
            simulations: config.size("search", "simulations"),
            actions,
            noise: (real("noise") as f32, real("noise-alpha")),
        }
    }

    /// Searches from a state: the share of visits of each action, and the value.
    pub fn run<D: Dynamics<Error = Error>>(
        &self,
        dynamics: &mut D,
        state: D::State,
        rng: &mut Rng,
    ) -> Result<Vec<f32>> {
        let (value, logits) = dynamics.predict(&state)?;
        let actions: Vec<Option<usize>> = (0..self.actions).map(Some).collect();
        let mut tree = Tree::new(self.puct, ROOM);
        tree.plant(state, &actions, logits, ForMover(value));
        let (part, alpha) = self.noise;
        if part > 0.0 {
            tree.add_dirichlet(part, alpha, rng);
        }
        let mut stats = Stats::default();
        for _ in 0..self.simulations {
            tree.simulate(dynamics, u32::MAX, &mut stats)?;
        }
        let visits = &tree.root().visits;
        let total: u32 = visits.iter().sum();
        let share = |n: &u32| (f64::from(*n) / f64::from(total.max(1))) as f32;
        let mut found: Vec<f32> = visits.iter().map(share).collect();
        found.push(tree.value());
        Ok(found)
    }
}

/// An action, drawn by its share to the power of 1 over the temperature.
pub fn drawn(shares: &[f32], temperature: f64, rng: &mut Rng) -> usize {
    let most = shares
        .iter()
        .copied()
        .fold(0.0, f32::max)
        .max(f32::MIN_POSITIVE);
    let weight = |share: &f32| f64::from(share / most).powf(1.0 / temperature);
    let sum: f64 = shares.iter().map(weight).sum();
    let mut left = (random::word(rng) >> 11) as f64 / (1u64 << 53) as f64 * sum;
    for (action, share) in shares.iter().enumerate() {
        left -= weight(share);
        if left < 0.0 {
            return action;
        }
    }
    // Rounding, or no visits at all.
    (0..shares.len())
        .max_by(|a, b| shares[*a].total_cmp(&shares[*b]))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_drawn_by_their_shares_to_a_power() {
        let mut rng = random::seeded(1);
        let mut counts = |temperature: f64| {
            let mut counts = [0; 3];
            for _ in 0..3000 {
                counts[drawn(&[0.25, 0.75, 0.0], temperature, &mut rng)] += 1;
            }
            counts
        };
        let even = counts(1.0);
        assert!((650..850).contains(&even[0]) && even[2] == 0, "{even:?}");
        // 1 : 9.
        let sharp = counts(0.5);
        assert!((240..360).contains(&sharp[0]), "{sharp:?}");
        assert_eq!(drawn(&[0.0, 0.0], 1.0, &mut rng), 1);
    }
}
