//! Hex as an array of cells and a list of neighbours; a win is looked for from scratch.

use super::{Twin, agree};
use std::collections::HashMap;
use treeline::game::{Outcome, Player};

type Cell = (i32, i32);

#[derive(Clone)]
struct Naive {
    columns: i32,
    rows: i32,
    swap: bool,
    stones: HashMap<Cell, Player>,
    moves_made: usize,
    turn: Player,
}

impl Naive {
    fn new(columns: i32, rows: i32, swap: bool) -> Self {
        Naive {
            columns,
            rows,
            swap,
            stones: HashMap::new(),
            moves_made: 0,
            turn: Player::One,
        }
    }

    /// Walks from the player's first edge over own stones; whether the last edge is reached.
    fn joined(&self, player: Player) -> bool {
        let mut seen = Vec::new();
        let mut open: Vec<Cell> = match player {
            Player::One => (0..self.columns).map(|c| (c, 0)).collect(),
            Player::Two => (0..self.rows).map(|r| (0, r)).collect(),
        };
        while let Some((c, r)) = open.pop() {
            if self.stones.get(&(c, r)) != Some(&player) || seen.contains(&(c, r)) {
                continue;
            }
            let last = match player {
                Player::One => r == self.rows - 1,
                Player::Two => c == self.columns - 1,
            };
            if last {
                return true;
            }
            seen.push((c, r));
            for (dc, dr) in [(0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)] {
                open.push((c + dc, r + dr));
            }
        }
        false
    }
}

fn name((c, r): Cell) -> String {
    format!("{}{}", char::from(b'a' + c as u8), r + 1)
}

impl Twin for Naive {
    fn turn(&self) -> Player {
        self.turn
    }

    fn result(&self) -> Option<Outcome> {
        let winner = Player::BOTH.into_iter().find(|p| self.joined(*p));
        winner.map(Outcome::Win)
    }

    fn moves(&self) -> Vec<String> {
        let mut moves: Vec<String> = (0..self.rows)
            .flat_map(|r| (0..self.columns).map(move |c| (c, r)))
            .filter(|cell| !self.stones.contains_key(cell))
            .map(name)
            .collect();
        if self.swap && self.moves_made == 1 {
            moves.push("swap-pieces".into());
        }
        moves
    }

    fn play(&mut self, text: &str) {
        if text == "swap-pieces" {
            let first = self.stones.drain().next();
            let ((c, r), _) = first.unwrap();
            self.stones.insert((r, c), Player::Two);
        } else {
            let column = i32::from(text.as_bytes()[0] - b'a');
            let row: i32 = text[1..].parse().unwrap();
            self.stones.insert((column, row - 1), self.turn);
        }
        self.moves_made += 1;
        self.turn = self.turn.other();
    }
}

#[test]
fn hex_agrees() {
    for (variant, columns, rows, swap, plies) in [
        ("", 11, 11, false, 20_000),
        ("swap=on size=2", 2, 2, true, 5_000),
        ("size=4 swap=on", 4, 4, true, 10_000),
        ("size=6x9", 6, 9, false, 10_000),
        ("size=15x8", 15, 8, false, 5_000),
        ("size=15 swap=on", 15, 15, true, 5_000),
        ("size=19", 19, 19, false, 5_000),
        ("size=2x19", 2, 19, false, 5_000),
        ("size=16x3", 16, 3, false, 5_000),
    ] {
        agree("hex", variant, Naive::new(columns, rows, swap), plies);
    }
}
