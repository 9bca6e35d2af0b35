//! Convolutions of 3×3 over bytes with 16 products for four outputs instead of 36, in 16 bits, for processors that multiply
//! those faster than bytes (AVX2). Inputs and kernels are transformed, multiplied place by place and transformed back, two rows
//! and two columns of outputs at a time. Kernels are transformed four times as large, so that all are whole numbers: sums are exact,
//! the same as those of the other kernels.
//!
//! Source: A. Lavin and S. Gray, Fast Algorithms for Convolutional Neural Networks (CVPR 2016), F(2×2, 3×3).

use super::avx2::{LANES, Scaling, write};
use super::form::Form;
use super::kernel::{Finish, OUTPUTS, To};
use super::packed::{Packed, Steps};
use crate::cpu::float::table;
use crate::cpu::graph::{Product, Shape};
use crate::cpu::isa::Isa;
use crate::cpu::layout::Layout;
use crate::cpu::memory::Aligned;
use crate::cpu::patches::{Patch, Strides};
use std::arch::x86_64::*;

/// Products of a patch: a transformed patch is 4×4.
const POINTS: usize = 16;
/// Most patches that are transformed before they are multiplied.
const PATCHES: usize = 24;
/// Inputs that are multiplied at once for one sum.
const PAIR: usize = 2;
/// Channels that are transformed at once.
const CHANNELS: usize = 16;
/// With fewer channels the transforms cost more than they save.
const LEAST: usize = 32;
/// With more inputs sums might leave 32 bits: of bytes up to 255, 9 weights up to 127 each, four times as large.
const MOST: usize = 1024;
/// Most patches of a call.
const PLACES: usize = 6;

const KERNELS: [[Kernel; 1]; PLACES] = table!(multiply, [1, 2, 3, 4, 5, 6], [1]);

/// Whether a product that reads and writes these is worth it.
pub(super) fn pays(product: &Product, output: Shape, to: Form, isa: Isa) -> bool {
    let whole = |channels: usize| channels >= LEAST && channels.is_multiple_of(CHANNELS);
    (Isa::Avx2..=Isa::Avx512).contains(&isa)
        && !is_x86_feature_detected!("avxvnni")
        && product.kernel == [3, 3]
        && !product.dense
        && whole(product.inputs)
        && whole(product.outputs)
        && product.inputs <= MOST
        && output.rows > 1
        && output.columns > 1
        && to != Form::Floats
}

/// Weights, transformed: `[point][tile of 16 outputs][pair of inputs][output][input]`.
pub(super) struct Winograd {
    weights: Aligned<i16>,
    scale: Aligned<f32>,
    bias: Aligned<f32>,
    residual: f32,
    inputs: usize,
    outputs: usize,
}

/// Room for transformed inputs and outputs.
#[derive(Default)]
pub(super) struct Scratch {
    before: Vec<i16>,
    after: Vec<i32>,
}

/// What a product reads and writes, and how it lies.
pub(super) struct Mapped<'a> {
    pub input: (&'a Layout, &'a [u8]),
    pub residual: Option<(&'a Layout, &'a [u8])>,
    pub output: &'a Layout,
}

impl Winograd {
    /// Of a product of 3×3 that was packed for the other kernels.
    pub fn new(product: &Product, packed: Packed) -> Winograd {
        let (inputs, outputs) = (product.inputs, product.outputs);
        let channels = Steps::of(inputs).channels();
        let mut weights = Aligned::zeros(POINTS * inputs * outputs);
        for output in 0..outputs {
            let (tile, lane) = (output / OUTPUTS, output % OUTPUTS);
            for input in 0..inputs {
                let (pair, half) = (input / PAIR, input % PAIR);
                let at = ((tile * (inputs / PAIR) + pair) * OUTPUTS + lane) * PAIR + half;
                let kernel = [0, 1, 2].map(|row| {
                    [0, 1, 2]
                        .map(|column| packed.weight(output, (3 * row + column) * channels + input))
                });
                for (point, weight) in transform_kernel(kernel).into_iter().enumerate() {
                    weights[point * inputs * outputs + at] = weight;
                }
            }
        }
        Winograd {
            weights,
            scale: packed.scale,
            bias: packed.bias,
            residual: packed.residual,
            inputs,
            outputs,
        }
    }

