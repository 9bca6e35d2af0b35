//! All children of a state but one. While nothing but that one changes, these tell at once what the state is worth and which
//! child a descent takes, as if all had been looked at. Only for a table that one thread uses: others would change them.
//!
//! Without branches on what children are worth: which is better is hard to foretell.

use super::laws::{conclude, rank, urge};
use super::state::State;
use super::word::{Known, Word, read};
use treeline_game::{Move, Player};

/// A child as a descent compares it: its urge, the least number there is for one that is not open, and its number.
type Open = (i64, usize);

const NONE: Open = (i64::MIN, 0);

/// All children of a state.
#[derive(Debug, Clone, Copy)]
pub struct All {
    /// The two highest ranks by `(c, v)`; the least number there is where there are fewer children.
    ranks: [i64; 2],
    /// The two that a descent would take first.
    open: [Open; 2],
    /// How many are not resolved, and how many of these are not stuck.
    unresolved: usize,
    free: usize,
}

impl All {
    #[inline]
    pub fn of<M: Move>(state: &State<'_, M>, mover: Player, completion: bool) -> Self {
        let [mut first, mut second] = [i64::MIN; 2];
        let [mut next, mut after] = [NONE; 2];
        let [mut unresolved, mut free] = [0; 2];
        for (i, cell) in state.edges().iter().enumerate() {
            let word = read(cell);
            let rank = rank(word, i64::from(mover.sign()), completion);
            second = second.max(first.min(rank));
            first = first.max(rank);
            unresolved += usize::from(!word.is_resolved());
            free += usize::from(word.is_free());
            let one = (urge(state, i, word, mover, completion), i);
            after = sooner(after, one);
            after = if one.0 > next.0 { next } else { after };
            next = sooner(next, one);
        }
        All {
            ranks: [first, second],
            open: [next, after],
            unresolved,
            free,
        }
    }

    /// [`super::laws::best`].
    #[inline]
    pub fn best(&self) -> Option<usize> {
        let [(urge, i), _] = self.open;
        (urge > i64::MIN).then_some(i)
    }

    /// All but number `one`, which is `word`.
    #[inline]
    pub fn but(&self, one: usize, word: Word, mover: Player, completion: bool) -> Others {
        let is_first = self.ranks[0] == rank(word, i64::from(mover.sign()), completion);
        Others {
            rank: self.ranks[usize::from(is_first)],
            resolved: self.unresolved == usize::from(!word.is_resolved()),
            free: self.free > usize::from(word.is_free()),
            next: self.open[usize::from(self.open[0].1 == one)],
        }
    }
}

/// The one that a descent takes: `b` only if it takes that rather than `a`, which comes first.
#[inline(always)]
fn sooner(a: Open, b: Open) -> Open {
    if b.0 > a.0 { b } else { a }
}

/// What is known of all children but one together.
#[derive(Debug, Clone, Copy)]
pub struct Others {
    /// Of the best by `(c, v)`; the least number there is without others.
    rank: i64,
    /// Whether all are resolved.
    resolved: bool,
    /// Whether one is neither resolved nor stuck.
    free: bool,
    /// The one that a descent would take.
    next: Open,
}

impl Others {
    /// The children of `state` but for number `one`.
    #[inline]
    pub fn of<M: Move>(state: &State<'_, M>, one: usize, mover: Player, completion: bool) -> Self {
        let word = read(&state.edges()[one]);
        All::of(state, mover, completion).but(one, word, mover, completion)
    }

    /// [`super::laws::backed_up`], now that the one is `word`.
    #[inline]
    pub fn backed_up(&self, word: Word, mover: Player, completion: bool) -> Known {
        let rank = rank(word, i64::from(mover.sign()), completion);
        let resolved = self.resolved && word.is_resolved();
        let free = self.free || word.is_free();
        conclude(self.rank.max(rank), mover, resolved, free, completion)
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
        let urge = urge(state, one, read(&state.edges()[one]), mover, completion);
        let (most, next) = self.next;
        let takes_one = urge > most || urge == most && one < next;
        (urge.max(most) > i64::MIN).then_some(if takes_one { one } else { next })
    }
}
