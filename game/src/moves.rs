//! What a move is: a small value that can be compared and hashed, and that is a number to whoever knows no game.

use smallvec::SmallVec;
use std::fmt::Debug;
use std::hash::Hash;

/// One turn's action. Two moves of one position are the same exactly when they are equal.
pub trait Move: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// The move as a number: `a < b` exactly when `a.to_bits() < b.to_bits()`, so that no two share one. It fits in as many bytes
    /// as the type has.
    fn to_bits(self) -> u64;

    /// The move whose number this is; some move, legal nowhere perhaps, for a number that is none's.
    fn from_bits(bits: u64) -> Self;
}

/// The moves of one position. Lives on the stack; only boards with more moves than any normal one spill to the heap.
pub type Moves<M> = SmallVec<[M; 128]>;
