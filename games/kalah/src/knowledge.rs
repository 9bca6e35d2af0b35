//! What is known of the game beyond its rules: its evaluations.

use super::rules::Kalah;
use super::side::Side;
use treeline_game::{Heuristic, Knowledge};

impl<S: Side, const N: u32> Knowledge for Kalah<S, N> {
    fn heuristics(&self) -> &'static [Heuristic<Self>] {
        Self::HEURISTICS
    }

    /// IM §4.1.
    fn benchmark(&self) -> &'static str {
        "stores"
    }
}
