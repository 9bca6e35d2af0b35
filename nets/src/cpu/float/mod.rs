//! Networks in f32: `packed` has weights in the kernels' order, `kernel` says what a kernel does, one file an instruction
//! set has it, `dispatch` chooses one, and here the nodes of a graph are run one after another over a part of the batch.
//!
//! An output is the sum of the same products in the same order wherever it stands in a batch, so that a position's value
//! does not depend on its company.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod dispatch;
mod kernel;
mod packed;
mod portable;
mod simple;
mod vector;
mod winograd;

pub(super) use dispatch::Kernels;
pub(super) use kernel::{Place, Run, table};
pub(super) use packed::{Packed, torch_index};
pub(super) use portable::add_product;
pub(super) use simple::apply;

use super::graph::{Act, Graph, Node, Op, Product, Value};
use super::isa::Isa;
use super::layout::{Layout, Layouts};
use super::memory::Aligned;
use super::patches::{Patch, extra, patches};
use super::{Tensors, tensors};
use crate::{NetError, Runner};
use kernel::Tile;
use std::sync::Arc;
use winograd::Winograd;

/// Bytes of activations that shall stay in a core's second-level cache beside the weights.
const CACHE: usize = 1 << 20;
/// The smallest and the largest part of a batch that passes through the network at once.
const PART: (usize, usize) = (8, 128);

/// A graph with packed weights, for one instruction set.
pub(super) struct Network {
    graph: Graph,
    layouts: Layouts,
    kernels: Kernels,
    products: Vec<Ready>,
    /// Most items that pass through the network at once.
    part: usize,
}

/// A product, ready to run.
enum Ready {
    /// Input by input as they lie.
    Direct { runs: Vec<Run>, packed: Packed },
    /// Two by two outputs at once.
    Winograd(Winograd),
}

/// What a node reads, and how what it writes lies.
pub(super) struct Mapped<'a> {
    layout: &'a Layout,
    input: &'a [f32],
    residual: Option<(&'a Layout, &'a [f32])>,
    output: &'a Layout,
    relu: bool,
}

impl Network {
    /// Items that buffers are for.
    pub fn part(&self) -> usize {
        self.part
    }

    pub fn new(graph: Graph, weights: &Tensors, isa: Isa) -> Result<Network, NetError> {
        let kernels = Kernels::of(isa);
        let transformed = |node: &Node, at: usize| {
            winograd::pays(&graph.products[at], graph.values[node.output], isa)
        };
        let mut extra = vec![0; graph.products.len()];
        for node in &graph.nodes {
            if let Op::Product(at) = node.op
                && transformed(node, at)
            {
                extra[at] = self::extra(graph.values[node.output]);
            }
        }
        let numbers = |value: Value| (graph.values[value].channels, None);
        let layouts = Layouts::new(&graph, numbers, |at| extra[at]);
        let numbers: usize = layouts.buffers.iter().map(|layout| layout.item()).sum();
        let part = (CACHE / (numbers * size_of::<f32>())).clamp(PART.0, PART.1);
        super::check_size(part, &layouts)?;
        let mut products = Vec::new();
        for node in &graph.nodes {
            if let Op::Product(at) = node.op {
                let product = &graph.products[at];
                let (weight, bias) = tensors(weights, product)?;
                products.push(match transformed(node, at) {
                    true => Ready::Winograd(Winograd::new(&kernels, product, weight, bias, isa)),
                    false => direct(&kernels, product, &layouts.of[node.input], weight, bias),
                });
            }
        }
        Ok(Network {
            graph,
            layouts,
            kernels,
            products,
            part,
        })
    }

    pub fn runner(self: &Arc<Network>) -> FloatRunner {
        FloatRunner {
            network: self.clone(),
            capacity: 0,
            buffers: Vec::new(),
            places: Vec::new(),
            patches: Vec::new(),
            scratch: [0, 1].map(Aligned::zeros),
        }
    }
}

fn direct(
    kernels: &Kernels,
    product: &Product,
    input: &Layout,
    weight: &[f32],
    bias: &[f32],
) -> Ready {
    let order = packed::order(product);
    let lookup = |output, input: usize| weight[torch_index(product, output, order[input])];
    Ready::Direct {
        runs: packed::runs(product, input),
        packed: Packed::new(kernels, [product.outputs, order.len()], lookup, bias),
    }
}

