//! The int8 kernel in 256-bit vectors of AVX2, which multiplies numbers of 16 bits: bytes are widened as they are read.

use super::kernel::{Finish, GROUP, Kernel, OUTPUTS, Tile, To};
use super::portable::finish;
use crate::cpu::float::table;
use std::arch::x86_64::*;

/// Places and tiles of outputs that one call keeps in registers.
pub(super) const PLACES: usize = 3;
pub(super) const TILES: usize = 1;
/// Numbers of 32 bits in a vector.
pub(super) const LANES: usize = 8;

pub(super) const KERNELS: [[Kernel; TILES]; PLACES] = table!(tile, [1, 2, 3], [1]);

/// # Safety
/// The machine has AVX2 and FMA; otherwise as `Kernel`.
#[target_feature(enable = "avx2,fma")]
unsafe fn tile<const P: usize, const V: usize>(t: &Tile) {
    // SAFETY: `Tile` promises that all pointers are good for what its shape says.
    unsafe {
        // Of 4 outputs each, two sums an output: of the group's first and second halves.
        let mut sums = [[_mm256_setzero_si256(); 4]; P];
        let mut weights = t.weights;
        for step in t.steps {
            let mut inputs = [t.input; P];
            for (p, input) in inputs.iter_mut().enumerate() {
                *input = input.add((*t.places.add(p)).input as usize + *step as usize);
            }
            for group in 0..t.groups {
                let mut x = [_mm256_setzero_si256(); P];
                for (p, x) in x.iter_mut().enumerate() {
                    let bytes = inputs[p].add(GROUP * group).cast::<i32>().read_unaligned();
                    *x = _mm256_cvtepu8_epi16(_mm_set1_epi32(bytes));
                }
                let w = [0, 16, 32, 48]
                    .map(|at| _mm256_cvtepi8_epi16(_mm_loadu_si128(weights.add(at).cast())));
                for (x, sums) in x.into_iter().zip(&mut sums) {
                    for (sum, w) in sums.iter_mut().zip(w) {
                        *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(x, w));
                    }
                }
                weights = weights.add(OUTPUTS * GROUP);
            }
        }
        let scaling = [0, LANES].map(|first| Scaling::of(&t.finish, first));
        for (p, [a, b, c, d]) in sums.into_iter().enumerate() {
            let pairs = [_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d)];
            // Added up in each half of a vector by itself.
            write_place(
                t,
                p,
                &scaling,
                pairs.map(|x| _mm256_permute4x64_epi64(x, 0xd8)),
            );
        }
    }
}

/// Writes the sums of 16 outputs of the place of this number.
///
/// # Safety
/// As `Kernel`.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn write_place(t: &Tile, p: usize, scaling: &[Scaling; 2], sums: [__m256i; 2]) {
    // SAFETY: `Tile` promises that all pointers are good for what its shape says.
    unsafe {
        let place = &*t.places.add(p);
        let residual = match t.residual.is_null() {
            true => t.residual,
            false => t.residual.add(place.residual as usize),
        };
        if t.outputs == OUTPUTS {
            for half in 0..2 {
                let first = LANES * half;
                let residual = match residual.is_null() {
                    true => residual,
                    false => residual.add(first),
                };
                let y = scaling[half].apply(sums[half], residual);
                write(t.finish.to, y, t.output, place.output as usize + first);
            }
            return;
        }
        let sums = std::mem::transmute::<[__m256i; 2], [i32; OUTPUTS]>(sums);
        for (output, sum) in sums.iter().enumerate().take(t.outputs) {
            let residual = match residual.is_null() {
                true => None,
                false => Some(*residual.add(output)),
            };
            let at = place.output as usize + output;
            finish(&t.finish, *sum, output, residual, t.output, at);
        }
    }
}

/// The scaling of 8 outputs.
#[derive(Clone, Copy)]
pub(super) struct Scaling {
    scale: __m256,
    bias: __m256,
    residual: __m256,
}

impl Scaling {
    /// # Safety
    /// `finish` is readable at `first` for 8 outputs.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn of(finish: &Finish, first: usize) -> Scaling {
        // SAFETY: as the caller promises.
        unsafe {
            Scaling {
                scale: _mm256_loadu_ps(finish.scale.add(first)),
                bias: _mm256_loadu_ps(finish.bias.add(first)),
                residual: _mm256_set1_ps(finish.residual),
            }
        }
    }

    /// # Safety
    /// `residual`, unless null, is readable for 8 bytes.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub unsafe fn apply(&self, sum: __m256i, residual: *const u8) -> __m256 {
        let y = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum), self.scale, self.bias);
        if residual.is_null() {
            return y;
        }
        // SAFETY: as the caller promises.
        let bytes = unsafe { _mm_loadl_epi64(residual.cast()) };
        let floats = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
        _mm256_fmadd_ps(floats, self.residual, y)
    }
}

/// Writes 8 outputs.
///
/// # Safety
/// `output` is writable from its number `at` on for 8.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn write(to: To, y: __m256, output: *mut u8, at: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        match to {
            To::Bytes => {
                // Beyond 32 bits it would be taken for a negative number.
                let rounded = _mm256_cvtps_epi32(_mm256_min_ps(y, _mm256_set1_ps(255.0)));
                let halves = [
                    _mm256_castsi256_si128(rounded),
                    _mm256_extracti128_si256(rounded, 1),
                ];
                // Both cut off what is below zero.
                let words = _mm_packus_epi32(halves[0], halves[1]);
                _mm_storel_epi64(output.add(at).cast(), _mm_packus_epi16(words, words));
            }
            To::Floats => _mm256_storeu_ps(output.cast::<f32>().add(at), y),
            To::Positive => {
                let y = _mm256_max_ps(y, _mm256_setzero_ps());
                _mm256_storeu_ps(output.cast::<f32>().add(at), y);
            }
        }
    }
}
