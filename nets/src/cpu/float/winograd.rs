//! Convolutions of 3×3 with 16 products for four outputs instead of 36: input and kernel are transformed, multiplied place
//! by place, and transformed back, two rows and two columns of outputs at a time.
//!
//! Source: A. Lavin and S. Gray, Fast Algorithms for Convolutional Neural Networks (CVPR 2016), F(2×2, 3×3).

use super::dispatch::Kernels;
use super::kernel::{Place, Run};
use super::packed::{Packed, torch_index};
use super::vector::Vector;
use super::{Mapped, multiply};
use crate::cpu::graph::{Product, Shape};
use crate::cpu::isa::Isa;
use crate::cpu::memory::Aligned;
use crate::cpu::patches::{Patch, Strides};

/// Products of a patch: a transformed patch is 4×4.
const POINTS: usize = 16;
/// Most patches that are transformed before they are multiplied.
const PATCHES: usize = 24;
/// Channels are transformed in whole vectors of any instruction set.
const VECTOR: usize = 16;
/// With fewer channels the transforms cost more than they save.
const LEAST: usize = 32;

/// Whether a product is worth it.
pub(super) fn pays(product: &Product, output: Shape, isa: Isa) -> bool {
    let whole = |channels: usize| channels >= LEAST && channels.is_multiple_of(VECTOR);
    isa >= Isa::Avx2
        && product.kernel == [3, 3]
        && !product.dense
        && whole(product.inputs)
        && whole(product.outputs)
        && output.rows > 1
        && output.columns > 1
}

/// Weights, transformed.
pub(super) struct Winograd {
    points: Vec<Packed>,
    bias: Aligned<f32>,
    inputs: usize,
    outputs: usize,
    wide: bool,
}

impl Winograd {
    pub fn new(
        kernels: &Kernels,
        product: &Product,
        weight: &[f32],
        bias: &[f32],
        isa: Isa,
    ) -> Winograd {
        let (inputs, outputs) = (product.inputs, product.outputs);
        let mut points = vec![vec![0.0; inputs * outputs]; POINTS];
        for output in 0..outputs {
            for input in 0..inputs {
                let at = |row, column| weight[torch_index(product, output, [row, column, input])];
                for (point, transformed) in points.iter_mut().zip(transform_kernel(at)) {
                    point[output * inputs + input] = transformed;
                }
            }
        }
        let none = vec![0.0; outputs];
        let pack = |point: &Vec<f32>| {
            let weight = |output, input| point[output * inputs + input];
            Packed::new(kernels, [outputs, inputs], weight, &none)
        };
        Winograd {
            points: points.iter().map(pack).collect(),
            bias: Aligned::from_slice(bias),
            inputs,
            outputs,
            wide: isa >= Isa::Avx512,
        }
    }

    /// Numbers that `run` needs for transformed inputs and outputs.
    pub fn scratch(&self) -> [usize; 2] {
        [self.inputs, self.outputs].map(|channels| POINTS * PATCHES * channels)
    }

    /// The product over all `patches`, which are of the layouts.
    ///
    /// # Safety
    /// The machine has the kernels' instruction set, for which the weights were packed; `patches` lie inside the slices.
    pub unsafe fn run(
        &self,
        kernels: &Kernels,
        patches: &[Patch],
        mapped: &Mapped,
        output: &mut [f32],
        [before, after]: [&mut [f32]; 2],
    ) {
        let mut places = [Place::default(); PATCHES];
        for (at, place) in places.iter_mut().enumerate() {
            place.input = (at * self.inputs) as u32;
            place.output = (at * self.outputs) as u32;
        }
        let runs = [Run {
            start: 0,
            len: self.inputs as u32,
        }];
        let parts = patches.len().div_ceil(PATCHES);
        for part in 0..parts {
            let [from, to] = [part, part + 1].map(|part| part * patches.len() / parts);
            let patches = &patches[from..to];
            // SAFETY: as the caller promises; `before` and `after` have room for all points of `PATCHES` patches.
            unsafe {
                match self.wide {
                    true => enter_wide(self, patches, mapped, before),
                    false => enter_narrow(self, patches, mapped, before),
                }
                for (point, packed) in self.points.iter().enumerate() {
                    let before = &before[point * PATCHES * self.inputs..];
                    let after = &mut after[point * PATCHES * self.outputs..];
                    let places = &places[..patches.len()];
                    multiply(kernels, (&runs, packed), places, before, None, false, after);
                }
                match self.wide {
                    true => leave_wide(self, patches, mapped, after, output),
                    false => leave_narrow(self, patches, mapped, after, output),
                }
            }
        }
    }
}

/// G g Gᵀ.
fn transform_kernel(g: impl Fn(usize, usize) -> f32) -> [f32; POINTS] {
    let spread = |[a, b, c]: [f32; 3]| [a, (a + b + c) / 2.0, (a - b + c) / 2.0, c];
    let columns = [0, 1, 2].map(|column| spread([0, 1, 2].map(|row| g(row, column))));
    let mut points = [0.0; POINTS];
    for row in 0..4 {
        let spread = spread(columns.map(|column| column[row]));
        points[4 * row..4 * row + 4].copy_from_slice(&spread);
    }
    points
}

