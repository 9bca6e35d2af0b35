//! What networks over planes see of a position, and how their policies name moves.

use super::pick::Board;
use super::rules::{Advance, Breakthrough, Position};
use treeline_game::planes::{MOVER, order, set, turned, two_views};
use treeline_game::{Encoding, Permutation, Planes, Player, Shape};

const ENCODINGS: &[Encoding] = &two_views(
    "two planes: the pieces of player one and of player two, row 1 first (NIM)",
    "two planes: the mover's pieces and the other's, the rows turned over for player two",
);

impl<B: Board, const W: u32, const H: u32> Breakthrough<B, W, H> {
    fn cell(&self, turned: bool, square: u32) -> usize {
        let (column, row) = (square % self.width(), square / self.width());
        let row = if turned { self.height() - 1 - row } else { row };
        (row * self.width() + column) as usize
    }
}

impl<B: Board, const W: u32, const H: u32> Planes for Breakthrough<B, W, H> {
    fn encodings(&self) -> &'static [Encoding] {
        ENCODINGS
    }

    /// Outputs are the square left behind, for each of the three steps: both as the mover sees them, in either version.
    fn shape(&self, _e: usize) -> Shape {
        let (rows, columns) = (self.height() as usize, self.width() as usize);
        Shape {
            planes: 2,
            rows,
            columns,
            policy: 3 * rows * columns,
        }
    }

    fn write_planes(&self, e: usize, position: &Position<B>, out: &mut [f32]) {
        out.fill(0.0);
        let cells = (self.width() * self.height()) as usize;
        let turned = turned(e, position.turn);
        for (plane, player) in out.chunks_exact_mut(cells).zip(order(e, position.turn)) {
            let pieces = position.pieces[player.index()].squares();
            set(plane, pieces.map(|square| self.cell(turned, square)));
        }
    }

    fn policy_output(&self, _e: usize, position: &Position<B>, m: Advance) -> usize {
        let cells = (self.width() * self.height()) as usize;
        let from = self.cell(position.turn == Player::Two, u32::from(m.from));
        // 0 to a lower column, 1 straight on, 2 to a higher one.
        let way = (u32::from(m.to) % self.width() + 1) - u32::from(m.from) % self.width();
        way as usize * cells + from
    }

    /// Symmetries are numbered as in `image_of_square`. What the mover sees is not changed where the players are exchanged
    /// with the board turned over.
    fn permutation(&self, e: usize, s: usize) -> Option<Permutation> {
        let shape = self.shape(e);
        let (mirrors, flips) = ((s + 1) & 1 != 0, (s + 1) & 2 != 0 && e != MOVER);
        let column = |c: usize| if mirrors { shape.columns - 1 - c } else { c };
        Permutation::new(
            shape,
            |plane, c, r| match flips {
                true => (1 - plane, column(c), shape.rows - 1 - r),
                false => (plane, column(c), r),
            },
            |output| {
                let (c, rest) = (output % shape.columns, output / shape.columns);
                let (way, r) = (rest / shape.rows, rest % shape.rows);
                let way = if mirrors { 2 - way } else { way };
                (way * shape.rows + r) * shape.columns + column(c)
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::Notation;

    #[test]
    fn both_views_and_outputs_by_hand() {
        let game = Breakthrough::<u64, 0, 0>::new(3, 4);
        let position = game.read_position("2w/3/b2/1b1 w").unwrap();
        let (mut absolute, mut mover) = (vec![9.0; 24], vec![9.0; 24]);
        game.write_planes(0, &position, &mut absolute);
        game.write_planes(1, &position, &mut mover);
        let ones = |planes: &[f32]| {
            assert!(planes.iter().all(|x| *x == 0.0 || *x == 1.0));
            (0..24).filter(|i| planes[*i] == 1.0).collect::<Vec<_>>()
        };
        assert_eq!(ones(&absolute), [1, 3, 12 + 11]);
        assert_eq!(ones(&mover), [2, 12 + 6, 12 + 10]);
        let output = |text: &str| {
            let m = game.read_move(&position, text).unwrap();
            game.policy_output(1, &position, m)
        };
        assert_eq!([output("c4b3"), output("c4c3")], [2, 12 + 2]);
    }
}
