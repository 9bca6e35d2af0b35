//! The transposition table: buckets of one cache line, shared by all threads without a lock.
//!
//! An entry is two words, the data and the key XOR the data, so that a torn entry is no entry (R. Hyatt and T. Mann, "A
//! lock-less transposition table implementation for parallel search chess engines", 2002). Of a bucket's entries the
//! one goes that is shallow or from an old search.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use treeline_game::memory::{Units, Zeroed};

/// Which side of the true score a stored one is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// The true score is no larger.
    Upper = 1,
    /// The true score is no smaller.
    Lower = 2,
    Exact = 3,
}

/// What is known of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// For the player to move; wins counted from the position.
    pub score: i32,
    pub bound: Bound,
    pub depth: u8,
    /// The best move, as its number among the legal moves; [`NO_MOVE`] where none is known.
    pub best: u16,
    /// A static evaluation had a part in the score.
    pub soft: bool,
    /// A repetition on the way to the position had a part in it.
    pub by_path: bool,
}

/// More than any number of legal moves that the search keeps.
pub const NO_MOVE: u16 = 0x3ff;

/// Searches after which an entry's age starts over.
const AGES: u64 = 32;
/// Plies of depth that a search of age is worth in a bucket.
const AGE_WORTH: i32 = 4;
const BUCKET: usize = 4;

/// Four times the key XOR the data, and the data; a cache line.
#[repr(align(64))]
struct Bucket([[AtomicU64; 2]; BUCKET]);

// SAFETY: integers.
unsafe impl Zeroed for Bucket {}

/// The buckets; none if the system has no memory at all.
pub struct TranspositionTable {
    buckets: Units<Bucket>,
    age: u64,
}

impl TranspositionTable {
    /// As many buckets as fit into `bytes`, one at least, or as the system gives.
    pub fn new(bytes: usize) -> Self {
        let mut length = (bytes / size_of::<Bucket>()).max(1);
        loop {
            if let Some(buckets) = Units::new(length) {
                return TranspositionTable { buckets, age: 0 };
            }
            length /= 2;
        }
    }

    /// Forgets everything, at once.
    pub fn clear(&mut self) {
        self.buckets.clear();
        self.age = 0;
    }

    /// A new search begins.
    pub fn grow_older(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    /// Where `key` belongs; `None` if there is no memory at all.
    #[inline(always)]
    fn bucket(&self, key: u64) -> Option<&[[AtomicU64; 2]; BUCKET]> {
        let at = (u128::from(key) * self.buckets.len() as u128) >> 64;
        self.buckets.get(at as usize).map(|bucket| &bucket.0)
    }

    /// What is stored under `key`.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry> {
        self.bucket(key)?.iter().find_map(|entry| {
            let data = entry[1].load(Relaxed);
            (entry[0].load(Relaxed) == key ^ data && data != 0).then(|| unpack(data))
        })
    }

    /// Stores an entry in the place of the same position's, or of the least useful one.
    pub fn put(&self, key: u64, mut entry: Entry) {
        let Some(bucket) = self.bucket(key) else {
            return;
        };
        let mut place = 0;
        let mut least = i32::MAX;
        for (i, old) in bucket.iter().enumerate() {
            let data = old[1].load(Relaxed);
            if data == 0 {
                if least > i32::MIN {
                    (place, least) = (i, i32::MIN);
                }
                continue;
            }
            if old[0].load(Relaxed) == key ^ data {
                if entry.best == NO_MOVE {
                    entry.best = unpack(data).best;
                }
                place = i;
                break;
            }
            let age = (self.age + AGES - age_of(data)) % AGES;
            let worth = i32::from(unpack(data).depth) - AGE_WORTH * age as i32;
            if worth < least {
                (place, least) = (i, worth);
            }
        }
        let data = pack(entry, self.age);
        bucket[place][0].store(key ^ data, Relaxed);
        bucket[place][1].store(data, Relaxed);
    }

    /// Asks for the bucket of `key` ahead of time.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            if let Some(bucket) = self.bucket(key) {
                // SAFETY: a hint, about an address inside the table.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(bucket.as_ptr().cast()) };
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }
}

/// Score, best move, depth, bound, two flags, age: 32, 10, 8, 2, 2 and 5 bits from below. Never 0, since bounds are not.
fn pack(entry: Entry, age: u64) -> u64 {
    u64::from(entry.score as u32)
        | u64::from(entry.best.min(NO_MOVE)) << 32
        | u64::from(entry.depth) << 42
        | (entry.bound as u64) << 50
        | u64::from(entry.soft) << 52
        | u64::from(entry.by_path) << 53
        | age << 54
}

fn age_of(data: u64) -> u64 {
    data >> 54
}

#[inline(always)]
fn unpack(data: u64) -> Entry {
    Entry {
        score: data as u32 as i32,
        best: (data >> 32) as u16 & NO_MOVE,
        depth: (data >> 42) as u8,
        bound: match data >> 50 & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        },
        soft: data >> 52 & 1 != 0,
        by_path: data >> 53 & 1 != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::random::mix;

    fn entry(score: i32, depth: u8) -> Entry {
        Entry {
            score,
            bound: Bound::Lower,
            depth,
            best: 17,
            soft: score & 1 == 0,
            by_path: score & 2 == 0,
        }
    }

    #[test]
    fn entries_come_back_as_they_were() {
        let table = TranspositionTable::new(1 << 16);
        for (i, bound) in [Bound::Upper, Bound::Lower, Bound::Exact]
            .into_iter()
            .enumerate()
        {
            for score in [-(1 << 25), -1, 0, 1, 1 << 25] {
                let stored = Entry {
                    bound,
                    ..entry(score, 200 + i as u8)
                };
                table.put(mix(7), stored);
                assert_eq!(table.get(mix(7)), Some(stored));
            }
        }
        assert_eq!(table.get(mix(8)), None);
        let moveless = Entry {
            best: NO_MOVE,
            ..entry(3, 1)
        };
        table.put(mix(7), moveless);
        assert_eq!(
            table.get(mix(7)).map(|e| e.best),
            Some(17),
            "the old best move stays"
        );
    }

    #[test]
    fn deep_entries_outlive_shallow_ones_until_they_are_old() {
        let mut table = TranspositionTable::new(64);
        for key in 1..=4u64 {
            table.put(key, entry(key as i32, 10 + key as u8));
        }
        table.put(5, entry(5, 2));
        assert_eq!(table.get(1), None, "the shallowest went");
        table.put(6, entry(6, 2));
        assert_eq!(table.get(5), None);
        assert!((2..=4).all(|key| table.get(key).is_some()));
        for _ in 0..4 {
            table.grow_older();
        }
        for key in 7..=10 {
            table.put(key, entry(7, 1));
        }
        assert!((2..=6).all(|key| table.get(key).is_none()));
        table.clear();
        assert_eq!(table.get(7), None);
    }

    #[test]
    fn a_torn_entry_is_none() {
        let table = TranspositionTable::new(64);
        table.put(1, entry(1, 1));
        table.bucket(1).unwrap()[0][1].store(pack(entry(2, 2), 0), Relaxed);
        assert_eq!(table.get(1), None);
    }
}
