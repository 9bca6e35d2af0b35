//! The board mirrored left to right, turned over, and both.

use super::pick::Board;
use super::rules::{Advance, Breakthrough, Position};
use treeline_game::{Player, Symmetric, Symmetry};

impl<B: Board, const W: u32, const H: u32> Breakthrough<B, W, H> {
    /// A square under symmetry number `s`: bit 0 of `s + 1` mirrors the columns, bit 1 the rows.
    fn image_of_square(&self, s: usize, square: u32) -> u32 {
        let (mut column, mut row) = (square % self.width(), square / self.width());
        if (s + 1) & 1 != 0 {
            column = self.width() - 1 - column;
        }
        if (s + 1) & 2 != 0 {
            row = (self.height() - 1).wrapping_sub(row);
        }
        row.wrapping_mul(self.width()).wrapping_add(column)
    }
}

impl<B: Board, const W: u32, const H: u32> Symmetric for Breakthrough<B, W, H> {
    fn symmetries(&self) -> &'static [Symmetry] {
        &[
            Symmetry {
                name: "mirror",
                swaps_players: false,
            },
            Symmetry {
                name: "flip",
                swaps_players: true,
            },
            Symmetry {
                name: "half-turn",
                swaps_players: true,
            },
        ]
    }

    fn image(&self, s: usize, position: &Position<B>) -> Position<B> {
        let swap = self
            .symmetries()
            .get(s)
            .is_some_and(|symmetry| symmetry.swaps_players);
        let owner = |player: Player| if swap { player.other() } else { player };
        let mut image = Position {
            pieces: [B::EMPTY; 2],
            key: 0,
            turn: owner(position.turn),
        };
        for player in Player::BOTH {
            for square in position.pieces[player.index()].squares() {
                image.pieces[owner(player).index()] |= B::square(self.image_of_square(s, square));
            }
        }
        image.key = self.full_key(&image);
        image
    }

    fn image_of_move(&self, s: usize, _position: &Position<B>, m: Advance) -> Advance {
        Advance {
            from: self.image_of_square(s, u32::from(m.from)) as u8,
            to: self.image_of_square(s, u32::from(m.to)) as u8,
        }
    }
}