/// Bᵀ d B of each patch and channel.
///
/// # Safety
/// The machine has the vectors' instruction set; as `Winograd::run`.
#[inline(always)]
unsafe fn enter<V: Vector>(
    this: &Winograd,
    patches: &[Patch],
    mapped: &Mapped,
    before: &mut [f32],
) {
    let strides = Strides::of(mapped.layout);
    let apart = PATCHES * this.inputs;
    // SAFETY: as the caller promises: a patch is 4×4 places inside the input, which has extra ones at odd edges.
    unsafe {
        for (at, patch) in patches.iter().enumerate() {
            let from = mapped.input.as_ptr().add(patch.input as usize);
            let to = before.as_mut_ptr().add(at * this.inputs);
            for channel in (0..this.inputs).step_by(V::LANES) {
                let mut rows = [[V::zero(); 4]; 4];
                for (y, rows) in rows.iter_mut().enumerate() {
                    let d = |x| V::load(from.add(strides.at(y, x) + channel));
                    let (a, b, c, d) = (d(0), d(1), d(2), d(3));
                    *rows = [a.less(c), b.plus(c), c.less(b), b.less(d)];
                }
                for x in [0, 1, 2, 3] {
                    let (a, b, c, d) = (rows[0][x], rows[1][x], rows[2][x], rows[3][x]);
                    let points = [a.less(c), b.plus(c), c.less(b), b.less(d)];
                    for (y, point) in points.into_iter().enumerate() {
                        point.store(to.add((4 * y + x) * apart + channel));
                    }
                }
            }
        }
    }
}

/// Aᵀ m A of each patch and channel, the bias, the residual and ReLU.
///
/// # Safety
/// As `enter`.
#[inline(always)]
unsafe fn leave<V: Vector>(
    this: &Winograd,
    patches: &[Patch],
    mapped: &Mapped,
    after: &[f32],
    output: &mut [f32],
) {
    let apart = PATCHES * this.outputs;
    let to = Strides::of(mapped.output);
    // SAFETY: as the caller promises; outputs beyond the edge are not written.
    unsafe {
        for (at, patch) in patches.iter().enumerate() {
            let from = after.as_ptr().add(at * this.outputs);
            for channel in (0..this.outputs).step_by(V::LANES) {
                let mut columns = [[V::zero(); 2]; 4];
                for (x, column) in columns.iter_mut().enumerate() {
                    let m = |y: usize| V::load(from.add((4 * y + x) * apart + channel));
                    let (a, b, c, d) = (m(0), m(1), m(2), m(3));
                    *column = [a.plus(b).plus(c), b.less(c).less(d)];
                }
                let bias = V::load(this.bias.as_ptr().add(channel));
                for y in 0..usize::from(patch.rows) {
                    let [a, b, c, d] = columns.map(|column| column[y]);
                    let sums = [a.plus(b).plus(c), b.less(c).less(d)];
                    for (x, sum) in sums.into_iter().enumerate().take(patch.columns.into()) {
                        let mut sum = sum.plus(bias);
                        if let Some((layout, residual)) = mapped.residual {
                            let strides = Strides::of(layout);
                            let at = strides.at(y, x) + channel;
                            let start = residual.as_ptr().add(patch.residual as usize);
                            sum = sum.plus(V::load(start.add(at)));
                        }
                        if mapped.relu {
                            sum = sum.most(V::zero());
                        }
                        let at = patch.output as usize + to.at(y, x) + channel;
                        sum.store(output.as_mut_ptr().add(at));
                    }
                }
            }
        }
    }
}

/// The same function for an instruction set.
macro_rules! under {
    ($features:literal, $vector:ty, $name:ident = $of:ident($($argument:ident: $kind:ty),*)) => {
        /// # Safety
        /// The machine has the instruction set; as the function of which it is made.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $features)]
        unsafe fn $name($($argument: $kind),*) {
            // SAFETY: as the caller promises.
            unsafe { $of::<$vector>($($argument),*) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        unsafe fn $name($(_: $kind),*) {}
    };
}
under!("avx512f", std::arch::x86_64::__m512, enter_wide = enter(w: &Winograd, p: &[Patch], m: &Mapped, b: &mut [f32]));
under!("avx2", std::arch::x86_64::__m256, enter_narrow = enter(w: &Winograd, p: &[Patch], m: &Mapped, b: &mut [f32]));
under!("avx512f", std::arch::x86_64::__m512, leave_wide = leave(w: &Winograd, p: &[Patch], m: &Mapped, a: &[f32], o: &mut [f32]));
under!("avx2", std::arch::x86_64::__m256, leave_narrow = leave(w: &Winograd, p: &[Patch], m: &Mapped, a: &[f32], o: &mut [f32]));
