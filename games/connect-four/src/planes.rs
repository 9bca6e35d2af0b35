//! What networks over planes see of a position, and how their policies name moves.

use super::rules::{ConnectFour, Drop, Position};
use treeline_game::bits::Bits;
use treeline_game::planes::{order, set, two_views};
use treeline_game::{Encoding, Permutation, Planes, Shape};

const ENCODINGS: &[Encoding] = &two_views(
    "two planes: the stones of player one and of player two, the lowest row first",
    "two planes: the mover's stones and the other's, the lowest row first",
);

impl<B: Bits, const W: u32, const H: u32, const K: u32> Planes for ConnectFour<B, W, H, K> {
    fn encodings(&self) -> &'static [Encoding] {
        ENCODINGS
    }

    /// Outputs are the columns.
    fn shape(&self, _e: usize) -> Shape {
        let (rows, columns) = (self.height() as usize, self.width() as usize);
        Shape {
            planes: 2,
            rows,
            columns,
            policy: columns,
        }
    }

    fn write_planes(&self, e: usize, position: &Position<B>, out: &mut [f32]) {
        out.fill(0.0);
        let (h, w) = (self.height(), self.width());
        let cell = |square: u32| (square % (h + 1) * w + square / (h + 1)) as usize;
        let players = order(e, position.turn);
        for (plane, player) in out.chunks_exact_mut((w * h) as usize).zip(players) {
            set(plane, position.stones[player.index()].squares().map(cell));
        }
    }

    fn policy_output(&self, _e: usize, _position: &Position<B>, m: Drop) -> usize {
        usize::from(m.0)
    }

    /// The one symmetry, the mirror.
    fn permutation(&self, e: usize, _s: usize) -> Option<Permutation> {
        let shape = self.shape(e);
        let last = shape.columns - 1;
        Permutation::new(shape, |plane, c, r| (plane, last - c, r), |o| last - o)
    }
}
