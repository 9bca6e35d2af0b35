//! Values by key, without locks: two words each, of which one is the key mixed with the other, so that a pair written by
//! two threads at once is taken for neither.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Pairs that share a line of the processor's cache.
const WAYS: usize = 4;
/// Marks a pair in use.
const USED: u64 = 1 << 32;

#[derive(Debug, Default)]
struct Pair {
    check: AtomicU64,
    data: AtomicU64,
}

#[derive(Debug)]
pub struct ValueTable {
    /// A power of two of buckets with `WAYS` pairs.
    pairs: Box<[Pair]>,
}

impl ValueTable {
    /// Within `bytes`, one bucket at least.
    pub fn new(bytes: usize) -> Self {
        let buckets = (bytes / (WAYS * size_of::<Pair>())).max(1);
        let count = WAYS << buckets.ilog2();
        ValueTable {
            pairs: (0..count).map(|_| Pair::default()).collect(),
        }
    }

    fn bucket(&self, key: u64) -> &[Pair] {
        let buckets = self.pairs.len() / WAYS;
        let at = (key as usize & (buckets - 1)) * WAYS;
        &self.pairs[at..at + WAYS]
    }

    #[inline]
    pub fn get(&self, key: u64) -> Option<f32> {
        self.bucket(key).iter().find_map(|pair| {
            let data = pair.data.load(Relaxed);
            let known = data & USED != 0 && pair.check.load(Relaxed) ^ data == key;
            known.then(|| f32::from_bits(data as u32))
        })
    }

    /// Keeps a value, in the place of another one if need be.
    #[inline]
    pub fn put(&self, key: u64, value: f32) {
        let bucket = self.bucket(key);
        let data = USED | u64::from(value.to_bits());
        let fits = |pair: &&Pair| {
            let found = pair.data.load(Relaxed);
            found == 0 || pair.check.load(Relaxed) ^ found == key
        };
        let chosen = bucket.iter().find(fits);
        let pair = chosen.unwrap_or(&bucket[(key >> 61) as usize % WAYS]);
        pair.check.store(key ^ data, Relaxed);
        pair.data.store(data, Relaxed);
    }

    pub fn clear(&self) {
        for pair in &self.pairs {
            pair.data.store(0, Relaxed);
            pair.check.store(0, Relaxed);
        }
    }
}
