//! From planes to bytes. Where few planes are read by one convolution, its inputs are gathered place by place here, so that
//! it becomes a product of a few dozen channels: kernels want many bytes side by side.

use super::form::Form;
use crate::cpu::graph::{Graph, Node, Op, Product, Shape};
use crate::cpu::layout::Layout;

/// Bytes that are copied at once.
const CHUNK: usize = 8;
/// Most planes that are gathered.
const FEW: usize = 16;

/// A first convolution whose inputs are gathered.
pub(super) struct Patches {
    product: usize,
    /// As it was.
    pub original: Product,
    pub planes: Shape,
}

impl Patches {
    /// Rewrites the graph if its first product shall be gathered.
    pub fn of(graph: &mut Graph) -> Option<Patches> {
        let planes = graph.values[graph.input];
        let reads = |node: &&Node| node.input == graph.input || node.residual == Some(graph.input);
        let mut readers = graph.nodes.iter().filter(reads);
        let (first, more) = (readers.next()?, readers.next());
        let Op::Product(product) = first.op else {
            return None;
        };
        let original = graph.products[product].clone();
        let leaves = graph.value == graph.input || graph.policy == Some(graph.input);
        let alone = more.is_none() && first.residual.is_none() && !leaves;
        let output = graph.values[first.output];
        let shrinks = original.dense || original.kernel == [1, 1];
        if !alone || shrinks || planes.channels > FEW {
            return None;
        }
        let patches = Patches {
            product,
            original,
            planes,
        };
        graph.values[graph.input] = Shape {
            channels: patches.len(),
            ..output
        };
        graph.products[product].inputs = patches.len();
        graph.products[product].kernel = [1, 1];
        graph.products[product].padding = 0;
        Some(patches)
    }

    pub fn is_of(&self, product: usize) -> bool {
        self.product == product
    }

    /// Bytes of a row of the kernel.
    fn run(&self) -> usize {
        self.original.kernel[1] * self.planes.channels
    }

    /// Bytes of a patch: the last chunk may reach beyond its row, and what it brings meets weights of zero.
    fn len(&self) -> usize {
        (self.original.kernel[0] - 1) * self.run() + self.run().next_multiple_of(CHUNK)
    }

    /// Where the channel of a patch comes from: row, column and channel of the kernel.
    pub fn source(&self, channel: usize) -> Option<[usize; 3]> {
        let (row, at) = (channel / self.run(), channel % self.run());
        let planes = self.planes.channels;
        (row < self.original.kernel[0]).then_some([row, at / planes, at % planes])
    }

    /// Bytes that `write` needs for a board with its rings.
    pub fn board(&self) -> usize {
        let padding = 2 * self.original.padding;
        let places = (self.planes.rows + padding) * (self.planes.columns + padding);
        places * self.planes.channels + self.len()
    }

    /// Gathers one item. `board` is filled with the byte of zero; each place's patch begins `apart` after the one before.
    pub fn write(&self, planes: &[f32], form: Form, board: &mut [u8], to: &mut [u8], apart: usize) {
        let Shape {
            channels,
            rows,
            columns,
        } = self.planes;
        let padding = self.original.padding;
        let width = (columns + 2 * padding) * channels;
        for row in 0..rows {
            let line = &mut board[(row + padding) * width + padding * channels..];
            for channel in 0..channels {
                let from = &planes[(channel * rows + row) * columns..][..columns];
                let to = line[channel..].iter_mut().step_by(channels);
                for (to, x) in to.zip(from) {
                    *to = form.to_byte(*x);
                }
            }
        }
        let run = self.run();
        let mut patches = to.chunks_mut(apart);
        for row in 0..rows + 2 * padding - self.original.kernel[0] + 1 {
            for column in 0..columns + 2 * padding - self.original.kernel[1] + 1 {
                let Some(patch) = patches.next() else {
                    return;
                };
                for tap in 0..self.original.kernel[0] {
                    let from = &board[(row + tap) * width + column * channels..];
                    let to = &mut patch[tap * run..];
                    for at in (0..run).step_by(CHUNK) {
                        to[at..at + CHUNK].copy_from_slice(&from[at..at + CHUNK]);
                    }
                }
            }
        }
    }
}

/// Writes one item into its layout, place by place `apart`.
pub(super) fn write(layout: &Layout, planes: &[f32], form: Form, to: &mut [u8], apart: usize) {
    let Shape {
        channels,
        rows,
        columns,
    } = layout.shape;
    for row in 0..rows {
        for column in 0..columns {
            let at = layout.place(row, column, 0) * apart;
            for channel in 0..channels {
                let x = planes[(channel * rows + row) * columns + column];
                to[at + channel] = form.to_byte(x);
            }
        }
    }
}
