//! Networks: tensors in, tensors out. This crate knows no game.
//!
//! `plan` is what a network over planes computes, step by step; `file` reads and writes weights with their metadata; `arch`
//! has the only list of architectures and makes networks of files; backends run a plan: `reference` plainly, `cpu` fast, and
//! what a program installs for GPUs; `device` chooses among them, and `batching` lets many threads share one device; `inc` has
//! the incrementally updated networks, `patterns` sums of pattern tables, `stages` what both mean by a game's stages.

pub mod arch;
pub mod batching;
pub mod cpu;
pub mod device;
mod error;
pub mod file;
pub mod inc;
pub mod patterns;
pub mod plan;
pub mod reference;
pub mod stages;

pub use error::NetError;

/// What is known of the value that a network should give a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i8)]
pub enum Bound {
    /// It is at most this: a value below it is not wrong.
    Upper = -1,
    /// It is this.
    Exact = 0,
    /// It is at least this: a value above it is not wrong.
    Lower = 1,
}

/// Runs a network over planes on one thread. Buffers are its own: a call allocates nothing once the largest batch was seen.
pub trait Runner: Send {
    /// `inputs` is `[batch, planes, rows, columns]`; fills `values`, `[batch]`, and, where the network has a policy head and
    /// `policies` is asked for, `[batch, policy]` logits. Values are as the file means them (whose view, what scale), so that
    /// a tanh that belongs to the network was applied.
    fn run(&mut self, inputs: &[f32], values: &mut [f32], policies: Option<&mut [f32]>);

    /// One with the same weights for another thread.
    fn another(&self) -> Box<dyn Runner>;
}
