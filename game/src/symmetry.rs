//! Under which images a game stays the same.

use super::rules::Rules;

/// The symmetries of a game.
pub trait Symmetric: Rules {
    /// The game's symmetries besides the identity.
    fn symmetries(&self) -> &'static [Symmetry] {
        &[]
    }

    /// The image of a position under symmetry number `s < symmetries().len()`.
    fn image(&self, _s: usize, position: &Self::Position) -> Self::Position {
        *position
    }

    /// The image of a move of `position` under symmetry number `s`.
    fn image_of_move(&self, _s: usize, _position: &Self::Position, m: Self::Move) -> Self::Move {
        m
    }
}

/// One symmetry of a game.
#[derive(Debug, Clone, Copy)]
pub struct Symmetry {
    pub name: &'static str,
    /// Whether it exchanges the players: outcomes, turn and values change sides with it.
    pub swaps_players: bool,
}
