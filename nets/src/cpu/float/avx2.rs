//! The f32 kernel in 256-bit vectors.

use super::kernel::{Kernel, Tile, table};
use std::arch::x86_64::*;

/// Places and vectors of outputs that one call keeps in registers.
pub(super) const PLACES: usize = 6;
pub(super) const VECTORS: usize = 2;
pub(super) const LANES: usize = 8;

pub(super) const KERNELS: [[Kernel; VECTORS]; PLACES] = table!(tile, [1, 2, 3, 4, 5, 6], [1, 2]);

/// All ones from the eighth on, all zeros from the sixteenth on: a mask of n lanes begins n before the eighth.
static MASKS: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

/// # Safety
/// The machine has AVX2 and FMA; otherwise as `Kernel`.
#[target_feature(enable = "avx2,fma")]
unsafe fn tile<const P: usize, const V: usize>(t: &Tile) {
    // SAFETY: `Tile` promises that all pointers are good for what its shape says; the outputs' last vector is masked, and
    // a mask of 1 to 8 lanes lies inside `MASKS`.
    unsafe {
        let mut sums = [[_mm256_setzero_ps(); V]; P];
        for v in 0..V {
            let bias = _mm256_loadu_ps(t.bias.add(LANES * v));
            for row in &mut sums {
                row[v] = bias;
            }
        }
        let mut weights = t.weights;
        for run in t.runs {
            let mut inputs = [t.input; P];
            for (p, input) in inputs.iter_mut().enumerate() {
                *input = input.add((*t.places.add(p)).input as usize + run.start as usize);
            }
            for k in 0..run.len as usize {
                let mut w = [_mm256_setzero_ps(); V];
                for (v, w) in w.iter_mut().enumerate() {
                    *w = _mm256_loadu_ps(weights.add(LANES * v));
                }
                for p in 0..P {
                    let x = _mm256_broadcast_ss(&*inputs[p].add(k));
                    for v in 0..V {
                        sums[p][v] = _mm256_fmadd_ps(x, w[v], sums[p][v]);
                    }
                }
                weights = weights.add(LANES * V);
            }
        }
        let lanes = t.outputs - LANES * (V - 1);
        let last = _mm256_loadu_si256(MASKS.as_ptr().add(LANES - lanes).cast());
        let all = _mm256_set1_epi32(-1);
        for (p, row) in sums.iter().enumerate() {
            let place = &*t.places.add(p);
            for (v, sum) in row.iter().enumerate() {
                let mask = if v + 1 == V { last } else { all };
                let mut sum = *sum;
                if !t.residual.is_null() {
                    let at = t.residual.add(place.residual as usize + LANES * v);
                    sum = _mm256_add_ps(sum, _mm256_maskload_ps(at, mask));
                }
                if t.relu {
                    sum = _mm256_max_ps(sum, _mm256_setzero_ps());
                }
                _mm256_maskstore_ps(t.output.add(place.output as usize + LANES * v), mask, sum);
            }
        }
    }
}
