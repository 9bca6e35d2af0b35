//! Buffers for a part of a batch, and where in them each product finds what it reads and writes.

use super::kernel::Place;
use super::{Network, Product, number};
use crate::cpu::float;
use crate::cpu::graph::{Node, Op, Value};
use crate::cpu::layout::Layout;
use crate::cpu::memory::Aligned;
#[cfg(target_arch = "x86_64")]
use crate::cpu::patches::{Patch, patches};

/// Buffers for one way in which items lie.
pub(super) struct Arena {
    /// Items side by side: 1 or `LANES`.
    pub lanes: usize,
    pub capacity: usize,
    pub buffers: Vec<Aligned<u8>>,
    /// For each node that is a product of bytes, the places of all blocks; of floats, the places of all items.
    pub places: Vec<Vec<Place>>,
    pub floats: Vec<Vec<float::Place>>,
    /// For each node whose product is transformed, its patches of all items.
    #[cfg(target_arch = "x86_64")]
    pub patches: Vec<Vec<Patch>>,
}

/// Which items are there: `lanes` of them side by side in each block.
#[derive(Clone, Copy)]
pub(super) struct Items {
    pub count: usize,
    /// Side by side in each block but maybe the last.
    pub rows: usize,
}

impl Items {
    pub fn blocks(self) -> usize {
        self.count.div_ceil(self.rows)
    }
}

impl Arena {
    pub fn new(lanes: usize) -> Arena {
        Arena {
            lanes,
            capacity: 0,
            buffers: Vec::new(),
            places: Vec::new(),
            floats: Vec::new(),
            #[cfg(target_arch = "x86_64")]
            patches: Vec::new(),
        }
    }

    pub fn grow(&mut self, network: &Network, items: usize) {
        let blocks = items.div_ceil(self.lanes);
        self.capacity = blocks * self.lanes;
        let filled = |layout: &Layout| {
            let mut buffer = Aligned::zeros(self.capacity * layout.item() * number(layout));
            buffer.fill(layout.fill.unwrap_or(0));
            buffer
        };
        self.buffers = network.layouts.buffers.iter().map(filled).collect();
        let nodes = &network.graph.nodes;
        self.places = nodes
            .iter()
            .map(|node| self.places(network, node, blocks))
            .collect();
        self.floats = nodes
            .iter()
            .map(|node| self.floats(network, node))
            .collect();
        #[cfg(target_arch = "x86_64")]
        {
            let of = |node| self.patches(network, node);
            self.patches = nodes.iter().map(of).collect();
        }
    }

    /// Where the first item of each place of each block has its inputs, outputs and residuals.
    fn places(&self, network: &Network, node: &Node, blocks: usize) -> Vec<Place> {
        let Op::Product(product) = node.op else {
            return Vec::new();
        };
        let padding = network.graph.products[product].padding;
        let of = |value: Value| &network.layouts.of[value];
        let output = of(node.output);
        let mut places = Vec::new();
        for block in 0..blocks {
            for row in 0..output.shape.rows {
                for column in 0..output.shape.columns {
                    let at = |l: &Layout, ring| {
                        let place = block * l.places() + l.place(row, column, ring);
                        (place * self.lanes * l.step) as u32
                    };
                    places.push(Place {
                        input: at(of(node.input), padding),
                        output: at(output, 0),
                        residual: node.residual.map_or(0, |value| at(of(value), 0)),
                    });
                }
            }
        }
        places
    }

    fn floats(&self, network: &Network, node: &Node) -> Vec<float::Place> {
        match node.op {
            Op::Product(product) if matches!(network.products[product], Product::Floats(_)) => (),
            _ => return Vec::new(),
        }
        let [input, output] = [node.input, node.output].map(|value| network.layouts.of[value].step);
        let place = |item| float::Place {
            input: (item * input) as u32,
            output: (item * output) as u32,
            residual: 0,
        };
        (0..self.capacity).map(place).collect()
    }

    #[cfg(target_arch = "x86_64")]
    fn patches(&self, network: &Network, node: &Node) -> Vec<Patch> {
        match node.op {
            Op::Product(at) if matches!(network.products[at], Product::Winograd(_)) => {
                let product = &network.graph.products[at];
                patches(product, node, &network.layouts, self.capacity)
            }
            _ => Vec::new(),
        }
    }

    /// Where an item's first place is, in numbers.
    pub fn start(&self, layout: &Layout, items: Items, item: usize) -> usize {
        let (block, lane) = (item / items.rows, item % items.rows);
        (block * layout.places() * self.lanes + lane) * layout.step
    }
}
