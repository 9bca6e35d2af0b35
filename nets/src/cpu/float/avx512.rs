//! The f32 kernel in 512-bit vectors.

use super::kernel::{Kernel, Tile, table};
use std::arch::x86_64::*;

/// Places and vectors of outputs that one call keeps in registers.
pub(super) const PLACES: usize = 6;
pub(super) const VECTORS: usize = 4;
pub(super) const LANES: usize = 16;

pub(super) const KERNELS: [[Kernel; VECTORS]; PLACES] =
    table!(tile, [1, 2, 3, 4, 5, 6], [1, 2, 3, 4]);

/// # Safety
/// The machine has AVX-512 F; otherwise as `Kernel`.
#[target_feature(enable = "avx512f")]
unsafe fn tile<const P: usize, const V: usize>(t: &Tile) {
    // SAFETY: `Tile` promises that all pointers are good for what its shape says; the outputs' last vector is masked.
    unsafe {
        let mut sums = [[_mm512_setzero_ps(); V]; P];
        for v in 0..V {
            let bias = _mm512_loadu_ps(t.bias.add(LANES * v));
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
                let mut w = [_mm512_setzero_ps(); V];
                for (v, w) in w.iter_mut().enumerate() {
                    *w = _mm512_loadu_ps(weights.add(LANES * v));
                }
                for p in 0..P {
                    let x = _mm512_set1_ps(*inputs[p].add(k));
                    for v in 0..V {
                        sums[p][v] = _mm512_fmadd_ps(x, w[v], sums[p][v]);
                    }
                }
                weights = weights.add(LANES * V);
            }
        }
        let last = u16::MAX >> (LANES * V - t.outputs);
        for (p, row) in sums.iter().enumerate() {
            let place = &*t.places.add(p);
            for (v, sum) in row.iter().enumerate() {
                let mask = if v + 1 == V { last } else { u16::MAX };
                let mut sum = *sum;
                if !t.residual.is_null() {
                    let at = t.residual.add(place.residual as usize + LANES * v);
                    sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(mask, at));
                }
                if t.relu {
                    sum = _mm512_max_ps(sum, _mm512_setzero_ps());
                }
                _mm512_mask_storeu_ps(t.output.add(place.output as usize + LANES * v), mask, sum);
            }
        }
    }
}
