//! A position's first layer, both views of it, with the features it was made of.

use super::layout::Line;
use super::net::Net;

/// The accumulators of one position. Made by [`Net::blank`] and moved to any position by [`Net::shift`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accumulator {
    /// `[2, width]`: player one's view, then player two's.
    pub(super) values: Vec<Line>,
    /// The features as player one sees them.
    pub(super) words: Vec<u64>,
}

impl Accumulator {
    /// The features as player one sees them, 64 a word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// How many features differ from `words`; as many changes bring it there.
    #[inline]
    pub fn distance(&self, words: &[u64]) -> u32 {
        let pairs = self.words.iter().zip(words);
        pairs.map(|(a, b)| (a ^ b).count_ones()).sum()
    }
}

/// The rows that take an accumulator from one position to another.
#[derive(Debug)]
pub(super) struct Changes {
    /// What to add, and what to subtract: as in [`Net::rows`]. As long as there are features, and one to be free of checks.
    added: Box<[[u32; 2]]>,
    removed: Box<[[u32; 2]]>,
    add: usize,
    remove: usize,
}

/// So many changes are never more than a position has features.
const FEW: usize = 8;

impl Changes {
    pub fn new(net: &Net) -> Self {
        let list = || vec![[0; 2]; 64 * net.words() + 1].into_boxed_slice();
        Changes {
            added: list(),
            removed: list(),
            add: 0,
            remove: 0,
        }
    }

    /// From `old` to `new`, or, where that is shorter, from a position without features; true in that case.
    #[inline(always)]
    pub fn find(&mut self, old: &[u64], new: &[u64], rows: &[[u32; 2]]) -> bool {
        (self.add, self.remove) = (0, 0);
        let pairs = old.iter().zip(new).zip(rows.as_chunks::<64>().0);
        for ((old, new), rows) in pairs {
            let difference = old ^ new;
            self.add = list(&mut self.added, self.add, difference & new, rows);
            self.remove = list(&mut self.removed, self.remove, difference & old, rows);
        }
        self.add + self.remove > FEW && self.is_shorter_anew(new, rows)
    }

    /// Replaces the changes by all features of `new` if these are fewer.
    #[cold]
    fn is_shorter_anew(&mut self, new: &[u64], rows: &[[u32; 2]]) -> bool {
        let all: u32 = new.iter().map(|word| word.count_ones()).sum();
        let shorter = (all as usize) < self.add + self.remove;
        if shorter {
            (self.add, self.remove) = (0, 0);
            for (new, rows) in new.iter().zip(rows.as_chunks::<64>().0) {
                self.add = list(&mut self.added, self.add, *new, rows);
            }
        }
        shorter
    }

    /// The rows to add and to subtract.
    #[inline(always)]
    pub fn get(&self) -> (&[[u32; 2]], &[[u32; 2]]) {
        (&self.added[..self.add], &self.removed[..self.remove])
    }
}

/// Puts the members' rows into the list from `at` on; where the next ones go.
#[inline(always)]
fn list(list: &mut [[u32; 2]], mut at: usize, mut set: u64, rows: &[[u32; 2]; 64]) -> usize {
    while set != 0 {
        let bit = set.trailing_zeros() as usize;
        set &= set - 1;
        if let Some(place) = list.get_mut(at) {
            *place = rows[bit & 63];
        }
        at += 1;
    }
    at
}
