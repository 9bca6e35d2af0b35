//! Picks one member of three sets at once, all members equally likely: the inner step of a random game.

use treeline_game::bits::Bits;
#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
use treeline_game::bits::select64;
use treeline_game::random::below;

/// A word for the squares of a board.
pub trait Board: Bits {
    /// `sets` with all members but one taken out; nothing if there is no member. `few`: the caller promises that they
    /// have fewer than 64 in all.
    fn choose(sets: [Self; 3], random: u32, few: bool) -> [Self; 3];
}

impl Board for u64 {
    #[inline(always)]
    fn choose([a, b, c]: [u64; 3], random: u32, few: bool) -> [u64; 3] {
        let (in_a, in_b) = (a.count_ones(), b.count_ones());
        let k = below(random, in_a + in_b + c.count_ones());
        if few {
            // A single bit that moves down past each set's members: it meets one set and misses the others.
            let bit = 1u64 << (k & 63);
            return [
                deposit(bit, a),
                deposit(bit >> (in_a & 63), b),
                deposit(bit >> ((in_a + in_b) & 63), c),
            ];
        }
        [
            nth(a, k),
            nth(b, k.wrapping_sub(in_a)),
            nth(c, k.wrapping_sub(in_a + in_b)),
        ]
    }
}

impl Board for u128 {
    #[inline(always)]
    fn choose(sets: [u128; 3], random: u32, _few: bool) -> [u128; 3] {
        let mut k = below(random, sets[0].count() + sets[1].count() + sets[2].count());
        sets.map(|set| {
            let (low, high) = (set as u64, (set >> 64) as u64);
            let chosen_low = nth(low, k);
            k = k.wrapping_sub(low.count_ones());
            let chosen_high = nth(high, k);
            k = k.wrapping_sub(high.count_ones());
            u128::from(chosen_high) << 64 | u128::from(chosen_low)
        })
    }
}

/// The member of `set` with `k` smaller ones, alone; nothing if there are no more than `k`.
#[inline(always)]
fn nth(set: u64, k: u32) -> u64 {
    deposit(u64::from(k < 64) << (k & 63), set)
}

/// The member of `set` whose rank is the place of the one bit of `bit`; nothing if there is none.
#[inline(always)]
fn deposit(bit: u64, set: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    {
        // SAFETY: the instruction is enabled for this whole compilation.
        unsafe { core::arch::x86_64::_pdep_u64(bit, set) }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    {
        let k = bit.trailing_zeros();
        if k < set.count_ones() {
            1 << select64(set, k)
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::random::{seeded, word};

    /// Every member of the three sets in order, by the k that `below` makes of an evenly spaced random number.
    fn check<B: Board>(sets: [B; 3], few: bool) {
        let members: Vec<(usize, u32)> = (0..3)
            .flat_map(|i| sets[i].squares().map(move |square| (i, square)))
            .collect();
        let n = members.len() as u64;
        for (k, &(set, square)) in members.iter().enumerate() {
            let mut expected = [B::EMPTY; 3];
            expected[set] = B::square(square);
            for random in [
                ((k as u64) << 32).div_ceil(n),
                (((k as u64 + 1) << 32) - 1) / n,
            ] {
                assert_eq!(
                    B::choose(sets, random as u32, few),
                    expected,
                    "{k} of {sets:x?}"
                );
            }
        }
        if n == 0 {
            assert_eq!(B::choose(sets, u32::MAX, few), sets);
        }
    }

    #[test]
    fn choosing_agrees_with_listing() {
        let mut rng = seeded(5);
        check([0u64; 3], true);
        check([!0u64; 3], false);
        check([!0u128, 0, !0], false);
        for _ in 0..2000 {
            let sets = [0; 3].map(|_| word(&mut rng));
            check(sets, false);
            // A quarter of 64 bits each on average: 48 in all, and 63 at most after trimming.
            let mut few = sets.map(|set| set & word(&mut rng));
            while few.iter().map(|set| set.count_ones()).sum::<u32>() > 63 {
                few = few.map(|set| set & (set - 1));
            }
            check(few, true);
            check(
                sets.map(|set| u128::from(set) << (word(&mut rng) % 65)),
                false,
            );
        }
    }
}
