//! The weights of a product in bytes, in the order in which the int8 kernels read them.

use super::form::Form;
use super::kernel::{GROUP, OUTPUTS, To};
use crate::cpu::graph::Product;
use crate::cpu::layout::Layout;
use crate::cpu::memory::Aligned;

/// Channels as the kernels meet them: so many steps of so many groups.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steps {
    pub steps: usize,
    pub groups: usize,
}

impl Steps {
    /// A step is at most the 64 bytes that a line and a row of a tile have.
    pub fn of(channels: usize) -> Steps {
        let steps = channels.div_ceil(64);
        Steps {
            steps,
            groups: channels.div_ceil(steps * GROUP),
        }
    }

    /// The channels rounded up.
    pub fn channels(self) -> usize {
        self.steps * self.groups * GROUP
    }
}

/// A product, ready to run.
pub(super) struct Packed {
    pub groups: usize,
    pub outputs: usize,
    /// Where inputs lie with one item, and with `amx::LANES` items side by side.
    pub steps: [Vec<u32>; 2],
    pub weights: Aligned<i8>,
    pub scale: Aligned<f32>,
    pub bias: Aligned<f32>,
    pub residual: f32,
    pub to: To,
}

/// What a product reads and writes.
pub(super) struct Ends {
    pub input: (Layout, Form),
    pub residual: Option<Form>,
    pub output: Form,
    pub relu: bool,
}

impl Packed {
    /// `weight(output, [row, column, channel])`.
    pub fn new(
        product: &Product,
        ends: &Ends,
        weight: impl Fn(usize, [usize; 3]) -> f32,
        bias: &[f32],
        lanes: usize,
    ) -> Packed {
        let (layout, form) = &ends.input;
        let Steps { steps, groups } = Steps::of(product.inputs);
        let [rows, columns] = product.kernel;
        // An even number of tiles, since kernels for matrix tiles take two.
        let tiles = product.outputs.div_ceil(2 * OUTPUTS) * 2;
        let inputs = rows * columns * steps * groups * GROUP;
        let mut packed = Packed {
            groups,
            outputs: product.outputs,
            steps: [1, lanes].map(|lanes| offsets(product, layout, lanes)),
            weights: Aligned::zeros(tiles * OUTPUTS * inputs),
            scale: Aligned::zeros(tiles * OUTPUTS),
            bias: Aligned::zeros(tiles * OUTPUTS),
            residual: 0.0,
            to: match (ends.output, ends.relu) {
                (Form::Bytes { .. }, _) => To::Bytes,
                (Form::Floats, false) => To::Floats,
                (Form::Floats, true) => To::Positive,
            },
        };
        let (step, zero) = form.scale();
        for (output, bias) in bias.iter().enumerate() {
            let mut row = vec![0.0; inputs];
            let padded = steps * groups * GROUP;
            for (at, weight_at) in row.iter_mut().enumerate() {
                let (place, channel) = (at / padded, at % padded);
                if channel < product.inputs {
                    *weight_at = weight(output, [place / columns, place % columns, channel]);
                }
            }
            let unit = unit(&row);
            let mut sum = 0;
            for (at, w) in row.iter().enumerate() {
                let rounded = (w / unit).round_ties_even() as i8;
                sum += i32::from(rounded);
                let (tile, lane) = (output / OUTPUTS, output % OUTPUTS);
                let group = tile * (inputs / GROUP) + at / GROUP;
                packed.weights[(group * OUTPUTS + lane) * GROUP + at % GROUP] = rounded;
            }
            packed.scale[output] = step * unit;
            packed.bias[output] = bias - step * unit * zero * sum as f32;
        }
        packed.count_in_units(ends);
        packed
    }

    /// The weight of an output for an input, counted in the order of the steps.
    #[cfg(target_arch = "x86_64")]
    pub fn weight(&self, output: usize, input: usize) -> i8 {
        let groups = self.steps[0].len() * self.groups;
        let (tile, lane) = (output / OUTPUTS, output % OUTPUTS);
        let group = tile * groups + input / GROUP;
        self.weights[(group * OUTPUTS + lane) * GROUP + input % GROUP]
    }

    /// Counts outputs in steps of their own scale.
    fn count_in_units(&mut self, ends: &Ends) {
        let (unit, zero) = ends.output.scale();
        let (residual, from) = ends.residual.map_or((0.0, 0.0), |form| form.scale());
        self.scale.iter_mut().for_each(|scale| *scale /= unit);
        let shift = zero - from * residual / unit;
        self.bias
            .iter_mut()
            .for_each(|bias| *bias = *bias / unit + shift);
        self.residual = residual / unit;
    }
}

/// What a step of the bytes of a row stands for: the largest has 127 of them, or fewer, where so many inputs of 255 could
/// bring a sum beyond 32 bits.
fn unit(row: &[f32]) -> f32 {
    let largest = row.iter().fold(0f32, |most, w| most.max(w.abs()));
    let unit = match largest / 127.0 {
        unit if unit >= f32::MIN_POSITIVE => unit,
        // Nothing, or so little that it is nothing beside any bias.
        _ => 1.0,
    };
    let furthest = |unit: f32| {
        let (mut up, mut down) = (0i64, 0i64);
        for w in row {
            let steps = i64::from((w / unit).round_ties_even() as i8);
            up += steps.max(0);
            down -= steps.min(0);
        }
        255 * up.max(down)
    };
    // Rounding may add half a step to each.
    let (mut coarser, most) = (unit, i64::from(i32::MAX));
    while furthest(coarser) > most {
        coarser *= 1.01 * (furthest(coarser) as f32 / most as f32).max(1.0);
    }
    coarser
}

/// Where the inputs of a place lie, with `lanes` items side by side.
fn offsets(product: &Product, layout: &Layout, lanes: usize) -> Vec<u32> {
    let Steps { steps, groups } = Steps::of(product.inputs);
    let [rows, columns] = product.kernel;
    let mut offsets = Vec::with_capacity(rows * columns * steps);
    for row in 0..rows {
        for column in 0..columns {
            let place = (row * layout.width() + column) * lanes * layout.step;
            offsets.extend((0..steps).map(|step| (place + step * groups * GROUP) as u32));
        }
    }
    offsets
}
