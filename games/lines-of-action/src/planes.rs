//! What networks over planes see of a position, and how their policies name moves.

use super::geometry::Word;
use super::rules::{LinesOfAction, Move, Position};
use treeline_game::planes::{order, set, two_views};
use treeline_game::{Encoding, Permutation, Planes, Shape};

const ENCODINGS: &[Encoding] = &two_views(
    "two planes: the pieces of player one and of player two, row 1 first (NIM)",
    "two planes: the mover's pieces and the other's, row 1 first",
);

/// Column and row steps of the eight directions.
const WAYS: [(i32, i32); 8] = [
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
    (0, -1),
    (1, -1),
];

/// The number of the direction of a step, whatever its length.
fn way_of(columns: i32, rows: i32) -> usize {
    let step = (columns.signum(), rows.signum());
    WAYS.iter().position(|way| *way == step).unwrap_or(0)
}

impl<B: Word, const S: u32> LinesOfAction<B, S> {
    fn place(&self, square: u32) -> usize {
        let (column, row) = Self::cell(square);
        (row * self.size() + column) as usize
    }
}

impl<B: Word, const S: u32> Planes for LinesOfAction<B, S> {
    fn encodings(&self) -> &'static [Encoding] {
        ENCODINGS
    }

    /// Outputs are the square left behind, for each of the eight directions: a piece has one move in each at most.
    fn shape(&self, _e: usize) -> Shape {
        let side = self.size() as usize;
        Shape {
            planes: 2,
            rows: side,
            columns: side,
            policy: 8 * side * side,
        }
    }

    fn write_planes(&self, e: usize, position: &Position<B>, out: &mut [f32]) {
        out.fill(0.0);
        let cells = (self.size() * self.size()) as usize;
        for (plane, player) in out.chunks_exact_mut(cells).zip(order(e, position.turn)) {
            let pieces = position.stones[player.index()].squares();
            set(plane, pieces.map(|square| self.place(square)));
        }
    }

    fn policy_output(&self, _e: usize, _position: &Position<B>, m: Move) -> usize {
        let (from, to) = (Self::cell(m.from.into()), Self::cell(m.to.into()));
        let way = way_of(to.0 as i32 - from.0 as i32, to.1 as i32 - from.1 as i32);
        way * (self.size() * self.size()) as usize + self.place(m.from.into())
    }

    /// All symmetries are the board's.
    fn permutation(&self, e: usize, s: usize) -> Option<Permutation> {
        let shape = self.shape(e);
        let side = shape.columns;
        let image = |c: usize, r: usize| {
            let square = self.image_of_square(s, Self::square(c as u32, r as u32));
            let (column, row) = Self::cell(square);
            (column as usize, row as usize)
        };
        // What becomes of a step is seen at two squares beside each other in the middle.
        let turned = WAYS.map(|(columns, rows)| {
            let (from, to) = (
                image(2, 2),
                image((2 + columns) as usize, (2 + rows) as usize),
            );
            way_of(to.0 as i32 - from.0 as i32, to.1 as i32 - from.1 as i32)
        });
        Permutation::new(
            shape,
            |plane, c, r| {
                let (c, r) = image(c, r);
                (plane, c, r)
            },
            |output| {
                let (way, cell) = (output / (side * side), output % (side * side));
                let (c, r) = image(cell % side, cell / side);
                (turned[way] * side + r) * side + c
            },
        )
    }
}
