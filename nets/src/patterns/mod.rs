//! Sums of pattern tables, in the manner of M. Buro's Logistello ("Improving heuristic mini-max search by supervised
//! learning", 2002): a pattern is a tuple of cells of the board, the states of its cells are the digits of a number, and a
//! table has a weight for each number. The value is the tanh of the sum of the weights of all patterns, looked up in tables for
//! the stage of the game.
//!
//! Inputs are the yes-or-no features of `inc`; each cell names the features that mean its states 1, 2, …, and is in state 0
//! without any. So the places in the tables are sums over features, kept for both players' views, and follow a move by adding
//! and subtracting what the features that it changes contribute. Knows no game: which features make cells, and which cells
//! patterns, stands in the network's file.
//!
//! `tables` is what the patterns are; `net` computes in integers, `learn` fits the weights; both get the same places.

mod kernel;
mod learn;
mod net;
mod tables;
#[cfg(test)]
mod tests;

pub use learn::{Fit, Sample};
pub use net::{Accumulator, Batch, Net};
pub use tables::{MOST_LOOKUPS, Pattern, Tables};
