//! What one disc turns, on one board at a time, without generating moves: where endgames spend their time.
//!
//! Upwards along a ray, adding one below it carries through the opponent's discs to the first square that has none;
//! downwards, a parallel suffix finds that square. The number of discs that the very last move turns depends on one bit
//! pattern a line and is looked up (R. Delorme's Edax and others use both ideas).

use super::compass::Compass;
use super::kernels::Kernels;
use super::lanes::Lanes;
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    target_feature = "bmi2"
))]
use super::squares::stride;

/// What endgames ask of a word for an `N` x `N` board.
pub trait Ending<const N: u32>: Sized {
    /// What a disc on `square`, which is empty, turns.
    fn turned(own: Self, other: Self, square: u32) -> Self;
    /// How many discs a disc on `square` turns if all other squares that are not in `own` hold the opponent's.
    fn turned_last(own: Self, square: u32) -> u32;
}

/// By the kernels of move generation, for any word.
#[inline(always)]
fn turned_in_general<B: Kernels<N>, const N: u32>(own: B, other: B, square: u32) -> B {
    let lanes = <B::TreeLanes as Lanes>::all;
    B::Tree::turned_by(lanes(own), lanes(other), lanes(B::single(square as u8))).lane0()
}

#[inline(always)]
fn turned_last_in_general<B: Kernels<N>, const N: u32>(own: B, square: u32) -> u32 {
    let other = B::board() & !(own | B::square(square));
    turned_in_general::<B, N>(own, other, square).count()
}

impl<const N: u32> Ending<N> for u128 {
    #[inline(always)]
    fn turned(own: u128, other: u128, square: u32) -> u128 {
        turned_in_general::<u128, N>(own, other, square)
    }
    #[inline(always)]
    fn turned_last(own: u128, square: u32) -> u32 {
        turned_last_in_general::<u128, N>(own, square)
    }
}

#[cfg(not(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    target_feature = "bmi2"
)))]
impl<const N: u32> Ending<N> for u64 {
    #[inline(always)]
    fn turned(own: u64, other: u64, square: u32) -> u64 {
        turned_in_general::<u64, N>(own, other, square)
    }
    #[inline(always)]
    fn turned_last(own: u64, square: u32) -> u32 {
        turned_last_in_general::<u64, N>(own, square)
    }
}

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    target_feature = "bmi2"
))]
mod rays {
    use super::{Ending, stride};
    use core::arch::x86_64::*;

    /// Columns and rows that one step along each axis advances.
    const AXES: [(i32, i32); 4] = [(1, 0), (0, 1), (-1, 1), (1, 1)];
    const STEPS: [i64; 4] = [1, 8, 7, 9];

    #[repr(align(32))]
    #[derive(Clone, Copy)]
    struct Four([u64; 4]);

    /// From each square: the squares above it along the axes, those below, and all of each line but itself.
    struct Rays {
        up: [Four; 64],
        down: [Four; 64],
        line: [[u64; 4]; 64],
        /// How many squares of each line are below the square.
        rank: [[u8; 4]; 64],
    }

    const fn ray(n: u32, square: u32, axis: (i32, i32)) -> u64 {
        let (mut column, mut row) = (
            (square % stride(n)) as i32 + axis.0,
            (square / stride(n)) as i32 + axis.1,
        );
        let mut squares = 0;
        while column >= 0 && column < n as i32 && row >= 0 && row < n as i32 {
            squares |= 1u64 << (row as u32 * stride(n) + column as u32);
            column += axis.0;
            row += axis.1;
        }
        squares
    }

    const fn rays(n: u32) -> Rays {
        let mut rays = Rays {
            up: [Four([0; 4]); 64],
            down: [Four([0; 4]); 64],
            line: [[0; 4]; 64],
            rank: [[0; 4]; 64],
        };
        let mut square = 0;
        while square < 64 {
            let mut axis = 0;
            while axis < 4 && square % stride(n) < n && square / stride(n) < n {
                let (column, row) = AXES[axis];
                let at = square as usize;
                let (up, down) = (
                    ray(n, square, (column, row)),
                    ray(n, square, (-column, -row)),
                );
                rays.up[at].0[axis] = up;
                rays.down[at].0[axis] = down;
                rays.line[at][axis] = up | down;
                rays.rank[at][axis] = down.count_ones() as u8;
                axis += 1;
            }
            square += 1;
        }
        rays
    }

