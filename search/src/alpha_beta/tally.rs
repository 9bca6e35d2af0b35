//! What a thread counts.

/// What a worker has been up to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Moves made: children that were visited or evaluated, each once though it may be searched again with another window.
    pub nodes: u64,
    pub evaluations: u64,
    /// Longest line.
    pub depth: u32,
}

/// What scores rested on since the last reset.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Grounds {
    /// Static evaluations, and table entries and cuts that rest on them.
    pub soft: u64,
    /// Repetitions, and table entries that rest on them.
    pub by_path: u64,
    /// The latter entries alone.
    pub borrowed: u64,
}
