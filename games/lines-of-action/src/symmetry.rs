//! The eight symmetries of the square.

use super::geometry::Word;
use super::rules::{LinesOfAction, Move, Position};
use treeline_game::{Symmetric, Symmetry};

const SYMMETRIES: [(Symmetry, u8); 7] = [
    (symmetry("mirror-columns"), 1),
    (symmetry("mirror-rows"), 2),
    (symmetry("half-turn"), 3),
    (symmetry("transpose"), 4),
    (symmetry("quarter-turn-left"), 5),
    (symmetry("quarter-turn-right"), 6),
    (symmetry("anti-transpose"), 7),
];

const fn symmetry(name: &'static str) -> Symmetry {
    Symmetry {
        name,
        swaps_players: false,
    }
}

impl<B: Word, const S: u32> LinesOfAction<B, S> {
    /// The image of a square under symmetry `s`: bits are mirrored columns, mirrored rows, then transposed.
    pub(super) fn image_of_square(&self, s: usize, square: u32) -> u32 {
        let (mut column, mut row) = Self::cell(square);
        let last = self.size() - 1;
        let code = SYMMETRIES[s].1;
        if code & 1 != 0 {
            column = last - column;
        }
        if code & 2 != 0 {
            row = last - row;
        }
        if code & 4 != 0 {
            (column, row) = (row, column);
        }
        Self::square(column, row)
    }
}

impl<B: Word, const S: u32> Symmetric for LinesOfAction<B, S> {
    /// A turned board exchanges files and ranks, which movement and connection do not tell apart.
    fn symmetries(&self) -> &'static [Symmetry] {
        const LIST: [Symmetry; 7] = {
            let mut list = [SYMMETRIES[0].0; 7];
            let mut i = 0;
            while i < 7 {
                list[i] = SYMMETRIES[i].0;
                i += 1;
            }
            list
        };
        &LIST
    }

    fn image(&self, s: usize, position: &Position<B>) -> Position<B> {
        let stones = position.stones.map(|set| {
            set.squares().fold(B::EMPTY, |image, square| {
                image | B::square(self.image_of_square(s, square))
            })
        });
        self.position(stones, position.turn, position.plies, position.quiet)
    }

    fn image_of_move(&self, s: usize, _position: &Position<B>, m: Move) -> Move {
        let image = |square: u8| self.image_of_square(s, u32::from(square)) as u8;
        Move {
            from: image(m.from),
            to: image(m.to),
        }
    }
}
