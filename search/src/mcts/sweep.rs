//! Where the recycling of a tree stands between one act and the next.

use super::edge::Index;

/// Blocks below edges with fewer visits are the first to go, besides stale ones.
pub const LEAST: u32 = 4;

/// Where recycling stands.
#[derive(Debug)]
pub struct Sweep {
    pub chunk: u32,
    /// Blocks below edges with fewer visits go.
    pub least: u32,
    pub freed_in_round: u64,
    /// Blocks that are cut off from the tree and not yet free.
    pub doomed: Vec<Index>,
}

impl Default for Sweep {
    fn default() -> Self {
        Sweep {
            chunk: 0,
            least: LEAST,
            freed_in_round: 0,
            doomed: Vec::new(),
        }
    }
}
