//! Random numbers for play-outs and hash keys.

pub use rand_xoshiro::Xoshiro256PlusPlus as Rng;

use rand::{Rng as _, SeedableRng};

/// The generator that `seed` starts; the same on every machine.
pub fn seeded(seed: u64) -> Rng {
    Rng::seed_from_u64(seed)
}

/// A generator from the operating system's randomness.
pub fn from_entropy() -> Rng {
    seeded(rand::random())
}

/// 64 random bits.
#[inline(always)]
pub fn word(rng: &mut Rng) -> u64 {
    rng.next_u64()
}

/// A number in `0..n` from 32 random bits, by multiply and shift. For `n` up to a few hundred, as here, no number is
/// likelier than another by more than one part in ten million.
#[inline(always)]
pub fn below(random: u32, n: u32) -> u32 {
    ((random as u64 * n as u64) >> 32) as u32
}

/// A number in `0..n`.
#[inline(always)]
pub fn pick(rng: &mut Rng, n: u32) -> u32 {
    below((word(rng) >> 32) as u32, n)
}

/// `N` hash keys for squares, pieces or sides, fixed at compile time by `seed` (splitmix64).
pub const fn keys<const N: usize>(seed: u64) -> [u64; N] {
    let mut out = [0; N];
    let mut state = seed;
    let mut i = 0;
    while i < N {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        out[i] = mix(state);
        i += 1;
    }
    out
}

/// The finaliser of splitmix64: a bijection that spreads every input bit.
#[inline(always)]
pub const fn mix(word: u64) -> u64 {
    let mut z = word;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
