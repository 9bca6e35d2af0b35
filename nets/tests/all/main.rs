//! Networks through the crate's public interface: files, architectures, the plain forward pass and the CPU kernels.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../common/mod.rs"]
mod common;

mod architectures;
mod cpu;
mod device;
#[cfg(unix)]
mod disk;
mod files;
mod learning;
mod pytorch;
mod random;
mod reference;
mod refusals;
