//! The incrementally updated network, in the manner of Y. Nasu's NNUE ("Efficiently updatable neural-network-based
//! evaluation functions for computer shogi", 2018): children of a position are evaluated from the position's own first layer.
//!
//! Inputs are yes-or-no features, of which a move touches few. The first layer, linear, is kept as an accumulator for each
//! player's view of the board with weights that both share; the two halves, the mover's first, are clipped to [0, 1] and go
//! through one small layer, clipped likewise, to one number and a tanh: the value for the mover. Knows no game: features are
//! bits, and a permutation says which feature the second player sees where the first sees `f`.
//!
//! `quantise` makes integers of the weights; `layout` orders them for each instruction set; `plain`, `avx2`, `avx512` compute
//! the same, bit for bit, and `dispatch` chooses among them; `tail` is what follows the integers;
//! `reference` computes with the weights as they were; `learn` fits them.

mod accumulator;
mod batch;
mod dispatch;
mod isa;
mod layout;
pub mod learn;
mod net;
mod plain;
mod quantise;
pub mod reference;
mod tail;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(test)]
mod tests;

pub use accumulator::Accumulator;
pub use batch::Batch;
pub use isa::Isa;
pub use net::Net;
pub use quantise::{ONE, Sizes, Tensors};
pub use tail::NEAR_ONE;
pub(crate) use tail::tanh_all;
