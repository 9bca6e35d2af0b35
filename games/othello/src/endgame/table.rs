//! Bounds of positions by the position itself, so that none is ever mistaken for another. Few entries are in use at first.

use treeline_game::bits::Bits;
use treeline_game::memory::{Units, Zeroed, prefetch, reach::Reach};

/// The margin of the player to move lies in `low..=high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub low: i8,
    pub high: i8,
}

/// No square.
pub const NO_MOVE: u8 = u8::MAX;

#[derive(Debug, Clone, Copy)]
struct Entry<B> {
    own: B,
    other: B,
    bounds: Bounds,
    /// The move that was best last time.
    best: u8,
    /// The logarithm of the positions that it cost, and one; 0 where the entry is free.
    work: u8,
}

// SAFETY: integers; no work means free, whatever else there is.
unsafe impl<B: Bits> Zeroed for Entry<B> {}

/// Entries next to each other that one position may take.
const WAYS: usize = 4;
/// Buckets of so many that are in use at first.
const FIRST: usize = 1 << 12;

#[derive(Debug)]
pub struct Table<B> {
    entries: Units<Entry<B>>,
    reach: Reach,
    /// The hash of a position by its player to move and the other.
    hash: fn(B, B) -> u64,
}

impl<B: Bits> Table<B> {
    /// The largest table within `memory` bytes, or that the system gives; `None` for less than a thousand entries.
    pub fn new(memory: usize, hash: fn(B, B) -> u64) -> Option<Self> {
        let mut bits = (memory / size_of::<Entry<B>>()).checked_ilog2()?.min(32);
        while bits >= 10 {
            if let Some(entries) = Units::new(1 << bits) {
                return Some(Table {
                    entries,
                    reach: Reach::new(FIRST, (1 << bits) / WAYS),
                    hash,
                });
            }
            bits -= 1;
        }
        None
    }

    pub fn clear(&mut self) {
        // Buckets beyond the first are written when they come into use again.
        let first = self.reach.begin_anew() * WAYS;
        let entries = &mut self.entries[..first];
        entries.iter_mut().for_each(|entry| entry.work = 0);
    }

    /// The first of the entries that a position may take. The lowest bits of a hash are worth little.
    #[inline(always)]
    fn first(&self, hash: u64) -> usize {
        self.reach.place(hash >> WAYS.ilog2()) * WAYS
    }

    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        prefetch(self.entries.as_ptr().wrapping_add(self.first(hash)));
    }

    #[inline(always)]
    pub fn get(&self, hash: u64, own: B, other: B) -> Option<(Bounds, u8)> {
        let first = self.first(hash);
        let ways = &self.entries[first..first + WAYS];
        let entry = ways
            .iter()
            .find(|entry| entry.own == own && entry.other == other && entry.work > 0)?;
        Some((entry.bounds, entry.best))
    }

    /// Adds what a search that cost `nodes` positions found out. The entry with the least work makes room.
    #[inline(always)]
    pub fn put(&mut self, hash: u64, own: B, other: B, found: (Bounds, u8), nodes: u64) {
        let first = self.first(hash);
        let ways = &mut self.entries[first..first + WAYS];
        let (mut bounds, mut best) = found;
        let mut work = (nodes + 1).ilog2() as u8 + 1;
        let mut at = 0;
        for i in 0..WAYS {
            let entry = &ways[i];
            if entry.own == own && entry.other == other && entry.work > 0 {
                bounds.low = bounds.low.max(entry.bounds.low);
                bounds.high = bounds.high.min(entry.bounds.high);
                work = work.max(entry.work);
                if best == NO_MOVE {
                    best = entry.best;
                }
                at = i;
                break;
            }
            if entry.work < ways[at].work {
                at = i;
            }
        }
        let fresh = ways[at].work == 0;
        ways[at] = Entry {
            own,
            other,
            bounds,
            best,
            work,
        };
        if fresh && let Some((from, to)) = self.reach.take_one(WAYS) {
            self.split(from, to);
        }
    }

    /// Moves to the bucket `to`, which comes into use, what belongs there.
    fn split(&mut self, from: usize, to: usize) {
        for way in 0..WAYS {
            let entry = self.entries[from * WAYS + way];
            let hash = (self.hash)(entry.own, entry.other);
            let moves = entry.work > 0 && self.first(hash) == to * WAYS;
            self.entries[to * WAYS + way] = Entry {
                work: if moves { entry.work } else { 0 },
                ..entry
            };
            if moves {
                self.entries[from * WAYS + way].work = 0;
            }
        }
    }
}
