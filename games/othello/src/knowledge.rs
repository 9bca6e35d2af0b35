//! What is known of the game beyond its rules: its evaluations and its solver.

use super::board::Board;
use super::endgame::Endgame;
use super::rules::Othello;
use treeline_game::{Exact, Heuristic, Knowledge};

impl<B: Board<N>, const N: u32> Knowledge for Othello<B, N> {
    fn heuristics(&self) -> &'static [Heuristic<Self>] {
        Self::HEURISTICS
    }

    /// Few discs are turned early, many late. From 400 positions of self-play, searched to each depth up to 11.
    fn volatility(&self, position: &Self::Position) -> f32 {
        if N != 8 {
            return 0.0;
        }
        let discs = (position.own | position.other).count() as f32;
        0.045 * ((discs - 16.0) * 0.05).exp()
    }

    /// ALPHAS Eq. 3.11.
    fn benchmark(&self) -> &'static str {
        "weighted"
    }

    fn exact(&self, memory: usize) -> Option<Box<dyn Exact<Self>>> {
        Some(Box::new(Endgame::new(self, memory)?))
    }
}
