//! What is known of the game beyond its rules: its evaluations, its endgame tables and its solver.

use super::rules::{Kalah, Position, margin};
use super::side::Side;
use super::solver::{Board, Solver, endings};
use treeline_game::{Exact, Heuristic, Knowledge, Outcome, Tabled};

/// Tables of more seeds are left to the solver: a game could last longer than is counted.
const SEEDS: i32 = 25;

impl<S: Side, const N: u32> Knowledge for Kalah<S, N> {
    fn heuristics(&self) -> &'static [Heuristic<Self>] {
        Self::HEURISTICS
    }

    /// IM §4.1.
    fn benchmark(&self) -> &'static str {
        "stores"
    }

    fn load_tables(&self, memory: usize) -> usize {
        endings::shared::load(self, memory as u64).1 as usize
    }

    /// A move that banks nothing brings a seed nearer to its owner's store and moves no other back: so no more than houses times seeds
    /// of them follow each other with one number of seeds, before one that banks some.
    fn tabled(&self, position: &Position<S>) -> Option<Tabled> {
        let board = Board::new(self, position);
        if board.seeds > SEEDS {
            return None;
        }
        let value = endings::shared::value(self, board)?;
        let sign = position.turn.sign();
        let outcome = Outcome::by_margin(margin(position) + sign * value);
        let seeds = board.seeds as u32;
        let plies = match outcome {
            Outcome::Draw => 0,
            _ => self.houses() * seeds * (seeds + 1) / 2 + seeds,
        };
        Some(Tabled { outcome, plies })
    }

    fn exact(&self, memory: usize) -> Option<Box<dyn Exact<Self>>> {
        Some(Box::new(Solver::new(self, memory)?))
    }
}
