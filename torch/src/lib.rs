//! Networks through libtorch (crate `tch` 0.24, libtorch 2.11): on a GPU for playing, on the CPU for tests and learning.
//!
//! Without its feature `torch` this crate is empty, so that building the workspace needs no libtorch; it is a crate of its own, so
//! that everything below is compiled once for programs with libtorch and without.
//!
//! `library` finds the GPU, `net` is a plan as calls of libtorch, `compute` a queue of batches to a device, to which
//! [`treeline_nets::batching`] brings the requests of all searching threads, `learning` networks that learn,
//! `training` what they have while they do.
//! tools/libtorch/setup.sh fetches what building needs.
//!
//! CUDA graphs would save the launches of small networks, but `tch` has no way to them; several batches in flight hide most of
//! that cost instead.

#![cfg(feature = "torch")]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod compute;
mod learning;
mod library;
mod net;
mod training;

pub use compute::Queue;
pub use learning::{
    Batch, Choices, Followed, LatentLearning, LatentLoss, LatentModel, LatentShape, Learning, Loss,
    Model, ModelLoss, NextState, QLearning, QNetwork, QShape, Seen, Sees, Trainable, Transitions,
    Unrolled, set_threads,
};
pub use library::{bf16_pays, gpus};
pub use treeline_nets::Bound;
pub use treeline_nets::batching::Shared;

use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;
use tch::TchError;
use treeline_nets::Runner;
use treeline_nets::batching::{Compute, Limits};
use treeline_nets::device::{DeviceError, Gpus, Precision};
use treeline_nets::file::Tensors;
use treeline_nets::plan::Plan;

/// GPUs through libtorch, for [`treeline_nets::device::install`].
#[derive(Debug)]
pub struct Libtorch;

impl Gpus for Libtorch {
    fn count(&self) -> usize {
        gpus().unwrap_or(0)
    }

    fn open(
        &self,
        number: usize,
        precision: Precision,
        plan: &Plan,
        weights: &Tensors,
        cpu: Box<dyn Runner>,
    ) -> Result<Box<dyn Runner>, DeviceError> {
        let options = Options::gpu(number, precision);
        Ok(Box::new(shared(plan, weights, &options, cpu)?))
    }
}

/// How a network is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// A GPU's number, or libtorch's own CPU kernels, which are for comparisons: ours are faster.
    pub gpu: Option<usize>,
    /// What the device computes in.
    pub precision: Precision,
    /// The batch sizes that the device sees, ascending; smaller batches are padded, larger requests split.
    pub sizes: Vec<usize>,
    /// Batches in flight; at least 1.
    pub in_flight: usize,
    /// How long a request waits for others, at most, while a queue is free.
    pub wait: Duration,
    /// After how long without an answer the device counts as lost.
    pub patience: Duration,
}

impl Options {
    /// A GPU: three batches in flight, few sizes, since each is tuned when a network is loaded.
    pub fn gpu(number: usize, precision: Precision) -> Options {
        Options {
            gpu: Some(number),
            precision,
            sizes: vec![32, 128, 256, 512, 1024],
            in_flight: 3,
            wait: Duration::from_micros(300),
            patience: Duration::from_secs(30),
        }
    }

    /// libtorch on the CPU: one batch at a time, hardly padded.
    pub fn cpu(precision: Precision) -> Options {
        Options {
            gpu: None,
            sizes: vec![1, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256],
            in_flight: 1,
            ..Options::gpu(0, precision)
        }
    }

    fn named(&self, DeviceError(text): DeviceError) -> DeviceError {
        match self.gpu {
            Some(number) => DeviceError(format!("cuda:{number}: {text}")),
            None => DeviceError(format!("libtorch on the CPU: {text}")),
        }
    }
}

/// A network on a device for many threads; take [`Runner::another`] for each. `weights` has every tensor of `plan`;
/// `fallback` runs the same network once the device has failed. Every batch size is run once, which takes seconds on a GPU.
pub fn shared(
    plan: &Plan,
    weights: &Tensors,
    options: &Options,
    fallback: Box<dyn Runner>,
) -> Result<Shared, DeviceError> {
    let queues = queues(plan, weights, options)?;
    let limits = Limits {
        input: plan.input().len(),
        policy: plan.policy_outputs(),
        capacity: options.sizes.iter().copied().max().unwrap_or(0),
        wait: options.wait,
        patience: options.patience,
    };
    let devices = queues
        .into_iter()
        .map(|queue| Box::new(queue) as Box<dyn Compute>);
    Shared::start(devices.collect(), limits, fallback).map_err(|error| options.named(error))
}

/// The queues to a device, `in_flight` of them, for a thread each, which is to begin with [`Compute::prepare`].
pub fn queues(
    plan: &Plan,
    weights: &Tensors,
    options: &Options,
) -> Result<Vec<Queue>, DeviceError> {
    let made = unpanicked(|| Queue::several(plan, weights, options));
    made.map_err(|error| options.named(error))
}

/// The binding panics where its functions have no way to say that something went wrong.
fn unpanicked<T>(work: impl FnOnce() -> Result<T, DeviceError>) -> Result<T, DeviceError> {
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    done.unwrap_or_else(|_| Err(DeviceError("libtorch panicked".into())))
}

fn guarded<T>(work: impl FnOnce() -> Result<T, TchError>) -> Result<T, DeviceError> {
    unpanicked(|| work().map_err(plainly))
}

/// libtorch's messages end in a trace of its C++ functions.
fn plainly(error: TchError) -> DeviceError {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    DeviceError(first.trim().to_string())
}
