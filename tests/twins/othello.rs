//! Othello as a table of squares walked one step at a time.

use super::{Twin, agree};
use treeline::game::{Outcome, Player};

#[derive(Clone)]
struct Naive {
    size: i32,
    table: Vec<Vec<Option<Player>>>,
    turn: Player,
}

const DIRECTIONS: [(i32, i32); 8] = [
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
    (0, -1),
    (1, -1),
];

impl Naive {
    fn new(size: i32) -> Self {
        let mut table = vec![vec![None; size as usize]; size as usize];
        let (low, high) = (size as usize / 2 - 1, size as usize / 2);
        table[low][low] = Some(Player::Two);
        table[high][high] = Some(Player::Two);
        table[low][high] = Some(Player::One);
        table[high][low] = Some(Player::One);
        Naive {
            size,
            table,
            turn: Player::One,
        }
    }

    fn at(&self, column: i32, row: i32) -> Option<Player> {
        let column = self.table.get(usize::try_from(column).ok()?)?;
        *column.get(usize::try_from(row).ok()?)?
    }

    /// The discs that `player` would turn.
    fn turned(&self, player: Player, column: i32, row: i32) -> Vec<(i32, i32)> {
        let mut turned = Vec::new();
        for (dc, dr) in DIRECTIONS {
            let mut line = Vec::new();
            let (mut c, mut r) = (column + dc, row + dr);
            while self.at(c, r) == Some(player.other()) {
                line.push((c, r));
                (c, r) = (c + dc, r + dr);
            }
            if self.at(c, r) == Some(player) {
                turned.extend(line);
            }
        }
        turned
    }

    fn choices(&self, player: Player) -> Vec<(i32, i32)> {
        let squares = (0..self.size).flat_map(|c| (0..self.size).map(move |r| (c, r)));
        squares
            .filter(|(c, r)| self.at(*c, *r).is_none())
            .filter(|(c, r)| !self.turned(player, *c, *r).is_empty())
            .collect()
    }
}

impl Twin for Naive {
    fn turn(&self) -> Player {
        self.turn
    }

    fn result(&self) -> Option<Outcome> {
        if Player::BOTH.iter().any(|p| !self.choices(*p).is_empty()) {
            return None;
        }
        let count = |player| {
            let squares = self.table.iter().flatten();
            squares.filter(|square| **square == Some(player)).count()
        };
        let (one, two) = (count(Player::One), count(Player::Two));
        Some(match one.cmp(&two) {
            std::cmp::Ordering::Greater => Outcome::Win(Player::One),
            std::cmp::Ordering::Less => Outcome::Win(Player::Two),
            std::cmp::Ordering::Equal => Outcome::Draw,
        })
    }

    fn moves(&self) -> Vec<String> {
        let choices = self.choices(self.turn);
        if choices.is_empty() {
            return vec!["pass".into()];
        }
        let name = |(c, r): (i32, i32)| format!("{}{}", char::from(b'a' + c as u8), r + 1);
        choices.into_iter().map(name).collect()
    }

    fn play(&mut self, text: &str) {
        if text != "pass" {
            let column = i32::from(text.as_bytes()[0] - b'a');
            let row = text[1..].parse::<i32>().unwrap() - 1;
            let turned = self.turned(self.turn, column, row);
            for (c, r) in turned.into_iter().chain([(column, row)]) {
                self.table[c as usize][r as usize] = Some(self.turn);
            }
        }
        self.turn = self.turn.other();
    }
}

#[test]
fn othello_agrees() {
    agree("othello", "", Naive::new(8), 40_000);
    agree("othello", "size=6", Naive::new(6), 40_000);
    agree("othello", "size=10", Naive::new(10), 20_000);
}

/// Counts for boards without a published table.
#[test]
fn othello_perft_of_other_sizes() {
    fn perft(twin: &Naive, plies: u32) -> u64 {
        if plies == 0 {
            return 1;
        }
        if twin.result().is_some() {
            return 0;
        }
        let after = |text: &String| {
            let mut next = twin.clone();
            next.play(text);
            perft(&next, plies - 1)
        };
        twin.moves().iter().map(after).sum()
    }
    for n in 1..=9 {
        println!(
            "{n} {} {}",
            perft(&Naive::new(6), n),
            perft(&Naive::new(10), n.min(8))
        );
    }
}
