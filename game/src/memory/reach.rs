//! Where keys belong in a table that begins small and grows bucket by bucket (W. Litwin, "Linear hashing: a new tool for file
//! and table addressing", 1980), so that it touches no more memory than it needs, and clearing it costs nothing.
//!
//! With `used` buckets in use, and N the largest power of two that is no larger, bucket `i` of the first `used - N` has been
//! split in two, `i` and `i + N`. The next to be split is `used - N`. How far a table grew is not a matter of time: a search that
//! is repeated finds the same table.

/// Mixes a key, so that the lower bits of what comes out depend on all of it: what [`place`] goes by.
#[inline(always)]
pub fn mixed(key: u64) -> u64 {
    let product = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

/// The bucket of a mixed key among `used`, of which there are some.
#[inline(always)]
pub fn place(mixed: u64, used: usize) -> usize {
    let mask = used.next_power_of_two() - 1;
    let at = mixed as usize & mask;
    if at < used { at } else { at & mask >> 1 }
}

/// The bucket that is split when the one after the first `used` comes into use.
pub fn split_next(used: usize) -> usize {
    used - (1 << used.ilog2())
}

/// How much of a table is in use, where one thread has it alone.
#[derive(Debug, Clone)]
pub struct Reach {
    first: usize,
    used: usize,
    capacity: usize,
    /// Places of the buckets in use that are taken.
    taken: usize,
}

impl Reach {
    /// At first `first` of `capacity` buckets are in use, of which there is one at least.
    pub fn new(first: usize, capacity: usize) -> Self {
        let first = first.clamp(1, capacity.max(1));
        Reach {
            first,
            used: first,
            capacity,
            taken: 0,
        }
    }

    /// See [`place`].
    #[inline(always)]
    pub fn place(&self, mixed: u64) -> usize {
        place(mixed, self.used)
    }

    /// Counts a place, of so many in each bucket, that is taken now. If that makes too many, another bucket comes into use: its
    /// number, and before it that of the bucket which has to be split.
    #[inline]
    pub fn take_one(&mut self, ways: usize) -> Option<(usize, usize)> {
        self.taken += 1;
        // Buckets that are not split yet are twice as full as others.
        if 4 * self.taken <= ways * self.used || self.used >= self.capacity {
            return None;
        }
        self.used += 1;
        Some((split_next(self.used - 1), self.used - 1))
    }

    /// As at first; the number of the first buckets, which have to be cleared.
    pub fn begin_anew(&mut self) -> usize {
        (self.used, self.taken) = (self.first, 0);
        self.first.min(self.capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::mix;

    /// A table that grows one bucket at a time finds every key where it went.
    #[test]
    fn splitting_moves_what_belongs_elsewhere_and_nothing_else() {
        let keys: Vec<u64> = (1..5000u64).map(|i| mixed(mix(i))).collect();
        let mut before: Vec<usize> = keys.iter().map(|key| place(*key, 1)).collect();
        assert!(before.iter().all(|at| *at == 0));
        for used in 1..1100 {
            let (from, to) = (split_next(used), used);
            assert!(from < used);
            for (key, at) in keys.iter().zip(&mut before) {
                let now = place(*key, used + 1);
                assert!(now == *at || *at == from && now == to, "{used} {at} {now}");
                *at = now;
            }
            assert!(used > 500 || before.contains(&to), "{used} is empty");
        }
        // Where all buckets were split as often, each has its share.
        let at = |bucket| keys.iter().filter(|key| place(**key, 64) == bucket).count();
        assert!((0..64).all(|bucket| (40..120).contains(&at(bucket))));
    }
}
