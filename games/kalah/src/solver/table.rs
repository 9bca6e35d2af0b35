//! Bounds of positions by the position itself, so that none is ever mistaken for another. Few entries are in use at first.

use super::super::side::Side;
use super::board::Board;
use treeline_game::memory::{Units, Zeroed, prefetch, reach::Reach};
use treeline_game::random::keys;

/// What is known of a position.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// What the player to move still gets less what the other gets lies in `low..=high`.
    pub low: i32,
    pub high: i32,
    /// A move that was best or good enough; [`NO_HOUSE`] where none is known.
    pub best: u8,
}

pub const NO_HOUSE: u8 = 15;

/// Houses of both sides; in the bytes above them, of the first word: `low` and `best`, of the second: `high` and the
/// logarithm of the positions that it cost and one, which is 0 where the entry is free.
#[derive(Debug, Clone, Copy)]
struct Entry<S> {
    mine: S,
    theirs: S,
}

// SAFETY: integers; no work means free.
unsafe impl<S: Side> Zeroed for Entry<S> {}

/// Entries next to each other that one position may take.
const WAYS: usize = 4;
/// Buckets of so many that are in use at first.
const FIRST: usize = 1 << 12;
/// Bits beside a bound, and what makes bounds positive.
const BESIDE: u32 = 6;
const BIAS: i32 = 512;
const SEED: u64 = keys::<1>(0x4a_1a_02)[0];

#[inline(always)]
pub fn hash<S: Side>(board: Board<S>) -> u64 {
    board.theirs.hash(board.mine.hash(SEED))
}

impl<S: Side> Entry<S> {
    /// Where notes begin.
    const NOTE: u32 = S::SPARE;

    #[inline(always)]
    fn new(board: Board<S>, known: Known, work: u32) -> Self {
        let note = |bound: i32, beside: u32| {
            let note = ((bound + BIAS) as u32) << BESIDE | beside;
            S::seeds(note & 0xff, S::SPARE) | S::seeds(note >> 8, S::STORE)
        };
        Entry {
            mine: board.mine | note(known.low, u32::from(known.best)),
            theirs: board.theirs | note(known.high, work),
        }
    }

    #[inline(always)]
    fn is(&self, board: Board<S>) -> bool {
        let rest = S::first(Self::NOTE);
        (self.mine ^ board.mine) & rest == S::EMPTY
            && (self.theirs ^ board.theirs) & rest == S::EMPTY
            && self.work() > 0
    }

    #[inline(always)]
    fn work(&self) -> u32 {
        self.theirs.at(S::SPARE) & ((1 << BESIDE) - 1)
    }

    #[inline(always)]
    fn known(&self) -> Known {
        let bound = |word: S| {
            let note = word.at(S::SPARE) | word.at(S::STORE) << 8;
            (note >> BESIDE) as i32 - BIAS
        };
        Known {
            low: bound(self.mine),
            high: bound(self.theirs),
            best: (self.mine.at(S::SPARE) & 15) as u8,
        }
    }

    fn hash(&self) -> u64 {
        let rest = S::first(Self::NOTE);
        hash(Board {
            mine: self.mine & rest,
            theirs: self.theirs & rest,
            seeds: 0,
        })
    }
}

#[derive(Debug)]
pub struct Table<S> {
    entries: Units<Entry<S>>,
    reach: Reach,
}

impl<S: Side> Table<S> {
    /// The largest table within `memory` bytes, or that the system gives; `None` for less than a thousand entries.
    pub fn new(memory: usize) -> Option<Self> {
        let mut bits = (memory / size_of::<Entry<S>>()).checked_ilog2()?.min(32);
        while bits >= 10 {
            if let Some(entries) = Units::new(1 << bits) {
                return Some(Table {
                    entries,
                    reach: Reach::new(FIRST, (1 << bits) / WAYS),
                });
            }
            bits -= 1;
        }
        None
    }

    pub fn clear(&mut self) {
        // Buckets beyond the first are written when they come into use again.
        let first = self.reach.begin_anew() * WAYS;
        self.entries[..first].fill(Entry {
            mine: S::EMPTY,
            theirs: S::EMPTY,
        });
    }

    /// The first of the entries that a position may take.
    #[inline(always)]
    fn first(&self, hash: u64) -> usize {
        self.reach.place(hash) * WAYS
    }

    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        prefetch(self.entries.as_ptr().wrapping_add(self.first(hash)));
    }

    #[inline(always)]
    pub fn get(&self, hash: u64, board: Board<S>) -> Option<Known> {
        let first = self.first(hash);
        let ways = &self.entries[first..first + WAYS];
        ways.iter().find(|entry| entry.is(board)).map(Entry::known)
    }

    /// Adds what a search that cost `nodes` positions found out. The entry with the least work makes room.
    #[inline(always)]
    pub fn put(&mut self, hash: u64, board: Board<S>, mut found: Known, nodes: u64) {
        let first = self.first(hash);
        let ways = &mut self.entries[first..first + WAYS];
        let mut work = (nodes + 1).ilog2() + 1;
        let mut at = 0;
        for i in 0..WAYS {
            let entry = &ways[i];
            if entry.is(board) {
                let known = entry.known();
                found.low = found.low.max(known.low);
                found.high = found.high.min(known.high);
                if found.best == NO_HOUSE {
                    found.best = known.best;
                }
                work = work.max(entry.work());
                at = i;
                break;
            }
            if entry.work() < ways[at].work() {
                at = i;
            }
        }
        let fresh = ways[at].work() == 0;
        ways[at] = Entry::new(board, found, work.min((1 << BESIDE) - 1));
        if fresh && let Some((from, to)) = self.reach.take_one(WAYS) {
            self.split(from, to);
        }
    }

    /// Moves to the bucket `to`, which comes into use, what belongs there.
    fn split(&mut self, from: usize, to: usize) {
        let free = Entry {
            mine: S::EMPTY,
            theirs: S::EMPTY,
        };
        for way in 0..WAYS {
            let entry = self.entries[from * WAYS + way];
            let moves = entry.work() > 0 && self.first(entry.hash()) == to * WAYS;
            self.entries[to * WAYS + way] = if moves { entry } else { free };
            if moves {
                self.entries[from * WAYS + way] = free;
            }
        }
    }
}
