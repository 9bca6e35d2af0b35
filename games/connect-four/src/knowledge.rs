//! What is known of the game beyond its rules: its evaluations and its solver.

use super::rules::ConnectFour;
use super::solver::Solver;
use treeline_game::bits::Bits;
use treeline_game::{Exact, Heuristic, Knowledge};

impl<B: Bits, const W: u32, const H: u32, const K: u32> Knowledge for ConnectFour<B, W, H, K> {
    fn heuristics(&self) -> &'static [Heuristic<Self>] {
        Self::HEURISTICS
    }

    /// ALPHAS Eq. 3.10.
    fn benchmark(&self) -> &'static str {
        "windows"
    }

    fn exact(&self, memory: usize) -> Option<Box<dyn Exact<Self>>> {
        Some(Box::new(Solver::new(self, memory)?))
    }
}