/// Runs a network with buffers of its own.
pub(super) struct FloatRunner {
    network: Arc<Network>,
    /// Items that the buffers have room for.
    capacity: usize,
    buffers: Vec<Aligned<f32>>,
    /// For each node that is a product done directly, the places of all items; for others, the patches.
    places: Vec<Vec<Place>>,
    patches: Vec<Vec<Patch>>,
    /// Transformed inputs and outputs.
    scratch: [Aligned<f32>; 2],
}

impl FloatRunner {
    /// Makes room for so many items at once.
    fn grow(&mut self, items: usize) {
        if items <= self.capacity {
            return;
        }
        let network = &*self.network;
        let layouts = &network.layouts;
        let zeros = |layout: &Layout| Aligned::zeros(items * layout.item());
        self.buffers = layouts.buffers.iter().map(zeros).collect();
        let graph = &network.graph;
        let direct = |at: usize| matches!(network.products[at], Ready::Direct { .. });
        let places = |node: &Node| match node.op {
            Op::Product(at) if direct(at) => places(&graph.products[at], node, layouts, items),
            _ => Vec::new(),
        };
        let patches = |node: &Node| match node.op {
            Op::Product(at) if !direct(at) => {
                self::patches(&graph.products[at], node, layouts, items)
            }
            _ => Vec::new(),
        };
        self.places = graph.nodes.iter().map(places).collect();
        self.patches = graph.nodes.iter().map(patches).collect();
        let mut scratch = [0; 2];
        for ready in &network.products {
            if let Ready::Winograd(winograd) = ready {
                let needed = winograd.scratch();
                scratch = [0, 1].map(|at| scratch[at].max(needed[at]));
            }
        }
        self.scratch = scratch.map(Aligned::zeros);
        self.capacity = items;
    }

    /// Runs the first `nodes` nodes over `items` items and shows `see` each value when it is whole.
    pub fn pass(
        &mut self,
        inputs: &[f32],
        items: usize,
        nodes: usize,
        mut see: impl FnMut(&FloatRunner, Value),
    ) {
        self.grow(items);
        let network = self.network.clone();
        let graph = &network.graph;
        let input = &network.layouts.of[graph.input];
        let buffer = &mut self.buffers[network.layouts.buffer[graph.input]];
        let (from, to) = (input.shape.len(), input.item());
        for item in 0..items {
            let (from, to) = (
                &inputs[item * from..][..from],
                &mut buffer[item * to..][..to],
            );
            simple::channels_last(input, from, to);
        }
        see(self, graph.input);
        for (at, node) in graph.nodes[..nodes].iter().enumerate() {
            self.run_node(&network, at, node, items);
            see(self, node.output);
        }
    }

    fn run_node(&mut self, network: &Network, at: usize, node: &Node, items: usize) {
        let layouts = &network.layouts;
        // The output shares no buffer with what the node reads.
        let mut output = std::mem::replace(
            &mut self.buffers[layouts.buffer[node.output]],
            Aligned::zeros(0),
        );
        let read = |value: Value| &*self.buffers[layouts.buffer[value]];
        let to = &layouts.of[node.output];
        let mapped = Mapped {
            layout: &layouts.of[node.input],
            input: read(node.input),
            residual: node.residual.map(|value| (&layouts.of[value], read(value))),
            output: to,
            relu: node.act == Act::Relu,
        };
        let kernels = &network.kernels;
        match node.op {
            Op::Product(index) => {
                // SAFETY: the instruction set was checked when the network was compiled and its weights packed; places,
                // patches and buffers were made of the same layouts.
                unsafe {
                    match &network.products[index] {
                        Ready::Direct { runs, packed } => {
                            let places = &self.places[at][..items * to.shape.places()];
                            let residual = mapped.residual.map(|(_, numbers)| numbers);
                            let weights = (&**runs, packed);
                            multiply(
                                kernels,
                                weights,
                                places,
                                mapped.input,
                                residual,
                                mapped.relu,
                                &mut output,
                            );
                        }
                        Ready::Winograd(winograd) => {
                            let per_item = to.shape.rows.div_ceil(2) * to.shape.columns.div_ceil(2);
                            let patches = &self.patches[at][..items * per_item];
                            let scratch = self.scratch.each_mut().map(|numbers| &mut **numbers);
                            winograd.run(kernels, patches, &mapped, &mut output, scratch);
                        }
                    }
                }
                if node.act == Act::Tanh {
                    simple::tanh(to, items, &mut output);
                }
            }
            Op::Copy => {
                let from = (mapped.layout, mapped.input);
                simple::copy(node.act, items, from, mapped.residual, (to, &mut output));
            }
            Op::Pool => {
                let from = (mapped.layout, mapped.input);
                simple::pool(node.act, items, from, (to, &mut output));
            }
        }
        self.buffers[layouts.buffer[node.output]] = output;
    }

