//! What is known of positions: entries in buckets of four, the least work replaced first; few buckets are in use at first.
//!
//! An entry holds numbers for both questions and bounds on the value, so that what one question settles serves the other.
//! Knows no game; a position is the 64 bits of its key, and two positions with one key would be taken for one another.

use super::numbers::{Bounds, FAR, Numbers};
use treeline_game::memory::{Units, reach};

/// Entries of one bucket: two lines of memory.
const WAYS: usize = 4;
/// Buckets in use at first: half a MiB.
const FIRST: usize = 1 << 12;

/// What the table knows of a position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// By question; `None` before a question was asked here.
    pub numbers: [Option<Numbers>; 2],
    pub bounds: Bounds,
    /// Plies in which the winner wins at most; only where one has won.
    pub plies: u16,
    /// Positions expanded below and here.
    pub work: u32,
    /// For a disproof that holds only on the path in its key: the ply of the earliest position on that path that it
    /// comes back to.
    pub returns_to: Option<u32>,
}

impl Entry {
    pub const NEW: Entry = Entry {
        numbers: [None; 2],
        bounds: Bounds::OPEN,
        plies: FAR,
        work: 0,
        returns_to: None,
    };
}

/// An entry as it lies in memory: the key (0 is none), two pairs of numbers, and the rest.
type Packed = [u64; 4];

const CONDITIONAL: u64 = 1 << 4;

fn pack(key: u64, entry: &Entry, age: u8) -> Packed {
    let pair = |numbers: Option<Numbers>| {
        numbers.map_or(0, |n| u64::from(n.proof) << 32 | u64::from(n.disproof))
    };
    let first = match entry.returns_to {
        Some(ply) => u64::from(ply),
        None => pair(entry.numbers[0]),
    };
    let conditional = if entry.returns_to.is_some() {
        CONDITIONAL
    } else {
        0
    };
    let rest = u64::from(entry.bounds.code())
        | conditional
        | u64::from(age) << 8
        | u64::from(entry.plies) << 16
        | u64::from(entry.work) << 32;
    [key, first, pair(entry.numbers[1]), rest]
}

fn unpack(packed: &Packed) -> Entry {
    let [_, first, second, rest] = *packed;
    let pair = |word: u64| {
        (word != 0).then_some(Numbers {
            proof: (word >> 32) as u32,
            disproof: word as u32,
        })
    };
    let conditional = rest & CONDITIONAL != 0;
    Entry {
        numbers: [if conditional { None } else { pair(first) }, pair(second)],
        bounds: Bounds::from_code(rest as u8 & 15),
        plies: (rest >> 16) as u16,
        work: (rest >> 32) as u32,
        returns_to: conditional.then_some(first as u32),
    }
}

/// The table.
#[derive(Debug)]
pub struct ProofTable {
    /// `WAYS` entries a bucket.
    entries: Units<Packed>,
    reach: reach::Reach,
    age: u8,
}

