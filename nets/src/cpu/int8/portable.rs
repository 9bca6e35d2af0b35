//! The int8 kernel in plain code.

use super::kernel::{Finish, GROUP, Kernel, OUTPUTS, Tile, To};
use crate::cpu::float::{add_product, table};

/// Places and tiles of outputs that one call keeps in registers.
pub(super) const PLACES: usize = 2;
pub(super) const TILES: usize = 1;

pub(super) const KERNELS: [[Kernel; TILES]; PLACES] = table!(tile, [1, 2], [1]);

/// # Safety
/// As `Kernel`.
unsafe fn tile<const P: usize, const V: usize>(t: &Tile) {
    // SAFETY: `Tile` promises that all pointers are good for what its shape says.
    unsafe {
        let mut sums = [[0; OUTPUTS]; P];
        let mut weights = t.weights.cast::<[[i8; GROUP]; OUTPUTS]>();
        for step in t.steps {
            for group in 0..t.groups {
                for (p, sums) in sums.iter_mut().enumerate() {
                    let at = (*t.places.add(p)).input as usize + *step as usize + GROUP * group;
                    let inputs = &*t.input.add(at).cast::<[u8; GROUP]>();
                    for (sum, weights) in sums.iter_mut().zip(&*weights) {
                        for (x, w) in inputs.iter().zip(weights) {
                            *sum += i32::from(*x) * i32::from(*w);
                        }
                    }
                }
                weights = weights.add(1);
            }
        }
        for (p, sums) in sums.iter().enumerate() {
            let place = &*t.places.add(p);
            for (output, sum) in sums.iter().enumerate().take(t.outputs) {
                let residual = match t.residual.is_null() {
                    true => None,
                    false => Some(*t.residual.add(place.residual as usize + output)),
                };
                finish(
                    &t.finish,
                    *sum,
                    output,
                    residual,
                    t.output,
                    place.output as usize + output,
                );
            }
        }
    }
}

/// Writes one sum.
///
/// # Safety
/// `out` is writable at its number `at`, `finish` readable at `output`.
pub(super) unsafe fn finish(
    finish: &Finish,
    sum: i32,
    output: usize,
    residual: Option<u8>,
    out: *mut u8,
    at: usize,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut y = add_product(
            sum as f32,
            *finish.scale.add(output),
            *finish.bias.add(output),
        );
        if let Some(residual) = residual {
            y = add_product(f32::from(residual), finish.residual, y);
        }
        match finish.to {
            To::Bytes => *out.add(at) = y.round_ties_even() as u8,
            To::Floats => *out.cast::<f32>().add(at) = y,
            To::Positive => *out.cast::<f32>().add(at) = y.max(0.0),
        }
    }
}
