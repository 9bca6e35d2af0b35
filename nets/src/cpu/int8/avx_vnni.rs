//! The int8 kernel in 256-bit vectors with AVX-VNNI, for processors without AVX-512.

use super::avx2::{LANES, Scaling, write_place};
use super::kernel::{GROUP, Kernel, OUTPUTS, Tile};
use crate::cpu::float::table;
use std::arch::x86_64::*;

/// Places and tiles of outputs that one call keeps in registers.
pub(super) const PLACES: usize = 6;
pub(super) const TILES: usize = 1;

pub(super) const KERNELS: [[Kernel; TILES]; PLACES] = table!(tile, [1, 2, 3, 4, 5, 6], [1]);

/// # Safety
/// The machine has AVX2 and AVX-VNNI; otherwise as `Kernel`.
#[target_feature(enable = "avx2,fma,avxvnni")]
unsafe fn tile<const P: usize, const V: usize>(t: &Tile) {
    // SAFETY: `Tile` promises that all pointers are good for what its shape says; `half` has 8 of 16 sums.
    unsafe {
        let mut sums = [[_mm256_setzero_si256(); 2]; P];
        let mut weights = t.weights;
        for step in t.steps {
            let mut inputs = [t.input; P];
            for (p, input) in inputs.iter_mut().enumerate() {
                *input = input.add((*t.places.add(p)).input as usize + *step as usize);
            }
            for group in 0..t.groups {
                let mut w = [_mm256_setzero_si256(); 2];
                for (half, w) in w.iter_mut().enumerate() {
                    *w = _mm256_loadu_si256(weights.add(32 * half).cast());
                }
                for p in 0..P {
                    let x = inputs[p].add(GROUP * group).cast::<i32>().read_unaligned();
                    let x = _mm256_set1_epi32(x);
                    for half in 0..2 {
                        sums[p][half] = _mm256_dpbusd_avx_epi32(sums[p][half], x, w[half]);
                    }
                }
                weights = weights.add(OUTPUTS * GROUP);
            }
        }
        let scaling = [0, LANES].map(|first| Scaling::of(&t.finish, first));
        for (p, sums) in sums.into_iter().enumerate() {
            write_place(t, p, &scaling, sums);
        }
    }
}
