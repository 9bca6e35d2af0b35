//! Bounds of positions by exact key. The key is mixed by a bijection whose lowest bits choose the bucket; what is left of
//! it fits beside the bounds in one word, so that no two positions are ever mistaken for each other (on boards of more
//! than 64 bits: practically never, the key is a hash there). Few buckets are in use at first.

use treeline_game::memory::{Units, Zeroed, prefetch, reach::Reach};

/// What is known of a position for its mover: the result lies in `low..=high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub low: i8,
    pub high: i8,
}

impl Bounds {
    pub const NONE: Bounds = Bounds { low: -1, high: 1 };

    #[inline(always)]
    fn and(self, other: Bounds) -> Bounds {
        Bounds {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
        }
    }
}

const WAYS: usize = 8;
/// Bits of a word beside the tag, hence also of the smallest index.
const BESIDE: u32 = 12;
const WORK_BITS: u32 = 6;

/// One cache line of words. A word is: tag, `low + 1` and `high + 1` in two bits each, the logarithm of the work; 0 is
/// free.
#[derive(Debug)]
#[repr(align(64))]
struct Bucket([u64; WAYS]);

// SAFETY: integers.
unsafe impl Zeroed for Bucket {}

#[derive(Debug)]
pub struct Table {
    buckets: Units<Bucket>,
    reach: Reach,
}

/// Where a position belongs: all of its mixed key, the bits that no word holds last.
#[derive(Debug, Clone, Copy)]
pub struct Place(u64);

/// The bits of a mixed key that no word holds.
const UNTOLD: u64 = (1 << BESIDE) - 1;

impl Place {
    #[inline(always)]
    fn tag(self) -> u64 {
        self.0 & !UNTOLD
    }
}

impl Table {
    /// The largest table within `memory` bytes, or that the system gives; `None` below a quarter of a MiB.
    pub fn new(memory: usize) -> Option<Self> {
        let mut bits = (memory / size_of::<Bucket>()).checked_ilog2()?.min(40);
        while bits >= BESIDE {
            if let Some(buckets) = Units::new(1 << bits) {
                return Some(Table {
                    buckets,
                    // The number of a bucket says what words leave untold.
                    reach: Reach::new(1 << BESIDE, 1 << bits),
                });
            }
            bits -= 1;
        }
        None
    }

    pub fn clear(&mut self) {
        // Buckets beyond the first are written when they come into use again.
        for Bucket(words) in &mut self.buckets[..self.reach.begin_anew()] {
            *words = [0; WAYS];
        }
    }

    #[inline(always)]
    pub fn place(&self, key: u64) -> Place {
        Place(mix(key))
    }

    #[inline(always)]
    fn at(&self, place: Place) -> usize {
        self.reach.place(place.0)
    }

    #[inline(always)]
    pub fn prefetch(&self, place: Place) {
        prefetch(self.buckets.as_ptr().wrapping_add(self.at(place)));
    }

    #[inline(always)]
    pub fn get(&self, place: Place) -> Bounds {
        let Bucket(words) = &self.buckets[self.at(place)];
        match words.iter().find(|word| same(**word, place.tag())) {
            Some(word) => unpack(*word),
            None => Bounds::NONE,
        }
    }

    /// Adds what was found out with `work` positions. The word with the least work makes room.
    #[inline(always)]
    pub fn put(&mut self, place: Place, bounds: Bounds, work: u64) {
        let work = u64::from((work + 1).ilog2()) + 1;
        let (at, tag) = (self.at(place), place.tag());
        let Bucket(words) = &mut self.buckets[at];
        let mut least = 0;
        for at in 0..WAYS {
            if same(words[at], tag) {
                let known = unpack(words[at]);
                let most = work.max(words[at] & ((1 << WORK_BITS) - 1));
                words[at] = pack(tag, known.and(bounds), most);
                return;
            }
            if work_of(words[at]) < work_of(words[least]) {
                least = at;
            }
        }
        let fresh = words[least] == 0;
        words[least] = pack(tag, bounds, work);
        if fresh && let Some((from, to)) = self.reach.take_one(WAYS) {
            self.split(from, to);
        }
    }

    /// Moves to the bucket `to`, which comes into use, what belongs there.
    fn split(&mut self, from: usize, to: usize) {
        let untold = from as u64 & UNTOLD;
        for way in 0..WAYS {
            let word = self.buckets[from].0[way];
            let moves = word != 0 && self.reach.place(word & !UNTOLD | untold) == to;
            self.buckets[to].0[way] = if moves { word } else { 0 };
            if moves {
                self.buckets[from].0[way] = 0;
            }
        }
    }
}

#[inline(always)]
fn same(word: u64, tag: u64) -> bool {
    word != 0 && (word ^ tag) >> BESIDE == 0
}

#[inline(always)]
fn work_of(word: u64) -> u64 {
    word & ((1 << WORK_BITS) - 1)
}

#[inline(always)]
fn pack(tag: u64, bounds: Bounds, work: u64) -> u64 {
    let low = (bounds.low + 1) as u64;
    let high = (bounds.high + 1) as u64;
    tag | low << (WORK_BITS + 2) | high << WORK_BITS | work.min((1 << WORK_BITS) - 1)
}

#[inline(always)]
fn unpack(word: u64) -> Bounds {
    Bounds {
        low: (word >> (WORK_BITS + 2) & 3) as i8 - 1,
        high: (word >> WORK_BITS & 3) as i8 - 1,
    }
}

/// A bijection: each step can be undone.
#[inline(always)]
pub fn mix(key: u64) -> u64 {
    let mut x = key ^ key >> 32;
    x = x.wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^= x >> 32;
    x = x.wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ x >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_grows_with_what_it_holds_and_mistakes_no_position() {
        let mut table = Table::new(16 << 20).unwrap();
        for round in 0..2u64 {
            let known = |table: &Table, key| table.get(table.place(key)) != Bounds::NONE;
            let keys = || (0..300_000u64).map(|i| i * 8 + round);
            assert!(!keys().any(|key| known(&table, key)));
            for key in keys() {
                let sign = if key % 16 < 8 { 1 } else { -1 };
                let bounds = Bounds {
                    low: sign,
                    high: sign,
                };
                table.put(table.place(key), bounds, 5);
            }
            let mut count = 0;
            for key in keys() {
                let Bounds { low, high } = table.get(table.place(key));
                assert!(low < high || (low == 1) == (key % 16 < 8));
                count += usize::from(low == high);
            }
            assert!(count > 250_000, "{count}");
            assert!(!(0..100_000).any(|i| known(&table, i * 8 + 5)));
            table.clear();
        }
    }
}
