//! Bounds of positions by the position itself, so that none is ever mistaken for another.

use treeline_game::bits::Bits;
use treeline_game::memory::{Units, Zeroed};

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

#[derive(Debug)]
pub struct Table<B> {
    entries: Units<Entry<B>>,
    mask: usize,
}

impl<B: Bits> Table<B> {
    /// The largest table within `memory` bytes, or that the system gives; `None` for less than a thousand entries.
    pub fn new(memory: usize) -> Option<Self> {
        let mut bits = (memory / size_of::<Entry<B>>()).checked_ilog2()?.min(32);
        while bits >= 10 {
            if let Some(entries) = Units::new(1 << bits) {
                return Some(Table {
                    entries,
                    mask: (1 << bits) - WAYS,
                });
            }
            bits -= 1;
        }
        None
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }

    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let entry = self
                .entries
                .as_ptr()
                .wrapping_add(hash as usize & self.mask);
            // SAFETY: a hint; it may name any address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(entry.cast()) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = hash;
    }

    #[inline(always)]
    pub fn get(&self, hash: u64, own: B, other: B) -> Option<(Bounds, u8)> {
        let first = hash as usize & self.mask;
        let ways = &self.entries[first..first + WAYS];
        let entry = ways
            .iter()
            .find(|entry| entry.own == own && entry.other == other && entry.work > 0)?;
        Some((entry.bounds, entry.best))
    }

    /// Adds what a search that cost `nodes` positions found out. The entry with the least work makes room.
    #[inline(always)]
    pub fn put(&mut self, hash: u64, own: B, other: B, found: (Bounds, u8), nodes: u64) {
        let first = hash as usize & self.mask;
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
        ways[at] = Entry {
            own,
            other,
            bounds,
            best,
            work,
        };
    }
}
