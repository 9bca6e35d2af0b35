//! What is known of the game beyond its rules: its evaluations and its solver.

use super::board::Board;
use super::endgame::Endgame;
use super::rules::Othello;
use treeline_game::{Exact, Heuristic, Knowledge};

impl<B: Board<N>, const N: u32> Knowledge for Othello<B, N> {
    fn heuristics(&self) -> &'static [Heuristic<Self>] {
        Self::HEURISTICS
    }

    fn exact(&self, memory: usize) -> Option<Box<dyn Exact<Self>>> {
        Some(Box::new(Endgame::new(self, memory)?))
    }
}
