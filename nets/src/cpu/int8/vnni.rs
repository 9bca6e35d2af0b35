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
        // Copied in another order: only so does the compiler keep the sums themselves in registers.
        let mut turned = [[_mm512_setzero_si512(); P]; V];
        for p in 0..P {
            for v in 0..V {
                turned[v][p] = sums[p][v];
            }
        }
        finish_all(t, turned.as_flattened());
    }
}

/// Writes the sums of a tile, `[tiles][places]`.
///
/// # Safety
/// As `Kernel`, and there are as many sums.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn finish_all(t: &Tile, sums: &[__m512i]) {
    let tiles = t.outputs.div_ceil(OUTPUTS);
    let places = sums.len() / tiles;
    // SAFETY: as the caller promises; the outputs' last vector is masked.
    unsafe {
        let last = u16::MAX >> (OUTPUTS * tiles - t.outputs);
        for tile in 0..tiles {
            let first = OUTPUTS * tile;
            let mask = if tile + 1 == tiles { last } else { u16::MAX };
            let scaling = Scaling::of(&t.finish, first);
            for p in 0..places {
                let place = &*t.places.add(p);
                let residual = match t.residual.is_null() {
                    true => t.residual,
                    false => t.residual.add(place.residual as usize + first),
                };
                let y = scaling.apply(sums[tile * places + p], mask, residual);
                write(
                    t.finish.to,
                    y,
                    mask,
                    t.output,
                    place.output as usize + first,
                );
            }
        }
    }
}

/// The scaling of 16 outputs.
#[derive(Clone, Copy)]
pub(super) struct Scaling {
    scale: __m512,
    bias: __m512,
    residual: __m512,
}

impl Scaling {
    /// # Safety
    /// `finish` is readable at `first` for 16 outputs.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub unsafe fn of(finish: &Finish, first: usize) -> Scaling {
        // SAFETY: as the caller promises.
        unsafe {
            Scaling {
                scale: _mm512_loadu_ps(finish.scale.add(first)),
                bias: _mm512_loadu_ps(finish.bias.add(first)),
                residual: _mm512_set1_ps(finish.residual),
            }
        }
    }

    /// # Safety
    /// `residual`, unless null, is readable for the lanes of `mask`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    pub unsafe fn apply(&self, sum: __m512i, mask: u16, residual: *const u8) -> __m512 {
        let y = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), self.scale, self.bias);
        if residual.is_null() {
            return y;
        }
        // SAFETY: as the caller promises.
        let bytes = unsafe { _mm_maskz_loadu_epi8(mask, residual.cast()) };
        let floats = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes));
        _mm512_fmadd_ps(floats, self.residual, y)
    }
}

/// Rounds without leaving what 32 bits hold.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn round(y: __m512) -> __m512i {
    _mm512_cvtps_epi32(_mm512_min_ps(y, _mm512_set1_ps(255.0)))
}

/// Writes 16 outputs.
///
/// # Safety
/// `output` is writable from its number `at` on for the lanes of `mask`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn write(to: To, y: __m512, mask: u16, output: *mut u8, at: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        match to {
            To::Bytes => {
                // Below zero it would be taken for a large unsigned number.
                let rounded = _mm512_max_epi32(round(y), _mm512_setzero_si512());
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
