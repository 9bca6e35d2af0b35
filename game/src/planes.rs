//! How positions are shown to networks over planes, and what the games' planes have in common: two views, and sets of
//! squares as planes.

use super::encoding::{Encoding, Numbering, Shape};
use super::permutation::Permutation;
use super::player::Player;
use super::rules::Rules;

/// What networks over planes see of positions, and how their policies name moves.
pub trait Planes: Rules {
    /// How positions look to networks over planes, by version; versions are never changed, only added.
    fn encodings(&self) -> &'static [Encoding] {
        &[]
    }

    /// Planes and policy of version `encodings()[e]` on this board.
    fn shape(&self, _e: usize) -> Shape {
        Shape::default()
    }

    /// Fills `out`, `[planes, rows, columns]` of version `encodings()[e]`, all of it.
    fn write_planes(&self, _e: usize, _position: &Self::Position, _out: &mut [f32]) {}

    /// The output for a legal move of `position`, which is not `exchange`, in version `encodings()[e]`, below the shape's `policy`. Moves may share one.
    fn policy_output(&self, _e: usize, _position: &Self::Position, _m: Self::Move) -> usize {
        0
    }

    /// A legal move after which the opponent sees in version `encodings()[e]` what the mover sees now, as after Hex's swap. It has no
    /// output: networks judge the position as if it were forbidden, and its value and prior follow from what they say.
    fn exchange(&self, _e: usize, _position: &Self::Position) -> Option<Self::Move> {
        None
    }

    /// Whether the moves of an unfinished position are worth what version `encodings()[e]` does not show, as those of Hex's empty board, after
    /// which the opponent may swap or not: networks judge the positions after it instead, and its value and priors follow from what they say.
    fn is_ambiguous(&self, _e: usize, _position: &Self::Position) -> bool {
        false
    }

    /// What symmetry number `s` does to planes and policy of version `encodings()[e]`: the same in every position. `None`
    /// where that is no permutation.
    fn permutation(&self, _e: usize, _s: usize) -> Option<Permutation> {
        None
    }

    /// How moves are numbered for programs that name them by small integers.
    fn numbering(&self) -> Numbering {
        Numbering::default()
    }
}

/// The numbers of the two views that every game has: its versions 1 and 2.
pub const ABSOLUTE: usize = 0;
pub const MOVER: usize = 1;

/// Versions 1 and 2 of a game.
pub const fn two_views(absolute: &'static str, mover: &'static str) -> [Encoding; 2] {
    [
        Encoding {
            version: 1,
            help: absolute,
            by_mover: false,
        },
        Encoding {
            version: 2,
            help: mover,
            by_mover: true,
        },
    ]
}

/// Whose pieces come first.
pub fn order(e: usize, turn: Player) -> [Player; 2] {
    match (e, turn) {
        (MOVER, Player::Two) => [Player::Two, Player::One],
        _ => Player::BOTH,
    }
}

/// Whether the board is turned, in games that turn it for player two.
pub fn turned(e: usize, turn: Player) -> bool {
    e == MOVER && turn == Player::Two
}

/// Sets the cells of one plane that is all zero.
pub fn set(plane: &mut [f32], cells: impl IntoIterator<Item = usize>) {
    for cell in cells {
        plane[cell] = 1.0;
    }
}
