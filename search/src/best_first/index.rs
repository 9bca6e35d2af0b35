//! Where states are found by key: buckets of eight words, one cache line each, that hold part of the key and the place in the
//! arena; and a filter of 32 bits a bucket, which says of most keys that they are in none.
//!
//! Nearly all children that an expansion asks for are unknown. The filter is a sixteenth as large as the buckets, so that it
//! stays in the processor's caches where those lie in memory.

use super::arena::Block;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use treeline_game::memory::{Units, prefetch, reach};

/// Words of a bucket.
pub const BUCKET: usize = 8;
/// Bytes of a bucket and its filter.
const BYTES: usize = BUCKET * 8 + 4;
/// Fewer buckets are never asked for.
const FEWEST: usize = 64;
/// Buckets in use at first, at most.
pub const FIRST: usize = 1 << 12;
/// Buckets that come into use together, at least and at most.
const MORE: [usize; 2] = [1 << 6, 1 << 12];

#[derive(Debug)]
pub struct Index {
    words: Units<AtomicU64>,
    /// Where the first bucket begins, so that buckets are cache lines.
    skip: usize,
    /// By bucket: the bit of each key in it ([`bit`]).
    filter: Units<AtomicU32>,
    buckets: usize,
    /// Those in use. Changes only while nobody uses states.
    used: AtomicUsize,
}

/// The part of a key that the index holds.
#[inline(always)]
fn tag(key: u64) -> u32 {
    reach::mixed(key) as u32
}

/// A key's bit in the filter of its bucket: by the top of the tag, as buckets go by its lower end.
#[inline(always)]
fn bit(tag: u32) -> u32 {
    1 << (tag >> 27)
}

/// The block that a word of the index names, if the word may be that of `key`.
#[inline(always)]
pub fn named(word: u64, key: u64) -> Option<Block> {
    (word != 0 && (word >> 32) as u32 == tag(key)).then_some(word as Block)
}

/// The word that names the block of a key.
#[inline(always)]
pub fn naming(block: Block, key: u64) -> u64 {
    u64::from(tag(key)) << 32 | u64::from(block)
}

impl Index {
    /// With so many buckets, or as many as the system has memory for.
    pub fn new(buckets: usize) -> Self {
        let mut buckets = buckets.clamp(FEWEST, 1 << 30);
        let (words, filter) = loop {
            match (Units::new((buckets + 1) * BUCKET), Units::new(buckets)) {
                (Some(words), Some(filter)) => break (words, filter),
                _ if buckets > FEWEST => buckets /= 2,
                _ => {
                    buckets = 0;
                    break (Units::none(), Units::none());
                }
            }
        };
        let words: Units<AtomicU64> = words;
        Index {
            skip: words.as_ptr().align_offset(BUCKET * 8).min(BUCKET),
            words,
            filter,
            buckets,
            used: AtomicUsize::new(buckets.min(FIRST)),
        }
    }

    /// The memory it takes.
    pub fn bytes(&self) -> usize {
        self.buckets * BYTES + BUCKET * 8
    }

    /// Buckets in use.
    pub fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// Whether all buckets are in use.
    pub fn is_whole(&self) -> bool {
        self.used() >= self.buckets
    }

    /// The number of a key's bucket: by what the index holds of the key, so that splitting a bucket looks at no state.
    #[inline(always)]
    pub fn number(&self, key: u64) -> usize {
        reach::place(u64::from(tag(key)), self.used.load(Relaxed).max(1))
    }

    /// The words of a bucket; none without memory.
    #[inline(always)]
    pub fn bucket(&self, number: usize) -> &[AtomicU64] {
        let at = self.skip + number * BUCKET;
        self.words.get(at..at + BUCKET).unwrap_or(&[])
    }

    /// The bucket of a key, if that may be in it.
    #[inline(always)]
    pub fn look(&self, key: u64) -> Option<&[AtomicU64]> {
        let number = self.number(key);
        let filter = self.filter.get(number)?.load(Relaxed);
        (filter & bit(tag(key)) != 0).then(|| self.bucket(number))
    }

    /// Starts to fetch the bucket of a key if that may be in it; whether it may.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) -> bool {
        let bucket = self.look(key);
        if let Some(bucket) = bucket {
            prefetch(bucket.as_ptr());
        }
        bucket.is_some()
    }

    /// Starts to fetch the bucket that a key will be written to.
    #[inline(always)]
    pub fn prefetch_to_write(&self, key: u64) {
        prefetch(self.bucket(self.number(key)).as_ptr());
    }

    /// Makes the filter that of the words of a bucket, after they changed. Only for who alone changes them.
    pub fn refresh(&self, number: usize) {
        let bits = |cell: &AtomicU64| match cell.load(Relaxed) {
            0 => 0,
            word => bit((word >> 32) as u32),
        };
        if let Some(filter) = self.filter.get(number) {
            let all = self.bucket(number).iter().map(bits);
            filter.store(all.fold(0, std::ops::BitOr::bitor), Relaxed);
        }
    }

    /// Takes some more buckets into use, while nobody uses states.
    pub fn grow(&self) {
        let before = self.used();
        let more = (before / 16).clamp(MORE[0], MORE[1]);
        let end = (before + more).min(self.buckets);
        for used in before..end {
            self.split(reach::split_next(used), used);
        }
        self.used.store(end, Relaxed);
    }

    /// Moves to the bucket `to` what belongs there once it is the last in use.
    fn split(&self, from: usize, to: usize) {
        for (old, new) in self.bucket(from).iter().zip(self.bucket(to)) {
            let word = old.load(Relaxed);
            let moves = word != 0 && reach::place(word >> 32, to + 1) == to;
            new.store(if moves { word } else { 0 }, Relaxed);
            if moves {
                old.store(0, Relaxed);
            }
        }
        self.refresh(from);
        self.refresh(to);
    }

    /// Empties it.
    pub fn clear(&mut self) {
        let first = self.buckets.min(FIRST);
        for number in 0..first {
            let words = self.bucket(number).iter();
            words.for_each(|word| word.store(0, Relaxed));
            self.refresh(number);
        }
        // Those beyond are written when they come into use again.
        *self.used.get_mut() = first;
    }
}
