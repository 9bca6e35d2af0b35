//! How positions look to a network over planes: which version, and of what size.

/// One way of showing positions to a network over planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding {
    /// Goes with every network file.
    pub version: u32,
    /// What each plane holds, and whose view it is.
    pub help: &'static str,
    /// Whether the board is shown as the player to move sees it; else as player one does.
    pub by_mover: bool,
}

/// The sizes of an encoding on one board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    pub planes: usize,
    pub rows: usize,
    pub columns: usize,
    /// Outputs of a policy head.
    pub policy: usize,
}

/// How a game numbers its moves. A game never changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbering {
    /// The encoding, an index of [`super::Planes::encodings`], whose policy outputs are the numbers.
    pub encoding: usize,
    /// How many moves that share an output have numbers of their own.
    pub sharers: usize,
}

impl Default for Numbering {
    /// The outputs of version 1, which no two moves of a position share.
    fn default() -> Self {
        Numbering {
            encoding: 0,
            sharers: 1,
        }
    }
}
