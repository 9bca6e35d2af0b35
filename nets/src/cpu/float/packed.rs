//! The weights of a product in the order in which the f32 kernels read them.

use super::super::graph::Product;
use super::super::layout::Layout;
use super::super::memory::Aligned;
use super::dispatch::Kernels;
use super::kernel::Run;

/// Outputs that one call of a kernel makes.
pub(in crate::cpu) struct Block {
    /// Its first output.
    pub first: usize,
    pub outputs: usize,
    pub vectors: usize,
    /// Where its weights begin.
    pub weights: usize,
    /// Where its biases begin.
    pub bias: usize,
}

pub(in crate::cpu) struct Packed {
    pub blocks: Vec<Block>,
    pub weights: Aligned<f32>,
    pub bias: Aligned<f32>,
}

impl Packed {
    /// `weight(output, input)` for inputs in the order in which a kernel meets them; missing lanes are zeros.
    pub fn new(
        kernels: &Kernels,
        [outputs, inputs]: [usize; 2],
        weight: impl Fn(usize, usize) -> f32,
        bias: &[f32],
    ) -> Packed {
        let mut blocks = Vec::new();
        let mut weights = Vec::new();
        let mut biases = Vec::new();
        for first in (0..outputs).step_by(kernels.lanes * kernels.vectors) {
            let wanted = (outputs - first).min(kernels.lanes * kernels.vectors);
            let vectors = wanted.div_ceil(kernels.lanes);
            blocks.push(Block {
                first,
                outputs: wanted,
                vectors,
                weights: weights.len(),
                bias: biases.len(),
            });
            let range = first..first + vectors * kernels.lanes;
            for input in 0..inputs {
                let lane = |output| {
                    if output < outputs {
                        weight(output, input)
                    } else {
                        0.0
                    }
                };
                weights.extend(range.clone().map(lane));
            }
            biases.extend(range.map(|output| bias.get(output).copied().unwrap_or(0.0)));
        }
        Packed {
            blocks,
            weights: Aligned::from_slice(&weights),
            bias: Aligned::from_slice(&biases),
        }
    }
}

/// The inputs of a place in the order of memory: for each a row, column and channel of the kernel.
pub(in crate::cpu) fn order(product: &Product) -> Vec<[usize; 3]> {
    let [rows, columns] = product.kernel;
    let mut order = Vec::with_capacity(rows * columns * product.inputs);
    for row in 0..rows {
        for column in 0..columns {
            order.extend((0..product.inputs).map(|channel| [row, column, channel]));
        }
    }
    order
}

/// The runs of a product's inputs: one a row of its kernel, or one for all where rows lie side by side.
pub(super) fn runs(product: &Product, input: &Layout) -> Vec<Run> {
    let [rows, columns] = product.kernel;
    let (row, len) = (input.width() * input.step, columns * input.step);
    if row == len {
        return vec![Run {
            start: 0,
            len: (rows * len) as u32,
        }];
    }
    let run = |r| Run {
        start: (r * row) as u32,
        len: len as u32,
    };
    (0..rows).map(run).collect()
}

/// The weight's place in PyTorch's order `[output, channel, row, column]`.
pub(in crate::cpu) fn torch_index(
    product: &Product,
    output: usize,
    [row, column, channel]: [usize; 3],
) -> usize {
    let [rows, columns] = product.kernel;
    ((output * product.inputs + channel) * rows + row) * columns + column
}
