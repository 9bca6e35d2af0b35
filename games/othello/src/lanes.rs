//! Words of squares side by side in one register: a scalar is one lane, AVX2 has four, AVX-512 eight. The same kernel
//! (`compass`) runs on all of them; `Wide` joins two registers of halves into lanes of 128 bits.
//!
//! Knows shifts and logic, no Othello.

use treeline_game::bits::Bits;

/// Lanes that are worked on together.
pub trait Lanes: Copy {
    /// What one lane holds.
    type Word: Bits;
    /// A shift count for each lane, below 64.
    type Shift: Copy;
    /// The number of lanes, at most 8.
    const COUNT: usize;
    /// Whether `plus` carries through whole lanes.
    const CARRIES: bool = true;

    /// The same word in every lane.
    fn all(word: Self::Word) -> Self;
    /// The lanes from an array, of which the first `COUNT` entries count.
    fn from_words(words: [Self::Word; 8]) -> Self;
    /// The lanes as the first `COUNT` entries of an array.
    fn words(self) -> [Self::Word; 8];
    /// Lane 0.
    fn lane0(self) -> Self::Word;
    /// The same count for every lane; `by` in `1..64`.
    fn shift(by: u32) -> Self::Shift;

    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// `self & !other`.
    fn without(self, other: Self) -> Self;
    /// Towards higher bits.
    fn up(self, by: Self::Shift) -> Self;
    /// Towards lower bits.
    fn down(self, by: Self::Shift) -> Self;

    /// The sum, where lanes can carry from any bit to the next (`CARRIES`).
    fn plus(self, other: Self) -> Self;

    /// `self | (a & b)`, one instruction where there is one.
    #[inline(always)]
    fn or_and(self, a: Self, b: Self) -> Self {
        self.or(a.and(b))
    }

    /// The same; keeps the compiler from putting scalars side by side into a vector, which would make a lone game wait
    /// longer.
    #[inline(always)]
    fn apart(self) -> Self {
        self
    }

    /// Each lane where the same lane of `test` is not zero, else zero.
    fn only_where(self, test: Self) -> Self;
    /// Bit `i` is set if lane `i` is zero.
    fn empty_lanes(self) -> u32;
}

/// One lane: the plain form.
macro_rules! scalar_lanes {
    ($word:ty, $apart:path) => {
        impl Lanes for $word {
            type Word = $word;
            type Shift = u32;
            const COUNT: usize = 1;

            #[inline(always)]
            fn all(word: $word) -> Self {
                word
            }
            #[inline(always)]
            fn from_words(words: [$word; 8]) -> Self {
                words[0]
            }
            #[inline(always)]
            fn words(self) -> [$word; 8] {
                [self, 0, 0, 0, 0, 0, 0, 0]
            }
            #[inline(always)]
            fn lane0(self) -> $word {
                self
            }
            #[inline(always)]
            fn shift(by: u32) -> u32 {
                by
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn without(self, other: Self) -> Self {
                self & !other
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn up(self, by: u32) -> Self {
                self << by
            }
            #[inline(always)]
            fn down(self, by: u32) -> Self {
                self >> by
            }
            #[inline(always)]
            fn apart(self) -> Self {
                $apart(self)
            }
            #[inline(always)]
            fn only_where(self, test: Self) -> Self {
                if test == 0 { 0 } else { self }
            }
            #[inline(always)]
            fn empty_lanes(self) -> u32 {
                u32::from(self == 0)
            }
        }
    };
}

scalar_lanes!(u64, in_a_general_register);
scalar_lanes!(u128, std::convert::identity);

/// The same word, of which the optimiser knows nothing more than that it is not in a vector.
#[inline(always)]
fn in_a_general_register(word: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut word = word;
        // SAFETY: there is no instruction.
        unsafe {
            core::arch::asm!("/* {0} */", inlateout(reg) word, options(pure, nomem, nostack, preserves_flags));
        }
        word
    }
    #[cfg(not(target_arch = "x86_64"))]
    word
}

/// Lanes of 128 bits as their lower and upper halves.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "avx2")),
    allow(dead_code, reason = "joins vectors, of which there are none")
)]
pub struct Wide<V> {
    pub low: V,
    pub high: V,
}

impl<V: Lanes<Word = u64>> Lanes for Wide<V> {
    type Word = u128;
    /// The count, and 64 less the count for what crosses over.
    type Shift = (V::Shift, V::Shift);
    const COUNT: usize = V::COUNT;
    const CARRIES: bool = false;

