//! What a network learns from: states with values, in rows of fixed size, in files that numpy reads.

mod layout;
mod npy;
mod replay;
mod shard;

pub use layout::{Field, Input, Kind, Layout, Row, Rows};
pub use npy::{Npy, NpyError};
pub use replay::{Batch, Span, Window, order};
pub use shard::{Game, Portion, Shards};

/// What the searched value of a state is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i8)]
pub enum Bound {
    /// At most this.
    Upper = -1,
    Exact = 0,
    /// At least this.
    Lower = 1,
}
