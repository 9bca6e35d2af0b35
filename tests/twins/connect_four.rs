//! Connect Four as columns of players.

use super::{Twin, agree};
use treeline::game::{Outcome, Player};

#[derive(Clone)]
struct Naive {
    columns: Vec<Vec<Player>>,
    height: usize,
    line: usize,
}

impl Naive {
    fn new(width: usize, height: usize, line: usize) -> Self {
        Naive {
            columns: vec![Vec::new(); width],
            height,
            line,
        }
    }

    fn at(&self, column: i32, row: i32) -> Option<Player> {
        let stack = self.columns.get(usize::try_from(column).ok()?)?;
        stack.get(usize::try_from(row).ok()?).copied()
    }
}

impl Twin for Naive {
    fn turn(&self) -> Player {
        let stones: usize = self.columns.iter().map(Vec::len).sum();
        Player::BOTH[stones % 2]
    }

    fn result(&self) -> Option<Outcome> {
        for column in 0..self.columns.len() as i32 {
            for row in 0..self.height as i32 {
                let Some(player) = self.at(column, row) else {
                    continue;
                };
                for (dc, dr) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                    let run = (0..self.line as i32)
                        .take_while(|i| self.at(column + dc * i, row + dr * i) == Some(player))
                        .count();
                    if run == self.line {
                        return Some(Outcome::Win(player));
                    }
                }
            }
        }
        let full = self.columns.iter().all(|stack| stack.len() == self.height);
        full.then_some(Outcome::Draw)
    }

    fn moves(&self) -> Vec<String> {
        (0..self.columns.len())
            .filter(|c| self.columns[*c].len() < self.height)
            .map(|c| char::from(b'a' + c as u8).to_string())
            .collect()
    }

    fn play(&mut self, text: &str) {
        let player = self.turn();
        self.columns[(text.as_bytes()[0] - b'a') as usize].push(player);
    }
}

#[test]
fn connect_four_agrees() {
    agree("connect-four", "", Naive::new(7, 6, 4), 40_000);
    agree(
        "connect-four",
        "width=5 height=4",
        Naive::new(5, 4, 4),
        10_000,
    );
    agree(
        "connect-four",
        "width=8 height=8 line=5",
        Naive::new(8, 8, 5),
        10_000,
    );
    agree(
        "connect-four",
        "width=9 height=7 line=3",
        Naive::new(9, 7, 3),
        10_000,
    );
}
