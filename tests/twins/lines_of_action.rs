//! Lines of Action as an array of rows, counted and walked square by square; repetition by remembering every board.

use super::{Twin, agree};
use treeline::game::{Outcome, Player};

type Board = Vec<Vec<Option<Player>>>;

#[derive(Clone)]
struct Naive {
    /// `board[row][column]`.
    board: Board,
    turn: Player,
    plies: usize,
    seen: Vec<(Board, Player)>,
    mover_wins_both: bool,
    repetition: bool,
    length: usize,
}

impl Naive {
    fn new(size: usize) -> Self {
        let mut board = vec![vec![None; size]; size];
        for (edge, i) in [0, size - 1]
            .into_iter()
            .flat_map(|e| (1..size - 1).map(move |i| (e, i)))
        {
            board[edge][i] = Some(Player::One);
            board[i][edge] = Some(Player::Two);
        }
        let turn = Player::One;
        Naive {
            seen: vec![(board.clone(), turn)],
            board,
            turn,
            plies: 0,
            mover_wins_both: false,
            repetition: true,
            length: 400,
        }
    }

    fn at(&self, column: i32, row: i32) -> Option<Option<Player>> {
        let row = self.board.get(usize::try_from(row).ok()?)?;
        row.get(usize::try_from(column).ok()?).copied()
    }

    fn connected(&self, player: Player) -> bool {
        let n = self.board.len() as i32;
        let all: Vec<(i32, i32)> = (0..n)
            .flat_map(|row| (0..n).map(move |column| (column, row)))
            .filter(|(column, row)| self.at(*column, *row) == Some(Some(player)))
            .collect();
        let mut reached = vec![all[0]];
        let mut next = 0;
        while next < reached.len() {
            let (column, row) = reached[next];
            for &(c, r) in &all {
                let touches = (c - column).abs() <= 1 && (r - row).abs() <= 1;
                if touches && !reached.contains(&(c, r)) {
                    reached.push((c, r));
                }
            }
            next += 1;
        }
        reached.len() == all.len()
    }

    /// Where the piece on a square gets in a direction.
    fn walk(&self, column: i32, row: i32, dc: i32, dr: i32) -> Option<(i32, i32)> {
        let mut pieces = 1;
        for way in [1, -1] {
            let mut k = way;
            while let Some(square) = self.at(column + k * dc, row + k * dr) {
                pieces += i32::from(square.is_some());
                k += way;
            }
        }
        for k in 1..=pieces {
            let on = self.at(column + k * dc, row + k * dr)?;
            if k < pieces && on == Some(self.turn.other()) {
                return None;
            }
            if k == pieces && on == Some(self.turn) {
                return None;
            }
        }
        Some((column + pieces * dc, row + pieces * dr))
    }

    fn list(&self) -> Vec<[(i32, i32); 2]> {
        let n = self.board.len() as i32;
        let mut moves = Vec::new();
        for (column, row) in (0..n).flat_map(|row| (0..n).map(move |column| (column, row))) {
            if self.at(column, row) != Some(Some(self.turn)) {
                continue;
            }
            for (dc, dr) in (-1..=1).flat_map(|dc| (-1..=1).map(move |dr| (dc, dr))) {
                if (dc, dr) == (0, 0) {
                    continue;
                }
                if let Some(to) = self.walk(column, row, dc, dr) {
                    moves.push([(column, row), to]);
                }
            }
        }
        moves
    }
}

fn name((column, row): (i32, i32)) -> String {
    format!("{}{}", char::from(b'a' + column as u8), row + 1)
}

impl Twin for Naive {
    fn turn(&self) -> Player {
        self.turn
    }

    fn result(&self) -> Option<Outcome> {
        let last = self.turn.other();
        match (self.connected(last), self.connected(self.turn)) {
            (true, true) if self.mover_wins_both => return Some(Outcome::Win(last)),
            (true, true) => return Some(Outcome::Draw),
            (true, false) => return Some(Outcome::Win(last)),
            (false, true) => return Some(Outcome::Win(self.turn)),
            (false, false) => {}
        }
        if self.list().is_empty() {
            return Some(Outcome::Win(last));
        }
        let now = &(self.board.clone(), self.turn);
        let times = self.seen.iter().filter(|before| *before == now).count();
        if self.plies >= self.length || self.repetition && times >= 3 {
            return Some(Outcome::Draw);
        }
        None
    }

    fn moves(&self) -> Vec<String> {
        let written = |[from, to]: &[(i32, i32); 2]| name(*from) + &name(*to);
        self.list().iter().map(written).collect()
    }

    fn play(&mut self, text: &str) {
        let found = self
            .list()
            .into_iter()
            .find(|[from, to]| name(*from) + &name(*to) == text);
        let [from, to] = found.unwrap();
        let piece = self.board[from.1 as usize][from.0 as usize].take();
        self.board[to.1 as usize][to.0 as usize] = piece;
        self.turn = self.turn.other();
        self.plies += 1;
        self.seen.push((self.board.clone(), self.turn));
    }
}

#[test]
fn lines_of_action_agrees() {
    let game = "lines-of-action";
    agree(game, "", Naive::new(8), 20_000);
    let mut endless = Naive::new(5);
    endless.length = usize::MAX;
    agree(game, "size=5 length=off", endless, 10_000);
    let mut short = Naive::new(6);
    (short.mover_wins_both, short.length) = (true, 50);
    agree(game, "size=6 both-connected=mover length=50", short, 10_000);
    let mut free = Naive::new(7);
    (free.mover_wins_both, free.repetition) = (true, false);
    agree(
        game,
        "size=7 both-connected=mover repetition=off",
        free,
        10_000,
    );
    agree(game, "size=9", Naive::new(9), 10_000);
    agree(game, "size=10", Naive::new(10), 10_000);
}
