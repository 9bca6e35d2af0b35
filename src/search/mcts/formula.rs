//! The value by which a child is chosen (systems.md §2, "select"). Terms add, so that every combination of NIM Table 7.1 is
//! a setting:
//!
//! `(1-β)·((1-α)·w_i/n_i + α·v) + β·AMAF_i + C·sqrt(ln n_p/n_i) + H_i/(l_i+1) + W·h_i/(l_i+1)`
//!
//! Everything is seen by the player to move in the parent. The thesis prints `H_i/(l_i+1)` under the root; like the
//! original of progressive bias, this adds it outside. In β stands the AMAF count `ñ`, where the thesis prints `n_p`.

use super::composition::{Blend, Composition, FirstPlay, Grave};
use crate::game::Game;

/// A child as the formula sees it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Child {
    pub visits: f32,
    /// Sum of results.
    pub sum: f32,
    /// `v_i`.
    pub implicit: f32,
    /// `v0` and `H_i`.
    pub first: f32,
    /// AMAF count and mean.
    pub amaf: (f32, f32),
    /// Average score of the move in all games.
    pub history: f32,
}

/// The formula at one node.
#[derive(Debug, Clone, Copy)]
pub struct Formula {
    /// `C·sqrt(ln n_p)`.
    spread: f32,
    /// The mean of unvisited children; `None` for before all others.
    unvisited: Option<f32>,
    alpha: f32,
    blend: Blend,
    grave: Option<Grave>,
    bias: f32,
    history: f32,
}

impl Formula {
    /// `visits` is the sum over the children, `mean` the parent's.
    pub fn new<G: Game>(composition: &Composition<G>, visits: f32, mean: f32) -> Self {
        Formula {
            spread: composition.exploration * visits.max(1.0).ln().sqrt(),
            unvisited: match composition.first_play {
                FirstPlay::Infinity => None,
                FirstPlay::Parent(less) => Some(mean - less),
                FirstPlay::Constant(value) => Some(value),
            },
            alpha: composition.alpha,
            blend: composition.blend,
            grave: composition.grave,
            bias: composition.bias,
            history: composition.history,
        }
    }

    pub fn value(&self, child: &Child) -> f32 {
        let mean = if child.visits > 0.0 {
            child.sum / child.visits
        } else {
            match self.unvisited {
                Some(mean) => mean,
                None => return f32::INFINITY,
            }
        };
        let exploration = self.spread / child.visits.max(1.0).sqrt();
        let losses = (child.visits - child.sum) / 2.0;
        let fading = (self.bias * child.first + self.history * child.history) / (losses + 1.0);
        self.with_amaf(self.blended(mean, child), child) + exploration + fading
    }

    /// The mean and what `alpha` mixes into it.
    pub fn blended(&self, mean: f32, child: &Child) -> f32 {
        if self.alpha == 0.0 {
            return mean;
        }
        let other = match self.blend {
            Blend::Implicit => child.implicit,
            Blend::Static => child.first,
            Blend::Fading => child.implicit / (child.visits + 1.0),
        };
        (1.0 - self.alpha) * mean + self.alpha * other
    }

    fn with_amaf(&self, mean: f32, child: &Child) -> f32 {
        let (count, amaf) = child.amaf;
        match self.grave {
            Some(grave) if count > 0.0 => {
                let beta = count / (count + child.visits + grave.bias * count * child.visits);
                (1.0 - beta) * mean + beta * amaf
            }
            _ => mean,
        }
    }
}
