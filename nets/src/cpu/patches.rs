//! Two by two outputs of a convolution of 3×3, which Winograd's way computes at once, in floats and in bytes.

use super::graph::{Node, Product, Shape};
use super::layout::{Layout, Layouts};

/// Two by two outputs, fewer at the edge, and where inputs, outputs and residuals begin, in numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patch {
    pub input: u32,
    pub output: u32,
    pub residual: u32,
    pub rows: u8,
    pub columns: u8,
}

/// Numbers from one row to the next and from one place to the next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strides {
    row: usize,
    place: usize,
}

impl Strides {
    #[inline(always)]
    pub fn of(layout: &Layout) -> Strides {
        Strides {
            row: layout.width() * layout.step,
            place: layout.step,
        }
    }

    #[inline(always)]
    pub fn at(self, row: usize, column: usize) -> usize {
        row * self.row + column * self.place
    }
}

/// Rows and columns that are read beyond the board, where there is an odd number of outputs.
pub(super) fn extra(output: Shape) -> usize {
    usize::from(output.rows % 2 == 1 || output.columns % 2 == 1)
}

/// Where the patches of all items lie.
pub(super) fn patches(
    product: &Product,
    node: &Node,
    layouts: &Layouts,
    items: usize,
) -> Vec<Patch> {
    let [input, output] = [node.input, node.output].map(|value| &layouts.of[value]);
    let residual = node.residual.map(|value| &layouts.of[value]);
    let Shape { rows, columns, .. } = output.shape;
    let mut patches = Vec::new();
    for item in 0..items {
        for row in (0..rows).step_by(2) {
            for column in (0..columns).step_by(2) {
                let at = |l: &Layout, ring| {
                    (item * l.item() + l.place(row, column, ring) * l.step) as u32
                };
                patches.push(Patch {
                    input: at(input, product.padding),
                    output: at(output, 0),
                    residual: residual.map_or(0, |l| at(l, 0)),
                    rows: (rows - row).min(2) as u8,
                    columns: (columns - column).min(2) as u8,
                });
            }
        }
    }
    patches
}