    /// The product over all `patches`, which are of the layouts.
    ///
    /// # Safety
    /// The machine has AVX2 and FMA; `patches` lie inside the slices.
    pub unsafe fn run(
        &self,
        patches: &[Patch],
        mapped: &Mapped,
        output: &mut [u8],
        scratch: &mut Scratch,
    ) {
        let Scratch { before, after } = scratch;
        before.resize(before.len().max(POINTS * PATCHES * self.inputs), 0);
        after.resize(after.len().max(POINTS * PATCHES * self.outputs), 0);
        let parts = patches.len().div_ceil(PATCHES);
        for part in 0..parts {
            let [from, to] = [part, part + 1].map(|part| part * patches.len() / parts);
            let patches = &patches[from..to];
            // SAFETY: as the caller promises; `before` and `after` have room for all points of `PATCHES` patches.
            unsafe {
                self.enter(patches, mapped, before);
                for point in 0..POINTS {
                    let before = &before[point * PATCHES * self.inputs..];
                    let after = &mut after[point * PATCHES * self.outputs..];
                    self.multiply(point, patches.len(), before, after);
                }
                self.leave(patches, mapped, after, output);
            }
        }
    }

    /// All outputs of one point.
    ///
    /// # Safety
    /// The machine has AVX2; `before` and `after` have as many patches.
    unsafe fn multiply(&self, point: usize, patches: usize, before: &[i16], after: &mut [i32]) {
        let calls = patches.div_ceil(PLACES);
        for call in 0..calls {
            let [from, to] = [call, call + 1].map(|call| call * patches / calls);
            let kernel = KERNELS[to - from - 1][0];
            for tile in 0..self.outputs / OUTPUTS {
                let start = (point * self.outputs + tile * OUTPUTS) * self.inputs;
                // SAFETY: as the caller promises; a tile has `OUTPUTS` weights for each input.
                unsafe {
                    kernel(&Tile {
                        inputs: self.inputs,
                        outputs: self.outputs,
                        input: before[from * self.inputs..].as_ptr(),
                        weights: self.weights[start..].as_ptr(),
                        output: after[from * self.outputs + tile * OUTPUTS..].as_mut_ptr(),
                    });
                }
            }
        }
    }

    /// Bᵀ d B of each patch and channel.
    ///
    /// # Safety
    /// The machine has AVX2; a patch is 4×4 places inside the input, which has extra ones at odd edges.
    #[target_feature(enable = "avx2")]
    unsafe fn enter(&self, patches: &[Patch], mapped: &Mapped, before: &mut [i16]) {
        let (layout, input) = mapped.input;
        let strides = Strides::of(layout);
        let apart = PATCHES * self.inputs;
        let spread = |[a, b, c, d]: [__m256i; 4]| {
            [
                _mm256_sub_epi16(a, c),
                _mm256_add_epi16(b, c),
                _mm256_sub_epi16(c, b),
                _mm256_sub_epi16(b, d),
            ]
        };
        // SAFETY: as the caller promises.
        unsafe {
            for (at, patch) in patches.iter().enumerate() {
                let from = input.as_ptr().add(patch.input as usize);
                let to = before.as_mut_ptr().add(at * self.inputs);
                for channel in (0..self.inputs).step_by(CHANNELS) {
                    let rows = [0, 1, 2, 3].map(|y| {
                        spread([0, 1, 2, 3].map(|x| {
                            let bytes = from.add(strides.at(y, x) + channel);
                            _mm256_cvtepu8_epi16(_mm_loadu_si128(bytes.cast()))
                        }))
                    });
                    for x in 0..4 {
                        for (y, point) in spread(rows.map(|row| row[x])).into_iter().enumerate() {
                            let to = to.add((4 * y + x) * apart + channel);
                            _mm256_storeu_si256(to.cast(), point);
                        }
                    }
                }
            }
        }
    }

