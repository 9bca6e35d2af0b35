//! Features: own pieces, then the other's, by square: row by row from the viewer's home row, columns as they are named.

use super::pick::Board;
use super::rules::{Breakthrough, Position};
use treeline_game::features::{Writer, exchanged};

impl<B: Board, const W: u32, const H: u32> Breakthrough<B, W, H> {
    #[inline(always)]
    pub(super) fn count_features(&self) -> usize {
        2 * (self.width() * self.height()) as usize
    }

    /// As player one sees them.
    #[inline(always)]
    pub(super) fn write_pieces(&self, position: &Position<B>, out: &mut [u64]) {
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

    /// The other player's piece on the square of the same column as many rows from the other home row.
    pub(super) fn flipped_feature(&self, feature: usize) -> usize {
        let (width, height) = (self.width() as usize, self.height() as usize);
        let (piece, square) = (feature / (width * height), feature % (width * height));
        let flipped = (height - 1 - square / width) * width + square % width;
        exchanged(piece * width * height + flipped, width * height)
    }
}
