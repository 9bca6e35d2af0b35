//! Networks: tensors in, tensors out. This crate knows no game.
//!
//! It will own architectures, the weight file format and inference on CPUs and GPUs; until the first
//! network exists it holds only the table of architectures, which is empty.

/// The names of the architectures that can be loaded.
pub const ARCHITECTURES: &[&str] = &[];
