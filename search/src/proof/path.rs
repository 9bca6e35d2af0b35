//! The path of a descent: its positions, their children, and what these say of them.

use super::numbers::{Bounds, Numbers};
use super::table::Entry;
use treeline_game::{Game, Outcome, Player};

/// What the whole call of the solver has done and seen.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Positions expanded, each time anew.
    pub expanded: u64,
    /// Expanded for the first time, as far as the table remembers.
    pub fresh: u64,
    pub evaluations: u64,
    pub deepest: u32,
    /// Whether any game was drawn.
    pub draws: bool,
    /// Whether any line came back to where it had been.
    pub cycles: bool,
    pub is_over: bool,
}

/// No path is returned to.
pub const NOWHERE: u32 = u32::MAX;

pub struct Child<M> {
    pub played: M,
    pub key: u64,
    pub numbers: Numbers,
    pub bounds: Bounds,
    pub plies: u16,
    /// The frame that a disproof relies on being on the path; [`NOWHERE`] for none.
    pub returns_to: u32,
}

pub struct Frame<G: Game> {
    pub position: G::Position,
    pub key: u64,
    pub mover: Player,
    /// Where its children begin; they end where those of the next frame begin.
    pub first: usize,
    /// The child being searched.
    pub current: usize,
    pub limits: Numbers,
    /// A hash of the keys from the root to here, in order.
    pub path: u64,
    pub before: Entry,
    pub work: u32,
    /// Children were left out after one had answered the question.
    pub is_partial: bool,
    /// Time was over before all children were looked at: nothing is known that was not known before.
    pub is_aborted: bool,
    pub decided: Option<Outcome>,
}

/// What the children say of their parent.
pub struct Summary {
    pub numbers: Numbers,
    pub bounds: Bounds,
    pub plies: u16,
    pub returns_to: u32,
    /// Children whose harder number is not 0.
    pub open: u32,
}