    /// Aᵀ m A of each patch and channel, a quarter of it, scaled, with the residual, as bytes.
    ///
    /// # Safety
    /// The machine has AVX2 and FMA; otherwise as `enter`. Outputs beyond the edge are not written.
    #[target_feature(enable = "avx2,fma")]
    unsafe fn leave(&self, patches: &[Patch], mapped: &Mapped, after: &[i32], output: &mut [u8]) {
        let apart = PATCHES * self.outputs;
        let to = Strides::of(mapped.output);
        let residual = mapped
            .residual
            .map(|(layout, bytes)| (Strides::of(layout), bytes));
        let finish = Finish {
            scale: self.scale.as_ptr(),
            bias: self.bias.as_ptr(),
            residual: self.residual,
            to: To::Bytes,
        };
        let add = |[a, b, c, d]: [__m256i; 4]| {
            let (more, less) = (_mm256_add_epi32(b, c), _mm256_sub_epi32(b, c));
            [_mm256_add_epi32(a, more), _mm256_sub_epi32(less, d)]
        };
        // SAFETY: as the caller promises.
        unsafe {
            for channel in (0..self.outputs).step_by(LANES) {
                let scaling = Scaling::of(&finish, channel);
                for (at, patch) in patches.iter().enumerate() {
                    let from = after.as_ptr().add(at * self.outputs + channel);
                    let columns = [0, 1, 2, 3].map(|x| {
                        let m = |y: usize| _mm256_loadu_si256(from.add((4 * y + x) * apart).cast());
                        add([0, 1, 2, 3].map(m))
                    });
                    for y in 0..usize::from(patch.rows) {
                        let sums = add(columns.map(|column| column[y]));
                        for (x, sum) in sums.into_iter().enumerate().take(patch.columns.into()) {
                            let residual = match residual {
                                None => std::ptr::null(),
                                Some((strides, bytes)) => {
                                    let at = strides.at(y, x) + channel;
                                    bytes.as_ptr().add(patch.residual as usize + at)
                                }
                            };
                            let y_x = scaling.apply(_mm256_srai_epi32(sum, 2), residual);
                            let at = patch.output as usize + to.at(y, x) + channel;
                            write(To::Bytes, y_x, output.as_mut_ptr(), at);
                        }
                    }
                }
            }
        }
    }
}

/// Work for a kernel: inputs and outputs of one point, patch by patch.
struct Tile {
    inputs: usize,
    outputs: usize,
    input: *const i16,
    weights: *const i16,
    output: *mut i32,
}

/// # Safety
/// The machine has AVX2; for the kernel's number of patches `input` is readable and `output` writable for `OUTPUTS` numbers,
/// `weights` for `OUTPUTS` times the inputs.
type Kernel = unsafe fn(&Tile);

/// # Safety
/// As `Kernel`.
#[target_feature(enable = "avx2")]
unsafe fn multiply<const P: usize, const V: usize>(t: &Tile) {
    // SAFETY: as the caller promises; `half` has 8 of 16 outputs.
    unsafe {
        let mut sums = [[_mm256_setzero_si256(); 2]; P];
        let mut weights = t.weights.cast::<__m256i>();
        let mut input = t.input.cast::<i32>();
        for _ in 0..t.inputs / PAIR {
            let w = [0, 1].map(|half| _mm256_loadu_si256(weights.add(half)));
            for (p, sums) in sums.iter_mut().enumerate() {
                let x = input.add(p * t.inputs / PAIR).read_unaligned();
                let x = _mm256_set1_epi32(x);
                for half in 0..2 {
                    sums[half] = _mm256_add_epi32(sums[half], _mm256_madd_epi16(x, w[half]));
                }
            }
            weights = weights.add(2);
            input = input.add(1);
        }
        for (p, sums) in sums.into_iter().enumerate() {
            for (half, sum) in sums.into_iter().enumerate() {
                let to = t.output.add(p * t.outputs + LANES * half);
                _mm256_storeu_si256(to.cast(), sum);
            }
        }
    }
}

/// Four times G g Gᵀ.
fn transform_kernel(g: [[i8; 3]; 3]) -> [i16; POINTS] {
    let spread = |[a, b, c]: [i16; 3]| [2 * a, a + b + c, a - b + c, 2 * c];
    let columns = [0, 1, 2].map(|column| spread(g.map(|row| i16::from(row[column]))));
    let mut points = [0; POINTS];
    for row in 0..4 {
        let spread = spread(columns.map(|column| column[row]));
        points[4 * row..4 * row + 4].copy_from_slice(&spread);
    }
    points
}
