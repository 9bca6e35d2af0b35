//! Static evaluations: pieces as in MPV Eq. 6.1, a positional one by hand, and one whose weights come from self-play.

use super::board::{BOARD, bit_of, half_turn, row, slide, step};
use super::rules::{Draughts, Position, seen_by_mover};
use treeline_game::terms::{self, Sites, Term};
use treeline_game::{Heuristic, Player};

/// The squares whose column, counted from 0, is in `from..=to`.
const fn columns(from: u32, to: u32) -> u64 {
    let mut squares = 0;
    let mut n = 0;
    while n < 50 {
        let column = n % 5 * 2 + 1 - n / 5 % 2;
        if column >= from && column <= to {
            squares |= 1 << bit_of(n + 1);
        }
        n += 1;
    }
    squares
}

/// The middle of the board: the three inner squares of rows 3..6, where a man has steps to either side.
const CENTRE: u64 = {
    let inner = 0b01110;
    let mut centre = 0;
    let mut number = 3;
    while number <= 6 {
        centre |= row(number) & inner << row(number).trailing_zeros();
        number += 1;
    }
    centre
};

/// The own back row as player one has it, and its parts in PDN numbers.
const HOME: u64 = row(9);
const HOME_47_48: u64 = 1 << bit_of(47) | 1 << bit_of(48);
const HOME_49_50: u64 = 1 << bit_of(49) | 1 << bit_of(50);

const LEFT: u64 = columns(0, 3);
const RIGHT: u64 = columns(6, 9);

const GENERAL: &[(Term, f32)] = &[
    (Term::Material, 1.0),
    (Term::Mobility, 0.05),
    (Term::Centre, 0.1),
];

impl Sites for Draughts {}

impl Draughts {
    pub(super) const HEURISTICS: &'static [Heuristic<Self>] = &[
        Heuristic {
            name: "positional",
            help: "pieces, advancement, centre, back row, and whether the side to move can take",
            points: |_, position| positional(position),
            scale: |_, points| (points as f32 / 600.0).tanh() * 0.99,
            last_ply: None,
        },
        Heuristic {
            name: "tuned",
            help: "men by row, kings, guards, attacked pieces, balance, men nobody can stop, weighted by results of self-play",
            points: |_, position| tuned(position),
            scale: |_, points| (points as f32 / 1000.0).tanh() * 0.99,
            last_ply: None,
        },
        Heuristic {
            name: "material",
            help: "men and twice the kings, own minus the opponent's, divided by 40 (MPV Eq. 6.1)",
            points: |_, position| material(position),
            // Forty kings would be worth 2, but no game has more than twenty pieces a side.
            scale: |_, points| (points as f32 / 40.0).clamp(-0.999, 0.999),
            last_ply: None,
        },
        Heuristic {
            name: "general",
            help: "general terms: material, mobility, closeness to the centre; slow",
            points: |game, position| (terms::value(game, position, GENERAL) * 1e5).round() as i32,
            scale: |_, points| (points as f32 / 5e5).tanh() * 0.99,
            last_ply: None,
        },
    ];
}

fn count(set: u64) -> i32 {
    set.count_ones() as i32
}

/// Eq. 6.1. Its term for pieces taken but still on the board is 0, since a capture of several pieces is one move here.
fn material(position: &Position) -> i32 {
    let worth = |pieces: u64| count(pieces) + count(pieces & position.kings);
    let [one, two] = position.pieces;
    worth(one) - worth(two)
}

/// In hundredths of a man.
const TAKE: i32 = 80;
const KING: i32 = 280;

fn positional(position: &Position) -> i32 {
    let [one, two] = position.pieces;
    let kings = position.kings;
    let score = placed(one, kings) - placed(half_turn(two), half_turn(kings));
    score + TAKE * taking(position)
}

/// The sign of the side to move if it can take something.
fn taking(position: &Position) -> i32 {
    let takes = seen_by_mover!(position, view => view.can_take());
    i32::from(takes) * position.turn.sign()
}

/// The worth of a side's pieces, turned so that they go up the board.
fn placed(pieces: u64, kings: u64) -> i32 {
    let men = pieces & !kings;
    let mut score = 100 * count(men) + KING * count(pieces & kings);
    for (number, worth) in [(1, 40), (2, 22), (3, 14), (4, 9), (5, 6), (6, 4), (7, 2)] {
        score += worth * count(men & row(number));
    }
    score + 3 * count(men & CENTRE) + 5 * count(pieces & kings & CENTRE) + 6 * count(men & HOME)
}

/// Weights of `tuned`: half the logit of winning, in thousandths, by logistic regression on the results of self-play
/// (docs/results/heuristics.md). Men by row from the one before the crowning row to the own back row; the terms with a
/// stage are for a full board and shrink with the pieces.
const MEN: [i32; 9] = [465, 347, 332, 376, 365, 380, 334, 329, 251];
const GUARD_47_48: i32 = 148;
const GUARD_49_50: i32 = 94;
const CENTRAL: i32 = -28;
const SUPPORTED: i32 = 23;
const CROWNED: i32 = 241;
const ANY_KING: i32 = 740;
const KING_REACH: i32 = 5;
/// Pieces that can be taken where they stand, of the side to move and of the other.
const EXPOSED: [i32; 2] = [-112, -85];
const CAN_TAKE: i32 = 133;
const UNBALANCED: i32 = -26;
/// For a man that nobody can stop, and a row that the foremost of them has gone.
const RUNNER: i32 = -172;
const RUNNER_ROW: i32 = 55;
/// By stage: a man, and a row that it has gone.
const EARLY_MAN: i32 = 58;
const EARLY_ROW: i32 = -20;

