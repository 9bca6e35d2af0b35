//! What the games' planes have in common: two views, and sets of squares as planes.

use super::{Encoding, Player};

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
