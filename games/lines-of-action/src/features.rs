//! Features: own pieces, then the other's, row by row. Player two sees the board mirrored in its diagonal, so that each
//! player's own pieces begin on the first and the last row.

use super::geometry::Word;
use super::rules::{LinesOfAction, Position};
use treeline_game::features::{Writer, exchanged, packed, write_turned};
use treeline_game::{Features, Player};

impl<B: Word, const S: u32> LinesOfAction<B, S> {
    #[inline(always)]
    fn count_squares(&self) -> u32 {
        self.size() * self.size()
    }

    /// As player one sees them.
    #[inline(always)]
    fn write_stones(&self, position: &Position<B>, out: &mut [u64]) {
        let mut writer = Writer::new(out);
        for stones in position.stones {
            let stones = packed(stones.wide(), S, self.size(), self.size());
            writer.put(stones, self.count_squares());
        }
    }
}

impl<B: Word, const S: u32> Features for LinesOfAction<B, S> {
    fn features(&self) -> usize {
        2 * self.count_squares() as usize
    }

    #[inline]
    fn write_features(&self, position: &Position<B>, player: Player, out: &mut [u64]) {
        match player {
            Player::One => self.write_stones(position, out),
            Player::Two => write_turned(self, position, out),
        }
    }

    /// The other player's piece on the square mirrored in the diagonal.
    fn turned_feature(&self, feature: usize) -> usize {
        let (size, squares) = (self.size() as usize, self.count_squares() as usize);
        let (piece, square) = (feature / squares, feature % squares);
        let mirrored = square % size * size + square / size;
        exchanged(piece * squares + mirrored, squares)
    }
}
