//! A position's first layer, both views of it, with the features it was made of.

use super::layout::Line;
use super::net::Net;

/// The accumulators of one position. Made by [`Net::blank`] and moved to any position by [`Net::shift`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accumulator {
    /// `[2, width]`: player one's view, then player two's.
    pub(super) values: Vec<Line<i16>>,
    /// The features as player one sees them.
    pub(super) words: Vec<u64>,
}

impl Accumulator {
    /// The features as player one sees them, 64 a word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Becomes equal to one of the same network.
    pub fn copy_from(&mut self, other: &Accumulator) {
        self.values.clone_from(&other.values);
        self.words.clone_from(&other.words);
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
    /// Rows to add and rows to subtract, in each player's view; each as long as there are features.
    rows: [[Box<[u16]>; 2]; 2],
    added: usize,
    removed: usize,
}

impl Changes {
    pub fn new(net: &Net) -> Self {
        let list = || vec![0u16; 64 * net.words()].into_boxed_slice();
        Changes {
            rows: [[list(), list()], [list(), list()]],
            added: 0,
            removed: 0,
        }
    }

    /// From `old` to `new`, or, where that is shorter, from a position without features; true in that case.
    #[inline(always)]
    pub fn find(&mut self, old: &[u64], new: &[u64], turned: &[u16]) -> bool {
        let mut difference = 0;
        let mut kept = 0;
        for (old, new) in old.iter().zip(new) {
            difference += (old ^ new).count_ones();
            kept += (old & new).count_ones();
        }
        // What is removed costs as much as what is added; anew costs all that is there.
        let anew = difference > 2 * kept && kept + difference > 8 && {
            let all: u32 = new.iter().map(|word| word.count_ones()).sum();
            all < difference
        };
        (self.added, self.removed) = (0, 0);
        let [add, remove] = &mut self.rows;
        let pairs = old.iter().zip(new).zip(turned.as_chunks::<64>().0);
        for (i, ((old, new), turned)) in pairs.enumerate() {
            let old = if anew { 0 } else { *old };
            self.added += list(add, self.added, i, new & !old, turned);
            self.removed += list(remove, self.removed, i, old & !new, turned);
        }
        anew
    }

    /// The rows to add and to subtract in a player's view.
    #[inline(always)]
    pub fn of(&self, side: usize) -> (&[u16], &[u16]) {
        let [add, remove] = &self.rows;
        (&add[side][..self.added], &remove[side][..self.removed])
    }
}

/// Appends the members of word `i` in both views; how many there were.
#[inline(always)]
fn list(
    rows: &mut [Box<[u16]>; 2],
    from: usize,
    i: usize,
    mut set: u64,
    turned: &[u16; 64],
) -> usize {
    let mut at = from;
    let [one, two] = rows;
    while set != 0 {
        let bit = set.trailing_zeros() as usize;
        set &= set - 1;
        if let (Some(one), Some(two)) = (one.get_mut(at), two.get_mut(at)) {
            (*one, *two) = ((64 * i + bit) as u16, turned[bit]);
        }
        at += 1;
    }
    at - from
}
