//! What a network learns from: states with values, in rows of fixed size, in files that numpy reads.

mod layout;
mod npy;
mod replay;
mod shard;

pub use layout::{Field, Input, Kind, Layout, Row, Rows};
pub use npy::{Npy, NpyError};
pub use replay::{Batch, Span, Window, order};
pub use shard::{Game, Portion, Shards};
pub use treeline_nets::Bound;
