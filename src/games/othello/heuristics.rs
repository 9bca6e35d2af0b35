//! Static evaluations from discs, mobility, corners and stable discs (ALPHAS Eqs. 3.9 and 3.11).

use super::compass::{Board, columns, stride};
use super::rules::{Othello, Position};
use crate::game::{ForMover, ForOne, Heuristic};

/// The four axes as (column, row) steps.
const AXES: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// Differences between the side to move and its opponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Terms {
    pub discs: i32,
    pub mobility: i32,
    pub corners: i32,
    pub stable: i32,
}

impl<B: Board<N>, const N: u32> Othello<B, N> {
    pub(super) const HEURISTICS: &'static [Heuristic<Self>] = &[
        Heuristic {
            name: "weighted",
            help: "2 discs + 2 mobility + 4 corners + 4 stable discs, each as a difference (ALPHAS Eq. 3.11)",
            value: Self::weighted,
        },
        Heuristic {
            name: "discs",
            help: "difference of discs (ALPHAS Eq. 3.9)",
            value: Self::discs,
        },
    ];

    fn discs(&self, position: &Position<B>) -> ForOne {
        ForOne(Self::lead(position) as f32 / (N * N) as f32 * 0.99)
    }

    /// The thesis gives no scale: a lead of a quarter of the board in stable discs is worth tanh(1).
    fn weighted(&self, position: &Position<B>) -> ForOne {
        let terms = Self::terms(position);
        let sum = 2 * terms.discs + 2 * terms.mobility + 4 * terms.corners + 4 * terms.stable;
        squash(sum as f32 / (N * N) as f32).of(position.turn)
    }

    pub(super) fn terms(position: &Position<B>) -> Terms {
        let (own, other) = (position.own, position.other);
        let corners = Self::corners();
        let less = |a: B, b: B| a.count() as i32 - b.count() as i32;
        Terms {
            discs: less(own, other),
            mobility: less(position.moves, Self::legal(other, own)),
            corners: less(own & corners, other & corners),
            stable: {
                let stable = Self::stable(own, other);
                less(stable[0], stable[1])
            },
        }
    }

    fn corners() -> B {
        let sides = columns(N, 0, 1) | columns(N, N - 1, N);
        let rows = ((1u128 << N) - 1) | ((1u128 << N) - 1) << ((N - 1) * stride(N));
        B::mask(sides & rows)
    }

    /// Every square whose neighbour in the direction is in `set` or off the board.
    #[inline(always)]
    fn looking_at(set: B, column: i32, row: i32) -> B {
        let seen = |set: B| {
            let width = column.unsigned_abs();
            let inside = match column {
                0 => columns(N, 0, N),
                1.. => columns(N, width, N),
                _ => columns(N, 0, N - width),
            };
            let by = row * stride(N) as i32 + column;
            let set = set & B::mask(inside);
            let moved = if by >= 0 {
                set >> by as u32
            } else {
                set << by.unsigned_abs()
            };
            moved & B::board()
        };
        seen(set) | (B::board() & !seen(B::board()))
    }

    /// Squares from which every square of the line in both directions is occupied.
    #[inline(always)]
    fn on_full_line(occupied: B, (column, row): (i32, i32)) -> B {
        let (mut ahead, mut behind) = (occupied, occupied);
        let mut step = 1;
        while step < N as i32 {
            ahead = ahead & Self::looking_at(ahead, column * step, row * step);
            behind = behind & Self::looking_at(behind, -column * step, -row * step);
            step *= 2;
        }
        ahead & behind
    }

    /// Discs that can never be turned, of either side: along each axis the line is full, or one neighbour is the edge or
    /// a stable disc of the same side. (A few stable discs beyond this rule stay unseen.)
    pub(super) fn stable(own: B, other: B) -> [B; 2] {
        let occupied = own | other;
        let full = AXES.map(|axis| Self::on_full_line(occupied, axis));
        [own, other].map(|discs| {
            let mut stable = B::EMPTY;
            loop {
                let mut next = discs;
                for ((column, row), full) in AXES.into_iter().zip(full) {
                    next &= full
                        | Self::looking_at(stable, column, row)
                        | Self::looking_at(stable, -column, -row);
                }
                if next == stable {
                    return stable;
                }
                stable = next;
            }
        })
    }
}

/// Into (-1, 1).
fn squash(value: f32) -> ForMover {
    ForMover(value.tanh() * 0.99)
}
