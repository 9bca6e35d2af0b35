//! What is known of the game beyond its rules: its evaluations and its solver.

use super::rules::Kalah;
use super::side::Side;
use super::solver::Solver;
use treeline_game::{Exact, Heuristic, Knowledge};

impl<S: Side, const N: u32> Knowledge for Kalah<S, N> {
    fn heuristics(&self) -> &'static [Heuristic<Self>] {
        Self::HEURISTICS
    }

    /// IM §4.1.
    fn benchmark(&self) -> &'static str {
        "stores"
    }

    fn exact(&self, memory: usize) -> Option<Box<dyn Exact<Self>>> {
        Some(Box::new(Solver::new(self, memory)?))
    }
}
