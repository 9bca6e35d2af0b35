//! Sets of squares as bits of a machine word: counting, walking, and picking the k-th member.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr};

/// A word whose bits are squares: `u64` for boards up to 64 squares, `u128` up to 128.
pub trait Bits:
    Copy
    + Eq
    + Ord
    + Hash
    + Debug
    + Default
    + Send
    + Sync
    + Not<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + 'static
{
    /// How many squares fit.
    const CAPACITY: u32;
    /// No square.
    const EMPTY: Self;

    /// The set of the one square `index < CAPACITY`.
    fn square(index: u32) -> Self;
    /// The number of squares in the set.
    fn count(self) -> u32;
    /// The smallest member; `CAPACITY` for the empty set.
    fn lowest(self) -> u32;
    /// The largest member of a set that is not empty.
    fn highest(self) -> u32;
    /// The set without its smallest member.
    fn without_lowest(self) -> Self;
    /// The member with exactly `k` smaller ones; `k < count()`.
    fn select(self, k: u32) -> u32;

    /// The set as the widest word.
    fn wide(self) -> u128;

    /// The first `n <= CAPACITY` squares.
    #[inline]
    fn first(n: u32) -> Self {
        if n == 0 {
            Self::EMPTY
        } else {
            !Self::EMPTY >> (Self::CAPACITY - n)
        }
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    #[inline(always)]
    fn has(self, index: u32) -> bool {
        !(self & Self::square(index)).is_empty()
    }

    /// Members, smallest first.
    #[inline]
    fn squares(self) -> Squares<Self> {
        Squares(self)
    }
}

/// Iterator over the members of a set.
#[derive(Debug, Clone)]
pub struct Squares<B>(B);

impl<B: Bits> Iterator for Squares<B> {
    type Item = u32;
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        if self.0.is_empty() {
            return None;
        }
        let square = self.0.lowest();
        self.0 = self.0.without_lowest();
        Some(square)
    }
}

impl Bits for u64 {
    const CAPACITY: u32 = 64;
    const EMPTY: u64 = 0;

    #[inline(always)]
    fn square(index: u32) -> u64 {
        1 << index
    }
    #[inline(always)]
    fn count(self) -> u32 {
        self.count_ones()
    }
    #[inline(always)]
    fn lowest(self) -> u32 {
        self.trailing_zeros()
    }
    #[inline(always)]
    fn highest(self) -> u32 {
        63 - self.leading_zeros()
    }
    #[inline(always)]
    fn without_lowest(self) -> u64 {
        self & self.wrapping_sub(1)
    }
    #[inline(always)]
    fn select(self, k: u32) -> u32 {
        select64(self, k)
    }
    #[inline(always)]
    fn wide(self) -> u128 {
        u128::from(self)
    }
}

impl Bits for u128 {
    const CAPACITY: u32 = 128;
    const EMPTY: u128 = 0;

    #[inline(always)]
    fn square(index: u32) -> u128 {
        1 << index
    }
    #[inline(always)]
    fn count(self) -> u32 {
        self.count_ones()
    }
    #[inline(always)]
    fn lowest(self) -> u32 {
        self.trailing_zeros()
    }
    #[inline(always)]
    fn highest(self) -> u32 {
        127 - self.leading_zeros()
    }
    #[inline(always)]
    fn without_lowest(self) -> u128 {
        self & self.wrapping_sub(1)
    }
    #[inline(always)]
    fn select(self, k: u32) -> u32 {
        let low = self as u64;
        let in_low = low.count_ones();
        if k < in_low {
            select64(low, k)
        } else {
            64 + select64((self >> 64) as u64, k - in_low)
        }
    }
    #[inline(always)]
    fn wide(self) -> u128 {
        self
    }
}

/// The position of the `k`-th set bit (from 0) of `bits`; `k` must be below the number of set bits.
#[inline(always)]
pub fn select64(bits: u64, k: u32) -> u32 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    {
        // SAFETY: the instruction is enabled for this whole compilation.
        unsafe { core::arch::x86_64::_pdep_u64(1u64 << k, bits) }.trailing_zeros()
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    select64_portable(bits, k)
}

/// `select64` without special instructions.
#[allow(
    dead_code,
    reason = "one of the two forms is unused, depending on the target"
)]
fn select64_portable(mut bits: u64, mut k: u32) -> u32 {
    let mut base = 0;
    for half in [32, 16, 8] {
        let low = (bits & ((1u64 << half) - 1)).count_ones();
        if k >= low {
            k -= low;
            bits >>= half;
            base += half;
        }
    }
    for _ in 0..k {
        bits &= bits.wrapping_sub(1);
    }
    base + bits.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn select_walks_the_members_in_order() {
        let mut word = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..1000 {
            word = word.wrapping_mul(0xd129_0d3f_9b4a_2d1b).rotate_left(13) ^ 0x55;
            let members: Vec<u32> = word.squares().collect();
            for (k, &square) in members.iter().enumerate() {
                assert_eq!(word.select(k as u32), square);
                assert_eq!(select64_portable(word, k as u32), square);
            }
            let wide = (word as u128) << 37 | 5;
            for (k, square) in wide.squares().enumerate() {
                assert_eq!(wide.select(k as u32), square);
            }
        }
        assert_eq!(u64::first(64), !0);
        assert_eq!(u128::first(100).count(), 100);
        assert_eq!(u64::first(0), 0);
    }
}
