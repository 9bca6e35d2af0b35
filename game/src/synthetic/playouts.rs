//! Random games that end even where a cycle has no way out.

use super::{At, Child, Synthetic};
use crate::{Outcome, Playout, Playouts, Rng, Rules, random};

impl Playouts for Synthetic {
    /// Bounded, since a cycle may have no way out.
    fn playout(&self, mut position: At, rng: &mut Rng) -> Playout {
        for plies in 0..1000 {
            if let Some(outcome) = self.outcome(&position) {
                return Playout { outcome, plies };
            }
            let count = self.node(&position).children.len() as u32;
            self.apply(&mut position, Child(random::pick(rng, count) as u8));
        }
        Playout {
            outcome: Outcome::Draw,
            plies: 1000,
        }
    }
}
