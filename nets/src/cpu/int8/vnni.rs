//! The int8 kernel in 512-bit vectors with VNNI.

use super::kernel::{Finish, GROUP, Kernel, OUTPUTS, Tile, To};
use crate::cpu::float::table;
use std::arch::x86_64::*;

/// Places and tiles of outputs that one call keeps in registers.
pub(super) const PLACES: usize = 6;
pub(super) const TILES: usize = 4;

pub(super) const KERNELS: [[Kernel; TILES]; PLACES] =
    table!(tile, [1, 2, 3, 4, 5, 6], [1, 2, 3, 4]);

/// # Safety
/// The machine has AVX-512 F, BW, DQ, VL and VNNI; otherwise as `Kernel`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn tile<const P: usize, const V: usize>(t: &Tile) {
    // SAFETY: `Tile` promises that all pointers are good for what its shape says; the outputs' last vector is masked.
    unsafe {
        let mut sums = [[_mm512_setzero_si512(); V]; P];
        let stride = t.stride();
        let mut weights = t.weights;
        for step in t.steps {
            let mut inputs = [t.input; P];
            for (p, input) in inputs.iter_mut().enumerate() {
                *input = input.add((*t.places.add(p)).input as usize + *step as usize);
            }
            for group in 0..t.groups {
                let mut w = [_mm512_setzero_si512(); V];
                for (v, w) in w.iter_mut().enumerate() {
                    *w = _mm512_loadu_si512(weights.add(v * stride).cast());
                }
                for p in 0..P {
                    let x = inputs[p].add(GROUP * group).cast::<i32>().read_unaligned();
                    let x = _mm512_set1_epi32(x);
                    for v in 0..V {
                        sums[p][v] = _mm512_dpbusd_epi32(sums[p][v], x, w[v]);
                    }
                }
                weights = weights.add(OUTPUTS * GROUP);
            }
        }
        let last = u16::MAX >> (OUTPUTS * V - t.outputs);
        for (p, row) in sums.iter().enumerate() {
            let place = &*t.places.add(p);
            for (v, sum) in row.iter().enumerate() {
                let first = OUTPUTS * v;
                let mask = if v + 1 == V { last } else { u16::MAX };
                let residual = match t.residual.is_null() {
                    true => t.residual,
                    false => t.residual.add(place.residual as usize + first),
                };
                finish(&t.finish, *sum, first, mask, residual, t.output, place.output as usize + first);
            }
        }
    }
}

/// Writes 16 sums of the outputs from `first` on.
///
/// # Safety
/// The machine has AVX-512 F, BW and VL. For the lanes of `mask` `output` is writable from its number `at` on, and
/// `residual`, unless null, readable; `finish` is readable at `first` for 16 outputs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn finish(
    finish: &Finish,
    sum: __m512i,
    first: usize,
    mask: u16,
    residual: *const u8,
    output: *mut u8,
    at: usize,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let scale = _mm512_loadu_ps(finish.scale.add(first));
        let bias = _mm512_loadu_ps(finish.bias.add(first));
        let mut y = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), scale, bias);
        if !residual.is_null() {
            let bytes = _mm_maskz_loadu_epi8(mask, residual.cast());
            let floats = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes));
            y = _mm512_fmadd_ps(floats, _mm512_set1_ps(finish.residual), y);
        }
        match finish.to {
            To::Bytes => {
                // Below zero it would be taken for a large unsigned number.
                let y = _mm512_min_ps(y, _mm512_set1_ps(255.0));
                let rounded = _mm512_max_epi32(_mm512_cvtps_epi32(y), _mm512_setzero_si512());
                let bytes = _mm512_cvtepi32_epi8(rounded);
                if mask == u16::MAX {
                    _mm_storeu_si128(output.add(at).cast(), bytes);
                } else {
                    _mm_mask_storeu_epi8(output.add(at).cast(), mask, bytes);
                }
            }
            To::Floats => _mm512_mask_storeu_ps(output.cast::<f32>().add(at), mask, y),
            To::Positive => {
                let y = _mm512_max_ps(y, _mm512_setzero_ps());
                _mm512_mask_storeu_ps(output.cast::<f32>().add(at), mask, y);
            }
        }
    }
}
