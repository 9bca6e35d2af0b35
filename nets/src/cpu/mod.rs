//! Fast inference on CPUs: a plan compiled into products with everything else fused in, weights packed for the machine's
//! instruction set, activations with channels last.
//!
//! `graph` is what is computed, `layout` where it lies, `patches` the same two by two, `float` and `int8` the two precisions, `isa` the instruction sets.
//! Knows no architecture: any plan runs.

mod float;
mod graph;
mod int8;
mod isa;
mod layout;
mod memory;
mod patches;
#[cfg(target_arch = "x86_64")]
mod tiles;

pub use isa::Isa;

use crate::file::Tensors;
use crate::plan::Plan;
use crate::{NetError, Runner};
use graph::{Graph, Product};
use layout::Layouts;
use std::sync::Arc;

/// How numbers are held while a network runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Precision<'a> {
    /// 32-bit floats.
    F32,
    /// Bytes between the layers, rounded to scales that fit sample inputs; weights in bytes with a scale an output.
    Int8 {
        /// Inputs such as the network will see, `[samples, planes, rows, columns]`; some hundred positions of games do.
        samples: &'a [f32],
    },
}

/// A network ready to run. Cheap to clone: the weights are shared.
#[derive(Clone)]
pub struct Compiled(Body);

#[derive(Clone)]
enum Body {
    Float(Arc<float::Network>),
    Int8(Arc<int8::Network>),
}

impl Compiled {
    /// Packs the weights of `plan` for `isa`, or without one for the best that the machine has.
    ///
    /// # Errors
    /// If the plan's steps do not fit each other, a tensor is missing or of another shape, samples are no whole number of
    /// positions, or the machine lacks `isa`.
    pub fn new(
        plan: &Plan,
        tensors: &Tensors,
        precision: Precision,
        isa: Option<Isa>,
    ) -> Result<Compiled, NetError> {
        let isa = isa.unwrap_or_else(Isa::best);
        if !Isa::available().any(|available| available == isa) {
            return Err(NetError::Unfit {
                what: "instruction set",
                expected: format!("{} or less", Isa::best()),
                found: isa.to_string(),
            });
        }
        let graph = Graph::new(plan)?;
        Ok(Compiled(match precision {
            Precision::F32 => Body::Float(Arc::new(float::Network::new(graph, tensors, isa)?)),
            Precision::Int8 { samples } => {
                Body::Int8(Arc::new(int8::Network::new(graph, tensors, samples, isa)?))
            }
        }))
    }

    /// One that runs it, with buffers of its own.
    pub fn runner(&self) -> Box<dyn Runner> {
        match &self.0 {
            Body::Float(network) => Box::new(network.runner()),
            Body::Int8(network) => Box::new(network.runner()),
        }
    }
}

/// Weight and bias of a product, their shapes checked.
fn tensors<'a>(
    tensors: &'a Tensors,
    product: &Product,
) -> Result<(&'a [f32], &'a [f32]), NetError> {
    let Product {
        inputs,
        outputs,
        kernel: [rows, columns],
        ..
    } = *product;
    let shape = match product.dense {
        true => vec![outputs, inputs * rows * columns],
        false => vec![outputs, inputs, rows, columns],
    };
    let find = |suffix, shape: &[usize]| {
        let name = format!("{}.{suffix}", product.name);
        let Some(tensor) = tensors.get(&name) else {
            return Err(NetError::tensor(&name, "it is missing"));
        };
        if tensor.shape != shape || tensor.data.len() != shape.iter().product::<usize>() {
            let found = &tensor.shape;
            let reason = format!("its shape is {found:?}, and {shape:?} was expected");
            return Err(NetError::tensor(&name, reason));
        }
        Ok(tensor.data.as_slice())
    };
    Ok((find("weight", &shape)?, find("bias", &[outputs])?))
}

/// Kernels count in 32 bits: so many items must fit.
fn check_size(items: usize, layouts: &Layouts) -> Result<(), NetError> {
    let largest = layouts.buffers.iter().map(|layout| layout.item()).max();
    let room = u32::MAX as usize / items;
    match largest {
        Some(numbers) if numbers > room => Err(NetError::Architecture {
            text: "plan".into(),
            reason: format!("an activation has {numbers} numbers, more than {room}"),
        }),
        _ => Ok(()),
    }
}

/// What a caller's slices are cut by.
#[derive(Clone, Copy)]
struct Sizes {
    /// Numbers of an input.
    input: usize,
    /// Numbers of a policy, 0 without one.
    logits: usize,
    /// Most items at once.
    part: usize,
}

/// Cuts a batch into about equal parts.
///
/// # Panics
/// If the slices do not have the sizes that `Runner::run` asks for.
fn in_parts(
    sizes: Sizes,
    inputs: &[f32],
    values: &mut [f32],
    policies: Option<&mut [f32]>,
    mut run: impl FnMut(&[f32], &mut [f32], Option<&mut [f32]>),
) {
    let Sizes {
        input,
        logits,
        part,
    } = sizes;
    let items = values.len();
    let mut policies = policies.filter(|_| logits > 0);
    assert_eq!(inputs.len(), items * input, "one input for each value");
    if let Some(policies) = &policies {
        assert_eq!(policies.len(), items * logits, "one policy for each value");
    }
    let parts = items.div_ceil(part);
    for at in 0..parts {
        let [from, to] = [at, at + 1].map(|at| at * items / parts);
        let policies = policies.as_deref_mut();
        run(
            &inputs[from * input..to * input],
            &mut values[from..to],
            policies.map(|policies| &mut policies[from * logits..to * logits]),
        );
    }
}