impl ProofTable {
    /// As many entries as `bytes` hold, one bucket at least, or as the system gives: none at all if it gives nothing.
    pub fn new(bytes: usize) -> Self {
        let mut buckets = (bytes / (WAYS * size_of::<Packed>())).max(1);
        loop {
            if let Some(entries) = Units::new(buckets * WAYS) {
                return ProofTable {
                    reach: reach::Reach::new(FIRST, entries.len() / WAYS),
                    entries,
                    age: 0,
                };
            }
            buckets /= 2;
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        // Buckets beyond the first are written when they come into use again.
        let first = self.reach.begin_anew() * WAYS;
        self.entries[..first].fill([0; 4]);
    }

    /// From now on entries stored earlier are replaced before newer ones.
    pub fn grow_older(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    #[inline]
    fn bucket(&self, key: u64) -> usize {
        self.reach.place(reach::mixed(key)) * WAYS
    }

    /// What is known of `key`.
    #[inline]
    pub fn find(&self, key: u64) -> Option<Entry> {
        let key = key.max(1);
        let at = self.bucket(key);
        let bucket = self.entries.get(at..at + WAYS)?;
        bucket.iter().find(|e| e[0] == key).map(unpack)
    }

    /// Replaces what is known of `key`, or else the entry of its bucket that took the least work.
    pub fn store(&mut self, key: u64, entry: &Entry) {
        let key = key.max(1);
        let at = self.bucket(key);
        let age = self.age;
        let Some(bucket) = self.entries.get_mut(at..at + WAYS) else {
            return;
        };
        let worth = |e: &Packed| {
            if e[0] == key || e[0] == 0 {
                return (false, 0);
            }
            ((e[3] >> 8) as u8 == age, (e[3] >> 32) as u32)
        };
        // Its own place first, wherever free ones lie.
        let own = bucket.iter().position(|e| e[0] == key);
        let least = || (0..WAYS).min_by_key(|i| worth(&bucket[*i])).unwrap_or(0);
        let i = own.unwrap_or_else(least);
        let fresh = bucket[i][0] == 0;
        bucket[i] = pack(key, entry, age);
        if fresh && let Some((from, to)) = self.reach.take_one(WAYS) {
            self.split(from, to);
        }
    }

    /// Moves to the bucket `to`, which comes into use, what belongs there.
    fn split(&mut self, from: usize, to: usize) {
        for way in 0..WAYS {
            let packed = self.entries[from * WAYS + way];
            let moves = packed[0] != 0 && self.bucket(packed[0]) == to * WAYS;
            self.entries[to * WAYS + way] = if moves { packed } else { [0; 4] };
            if moves {
                self.entries[from * WAYS + way] = [0; 4];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_they_went() {
        let mut table = ProofTable::new(1 << 16);
        let one = Entry {
            numbers: [
                Some(Numbers {
                    proof: 7,
                    disproof: 1 << 30,
                }),
                None,
            ],
            bounds: Bounds::OPEN.at_most(0),
            plies: 12,
            work: 99,
            returns_to: None,
        };
        let two = Entry {
            numbers: [None, None],
            returns_to: Some(5),
            ..Entry::NEW
        };
        table.store(0, &one);
        table.store(u64::MAX, &two);
        assert_eq!(table.find(0), Some(one));
        assert_eq!(table.find(u64::MAX), Some(two));
        assert_eq!(table.find(3), None);
        table.clear();
        assert_eq!(table.find(0), None);
    }

    #[test]
    fn a_table_grows_with_what_it_holds_and_begins_small_again() {
        let mut table = ProofTable::new(32 << 20);
        let work = |work| Entry { work, ..Entry::NEW };
        for round in 0..2u64 {
            let key = |i: u64| treeline_game::random::mix(i << 8 | round);
            let other = |i: u64| treeline_game::random::mix(i << 8 | (1 - round));
            assert!((0..150_000).all(|i| table.find(other(i)).is_none()));
            (0..150_000).for_each(|i| table.store(key(i), &work(i as u32)));
            let known = (0..150_000).filter(|i| table.find(key(*i)) == Some(work(*i as u32)));
            assert!(known.count() > 140_000);
            table.clear();
        }
    }

    #[test]
    fn the_least_work_goes_first_and_old_work_before_it() {
        let mut table = ProofTable::new(0);
        let work = |work| Entry { work, ..Entry::NEW };
        for key in 1..=4 {
            table.store(key, &work(10 * key as u32));
        }
        table.store(5, &work(1));
        assert_eq!(table.find(1), None);
        assert_eq!(table.find(5), Some(work(1)));
        table.grow_older();
        table.store(6, &work(1));
        table.store(7, &work(1));
        table.store(8, &work(1));
        table.store(9, &work(1));
        assert!((6..=9).all(|key| table.find(key).is_some()));
        table.store(10, &work(1));
        assert!(table.find(10).is_some());
    }
}
