//! Breakthrough as a map from squares to players.

use super::{Twin, agree};
use std::collections::BTreeMap;
use treeline::game::{Outcome, Player};

#[derive(Clone)]
struct Naive {
    columns: i32,
    rows: i32,
    pieces: BTreeMap<(i32, i32), Player>,
    turn: Player,
}

impl Naive {
    fn new(columns: i32, rows: i32) -> Self {
        let mut pieces = BTreeMap::new();
        for column in 0..columns {
            for row in [0, 1] {
                pieces.insert((column, row), Player::One);
                pieces.insert((column, rows - 1 - row), Player::Two);
            }
        }
        Naive {
            columns,
            rows,
            pieces,
            turn: Player::One,
        }
    }

    fn name(square: (i32, i32)) -> String {
        format!("{}{}", char::from(b'a' + square.0 as u8), square.1 + 1)
    }

    fn steps(&self) -> Vec<((i32, i32), (i32, i32))> {
        let mut steps = Vec::new();
        for (&(column, row), &player) in &self.pieces {
            if player != self.turn {
                continue;
            }
            let forward = if player == Player::One { 1 } else { -1 };
            for side in [-1, 0, 1] {
                let to = (column + side, row + forward);
                if to.0 < 0 || to.0 >= self.columns || to.1 < 0 || to.1 >= self.rows {
                    continue;
                }
                let free = match self.pieces.get(&to) {
                    None => true,
                    Some(there) => side != 0 && *there != player,
                };
                if free {
                    steps.push(((column, row), to));
                }
            }
        }
        steps
    }
}

impl Twin for Naive {
    fn turn(&self) -> Player {
        self.turn
    }

    fn result(&self) -> Option<Outcome> {
        for column in 0..self.columns {
            if self.pieces.get(&(column, self.rows - 1)) == Some(&Player::One) {
                return Some(Outcome::Win(Player::One));
            }
            if self.pieces.get(&(column, 0)) == Some(&Player::Two) {
                return Some(Outcome::Win(Player::Two));
            }
        }
        for player in Player::BOTH {
            if !self.pieces.values().any(|owner| *owner == player) {
                return Some(Outcome::Win(player.other()));
            }
        }
        None
    }

    fn moves(&self) -> Vec<String> {
        let steps = self.steps();
        steps
            .into_iter()
            .map(|(from, to)| Self::name(from) + &Self::name(to))
            .collect()
    }

    fn play(&mut self, text: &str) {
        let (from, to) = self
            .steps()
            .into_iter()
            .find(|(from, to)| Self::name(*from) + &Self::name(*to) == text)
            .unwrap();
        self.pieces.remove(&from);
        self.pieces.insert(to, self.turn);
        self.turn = self.turn.other();
    }
}

#[test]
fn breakthrough_agrees() {
    for (columns, rows, plies) in [
        (8, 8, 40_000),
        (6, 6, 10_000),
        (3, 4, 5_000),
        (5, 9, 10_000),
        (16, 4, 10_000),
        (16, 8, 10_000),
        (7, 16, 10_000),
        (23, 5, 5_000),
        (9, 7, 10_000),
    ] {
        let variant = format!("size={columns}x{rows}");
        agree("breakthrough", &variant, Naive::new(columns, rows), plies);
    }
}
