//! What is known of the game beyond its rules: its evaluations and its solver.

use super::board::Board;
use super::endgame::Endgame;
use super::rules::Othello;
use treeline_game::{Exact, Heuristic, Knowledge};

impl<B: Board<N>, const N: u32> Knowledge for Othello<B, N> {
    fn heuristics(&self) -> &'static [Heuristic<Self>] {
        Self::HEURISTICS
    }

    /// ALPHAS Eq. 3.11.
    fn benchmark(&self) -> &'static str {
        "weighted"
    }

    fn exact(&self, memory: usize) -> Option<Box<dyn Exact<Self>>> {
        Some(Box::new(Endgame::new(self, memory)?))
    }
}
