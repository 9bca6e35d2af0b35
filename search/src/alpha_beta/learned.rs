//! What a thread notes for networks that learn from the search.

use super::score::{SURE, scaled};
use super::worker::{Frame, Worker};
use crate::{Bound, Lesson};
use treeline_game::{ForMover, Game};

/// The least depth of an inner node that is noted: below, a score is hardly more than the evaluation.
pub const DEPTH: i32 = 2;

impl<G: Game> Worker<'_, G> {
    /// Notes that a full search of `position` with that frame found `score`.
    #[cold]
    #[inline(never)]
    pub(super) fn note(&mut self, position: &G::Position, frame: Frame, score: i32) {
        let Some(notes) = self.notes.as_deref_mut() else {
            return;
        };
        let bound = match score {
            _ if score >= frame.beta => Bound::Lower,
            _ if score <= frame.alpha => Bound::Upper,
            _ => Bound::Exact,
        };
        let (bound, empty) = match bound {
            // At least a win is a win, at least a loss is every value; and the other way round.
            Bound::Lower if score >= SURE => (Bound::Exact, false),
            Bound::Upper if score <= -SURE => (Bound::Exact, false),
            Bound::Lower => (bound, score <= -SURE),
            Bound::Upper => (bound, score >= SURE),
            Bound::Exact => (bound, false),
        };
        if !empty {
            let lesson = Lesson {
                position: *position,
                value: ForMover(scaled(self.game, self.heuristic, score)),
                bound,
                depth: frame.depth as u32,
                finished: false,
            };
            notes.add(self.game.state_key(position), lesson);
        }
    }
}
