//! What new children are to be given; `children` gives it to them.

use super::bounds::Bounds;
use crate::cut_off;
use treeline_game::{ForOne, Game, Outcome, Player};

/// Which results are proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solver {
    Off,
    /// Wins and losses, as in the papers (NIM §3.4).
    WinLoss,
    /// Draws, too.
    Full,
}

impl Solver {
    /// What an end of the game proves.
    #[inline]
    pub fn bounds(self, outcome: Outcome) -> Bounds {
        match (self, outcome) {
            (Solver::Off, _) | (Solver::WinLoss, Outcome::Draw) => Bounds::default(),
            _ => Bounds::of(outcome),
        }
    }
}

/// Where the priors come from that are kept with the children.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Source {
    None,
    /// The evaluator's policy, at this temperature.
    Policy(f32),
    /// The game's weights of moves.
    Moves,
    /// A softmax of the children's values with this temperature.
    Values(f32),
}

#[derive(Debug, Clone, Copy)]
pub struct Growth {
    /// Whether all children are looked at when they are made: ends among them are seen, and the others are evaluated if
    /// there are extras to keep the values.
    pub looks_ahead: bool,
    pub source: Source,
    /// How many visits a prior is worth; 0 for none.
    pub prior_weight: u32,
    /// Whether games that a limit on plies broke off are worth the papers' heuristic, and then prove nothing.
    pub cut_offs: bool,
    /// Whether edges carry an `Extra`.
    pub extras: bool,
    pub solver: Solver,
}

impl Growth {
    /// What a finished `position` is worth instead of its result, if that.
    #[inline]
    pub fn broken_off<G: Game>(&self, game: &G, position: &G::Position) -> Option<ForOne> {
        match self.cut_offs {
            true => cut_off::value(game, position),
            false => None,
        }
    }

    /// Whether an evaluator has to be asked before a block is complete.
    pub fn asks(&self) -> bool {
        self.looks_ahead || matches!(self.source, Source::Policy(_))
    }
}

/// The value for player one of a node whose mover chooses among `children`.
pub fn minimax(mover: Player, children: impl Iterator<Item = ForOne>) -> Option<ForOne> {
    let seen = children.map(|value| value.seen_by(mover));
    let best = seen.reduce(|a, b| if b > a { b } else { a });
    best.map(|value| value.of(mover))
}
