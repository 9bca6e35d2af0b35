//! The game's own solver, which goes before a search where it will probably finish.

use super::{Candidate, Control, Found, Stats};
use std::time::{Duration, Instant};
use treeline_game::{Exact, Game, Record};

/// The solver's part of the memory: one in so many bytes.
const MEMORY: usize = 4;
/// Its part of the time. A game that brings a solver is seldom played well by a search that knows less.
const TIME: f64 = 0.65;
/// Seconds for it where nothing else limits the search.
const PATIENCE: f64 = 10.0;

/// The solver, if the game has one.
pub struct First<G: Game> {
    solver: Option<Box<dyn Exact<G>>>,
    /// Bytes that it takes.
    pub memory: usize,
}

impl<G: Game> First<G> {
    /// For a searcher that has `memory` bytes, the solver's included.
    pub fn new(game: &G, memory: usize) -> Self {
        let memory = memory / MEMORY;
        match game.exact(memory) {
            None => Self::none(),
            solver => First { solver, memory },
        }
    }

    /// No solver.
    pub fn none() -> Self {
        First {
            solver: None,
            memory: 0,
        }
    }

    pub fn is_some(&self) -> bool {
        self.solver.is_some()
    }

    /// The result, if it will probably be there in time and is. Limits other than time are for the search alone.
    pub fn solve(&mut self, record: &Record<G>, control: &Control) -> Option<Found<G>> {
        let solver = self.solver.as_mut()?;
        let counted = [control.nodes(), control.simulations()] != [u64::MAX; 2];
        // A solver knows no path.
        if counted || control.depth() != u32::MAX || record.game().repetition().is_some() {
            return None;
        }
        let seconds = TIME * control.seconds_left().unwrap_or(PATIENCE / TIME);
        if !solver.can_finish(record.position(), seconds) {
            return None;
        }
        let until = Instant::now().checked_add(Duration::try_from_secs_f64(seconds).ok()?)?;
        let before = solver.nodes();
        let mut is_over = || control.is_over() || Instant::now() >= until;
        let solved = solver.solve(record.position(), false, &mut is_over)?;
        let best = *solved.pv.first().filter(|m| record.moves().contains(m))?;
        let value = solved.outcome.value().seen_by(record.turn());
        Some(Found {
            best,
            value: Some(value),
            proven: Some(solved.outcome),
            pv: solved.pv.clone(),
            candidates: vec![Candidate {
                played: best,
                visits: 1,
                value,
                bound: crate::Bound::Exact,
                proven: Some(solved.outcome),
                pv: solved.pv.clone(),
            }],
            stats: Stats {
                seconds: control.seconds(),
                nodes: solver.nodes().saturating_sub(before),
                depth: solved.pv.len() as u32,
                ..Stats::default()
            },
        })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        if let Some(solver) = &mut self.solver {
            solver.clear();
        }
    }
}
