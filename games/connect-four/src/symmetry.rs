//! The mirror.

use super::rules::{ConnectFour, Drop, Position};
use treeline_game::bits::Bits;
use treeline_game::{Player, Rules, Symmetric, Symmetry};

impl<B: Bits, const W: u32, const H: u32, const K: u32> Symmetric for ConnectFour<B, W, H, K> {
    fn symmetries(&self) -> &'static [Symmetry] {
        &[Symmetry {
            name: "mirror",
            swaps_players: false,
        }]
    }

    fn image(&self, _s: usize, position: &Position<B>) -> Position<B> {
        let mut image = self.start();
        image.turn = position.turn;
        for player in Player::BOTH {
            for square in position.stones[player.index()].squares() {
                let (column, row) = (square / (self.height() + 1), square % (self.height() + 1));
                image.stones[player.index()] |=
                    B::square(self.square(self.width() - 1 - column, row));
            }
        }
        image.key = self.full_key(&image);
        image
    }

    fn image_of_move(&self, _s: usize, _position: &Position<B>, m: Drop) -> Drop {
        Drop((self.width() - 1) as u8 - m.0)
    }
}