    #[inline(always)]
    fn all(word: u128) -> Self {
        Wide {
            low: V::all(word as u64),
            high: V::all((word >> 64) as u64),
        }
    }
    #[inline(always)]
    fn from_words(words: [u128; 8]) -> Self {
        Wide {
            low: V::from_words(words.map(|word| word as u64)),
            high: V::from_words(words.map(|word| (word >> 64) as u64)),
        }
    }
    #[inline(always)]
    fn words(self) -> [u128; 8] {
        let (low, high) = (self.low.words(), self.high.words());
        std::array::from_fn(|i| u128::from(low[i]) | u128::from(high[i]) << 64)
    }
    #[inline(always)]
    fn lane0(self) -> u128 {
        u128::from(self.low.lane0()) | u128::from(self.high.lane0()) << 64
    }
    #[inline(always)]
    fn shift(by: u32) -> Self::Shift {
        (V::shift(by), V::shift(64 - by))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Wide {
            low: self.low.and(other.low),
            high: self.high.and(other.high),
        }
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Wide {
            low: self.low.or(other.low),
            high: self.high.or(other.high),
        }
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        Wide {
            low: self.low.without(other.low),
            high: self.high.without(other.high),
        }
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Wide {
            low: self.low.plus(other.low),
            high: self.high.plus(other.high),
        }
    }
    #[inline(always)]
    fn up(self, (by, rest): Self::Shift) -> Self {
        Wide {
            low: self.low.up(by),
            high: self.high.up(by).or(self.low.down(rest)),
        }
    }
    #[inline(always)]
    fn down(self, (by, rest): Self::Shift) -> Self {
        Wide {
            low: self.low.down(by).or(self.high.up(rest)),
            high: self.high.down(by),
        }
    }
    #[inline(always)]
    fn or_and(self, a: Self, b: Self) -> Self {
        Wide {
            low: self.low.or_and(a.low, b.low),
            high: self.high.or_and(a.high, b.high),
        }
    }
    #[inline(always)]
    fn only_where(self, test: Self) -> Self {
        let test = test.low.or(test.high);
        Wide {
            low: self.low.only_where(test),
            high: self.high.only_where(test),
        }
    }
    #[inline(always)]
    fn empty_lanes(self) -> u32 {
        self.low.or(self.high).empty_lanes()
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub use avx2::Four;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub use avx512::Eight;

/// AVX2. Every intrinsic here needs nothing but that, and the module only exists where it is enabled for the whole
/// compilation: that is what makes every block below sound.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod avx2 {
    use super::{Lanes, Wide};
    use core::arch::x86_64::*;

    #[derive(Debug, Clone, Copy)]
    pub struct Four(__m256i);

    impl Four {
        /// A different word, or shift count, in each lane.
        #[inline(always)]
        pub fn of(words: [u64; 4]) -> Self {
            let [a, b, c, d] = words;
            // Spelled out: a closure over an array is a call where the whole program is not optimised at once.
            // SAFETY: see the module.
            Four(unsafe { _mm256_set_epi64x(d as i64, c as i64, b as i64, a as i64) })
        }

        /// The union of the lanes, in every lane.
        #[inline(always)]
        pub fn spread(self) -> Self {
            // SAFETY: see the module.
            Four(unsafe {
                let halves =
                    _mm256_or_si256(self.0, _mm256_permute4x64_epi64::<0b01_00_11_10>(self.0));
                let swapped = _mm256_shuffle_epi32::<0b01_00_11_10>(halves);
                _mm256_or_si256(halves, swapped)
            })
        }
    }

    impl Wide<Four> {
        /// A different word in each lane.
        #[inline(always)]
        pub fn of([a, b, c, d]: [u128; 4]) -> Self {
            let high = |word: u128| (word >> 64) as u64;
            Wide {
                low: Four::of([a as u64, b as u64, c as u64, d as u64]),
                high: Four::of([high(a), high(b), high(c), high(d)]),
            }
        }

        /// The union of the lanes, in every lane.
        #[inline(always)]
        pub fn spread(self) -> Self {
            Wide {
                low: self.low.spread(),
                high: self.high.spread(),
            }
        }
    }

    impl Lanes for Four {
        type Word = u64;
        type Shift = Four;
        const COUNT: usize = 4;

        #[inline(always)]
        fn all(word: u64) -> Self {
            // SAFETY: see the module.
            Four(unsafe { _mm256_set1_epi64x(word as i64) })
        }
        #[inline(always)]
        fn from_words(words: [u64; 8]) -> Self {
            let [a, b, c, d, ..] = words;
            Four::of([a, b, c, d])
        }
        #[inline(always)]
        fn words(self) -> [u64; 8] {
            // SAFETY: see the module.
            let lane = unsafe {
                [
                    _mm256_extract_epi64::<0>(self.0),
                    _mm256_extract_epi64::<1>(self.0),
                    _mm256_extract_epi64::<2>(self.0),
                    _mm256_extract_epi64::<3>(self.0),
                ]
            };
            let [a, b, c, d] = lane;
            [a as u64, b as u64, c as u64, d as u64, 0, 0, 0, 0]
        }
        #[inline(always)]
        fn lane0(self) -> u64 {
            // SAFETY: see the module.
            (unsafe { _mm256_extract_epi64::<0>(self.0) }) as u64
        }
        #[inline(always)]
        fn shift(by: u32) -> Four {
            Four::all(u64::from(by))
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            // SAFETY: see the module.
            Four(unsafe { _mm256_and_si256(self.0, other.0) })
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            // SAFETY: see the module.
            Four(unsafe { _mm256_or_si256(self.0, other.0) })
        }
        #[inline(always)]
        fn without(self, other: Self) -> Self {
            // SAFETY: see the module.
            Four(unsafe { _mm256_andnot_si256(other.0, self.0) })
        }
        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            // SAFETY: see the module.
            Four(unsafe { _mm256_add_epi64(self.0, other.0) })
        }
        #[inline(always)]
        fn up(self, by: Four) -> Self {
            // SAFETY: see the module.
            Four(unsafe { _mm256_sllv_epi64(self.0, by.0) })
        }
        #[inline(always)]
        fn down(self, by: Four) -> Self {
            // SAFETY: see the module.
            Four(unsafe { _mm256_srlv_epi64(self.0, by.0) })
        }
        #[inline(always)]
        fn only_where(self, test: Self) -> Self {
            // SAFETY: see the module.
            let empty = unsafe { _mm256_cmpeq_epi64(test.0, _mm256_setzero_si256()) };
            // SAFETY: see the module.
            Four(unsafe { _mm256_andnot_si256(empty, self.0) })
        }
        #[inline(always)]
        fn empty_lanes(self) -> u32 {
            // SAFETY: see the module.
            let empty = unsafe { _mm256_cmpeq_epi64(self.0, _mm256_setzero_si256()) };
            // SAFETY: see the module.
            (unsafe { _mm256_movemask_pd(_mm256_castsi256_pd(empty)) }) as u32
        }
    }
}

