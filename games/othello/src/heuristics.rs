//! Static evaluations from discs, mobility, corners and stable discs (ALPHAS Eqs. 3.9 and 3.11).

// The macros multiply literals, of which some are -1.
#![allow(clippy::neg_multiply)]

use super::board::Board;
use super::rules::{Othello, Position};
use super::squares::{columns, stride};
use treeline_game::terms::{self, Sites, Term};
use treeline_game::{ForMover, ForOne, Heuristic, fine, from_fine};

/// Weights of `tuned` on an empty and on a full board: half the logit of winning on 8x8, in thousandths, by logistic
/// regression on the results of self-play (docs/results/heuristics.md). Moves, open discs, corners, discs diagonally and
/// straight beside an empty corner, stable discs, discs, corners that can be taken, and whether an odd number of squares
/// is left, so that the side to move gets the last one.
const EARLY: [i32; 9] = [-15, 25, 389, -315, -285, 32, -27, -29, -16];
const LATE: [i32; 9] = [53, -88, 80, -59, 51, 87, 28, 362, 201];

const GENERAL: &[(Term, f32)] = &[
    (Term::Mobility, 0.3),
    (Term::Corners, 1.0),
    (Term::Sides, 0.2),
    (Term::Material, -0.2),
];

impl<B: Board<N>, const N: u32> Sites for Othello<B, N> {}

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

/// The squares from which every square of the line in both directions is occupied: looks 1, 2, 4 and 8 squares on.
macro_rules! full_line {
    ($occupied:expr, $c:literal, $r:literal) => {{
        let mut sets = [$occupied; 2];
        sets = Self::both_ways::<$c, $r, { -($c) }, { -($r) }>(sets);
        sets = Self::both_ways::<{ 2 * $c }, { 2 * $r }, { -2 * ($c) }, { -2 * ($r) }>(sets);
        sets = Self::both_ways::<{ 4 * $c }, { 4 * $r }, { -4 * ($c) }, { -4 * ($r) }>(sets);
        if N > 8 {
            sets = Self::both_ways::<{ 8 * $c }, { 8 * $r }, { -8 * ($c) }, { -8 * ($r) }>(sets);
        }
        sets[0] & sets[1]
    }};
}

/// The squares beside the edge or a square of the set along an axis.
macro_rules! held {
    ($stable:expr, $c:literal, $r:literal) => {
        Self::looking_at::<$c, $r>($stable) | Self::looking_at::<{ -($c) }, { -($r) }>($stable)
    };
}

