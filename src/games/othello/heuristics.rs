//! Static evaluations from discs, mobility, corners and stable discs (ALPHAS Eqs. 3.9 and 3.11).

use super::board::{Board, columns, stride};
use super::rules::{Othello, Position};
use crate::game::{ForMover, ForOne, Heuristic, fine, from_fine};

/// The four axes as (column, row) steps.
const AXES: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

/// Differences between the side to move and its opponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Terms {
    pub discs: i32,
    pub mobility: i32,
    pub corners: i32,
    pub stable: i32,
    /// Discs beside an empty square: what the other side may come to turn.
    pub open: i32,
}

impl<B: Board<N>, const N: u32> Othello<B, N> {
    /// The board without its first, or last, so many columns.
    const NOT_FIRST: [u128; 10] = Self::less_columns(true);
    const NOT_LAST: [u128; 10] = Self::less_columns(false);

    const fn less_columns(first: bool) -> [u128; 10] {
        let mut masks = [0; 10];
        let mut less = 0;
        while less < 10 && less < N {
            masks[less as usize] = if first {
                columns(N, less, N)
            } else {
                columns(N, 0, N - less)
            };
            less += 1;
        }
        masks
    }

    pub(super) const HEURISTICS: &'static [Heuristic<Self>] = &[
        Heuristic {
            name: "mobility",
            help: "moves, open discs, corners and stable discs; plain discs count only as the board fills",
            points: |game, position| fine(Self::mobility(game, position)),
            scale: from_fine,
            last_ply: None,
        },
        Heuristic {
            name: "weighted",
            help: "2 discs + 2 mobility + 4 corners + 4 stable discs, each as a difference (ALPHAS Eq. 3.11)",
            points: |game, position| fine(Self::weighted(game, position)),
            scale: from_fine,
            last_ply: None,
        },
        Heuristic {
            name: "discs",
            help: "difference of discs (ALPHAS Eq. 3.9)",
            points: |game, position| fine(Self::discs(game, position)),
            scale: from_fine,
            last_ply: None,
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

    /// Having many moves and few discs next to empty squares wins the middle game, discs only the end. The weights are
    /// guesses that held: after eight random plies on 8x8 it scores 65 % against `weighted` looking one ply ahead and
    /// 89 % looking three ahead (1000 and 400 games); `weighted` against `discs` 88 % and 98 %.
    fn mobility(&self, position: &Position<B>) -> ForOne {
        let terms = Self::terms(position);
        let area = (N * N) as f32;
        let filled = (position.own | position.other).count() as f32 / area;
        let sum = 4.0 * terms.mobility as f32 - 2.0 * terms.open as f32
            + 16.0 * terms.corners as f32
            + 8.0 * terms.stable as f32
            + 4.0 * filled.powi(6) * terms.discs as f32;
        squash(sum / area).of(position.turn)
    }

    pub(super) fn terms(position: &Position<B>) -> Terms {
        let (own, other) = (position.own, position.other);
        let corners = Self::corners();
        let less = |a: B, b: B| a.count() as i32 - b.count() as i32;
        Terms {
            discs: less(own, other),
            mobility: less(position.moves, Self::legal(other, own)),
            corners: less(own & corners, other & corners),
            open: {
                let empty = B::board() & !(own | other);
                let beside = AXES.into_iter().fold(B::EMPTY, |beside, (column, row)| {
                    beside | Self::moved(empty, column, row) | Self::moved(empty, -column, -row)
                });
                less(own & beside, other & beside)
            },
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

    /// Every square whose neighbour in the direction is in `set`.
    #[inline(always)]
    fn moved(set: B, column: i32, row: i32) -> B {
        let width = column.unsigned_abs() as usize % 10;
        let inside = if column > 0 {
            Self::NOT_FIRST[width]
        } else {
            Self::NOT_LAST[width]
        };
        let by = row * stride(N) as i32 + column;
        let set = set & B::mask(inside);
        let moved = if by >= 0 {
            set >> by as u32
        } else {
            set << by.unsigned_abs()
        };
        moved & B::board()
    }

    /// Every square whose neighbour in the direction is in `set` or off the board.
    #[inline(always)]
    fn looking_at(set: B, column: i32, row: i32) -> B {
        Self::moved(set, column, row) | (B::board() & !Self::moved(B::board(), column, row))
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
        let rows = Self::on_full_line(occupied, AXES[0]);
        if (occupied & Self::corners()).is_empty() && rows.is_empty() {
            // Whatever is stable rests on a corner or on four full lines.
            return [B::EMPTY; 2];
        }
        let [_, file, up, down] = AXES;
        let [file, up, down] = [file, up, down].map(|axis| Self::on_full_line(occupied, axis));
        let full = [rows, file, up, down];
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Notation};

    fn terms(text: &str) -> Terms {
        let game = Othello::<u64, 8>::new(false);
        Othello::<u64, 8>::terms(&game.read_position(text).unwrap())
    }

    #[test]
    fn terms_of_one_position() {
        // Black can play f1, c2, a3, b3 and d4, white nothing. Black's five discs hang on the corner a1; all but a1 and
        // all of white's are beside an empty square.
        let expected = Terms {
            discs: 5 - 3,
            mobility: 5,
            corners: 1,
            stable: 5,
            open: 4 - 3,
        };
        assert_eq!(terms("bbbbw3/bw6/2w5/8/8/8/8/8 b"), expected);
    }

    #[test]
    fn a_disc_can_be_stable_without_a_corner() {
        // The row, the file and both diagonals of c4 reach the edge beside the corners; all are full.
        let text = "2w2w2/w1w1w3/1www4/wwbwwwww/1www4/w1w1w3/2w2w2/2w3w1 b";
        let game = Othello::<u64, 8>::new(false);
        let stable = |text: &str| {
            let position = game.read_position(text).unwrap();
            Othello::<u64, 8>::stable(position.own, position.other)[0]
        };
        assert_eq!(stable(text), 1 << Othello::<u64, 8>::square(2, 3));
        assert_eq!(stable(&text.replace("2w3w1", "2w5")), 0);
    }

    #[test]
    fn no_line_of_play_turns_a_stable_disc() {
        use crate::game::random::{pick, seeded};
        fn check<B: Board<N>, const N: u32>() {
            let game = Othello::<B, N>::new(false);
            let mut rng = seeded(5);
            for _ in 0..200 {
                let mut position = game.start();
                let mut fixed = [B::EMPTY; 2];
                while game.outcome(&position).is_none() {
                    let [one, two] = position.discs();
                    for (stable, discs) in fixed.iter().zip([one, two]) {
                        assert_eq!(*stable & !discs, B::EMPTY, "{}", game.board(&position));
                    }
                    fixed = Othello::<B, N>::stable(one, two);
                    let moves = game.moves(&position);
                    game.apply(
                        &mut position,
                        moves[pick(&mut rng, moves.len() as u32) as usize],
                    );
                }
                // On a full board every disc is stable.
                let [one, two] = position.discs();
                if (one | two) == B::board() {
                    assert_eq!(Othello::<B, N>::stable(one, two), [one, two]);
                }
            }
        }
        check::<u64, 6>();
        check::<u64, 8>();
        check::<u128, 10>();
    }
}
