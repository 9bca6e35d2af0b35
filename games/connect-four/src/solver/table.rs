//! Bounds of positions by exact key. The key is mixed by a bijection whose upper bits choose the bucket; what is left of
//! it fits beside the bounds in one word, so that no two positions are ever mistaken for each other (on boards of more
//! than 64 bits: practically never, the key is a hash there).

use treeline_game::memory::{Units, Zeroed};

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
    shift: u32,
}

/// Where a position belongs.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    bucket: usize,
    tag: u64,
}

impl Table {
    /// The largest table within `memory` bytes, or that the system gives; `None` below a quarter of a MiB.
    pub fn new(memory: usize) -> Option<Self> {
        let mut bits = (memory / size_of::<Bucket>()).checked_ilog2()?.min(40);
        while bits >= BESIDE {
            if let Some(buckets) = Units::new(1 << bits) {
                let shift = 64 - bits;
                return Some(Table { buckets, shift });
            }
            bits -= 1;
        }
        None
    }

    pub fn clear(&mut self) {
        self.buckets.clear();
    }

    #[inline(always)]
    pub fn place(&self, key: u64) -> Place {
        let mixed = mix(key);
        Place {
            bucket: (mixed >> self.shift) as usize,
            tag: mixed << BESIDE,
        }
    }

    #[inline(always)]
    pub fn prefetch(&self, place: Place) {
        #[cfg(target_arch = "x86_64")]
        {
            use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a hint; it may name any address.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(
                    self.buckets.as_ptr().wrapping_add(place.bucket).cast(),
                );
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = place;
    }

    #[inline(always)]
    pub fn get(&self, place: Place) -> Bounds {
        let Bucket(words) = &self.buckets[place.bucket];
        match words.iter().find(|word| same(**word, place.tag)) {
            Some(word) => unpack(*word),
            None => Bounds::NONE,
        }
    }

    /// Adds what was found out with `work` positions. The word with the least work makes room.
    #[inline(always)]
    pub fn put(&mut self, place: Place, bounds: Bounds, work: u64) {
        let work = u64::from((work + 1).ilog2()) + 1;
        let Bucket(words) = &mut self.buckets[place.bucket];
        let mut least = 0;
        for at in 0..WAYS {
            if same(words[at], place.tag) {
                let known = unpack(words[at]);
                let most = work.max(words[at] & ((1 << WORK_BITS) - 1));
                words[at] = pack(place.tag, known.and(bounds), most);
                return;
            }
            if work_of(words[at]) < work_of(words[least]) {
                least = at;
            }
        }
        words[least] = pack(place.tag, bounds, work);
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
