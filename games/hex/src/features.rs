//! Features: own stones, then the other's, line by line along the viewer's own direction: player one's lines are the rows,
//! each from the first column, player two's the columns, each from the first row. On boards with the swap rule one feature
//! more says that the players have changed sides after the first stone, which nobody may answer with a swap again.

use super::cells::Cells;
use super::rules::{Hex, Position};
use treeline_game::features::{Writer, exchanged, write_turned};
use treeline_game::{Features, Player};

impl<const N: usize, const L: u32, const R: usize> Hex<N, L, R> {
    /// As player one sees them.
    #[inline(always)]
    fn write_stones(&self, position: &Position<N, L, R>, out: &mut [u64]) {
        let mut writer = Writer::new(out);
        for stones in position.stones {
            for row in 0..self.rows() {
                let first = Cells::<N, L>::square(0, row);
                let row = stones.0[(first / 64) as usize] >> (first % 64) & ((1 << L) - 1);
                writer.put(u128::from(row), self.columns());
            }
        }
        if self.has_swap() {
            writer.put(u128::from(position.sides_swapped), 1);
        }
    }
}

impl<const N: usize, const L: u32, const R: usize> Features for Hex<N, L, R> {
    #[inline(always)]
    fn features(&self) -> usize {
        2 * (self.columns() * self.rows()) as usize + usize::from(self.has_swap())
    }

    #[inline]
    fn write_features(&self, position: &Position<N, L, R>, player: Player, out: &mut [u64]) {
        match player {
            Player::One => self.write_stones(position, out),
            Player::Two => write_turned(self, position, out),
        }
    }

    /// The other player's stone on the cell that lies in its direction where the feature's lies in player one's.
    fn turned_feature(&self, feature: usize) -> usize {
        let (columns, rows) = (self.columns() as usize, self.rows() as usize);
        let cells = columns * rows;
        if feature >= 2 * cells {
            return feature;
        }
        let (piece, cell) = (feature / cells, feature % cells);
        let transposed = cell % columns * rows + cell / columns;
        exchanged(piece * cells + transposed, cells)
    }
}
