//! What networks over planes see of a position, and how their policies name moves.

use super::board::Board;
use super::rules::{Othello, Position, Put};
use super::squares::stride;
use treeline_game::planes::{MOVER, order, set, two_views};
use treeline_game::{Encoding, Permutation, Planes, Shape};

const ENCODINGS: &[Encoding] = &two_views(
    "two planes: the discs of player one and of player two, row 1 first",
    "two planes: the mover's discs and the other's, row 1 first",
);

/// Exchanges the colours; the symmetries before it are the board's.
const COLOURS: usize = 7;

impl<B: Board<N>, const N: u32> Othello<B, N> {
    fn place(square: u32) -> usize {
        (square / stride(N) * N + square % stride(N)) as usize
    }
}

impl<B: Board<N>, const N: u32> Planes for Othello<B, N> {
    fn encodings(&self) -> &'static [Encoding] {
        ENCODINGS
    }

    /// Outputs are the squares, then the pass (ALPHAS §3.6.3).
    fn shape(&self, _e: usize) -> Shape {
        let side = N as usize;
        Shape {
            planes: 2,
            rows: side,
            columns: side,
            policy: side * side + 1,
        }
    }

    fn write_planes(&self, e: usize, position: &Position<B>, out: &mut [f32]) {
        out.fill(0.0);
        let players = order(e, position.turn);
        for (plane, player) in out.chunks_exact_mut((N * N) as usize).zip(players) {
            let discs = position.discs()[player.index()];
            set(plane, discs.squares().map(Self::place));
        }
    }

    fn policy_output(&self, _e: usize, _position: &Position<B>, m: Put) -> usize {
        match m {
            Put::PASS => (N * N) as usize,
            Put(square) => Self::place(u32::from(square)),
        }
    }

    /// The mover sees the same after the colours were exchanged.
    fn permutation(&self, e: usize, s: usize) -> Option<Permutation> {
        let shape = self.shape(e);
        let side = shape.columns;
        let image = |c: usize, r: usize| match s {
            COLOURS => (c, r),
            _ => {
                let square = Self::image_of_square(s + 1, Self::square(c as u32, r as u32));
                let cell = Self::place(square);
                (cell % side, cell / side)
            }
        };
        Permutation::new(
            shape,
            |plane, c, r| {
                let (c, r) = image(c, r);
                let exchanged = s == COLOURS && e != MOVER;
                (if exchanged { 1 - plane } else { plane }, c, r)
            },
            |output| match output == side * side {
                true => output,
                false => {
                    let (c, r) = image(output % side, output / side);
                    r * side + c
                }
            },
        )
    }
}
