//! The eight symmetries of the square, and the exchange of colours.

use super::board::Board;
use super::rules::{Othello, Position, Put};
use super::squares::stride;
use treeline_game::{Symmetric, Symmetry};

const fn turn_of_the_board(name: &'static str) -> Symmetry {
    Symmetry {
        name,
        swaps_players: false,
    }
}

/// Seven of the board, numbered one less than in `image_of_square`; then the exchange of colours.
const SYMMETRIES: [Symmetry; 8] = [
    turn_of_the_board("left-right"),
    turn_of_the_board("top-bottom"),
    turn_of_the_board("half-turn"),
    turn_of_the_board("transpose"),
    turn_of_the_board("quarter-turn"),
    turn_of_the_board("quarter-turn-back"),
    turn_of_the_board("anti-transpose"),
    Symmetry {
        name: "colours",
        swaps_players: true,
    },
];

impl<B: Board<N>, const N: u32> Othello<B, N> {
    /// The image of a square under one of the eight symmetries of the square: bit 2 exchanges rows and columns, then
    /// bit 0 mirrors columns and bit 1 rows.
    pub(super) fn image_of_square(symmetry: usize, square: u32) -> u32 {
        let (mut column, mut row) = (square % stride(N), square / stride(N));
        if symmetry & 4 != 0 {
            (column, row) = (row, column);
        }
        if symmetry & 1 != 0 {
            column = N - 1 - column;
        }
        if symmetry & 2 != 0 {
            row = N - 1 - row;
        }
        Self::square(column, row)
    }

    fn image_of_set(symmetry: usize, set: B) -> B {
        set.squares().fold(B::EMPTY, |image, square| {
            image | B::square(Self::image_of_square(symmetry, square))
        })
    }
}

impl<B: Board<N>, const N: u32> Symmetric for Othello<B, N> {
    fn symmetries(&self) -> &'static [Symmetry] {
        &SYMMETRIES
    }

    fn image(&self, s: usize, position: &Position<B>) -> Position<B> {
        if s == 7 {
            return Position {
                turn: position.turn.other(),
                ..*position
            };
        }
        Position {
            own: Self::image_of_set(s + 1, position.own),
            other: Self::image_of_set(s + 1, position.other),
            moves: Self::image_of_set(s + 1, position.moves),
            ..*position
        }
    }

    fn image_of_move(&self, s: usize, _position: &Position<B>, m: Put) -> Put {
        if s == 7 || m == Put::PASS {
            return m;
        }
        Put(Self::image_of_square(s + 1, u32::from(m.0)) as u8)
    }
}
