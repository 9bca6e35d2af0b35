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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::synthetic::Synthetic;

    /// The formula with C = 0.5 at a node with 100 visits whose mean is 0.25, then `options`.
    fn formula(options: &str) -> Formula {
        let game = Synthetic::new("a 1 0: b\n b one");
        let mut values = crate::search::mcts::ENTRIES[0].values();
        values.set("exploration", "0.5").unwrap();
        values.set_pairs(options.split_whitespace()).unwrap();
        Formula::new(&Composition::read(&game, &values).unwrap(), 100.0, 0.25)
    }

    fn near(found: f32, expected: f32) {
        assert!((found - expected).abs() < 2e-7, "{found} is not {expected}");
    }

    /// Nine visits with mean 1/3, so three losses; the other numbers are powers of two.
    const CHILD: Child = Child {
        visits: 9.0,
        sum: 3.0,
        implicit: -0.5,
        first: 0.25,
        amaf: (16.0, 0.75),
        history: 0.125,
    };

    /// 0.5·sqrt(ln 100 / 9) = 0.5·2.1459660 / 3.
    const BONUS: f32 = 0.357_661;

    #[test]
    fn uct() {
        near(formula("").value(&CHILD), 1.0 / 3.0 + BONUS);
        // One visit of one parent visit: ln 1 = 0.
        let game = Synthetic::new("a 1 0: b\n b one");
        let values = crate::search::mcts::ENTRIES[0].values();
        let composition = Composition::read(&game, &values).unwrap();
        let one = Child {
            visits: 1.0,
            sum: -1.0,
            ..Child::default()
        };
        assert_eq!(Formula::new(&composition, 0.0, 0.0).value(&one), -1.0);
    }

    #[test]
    fn implicit_minimax_and_what_it_is_compared_with() {
        // 0.75/3 + 0.25·(-0.5)
        near(formula("alpha=0.25").value(&CHILD), 0.125 + BONUS);
        // 0.75/3 + 0.25·0.25
        near(
            formula("alpha=0.25 blend=static").value(&CHILD),
            0.3125 + BONUS,
        );
        // 0.75/3 - 0.25·0.5/10
        near(
            formula("alpha=0.25 blend=fading").value(&CHILD),
            0.2375 + BONUS,
        );
        near(formula("alpha=1").value(&CHILD), -0.5 + BONUS);
    }

    #[test]
    fn grave() {
        // β = 16/(16 + 9 + 0.25·16·9) = 16/61
        let mean = 45.0 / 61.0 / 3.0 + 16.0 / 61.0 * 0.75;
        near(
            formula("grave=0 grave-bias=0.25").value(&CHILD),
            mean + BONUS,
        );
        // No bias: β = 16/25; C = 0 as in Ludii.
        let ludii = formula("grave=0 grave-bias=0 exploration=0");
        near(ludii.value(&CHILD), 0.12 + 0.48);
        let unseen = Child {
            amaf: (0.0, 0.0),
            ..CHILD
        };
        near(ludii.value(&unseen), 1.0 / 3.0);
    }

    #[test]
    fn biases_fade_with_losses() {
        // H/(l+1) = 0.25/4 outside the root
        near(
            formula("progressive-bias=1").value(&CHILD),
            1.0 / 3.0 + BONUS + 0.0625,
        );
        // W·h/(l+1) = 3·0.125/4
        near(
            formula("progressive-history=3").value(&CHILD),
            1.0 / 3.0 + BONUS + 0.09375,
        );
    }

    #[test]
    fn terms_add() {
        // (1-β)·((1-α)·w/n + α·v) + β·AMAF + H/(l+1) + W·h/(l+1), β = 16/25
        let all = "alpha=0.25 grave=5 grave-bias=0 exploration=0 progressive-bias=2 progressive-history=1";
        near(
            formula(all).value(&CHILD),
            0.36 * 0.125 + 0.48 + 0.5 / 4.0 + 0.125 / 4.0,
        );
    }

    #[test]
    fn first_play() {
        let new = Child {
            visits: 0.0,
            sum: 0.0,
            amaf: (0.0, 0.0),
            ..CHILD
        };
        // Counts as one visit under the root, as none elsewhere.
        let bonus = 3.0 * BONUS;
        assert_eq!(formula("").value(&new), f32::INFINITY);
        near(formula("first-play=parent").value(&new), 0.25 + bonus);
        near(
            formula("first-play=reduced first-play-value=0.5").value(&new),
            -0.25 + bonus,
        );
        near(
            formula("first-play=constant first-play-value=1.5").value(&new),
            1.5 + bonus,
        );
        // 0.75·0.25 - 0.25·0.5 + 1·0.25/1
        near(
            formula("first-play=parent alpha=0.25 progressive-bias=1").value(&new),
            0.1875 - 0.125 + 0.25 + bonus,
        );
        // β = 1: AMAF alone.
        let seen = Child {
            amaf: (4.0, 0.5),
            ..new
        };
        near(
            formula("first-play=parent grave=1").value(&seen),
            0.5 + bonus,
        );
    }
}
