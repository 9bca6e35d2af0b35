//! All children of a state but one. While nothing but that one changes, these tell at once what the state is worth and which
//! child a descent takes, as if all had been looked at.

use super::laws::{Candidate, candidate, conclude, is_open, rank};
use super::state::State;
use super::word::{Known, Word, read};
use treeline_game::{Move, Player};

/// What is known of them together. Only for a table that one thread uses: others would change them.
#[derive(Debug, Clone, Copy)]
pub struct Others {
    /// The best by `(c, v)`, with its rank.
    best: Option<(i64, Word)>,
    /// Whether all are resolved.
    resolved: bool,
    /// Whether one is neither resolved nor stuck.
    free: bool,
    /// The one that a descent would take.
    next: Option<Candidate>,
}

impl Others {
    /// The children of `state` but for number `one`.
    #[inline]
    pub fn of<M: Move>(state: &State<'_, M>, one: usize, mover: Player, completion: bool) -> Self {
        let sign = i64::from(mover.sign());
        let mut others = Others {
            best: None,
            resolved: true,
            free: false,
            next: None,
        };
        for (i, cell) in state.edges().iter().enumerate() {
            if i == one {
                continue;
            }
            let word = read(cell);
            let rank = rank(word, sign, completion);
            if others.best.is_none_or(|(other, _)| rank > other) {
                others.best = Some((rank, word));
            }
            others.resolved &= word.is_resolved();
            others.free |= !word.is_resolved() && !word.is_stuck();
            if is_open(word, completion) {
                let candidate = candidate(state, i, word, mover);
                if others.next.is_none_or(|next| candidate > next) {
                    others.next = Some(candidate);
                }
            }
        }
        others
    }

    /// [`super::laws::backed_up`], now that the one is `word`.
    #[inline]
    pub fn backed_up(&self, word: Word, mover: Player, completion: bool) -> Known {
        let rank = rank(word, i64::from(mover.sign()), completion);
        // Of equal ones it does not matter which: rank says all that is backed up.
        let best = match self.best {
            Some((other, best)) if other > rank => best,
            _ => word,
        };
        let resolved = self.resolved && word.is_resolved();
        let free = self.free || !word.is_resolved() && !word.is_stuck();
        conclude(best, resolved, free, completion)
    }

    /// [`super::laws::best`], now that the one, number `one` of `state`, has changed.
    #[inline]
    pub fn best<M: Move>(
        &self,
        state: &State<'_, M>,
        one: usize,
        mover: Player,
        completion: bool,
    ) -> Option<usize> {
        let word = read(&state.edges()[one]);
        if is_open(word, completion) {
            let candidate = candidate(state, one, word, mover);
            if self.next.is_none_or(|next| candidate > next) {
                return Some(one);
            }
        }
        self.next.map(|next| next.2.0)
    }
}
