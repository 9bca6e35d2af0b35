//! Features: own pieces, then the other's, by square: row by row from the viewer's home row, columns as they are named.

use super::pick::Board;
use super::rules::{Breakthrough, Position};
use treeline_game::features::{Writer, exchanged, write_turned};
use treeline_game::{Features, Player};

impl<B: Board, const W: u32, const H: u32> Breakthrough<B, W, H> {
    /// As player one sees them.
    #[inline(always)]
    fn write_pieces(&self, position: &Position<B>, out: &mut [u64]) {
        let squares = self.width() * self.height();
        let pieces = position.pieces.map(|set| set.wide());
        if let (64, [own, other]) = (squares, &mut *out) {
            (*own, *other) = (pieces[0] as u64, pieces[1] as u64);
            return;
        }
        let mut writer = Writer::new(out);
        for set in pieces {
            writer.put(set, squares);
        }
    }
}

impl<B: Board, const W: u32, const H: u32> Features for Breakthrough<B, W, H> {
    #[inline(always)]
    fn features(&self) -> usize {
        2 * (self.width() * self.height()) as usize
    }

    #[inline]
    fn write_features(&self, position: &Position<B>, player: Player, out: &mut [u64]) {
        match player {
            Player::One => self.write_pieces(position, out),
            Player::Two => write_turned(self, position, out),
        }
    }

    /// The other player's piece on the square of the same column as many rows from the other home row.
    fn turned_feature(&self, feature: usize) -> usize {
        let (width, height) = (self.width() as usize, self.height() as usize);
        let (piece, square) = (feature / (width * height), feature % (width * height));
        let flipped = (height - 1 - square / width) * width + square % width;
        exchanged(piece * width * height + flipped, width * height)
    }
}
