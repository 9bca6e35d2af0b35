//! One side of the board in a machine word: a byte a house, the leftmost lowest, and the store in the highest byte. The
//! bytes between are zero in positions; random games keep one there to tell the sides apart.

use std::hint::select_unpredictable;
use treeline_game::bits::Bits;
use treeline_game::random::mix;

/// A word of bytes: `u64` for up to 6 houses, `u128` for up to 14.
pub trait Side: Bits {
    /// Where the store's byte begins.
    const STORE: u32 = Self::CAPACITY - 8;
    /// Where a byte begins that is neither a house's nor the store's.
    const SPARE: u32 = Self::CAPACITY - 16;

    /// The same byte everywhere.
    fn repeated(byte: u8) -> Self;
    /// `seeds` in the byte that begins at bit `shift`.
    fn seeds(seeds: u32, shift: u32) -> Self;
    /// The byte that begins at bit `shift`.
    fn at(self, shift: u32) -> u32;
    /// Adds byte by byte. Carries between bytes undo those of words made by [`Side::minus`].
    fn plus(self, other: Self) -> Self;
    /// Subtracts byte by byte.
    fn minus(self, other: Self) -> Self;
    /// The sum of all bytes, if below 256.
    fn sum(self) -> u32;
    /// In each byte the sum of it and those below, if below 256.
    fn sums(self) -> Self;
    /// `self` if `condition`, else nothing, without a branch.
    fn only_if(self, condition: bool) -> Self;
    /// A hash; for `u64` with a given `seed` a bijection.
    fn hash(self, seed: u64) -> u64;
}

macro_rules! side {
    ($word:ty, $hash:expr) => {
        impl Side for $word {
            #[inline(always)]
            fn repeated(byte: u8) -> Self {
                <$word>::from_ne_bytes([byte; size_of::<$word>()])
            }
            #[inline(always)]
            fn seeds(seeds: u32, shift: u32) -> Self {
                <$word>::from(seeds) << (shift & (<$word>::BITS - 1))
            }
            #[inline(always)]
            fn at(self, shift: u32) -> u32 {
                (self >> (shift & (<$word>::BITS - 1))) as u32 & 0xff
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn sum(self) -> u32 {
                (self.sums() >> (<$word>::BITS - 8)) as u32
            }
            #[inline(always)]
            fn sums(self) -> Self {
                self.wrapping_mul(Self::repeated(1))
            }
            #[inline(always)]
            fn only_if(self, condition: bool) -> Self {
                select_unpredictable(condition, self, 0)
            }
            #[inline(always)]
            fn hash(self, seed: u64) -> u64 {
                $hash(self, seed)
            }
        }
    };
}

side!(u64, |word: u64, seed: u64| mix(word ^ seed));
side!(u128, |word: u128, seed: u64| mix(
    mix(word as u64 ^ seed) ^ (word >> 64) as u64
));
