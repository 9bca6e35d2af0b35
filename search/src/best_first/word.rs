//! What is known of a state, and the 64 bits that hold it together with a count of visits: from the top 28 bits of visits,
//! 4 of flags, 32 of value. One word, so that threads never see half of an update.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use treeline_game::{ForOne, Outcome, Player};

/// `(c, v, r)` of NIM §5.7 for player one, and whether a search is stuck there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// -1, 0 or 1.
    pub completion: i8,
    pub value: ForOne,
    pub resolved: bool,
    /// Unresolved, but the present search found nothing to expand below (repetition, the depth limit).
    pub stuck: bool,
}

const RESOLVED: u64 = 1 << 32;
const STUCK: u64 = 1 << 33;
/// Completion +1 and -1; 0 is neither.
const ONE_WINS: u64 = 1 << 34;
const TWO_WINS: u64 = 1 << 35;
const VISIT: u64 = 1 << 36;
/// No count of visits has more.
pub const VISIT_BITS: u32 = 28;
const KNOWN: u64 = VISIT - 1;
/// Where the completion stands in a rank, above values.
const RANK: u32 = 33;
/// Counts stop here, a little below the end, so that threads that count at once cannot overflow them.
const MOST: u64 = (1 << VISIT_BITS) - (1 << 12);

impl Known {
    /// An unfinished state that was only looked at.
    pub fn estimate(value: ForOne) -> Self {
        Known {
            completion: 0,
            value,
            resolved: false,
            stuck: false,
        }
    }

    /// The end of the game.
    pub fn end(outcome: Outcome) -> Self {
        Known {
            completion: outcome.value().0 as i8,
            value: outcome.value(),
            resolved: true,
            stuck: false,
        }
    }

    /// What a state is worth on a path that has it, or its repetition, already: a draw, on this path only.
    pub fn drawn_on_this_path() -> Self {
        Known {
            stuck: true,
            ..Self::estimate(ForOne(0.0))
        }
    }

    /// The result, if it is certain.
    pub fn outcome(self) -> Option<Outcome> {
        self.resolved.then_some(match self.completion {
            1 => Outcome::Win(Player::One),
            -1 => Outcome::Win(Player::Two),
            _ => Outcome::Draw,
        })
    }
}

/// A word as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word(pub u64);

impl Word {
    #[inline(always)]
    pub fn new(known: Known, visits: u32) -> Self {
        Word(u64::from(visits).min(MOST) * VISIT).with(known)
    }

    #[inline(always)]
    pub fn visits(self) -> u32 {
        (self.0 / VISIT) as u32
    }

    #[inline(always)]
    pub fn value(self) -> f32 {
        f32::from_bits(self.0 as u32)
    }

    #[inline(always)]
    pub fn is_resolved(self) -> bool {
        self.0 & RESOLVED != 0
    }

    #[inline(always)]
    pub fn is_stuck(self) -> bool {
        self.0 & STUCK != 0
    }

    /// Neither resolved nor stuck.
    #[inline(always)]
    pub fn is_free(self) -> bool {
        self.0 & (RESOLVED | STUCK) == 0
    }

    #[inline(always)]
    pub fn completion(self) -> i8 {
        i8::from(self.0 & ONE_WINS != 0) - i8::from(self.0 & TWO_WINS != 0)
    }

    #[inline(always)]
    pub fn known(self) -> Known {
        Known {
            completion: self.completion(),
            value: ForOne(self.value()),
            resolved: self.is_resolved(),
            stuck: self.is_stuck(),
        }
    }

    /// `(c, v)` as a number that compares like the pair, for the player with that sign.
    #[inline(always)]
    pub fn rank(self, sign: i64) -> i64 {
        ((sign * i64::from(self.completion())) << RANK) + sign * ordered(self.value())
    }

    /// The same visits with other knowledge.
    #[inline(always)]
    pub fn with(self, known: Known) -> Self {
        // The sum has no negative zero, which would compare as less than zero.
        let value = u64::from((known.value.0 + 0.0).to_bits());
        let wins = match known.completion {
            1.. => ONE_WINS,
            0 => 0,
            _ => TWO_WINS,
        };
        let resolved = if known.resolved { RESOLVED } else { 0 };
        let stuck = if known.stuck { STUCK } else { 0 };
        Word(self.0 & !KNOWN | wins | resolved | stuck | value)
    }

    /// Whether both know the same, whatever their visits.
    #[cfg(test)]
    pub fn agrees(self, other: Word) -> bool {
        self.0 & KNOWN == other.0 & KNOWN
    }
}

