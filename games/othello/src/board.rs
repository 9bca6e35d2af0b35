//! What the rules, random games and endgames ask of a word, together.

use super::flip::Ending;
use super::kernels::Kernels;

/// A word for the squares of an `N` x `N` board, with everything that is computed on it.
pub trait Board<const N: u32>: Kernels<N> + Ending<N> {}

impl<B: Kernels<N> + Ending<N>, const N: u32> Board<N> for B {}