impl<B: Board<N>, const N: u32> Othello<B, N> {
    pub(super) const HEURISTICS: &'static [Heuristic<Self>] = &[
        Heuristic {
            name: "tuned",
            help: "moves, open discs, corners and the squares beside them, stable discs, parity, by stage, weighted by results of self-play",
            points: Self::tuned,
            scale: |_, points| (points as f32 / 1000.0).tanh() * 0.99,
            last_ply: None,
        },
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
        Heuristic {
            name: "general",
            help: "general terms: mobility, corners, sides, material; slow",
            points: |game, position| (terms::value(game, position, GENERAL) * 1e5).round() as i32,
            scale: |_, points| (points as f32 / 1e6).tanh() * 0.99,
            last_ply: None,
        },
    ];

    fn tuned(&self, position: &Position<B>) -> i32 {
        let terms = Self::terms(position);
        let (own, other) = (position.own, position.other);
        let empty = B::board() & !(own | other);
        let less = |a: B, b: B| a.count() as i32 - b.count() as i32;
        let corners = Self::corners();
        let bare = corners & empty;
        let (x, c) = (Self::diagonal_of(bare), Self::straight_of(bare));
        let theirs = Self::legal(other, own);
        let features = [
            terms.mobility,
            terms.open,
            terms.corners,
            less(own & x, other & x),
            less(own & c, other & c),
            terms.stable,
            terms.discs,
            less(position.moves & corners, theirs & corners),
            2 * (empty.count() as i32 & 1) - 1,
        ];
        let filled = (64 * (own | other).count() / (N * N)) as i32;
        let weights = EARLY.into_iter().zip(LATE);
        let weighted = features
            .into_iter()
            .zip(weights)
            .map(|(f, (early, late))| f * (early * (64 - filled) + late * filled));
        position.turn.sign() * weighted.sum::<i32>() / 64
    }

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
                let beside = Self::straight_of(empty) | Self::diagonal_of(empty);
                less(own & beside, other & beside)
            },
            stable: {
                let stable = Self::stable(own, other);
                less(stable[0], stable[1])
            },
        }
    }

    fn corners() -> B {
        B::mask(
            const {
                let sides = columns(N, 0, 1) | columns(N, N - 1, N);
                let rows = ((1u128 << N) - 1) | ((1u128 << N) - 1) << ((N - 1) * stride(N));
                sides & rows
            },
        )
    }

    /// Every square whose neighbour `C` columns and `R` rows on is in `set`.
    #[inline(always)]
    fn moved<const C: i32, const R: i32>(set: B) -> B {
        if C.unsigned_abs() >= N || R.unsigned_abs() >= N {
            return B::EMPTY;
        }
        // What would wrap around into another row stays out. Worked out by the compiler: it is a loop.
        let inside = const {
            let width = if C.unsigned_abs() < N {
                C.unsigned_abs()
            } else {
                0
            };
            if C > 0 {
                columns(N, width, N)
            } else {
                columns(N, 0, N - width)
            }
        };
        let by = R * stride(N) as i32 + C;
        let set = set & B::mask(inside);
        let moved = if by >= 0 {
            set >> by as u32
        } else {
            set << by.unsigned_abs()
        };
        moved & B::board()
    }

    /// The neighbours of a set along rows and columns.
    #[inline(always)]
    fn straight_of(set: B) -> B {
        let [a, b] = [Self::moved::<1, 0>(set), Self::moved::<-1, 0>(set)];
        a | b | Self::moved::<0, 1>(set) | Self::moved::<0, -1>(set)
    }

    /// The neighbours of a set along diagonals.
    #[inline(always)]
    fn diagonal_of(set: B) -> B {
        let [a, b] = [Self::moved::<1, 1>(set), Self::moved::<-1, 1>(set)];
        a | b | Self::moved::<1, -1>(set) | Self::moved::<-1, -1>(set)
    }

    /// Every square whose neighbour that way is in `set` or off the board.
    #[inline(always)]
    fn looking_at<const C: i32, const R: i32>(set: B) -> B {
        Self::moved::<C, R>(set) | (B::board() & !Self::moved::<C, R>(B::board()))
    }

    /// Keeps of two sets the squares that look at their set that way, and the opposite way.
    #[inline(always)]
    fn both_ways<const C: i32, const R: i32, const BC: i32, const BR: i32>(sets: [B; 2]) -> [B; 2] {
        let [ahead, behind] = sets;
        [
            ahead & Self::looking_at::<C, R>(ahead),
            behind & Self::looking_at::<BC, BR>(behind),
        ]
    }

    /// Discs that can never be turned, of either side: along each axis the line is full, or one neighbour is the edge or
    /// a stable disc of the same side. (A few stable discs beyond this rule stay unseen.)
    pub(super) fn stable(own: B, other: B) -> [B; 2] {
        let occupied = own | other;
        let rows = full_line!(occupied, 1, 0);
        if (occupied & Self::corners()).is_empty() && rows.is_empty() {
            // Whatever is stable rests on a corner or on four full lines.
            return [B::EMPTY; 2];
        }
        let files = full_line!(occupied, 0, 1);
        let (up, down) = (full_line!(occupied, 1, 1), full_line!(occupied, -1, 1));
        [own, other].map(|discs| {
            let mut stable = B::EMPTY;
            loop {
                let next = discs
                    & (rows | held!(stable, 1, 0))
                    & (files | held!(stable, 0, 1))
                    & (up | held!(stable, 1, 1))
                    & (down | held!(stable, -1, 1));
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
    use treeline_game::{Notation, Rules};

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
        use treeline_game::random::{pick, seeded};
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
