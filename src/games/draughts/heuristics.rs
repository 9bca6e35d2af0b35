//! Static evaluations: pieces as in MPV Eq. 6.1, and a positional one for play without search or with little.

use super::board::{half_turn, row};
use super::rules::{Draughts, Position, seen_by_mover};
use crate::game::{ForOne, Heuristic, Player, fine, from_fine};

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

/// The own back row as player one has it.
const HOME: u64 = row(9);

impl Draughts {
    pub(super) const HEURISTICS: &'static [Heuristic<Self>] = &[
        Heuristic {
            name: "positional",
            help: "pieces, advancement, centre, back row, and whether the side to move can take",
            points: |game, position| fine(Self::positional(game, position)),
            scale: from_fine,
            last_ply: None,
        },
        Heuristic {
            name: "material",
            help: "men and twice the kings, own minus the opponent's, divided by 40 (MPV Eq. 6.1)",
            points: |game, position| fine(Self::material(game, position)),
            scale: from_fine,
            last_ply: None,
        },
    ];

    /// Eq. 6.1. Its term for pieces taken but still on the board is 0, since a capture of several pieces is one move here.
    fn material(&self, position: &Position) -> ForOne {
        let worth =
            |pieces: u64| (pieces.count_ones() + (pieces & position.kings).count_ones()) as f32;
        let [one, two] = position.pieces;
        ForOne((worth(one) - worth(two)) / 40.0)
    }

    fn positional(&self, position: &Position) -> ForOne {
        let [one, two] = position.pieces;
        let kings = position.kings;
        let mut score = side(one, kings) - side(half_turn(two), half_turn(kings));
        if seen_by_mover!(position, view => view.can_take()) {
            score += if position.turn == Player::One {
                TAKE
            } else {
                -TAKE
            };
        }
        ForOne((score as f32 / 600.0).tanh() * 0.99)
    }
}

/// In hundredths of a man.
const TAKE: i32 = 80;
const KING: i32 = 280;

/// The worth of a side's pieces, turned so that they go up the board.
fn side(pieces: u64, kings: u64) -> i32 {
    let men = pieces & !kings;
    let count = |set: u64| set.count_ones() as i32;
    let mut score = 100 * count(men) + KING * count(pieces & kings);
    for (number, worth) in [(1, 40), (2, 22), (3, 14), (4, 9), (5, 6), (6, 4), (7, 2)] {
        score += worth * count(men & row(number));
    }
    score + 3 * count(men & CENTRE) + 5 * count(pieces & kings & CENTRE) + 6 * count(men & HOME)
}