/// The completion and the value of a [`Word::rank`].
#[inline(always)]
pub fn ranked(rank: i64, sign: i64) -> (i8, f32) {
    let rank = sign * rank;
    let completion = (rank + (1 << (RANK - 1))) >> RANK;
    let bits = (rank - (completion << RANK)) as i32;
    let value = f32::from_bits((bits ^ ((bits >> 31) as u32 >> 1) as i32) as u32);
    (completion as i8, value)
}

/// A number that compares like a value that is no negative zero; that of -`value` compares likewise with the other sign.
#[inline(always)]
pub fn ordered(value: f32) -> i64 {
    let bits = value.to_bits() as i32;
    i64::from(bits ^ ((bits >> 31) as u32 >> 1) as i32)
}

#[inline(always)]
pub fn read(cell: &AtomicU64) -> Word {
    Word(cell.load(Relaxed))
}

/// Counts a visit. `SHARED`: other threads may write, too.
#[inline(always)]
pub fn count<const SHARED: bool>(cell: &AtomicU64) {
    let now = cell.load(Relaxed);
    if now / VISIT >= MOST {
        return;
    }
    if SHARED {
        cell.fetch_add(VISIT, Relaxed);
    } else {
        cell.store(now + VISIT, Relaxed);
    }
}

/// Replaces the knowledge and keeps the visits; whether that changed anything. What is resolved stays so.
#[inline(always)]
pub fn learn<const SHARED: bool>(cell: &AtomicU64, known: Known) -> bool {
    let mut now = read(cell);
    loop {
        let next = now.with(known);
        if next == now || now.is_resolved() {
            return false;
        }
        if !SHARED {
            cell.store(next.0, Relaxed);
            return true;
        }
        match cell.compare_exchange_weak(now.0, next.0, Relaxed, Relaxed) {
            Ok(_) => return true,
            Err(other) => now = Word(other),
        }
    }
}

/// Removes the mark of a search that is over.
pub fn unstick(cell: &AtomicU64) {
    if read(cell).is_stuck() {
        cell.fetch_and(!STUCK, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(completion: i8, value: f32, resolved: bool) -> Known {
        Known {
            completion,
            value: ForOne(value),
            resolved,
            stuck: false,
        }
    }

    #[test]
    fn a_word_gives_back_what_was_put_in() {
        for completion in -1..=1 {
            for value in [-1.0, -0.123_456_79, -1e-30, 0.0, 0.333_333_34, 1.0] {
                for (resolved, stuck) in [(false, false), (true, false), (false, true)] {
                    let put = Known {
                        stuck,
                        ..known(completion, value, resolved)
                    };
                    let word = Word::new(put, 77);
                    assert_eq!((word.known(), word.visits()), (put, 77));
                }
            }
        }
        assert_eq!(Word(0).known(), known(0, 0.0, false));
    }

    #[test]
    fn ranks_order_completion_first_and_then_value() {
        let rising = [
            known(-1, -1.0, true),
            known(-1, 1.0, true),
            known(0, -1.0, false),
            known(0, -0.5, false),
            known(0, -0.25, false),
            known(0, 0.0, true),
            known(0, 1e-9, false),
            known(0, 1.0, false),
            known(1, -1.0, true),
            known(1, 0.5, true),
        ];
        for pair in rising.windows(2) {
            let [a, b] = [0, 1].map(|i| Word::new(pair[i], 3));
            assert!(a.rank(1) < b.rank(1), "{pair:?}");
            for sign in [1, -1] {
                assert_eq!(ranked(a.rank(sign), sign), (a.completion(), a.value()));
            }
            assert!(a.rank(-1) > b.rank(-1), "{pair:?}");
        }
        let [minus, plus] = [-0.0, 0.0].map(|v| Word::new(known(0, v, false), 0));
        assert_eq!(minus.rank(1), plus.rank(1));
    }

    #[test]
    fn visits_survive_what_is_learned_and_never_overflow() {
        let cell = AtomicU64::new(0);
        count::<false>(&cell);
        count::<true>(&cell);
        assert!(learn::<false>(&cell, known(0, 0.5, false)));
        assert!(!learn::<true>(&cell, known(0, 0.5, false)));
        assert!(learn::<true>(&cell, known(1, 1.0, true)));
        // A thread that looked before the state was resolved comes late.
        assert!(!learn::<true>(&cell, known(0, 0.25, false)));
        assert_eq!(read(&cell), Word::new(known(1, 1.0, true), 2));
        let full = AtomicU64::new(Word::new(known(0, 0.5, false), u32::MAX).0);
        count::<false>(&full);
        count::<true>(&full);
        assert_eq!(u64::from(read(&full).visits()), MOST);
        assert_eq!(read(&full).known(), known(0, 0.5, false));
    }
}