    /// The least and the largest number of a value in the first `items` items.
    pub fn range(&self, value: Value, items: usize) -> [f32; 2] {
        let layout = &self.network.layouts.of[value];
        let buffer = &self.buffers[self.network.layouts.buffer[value]];
        let mut range = [f32::INFINITY, f32::NEG_INFINITY];
        for item in buffer.chunks_exact(layout.item()).take(items) {
            for start in simple::starts(layout) {
                for x in &item[start..start + layout.shape.channels] {
                    range = [range[0].min(*x), range[1].max(*x)];
                }
            }
        }
        range
    }

    /// A value of an item, as PyTorch would flatten it.
    pub fn read(&self, value: Value, item: usize, to: &mut [f32]) {
        let layout = &self.network.layouts.of[value];
        let buffer = &self.buffers[self.network.layouts.buffer[value]];
        simple::channels_first(layout, &buffer[item * layout.item()..], to);
    }
}

impl Runner for FloatRunner {
    fn run(&mut self, inputs: &[f32], values: &mut [f32], policies: Option<&mut [f32]>) {
        let network = self.network.clone();
        let graph = &network.graph;
        self.grow(values.len().min(network.part));
        let sizes = super::Sizes {
            input: graph.values[graph.input].len(),
            logits: graph.policy.map_or(0, |policy| graph.values[policy].len()),
            part: network.part,
        };
        super::in_parts(
            sizes,
            inputs,
            values,
            policies,
            |inputs, values, policies| {
                let nodes = match policies {
                    Some(_) => graph.nodes.len(),
                    None => graph.without_policy,
                };
                self.pass(inputs, values.len(), nodes, |_, _| ());
                for (item, value) in values.iter_mut().enumerate() {
                    self.read(graph.value, item, std::slice::from_mut(value));
                }
                if let (Some(policies), Some(policy)) = (policies, graph.policy) {
                    let logits = graph.values[policy].len();
                    for (item, policies) in policies.chunks_exact_mut(logits).enumerate() {
                        self.read(policy, item, policies);
                    }
                }
            },
        );
    }

    fn another(&self) -> Box<dyn Runner> {
        Box::new(self.network.runner())
    }
}

/// Where each place of each item has its inputs, outputs and residuals.
fn places(product: &Product, node: &Node, layouts: &Layouts, items: usize) -> Vec<Place> {
    let [input, output] = [node.input, node.output].map(|value| &layouts.of[value]);
    let residual = node.residual.map(|value| &layouts.of[value]);
    let mut places = Vec::with_capacity(items * output.shape.places());
    for item in 0..items {
        for row in 0..output.shape.rows {
            for column in 0..output.shape.columns {
                let at = |l: &Layout, ring| {
                    (item * l.item() + l.place(row, column, ring) * l.step) as u32
                };
                places.push(Place {
                    input: at(input, product.padding),
                    output: at(output, 0),
                    residual: residual.map_or(0, |l| at(l, 0)),
                });
            }
        }
    }
    places
}

/// A product over all `places`.
///
/// # Safety
/// The machine has the kernels' instruction set. The runs and outputs of all `places` lie inside the slices, and `packed`
/// was made for `kernels` and for as many inputs as `runs` has.
pub(super) unsafe fn multiply(
    kernels: &Kernels,
    (runs, packed): (&[Run], &Packed),
    places: &[Place],
    input: &[f32],
    residual: Option<&[f32]>,
    relu: bool,
    output: &mut [f32],
) {
    let calls = places.len().div_ceil(kernels.places);
    for block in &packed.blocks {
        // Kernels of about the same size, rather than a small one at last.
        for call in 0..calls {
            let [from, to] = [call, call + 1].map(|call| call * places.len() / calls);
            let kernel = kernels.kernel(to - from, block.vectors);
            let from_first = |slice: &[f32]| slice[block.first..].as_ptr();
            let tile = Tile {
                input: input.as_ptr(),
                runs,
                places: places[from..to].as_ptr(),
                weights: packed.weights[block.weights..].as_ptr(),
                bias: packed.bias[block.bias..].as_ptr(),
                residual: residual.map_or(std::ptr::null(), from_first),
                output: output[block.first..].as_mut_ptr(),
                outputs: block.outputs,
                relu,
            };
            // SAFETY: as the caller promises; a block has the outputs that its weights were packed for.
            unsafe { kernel(&tile) };
        }
    }
}