fn tuned(position: &Position) -> i32 {
    let ([one, two], kings) = (position.pieces, position.kings);
    let first = position.turn == Player::One;
    let (a, early_a) = side(one, two, kings, first);
    let (b, early_b) = side(half_turn(two), half_turn(one), half_turn(kings), !first);
    let stage = count(one | two);
    // Rounds alike for either sign.
    a - b + (early_a - early_b) * stage / 40 + CAN_TAKE * taking(position)
}

/// A side's points, turned so that it goes up the board, without and with a stage.
#[inline(always)]
fn side(own: u64, other: u64, kings: u64, to_move: bool) -> (i32, i32) {
    let (men, own_kings) = (own & !kings, own & kings);
    let empty = BOARD & !(own | other);
    let (mut points, mut rows) = (0, 0);
    for (number, worth) in (1..).zip(MEN) {
        let men = count(men & row(number));
        points += worth * men;
        rows += (9 - number as i32) * men;
    }
    points += GUARD_47_48 * count(men & HOME_47_48) + GUARD_49_50 * count(men & HOME_49_50);
    points += CENTRAL * count(men & CENTRE);
    points += SUPPORTED * count(men & (step::<0>(men) | step::<1>(men)));
    points += UNBALANCED * (count(men & LEFT) - count(men & RIGHT)).abs();
    let exposed = own
        & (step::<0>(other) & step::<3>(empty)
            | step::<3>(other) & step::<0>(empty)
            | step::<1>(other) & step::<2>(empty)
            | step::<2>(other) & step::<1>(empty));
    points += EXPOSED[usize::from(!to_move)] * count(exposed);
    if own_kings != 0 {
        let reach = slide::<0>(own_kings, empty)
            | slide::<1>(own_kings, empty)
            | slide::<2>(own_kings, empty)
            | slide::<3>(own_kings, empty);
        points += ANY_KING + CROWNED * count(own_kings) + KING_REACH * count(reach);
    }
    (
        points + runners(men, other),
        EARLY_MAN * count(men) + EARLY_ROW * rows,
    )
}

/// Men in front of whom no piece stands or can come by going down the board.
#[inline(always)]
fn runners(men: u64, other: u64) -> i32 {
    let mut reach = other;
    for _ in 0..9 {
        reach |= (step::<2>(reach) | step::<3>(reach)) & BOARD;
    }
    let runners = men & !reach;
    if runners == 0 {
        return 0;
    }
    let bit = runners.trailing_zeros();
    let number = bit / 11 * 2 + u32::from(bit % 11 > 4);
    RUNNER_ROW * (9 - number as i32) + RUNNER * count(runners)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Draws;
    use treeline_game::Notation;

    fn positions(texts: &[&str]) -> Vec<Position> {
        let draws = Draws {
            no_progress: Some(50),
            by_captures: false,
            repetition: true,
            sixteen: true,
            five: true,
            length: Some(300),
        };
        let game = Draughts::new(draws);
        let read = |text: &&str| game.read_position(text).unwrap();
        texts.iter().map(read).collect()
    }

    #[test]
    fn pieces_count_as_in_eq_6_1() {
        let [start, kings] = positions(&["W:W31,32,33:B1,2,3", "B:W31,K32,33:BK17"])[..] else {
            unreachable!();
        };
        assert_eq!(material(&start), 0);
        assert_eq!(material(&kings), 1 + 2 + 1 - 2);
    }

    #[test]
    fn tuned_by_hand() {
        let found = positions(&["W:W28,47:B1", "W:W28:B23", "B:W28:B23", "W:WK46:B3"]);
        let found: Vec<i32> = found.iter().map(tuned).collect();
        // Man 28 stands on row 5, in the centre and left of nothing; 47 at home on the left; man 1 at home, like 50.
        // Man 1 can come before both, and both before it, so that nobody runs.
        let one = 365 - 28 + 251 + 148 - 26;
        let rows = 58 * 2 - 20 * 4;
        assert_eq!(
            found[0],
            one - (251 + 94 - 26) + (rows - 58) * 3 / 40,
            "opposed"
        );
        // 28 can take 23 and 23 could take 28: both exposed, both central; rows 5 and, seen from the other side, 5.
        assert_eq!(found[1], -112 + 85 + 133);
        assert_eq!(found[2], -(-112 + 85 + 133));
        // A king on the long diagonal that sees eight squares beside itself up to 5; man 3 is at home, third from its right.
        let king = 740 + 241 + 9 * 5;
        assert_eq!(found[3], king - (251 + 148) - 58 * 2 / 40);
    }
}
