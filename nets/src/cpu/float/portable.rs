//! The f32 kernel in plain code, written so that a compiler can make vectors of it.

use super::kernel::{Kernel, Tile, table};

/// Places and vectors of outputs that one call keeps in registers.
pub(super) const PLACES: usize = 4;
pub(super) const VECTORS: usize = 1;
pub(super) const LANES: usize = 16;

pub(super) const KERNELS: [[Kernel; VECTORS]; PLACES] = table!(tile, [1, 2, 3, 4], [1]);

/// # Safety
/// As `Kernel`.
unsafe fn tile<const P: usize, const V: usize>(t: &Tile) {
    // SAFETY: `Tile` promises that all pointers are good for what its shape says.
    unsafe {
        let bias = &*t.bias.cast::<[f32; LANES]>();
        let mut sums = [*bias; P];
        let mut weights = t.weights.cast::<[f32; LANES]>();
        for run in t.runs {
            for k in 0..run.len as usize {
                let w = &*weights;
                for (p, sums) in sums.iter_mut().enumerate() {
                    let place = &*t.places.add(p);
                    let x = *t.input.add(place.input as usize + run.start as usize + k);
                    for (sum, w) in sums.iter_mut().zip(w) {
                        *sum = add_product(x, *w, *sum);
                    }
                }
                weights = weights.add(1);
            }
        }
        for (p, row) in sums.iter().enumerate() {
            let place = &*t.places.add(p);
            for (lane, sum) in row.iter().enumerate().take(t.outputs) {
                let mut sum = *sum;
                if !t.residual.is_null() {
                    sum += *t.residual.add(place.residual as usize + lane);
                }
                if t.relu {
                    sum = sum.max(0.0);
                }
                *t.output.add(place.output as usize + lane) = sum;
            }
        }
    }
}

/// Rounded once where that is an instruction; elsewhere it would be a slow call.
pub(in crate::cpu) fn add_product(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(target_feature = "fma") || cfg!(target_arch = "aarch64") {
        a.mul_add(b, c)
    } else {
        a * b + c
    }
}