/// AVX-512, which a caller must have found at run time.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod avx512 {
    use super::Lanes;
    use core::arch::x86_64::*;

    /// A value of this type is only made inside functions compiled for AVX-512 (`playout::avx512`), reached after the
    /// processor was asked. That is what makes every block below sound.
    #[derive(Debug, Clone, Copy)]
    pub struct Eight(__m512i);

    impl Lanes for Eight {
        type Word = u64;
        type Shift = Eight;
        const COUNT: usize = 8;

        #[inline(always)]
        fn all(word: u64) -> Self {
            // SAFETY: see the type.
            Eight(unsafe { _mm512_set1_epi64(word as i64) })
        }
        #[inline(always)]
        fn from_words(words: [u64; 8]) -> Self {
            let [a, b, c, d, e, f, g, h] = words.map(|word| word as i64);
            // SAFETY: see the type.
            Eight(unsafe { _mm512_set_epi64(h, g, f, e, d, c, b, a) })
        }
        #[inline(always)]
        fn words(self) -> [u64; 8] {
            let mut words = [0u64; 8];
            // SAFETY: see the type; the array has the 64 bytes that are written, at any alignment.
            unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) };
            words
        }
        #[inline(always)]
        fn lane0(self) -> u64 {
            self.words()[0]
        }
        #[inline(always)]
        fn shift(by: u32) -> Eight {
            Eight::all(u64::from(by))
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            // SAFETY: see the type.
            Eight(unsafe { _mm512_and_si512(self.0, other.0) })
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            // SAFETY: see the type.
            Eight(unsafe { _mm512_or_si512(self.0, other.0) })
        }
        #[inline(always)]
        fn without(self, other: Self) -> Self {
            // SAFETY: see the type.
            Eight(unsafe { _mm512_andnot_si512(other.0, self.0) })
        }
        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            // SAFETY: see the type.
            Eight(unsafe { _mm512_add_epi64(self.0, other.0) })
        }
        #[inline(always)]
        fn up(self, by: Eight) -> Self {
            // SAFETY: see the type.
            Eight(unsafe { _mm512_sllv_epi64(self.0, by.0) })
        }
        #[inline(always)]
        fn down(self, by: Eight) -> Self {
            // SAFETY: see the type.
            Eight(unsafe { _mm512_srlv_epi64(self.0, by.0) })
        }
        #[inline(always)]
        fn or_and(self, a: Self, b: Self) -> Self {
            // SAFETY: see the type. The table of x | (y & z) is 0b1111_1000.
            Eight(unsafe { _mm512_ternarylogic_epi64::<0b1111_1000>(self.0, a.0, b.0) })
        }
        #[inline(always)]
        fn only_where(self, test: Self) -> Self {
            // SAFETY: see the type.
            Eight(unsafe {
                let full = _mm512_test_epi64_mask(test.0, test.0);
                _mm512_maskz_mov_epi64(full, self.0)
            })
        }
        #[inline(always)]
        fn empty_lanes(self) -> u32 {
            // SAFETY: see the type.
            u32::from(unsafe { _mm512_testn_epi64_mask(self.0, self.0) })
        }
    }
}
