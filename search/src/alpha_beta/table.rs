//! The transposition table: buckets of one cache line, shared by all threads without a lock.
//!
//! An entry is two words, the data and the key XOR the data, so that a torn entry is no entry (R. Hyatt and T. Mann, "A
//! lock-less transposition table implementation for parallel search chess engines", 2002). Of a bucket's entries the
//! one goes that is shallow or from an old search.
//!
//! The table begins with few buckets in use and takes more as entries have to go ([`reach`]). While one thread splits buckets,
//! the others may miss an entry or leave one where it is not found: that costs a search of the position, as any loss does.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use treeline_game::memory::{Units, Zeroed, prefetch, reach};

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
/// Buckets in use at first: a MiB.
const FIRST: usize = 1 << 14;
/// Buckets that come into use together.
const MORE: usize = 1 << 10;
/// Entries that have to go before they do. About half of the places are taken then.
const CROWDED: u32 = 128;

/// Four times the key XOR the data, and the data; a cache line.
#[repr(align(64))]
struct Bucket([[AtomicU64; 2]; BUCKET]);

// SAFETY: integers.
unsafe impl Zeroed for Bucket {}

/// The buckets; none if the system has no memory at all.
pub struct TranspositionTable {
    buckets: Units<Bucket>,
    /// Buckets in use.
    used: AtomicUsize,
    /// Entries that had to go since the table last grew.
    gone: AtomicU32,
    growing: Mutex<()>,
    age: u64,
}

impl TranspositionTable {
    /// As many buckets as fit into `bytes`, one at least, or as the system gives.
    pub fn new(bytes: usize) -> Self {
        let mut length = (bytes / size_of::<Bucket>()).max(1);
        loop {
            if let Some(buckets) = Units::new(length) {
                return TranspositionTable {
                    used: AtomicUsize::new(buckets.len().min(FIRST)),
                    buckets,
                    gone: AtomicU32::new(0),
                    growing: Mutex::new(()),
                    age: 0,
                };
            }
            length /= 2;
        }
    }

    /// Forgets everything, at once. Buckets beyond the first ones are written when they come into use again.
    pub fn clear(&mut self) {
        let first = self.buckets.len().min(FIRST);
        for bucket in &mut self.buckets[..first] {
            *bucket = Bucket(Default::default());
        }
        *self.used.get_mut() = first;
        *self.gone.get_mut() = 0;
        self.age = 0;
    }

    /// A new search begins.
    pub fn grow_older(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    /// Where `key` belongs; `None` if there is no memory at all.
    #[inline(always)]
    fn bucket(&self, key: u64) -> Option<&[[AtomicU64; 2]; BUCKET]> {
        let used = self.used.load(Relaxed);
        let at = reach::place(reach::mixed(key), used.max(1));
        self.buckets.get(at).map(|bucket| &bucket.0)
    }

    /// Counts an entry that has to go, and takes more buckets into use if there were many.
    #[cold]
    fn lose_one(&self) {
        if self.used.load(Relaxed) >= self.buckets.len()
            || self.gone.fetch_add(1, Relaxed) + 1 < CROWDED
        {
            return;
        }
        let Some(_alone) = self.growing.try_lock() else {
            return;
        };
        self.gone.store(0, Relaxed);
        let used = self.used.load(Relaxed);
        // Splitting begins anew at powers of two, which are multiples of MORE.
        let more = MORE.min(self.buckets.len() - used);
        let from = reach::split_next(used);
        for i in 0..more {
            self.split(from + i, used + i, used + more);
        }
        self.used.store(used + more, Relaxed);
    }

    /// Moves to the bucket `to` what belongs there once `used` are in use.
    fn split(&self, from: usize, to: usize, used: usize) {
        let places = self.buckets[from].0.iter().zip(&self.buckets[to].0);
        for (old, new) in places {
            let [check, data] = [0, 1].map(|i| old[i].load(Relaxed));
            let moves = data != 0 && reach::place(reach::mixed(check ^ data), used) == to;
            let kept = if moves { [check, data] } else { [0, 0] };
            new[0].store(kept[0], Relaxed);
            new[1].store(kept[1], Relaxed);
            if moves {
                old[1].store(0, Relaxed);
            }
        }
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
        let mut own = false;
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
                (place, own) = (i, true);
                break;
            }
            let age = (self.age + AGES - age_of(data)) % AGES;
            let worth = i32::from(unpack(data).depth) - AGE_WORTH * age as i32;
            if worth < least {
                (place, least) = (i, worth);
            }
        }
        if !own && least > i32::MIN {
            self.lose_one();
        }
        let data = pack(entry, self.age);
        bucket[place][0].store(key ^ data, Relaxed);
        bucket[place][1].store(data, Relaxed);
    }

    /// Asks for the bucket of `key` ahead of time.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        if let Some(bucket) = self.bucket(key) {
            prefetch(bucket.as_ptr());
        }
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

    /// Nothing is lost while there are buckets to be had, but for the few entries whose loss makes the table grow; and what
    /// it forgot is gone, also where buckets come into use again.
    #[test]
    fn a_table_grows_with_what_it_holds_and_begins_small_again() {
        const BYTES: usize = 64 << 20;
        let mut table = TranspositionTable::new(BYTES + 5 * 64);
        let keys = |salt: u64| (0..700_000u64).map(move |i| mix(i << 8 | salt));
        for round in 0..2 {
            assert_eq!(*table.used.get_mut(), FIRST);
            assert!(keys(1 - round).all(|key| table.get(key).is_none()));
            keys(round).for_each(|key| table.put(key, entry(3, 9)));
            let found = keys(round).filter(|key| table.get(*key) == Some(entry(3, 9)));
            assert!(found.count() > 600_000);
            let used = *table.used.get_mut();
            assert!((300_000..600_000).contains(&used), "{used}");
            table.clear();
        }
        // All of a table is used in the end.
        for salt in 0..20 {
            keys(salt).for_each(|key| table.put(key, entry(3, 9)));
        }
        assert_eq!(*table.used.get_mut(), table.buckets.len());
        let full = |bucket: &Bucket| bucket.0.iter().all(|e| e[1].load(Relaxed) != 0);
        assert!(table.buckets.iter().filter(|b| full(b)).count() > BYTES / 64 * 9 / 10);
    }

    /// Threads that read and write while buckets are split find what was stored, or nothing.
    #[test]
    fn threads_may_use_a_table_that_grows() {
        let table = TranspositionTable::new(32 << 20);
        std::thread::scope(|scope| {
            for thread in 0..3u64 {
                let table = &table;
                scope.spawn(move || {
                    for i in 0..200_000u64 {
                        let key = mix(i % 150_000);
                        let depth = mix(key) as u8;
                        match (i + thread) % 3 {
                            0 => table.put(key, entry(5, depth)),
                            _ => {
                                let found = table.get(key);
                                assert!(found.is_none_or(|found| found == entry(5, depth)));
                            }
                        }
                    }
                });
            }
        });
        assert!(table.used.load(Relaxed) > FIRST);
    }

    #[test]
    fn a_torn_entry_is_none() {
        let table = TranspositionTable::new(64);
        table.put(1, entry(1, 1));
        table.bucket(1).unwrap()[0][1].store(pack(entry(2, 2), 0), Relaxed);
        assert_eq!(table.get(1), None);
    }
}