    /// Discs turned by a disc in the gap before bit `rank` of a line's own discs, the other squares being the opponent's.
    static TURNED: [[u8; 128]; 8] = {
        let mut turned = [[0; 128]; 8];
        let mut rank = 0;
        while rank < 8 {
            let mut own = 0;
            while own < 128u32 {
                let above = own >> rank;
                let below = own & ((1 << rank) - 1);
                let mut count = 0;
                if above != 0 {
                    count += above.trailing_zeros();
                }
                if below != 0 {
                    count += rank as u32 - 1 - below.ilog2();
                }
                turned[rank][own as usize] = count as u8;
                own += 1;
            }
            rank += 1;
        }
        turned
    };

    struct Of<const N: u32>;

    impl<const N: u32> Of<N> {
        const RAYS: &'static Rays = &rays(N);
    }

    impl<const N: u32> Ending<N> for u64 {
        #[inline(always)]
        fn turned(own: u64, other: u64, square: u32) -> u64 {
            let rays = Of::<N>::RAYS;
            let at = (square % 64) as usize;
            // SAFETY: the instructions are enabled for this whole compilation; the loads are of aligned arrays.
            unsafe {
                let up = _mm256_load_si256(rays.up[at].0.as_ptr().cast());
                let down = _mm256_load_si256(rays.down[at].0.as_ptr().cast());
                let steps = _mm256_setr_epi64x(STEPS[0], STEPS[1], STEPS[2], STEPS[3]);
                let own = _mm256_set1_epi64x(own as i64);
                let other = _mm256_set1_epi64x(other as i64);
                let zero = _mm256_setzero_si256();
                let ones = _mm256_cmpeq_epi64(zero, zero);

                // `other`, with everything off the ray filled: plus one comes out at the first square that is not other's.
                let filled = _mm256_or_si256(other, _mm256_xor_si256(up, ones));
                let end = _mm256_sub_epi64(filled, ones);
                let end = _mm256_and_si256(end, _mm256_and_si256(own, up));
                let nothing = _mm256_cmpeq_epi64(end, zero);
                // Below the end, or none: 0 - 1 - -1.
                let below = _mm256_sub_epi64(_mm256_add_epi64(end, ones), nothing);
                let turned_up = _mm256_and_si256(below, up);

                let not_other = _mm256_andnot_si256(other, down);
                let steps2 = _mm256_add_epi64(steps, steps);
                let steps4 = _mm256_add_epi64(steps2, steps2);
                let reach = _mm256_or_si256(not_other, _mm256_srlv_epi64(not_other, steps));
                let reach = _mm256_or_si256(reach, _mm256_srlv_epi64(reach, steps2));
                let reach = _mm256_or_si256(reach, _mm256_srlv_epi64(reach, steps4));
                let run = _mm256_andnot_si256(reach, down);
                // The first square beyond the run.
                let end = _mm256_andnot_si256(_mm256_srlv_epi64(reach, steps), not_other);
                let end = _mm256_and_si256(end, own);
                let nothing = _mm256_cmpeq_epi64(end, zero);
                let turned_down = _mm256_andnot_si256(nothing, run);

                let all = _mm256_or_si256(turned_up, turned_down);
                let half = _mm_or_si128(
                    _mm256_castsi256_si128(all),
                    _mm256_extracti128_si256::<1>(all),
                );
                _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
            }
        }

        #[inline(always)]
        fn turned_last(own: u64, square: u32) -> u32 {
            let rays = Of::<N>::RAYS;
            let at = (square % 64) as usize;
            let mut count = 0;
            for axis in 0..4 {
                // SAFETY: the instruction is enabled for this whole compilation.
                let pattern = unsafe { _pext_u64(own, rays.line[at][axis]) };
                let rank = rays.rank[at][axis] & 7;
                count += u32::from(TURNED[rank as usize][(pattern & 127) as usize]);
            }
            count
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::random::{seeded, word};

    fn agree<B: Kernels<N> + Ending<N>, const N: u32>() {
        let mut rng = seeded(5);
        for _ in 0..20_000 {
            let mut wide = || u128::from(word(&mut rng)) | u128::from(word(&mut rng)) << 64;
            let (a, b, c) = (wide(), wide(), wide());
            let taken = B::mask(a | b) & B::board();
            let (own, other) = (taken & B::mask(c), taken & !B::mask(c));
            for square in (B::board() & !taken).squares() {
                let turned = turned_in_general::<B, N>(own, other, square);
                assert_eq!(B::turned(own, other, square), turned);
            }
            let square = (c as u32 >> 3) % B::CAPACITY;
            if B::board().has(square) {
                let own = B::mask(a & c) & B::board() & !B::square(square);
                let turned = turned_last_in_general::<B, N>(own, square);
                assert_eq!(B::turned_last(own, square), turned);
            }
        }
    }

    #[test]
    fn rays_agree_with_the_kernels_of_move_generation() {
        agree::<u64, 6>();
        agree::<u64, 8>();
        agree::<u128, 10>();
    }
}
