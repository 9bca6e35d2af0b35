//! The half turn of the board, which exchanges the colours.

use super::board::half_turn;
use super::moves::Move;
use super::rules::{Draughts, Position};
use treeline_game::{Symmetric, Symmetry};

impl Symmetric for Draughts {
    fn symmetries(&self) -> &'static [Symmetry] {
        &[Symmetry {
            name: "colours",
            swaps_players: true,
        }]
    }

    fn image(&self, _s: usize, position: &Position) -> Position {
        let [one, two] = position.pieces.map(half_turn);
        let mut image = Position {
            pieces: [two, one],
            kings: half_turn(position.kings),
            turn: position.turn.other(),
            ..*position
        };
        image.key = self.full_key(&image);
        image
    }

    fn image_of_move(&self, _s: usize, _position: &Position, m: Move) -> Move {
        let turned = |bit: u32| 53u32.saturating_sub(bit);
        Move::new(turned(m.from()), turned(m.to()), half_turn(m.taken()))
    }
}
