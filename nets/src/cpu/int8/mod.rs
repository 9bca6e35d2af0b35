//! Networks in bytes: `form` chooses scales, `packed` has weights in the kernels' order, `input` turns planes into bytes,
//! `kernel` says what a kernel does, one file an instruction set has it, `dispatch` chooses one, `winograd` has another way for
//! AVX2; `arena` has buffers, `run` runs the nodes of a graph; here they are packed for an instruction set.
//!
//! Sums are exact, so that every kernel makes the same bytes, wherever an item stands in a batch.

#[cfg(target_arch = "x86_64")]
mod amx;
mod arena;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx_vnni;
mod dispatch;
mod form;
mod input;
mod kernel;
mod packed;
mod portable;
mod run;
#[cfg(target_arch = "x86_64")]
mod vnni;
#[cfg(target_arch = "x86_64")]
mod winograd;

pub(super) use run::Int8Runner;

use super::graph::{Act, Graph, Node, Op};
use super::isa::Isa;
use super::layout::{Layout, Layouts};
use super::{Tensors, float, tensors};
use crate::NetError;
use dispatch::Kernels;
use form::Form;
use input::Patches;
use packed::{Ends, Packed, Steps};
use std::sync::Arc;

/// Bytes of activations that shall stay in a core's second-level cache beside the weights.
const CACHE: usize = 1 << 20;
/// The smallest and the largest part of a batch that passes through the network at once.
const PART: (usize, usize) = (16, 256);
/// Items that lie side by side for matrix tiles.
const LANES: usize = 16;

/// A graph with packed weights, for one instruction set.
pub(super) struct Network {
    graph: Graph,
    patches: Option<Patches>,
    /// Numbers of an input, before patches are made.
    input: usize,
    layouts: Layouts,
    forms: Vec<Form>,
    kernels: Kernels,
    float_kernels: float::Kernels,
    isa: Isa,
    tiles: bool,
    products: Vec<Product>,
    part: usize,
}

/// A product, ready to run.
enum Product {
    Bytes(Packed),
    /// Two by two outputs at once.
    #[cfg(target_arch = "x86_64")]
    Winograd(winograd::Winograd),
    Floats(float::Packed),
}

impl Network {
    pub fn new(
        mut graph: Graph,
        weights: &Tensors,
        samples: &[f32],
        isa: Isa,
    ) -> Result<Network, NetError> {
        form::split_tanh(&mut graph);
        // Not with those of `isa`, so that the scales are the same under all.
        let floats = Arc::new(float::Network::new(graph.clone(), weights, Isa::best())?);
        let forms = form::fit(&graph, floats, samples)?;
        let input = graph.values[graph.input].len();
        let patches = Patches::of(&mut graph);
        let layouts = Layouts::new(
            &graph,
            |value| match forms[value] {
                Form::Bytes { zero, .. } => (
                    Steps::of(graph.values[value].channels).channels(),
                    Some(zero),
                ),
                Form::Floats => (graph.values[value].channels, None),
            },
            |at| extra(&graph, at, &forms, isa),
        );
        let size = |layout: &Layout| layout.item() * number(layout);
        let bytes: usize = layouts.buffers.iter().map(size).sum();
        let part = (CACHE / bytes).clamp(PART.0, PART.1);
        super::check_size(part.next_multiple_of(LANES), &layouts)?;
        let mut network = Network {
            graph,
            patches,
            input,
            layouts,
            forms,
            kernels: Kernels::of(isa),
            float_kernels: float::Kernels::of(isa),
            isa,
            tiles: isa == Isa::Amx,
            products: Vec::new(),
            part,
        };
        for node in &network.graph.nodes {
            if let Op::Product(at) = node.op {
                let product = network.product(node, at, weights)?;
                network.products.push(product);
            }
        }
        Ok(network)
    }

    fn product(&self, node: &Node, at: usize, weights: &Tensors) -> Result<Product, NetError> {
        let product = &self.graph.products[at];
        let patches = self.patches.as_ref().filter(|patches| patches.is_of(at));
        let original = patches.map_or(product, |patches| &patches.original);
        let (weight, bias) = tensors(weights, original)?;
        if form::stays_float(&self.graph, node) {
            let lookup = |output, input| weight[output * product.inputs + input];
            let sizes = [product.outputs, product.inputs];
            let packed = float::Packed::new(&self.float_kernels, sizes, lookup, bias);
            return Ok(Product::Floats(packed));
        }
        let ends = Ends {
            input: (self.layouts.of[node.input], self.forms[node.input]),
            residual: node.residual.map(|value| self.forms[value]),
            output: self.forms[node.output],
            relu: node.act == Act::Relu,
        };
        let lookup = |output, at: [usize; 3]| {
            let source = patches.map_or(Some(at), |patches| patches.source(at[2]));
            source.map_or(0.0, |at| weight[float::torch_index(original, output, at)])
        };
        let packed = Packed::new(product, &ends, lookup, bias, LANES);
        let (output, to) = (self.graph.values[node.output], self.forms[node.output]);
        Ok(match transforms(product, output, to, self.isa) {
            #[cfg(target_arch = "x86_64")]
            true => Product::Winograd(winograd::Winograd::new(product, packed)),
            _ => Product::Bytes(packed),
        })
    }

    pub fn runner(self: &Arc<Network>) -> Int8Runner {
        Int8Runner::new(self.clone())
    }
}

/// Whether a product with these outputs has transformed inputs and kernels.
#[cfg(target_arch = "x86_64")]
use winograd::pays as transforms;
#[cfg(not(target_arch = "x86_64"))]
fn transforms(_: &super::graph::Product, _: super::graph::Shape, _: Form, _: Isa) -> bool {
    false
}

/// Rows and columns beyond the board that the product of this index reads.
fn extra(graph: &Graph, product: usize, forms: &[Form], isa: Isa) -> usize {
    let of = |node: &&Node| matches!(node.op, Op::Product(at) if at == product);
    let outputs = graph.nodes.iter().filter(of).map(|node| node.output);
    let read = outputs.map(|value| {
        let (product, output) = (&graph.products[product], graph.values[value]);
        match transforms(product, output, forms[value], isa) {
            true => super::patches::extra(output),
            false => 0,
        }
    });
    read.max().unwrap_or(0)
}

/// Bytes of a number.
fn number(layout: &Layout) -> usize {
    match layout.fill {
        Some(_) => 1,
        None => size_of::<f32>(),
    }
}
