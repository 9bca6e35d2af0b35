//! The game's own solver: weak (win, draw or loss), for every board of this game.

mod delay;
pub mod opening;
mod parity;
mod search;
mod table;
#[cfg(test)]
mod tests;

use super::rules::{ConnectFour, Drop, Position};
use delay::Delay;
use opening::Book;
use search::{Reply, Search};
use table::Bounds;
use treeline_game::bits::Bits;
use treeline_game::{Exact, Outcome, Rules, Solved};

/// Positions a second, cautiously.
const SPEED: f64 = 5e6;
/// Bytes from which on there is room for the openings.
const FOR_OPENINGS: usize = 16 << 20;
/// Positions that a move of the principal variation behind the first may cost.
const FOR_LATER_MOVES: u64 = 100_000;

/// Search, table and, on the usual board, openings.
#[derive(Debug)]
pub struct Solver<B, const W: u32, const H: u32, const K: u32> {
    search: Search<B, W, H, K>,
}

/// A result for the mover and a move that reaches it: any that there is, where all lose.
struct Found<B> {
    value: i8,
    stone: B,
}

impl<B: Bits, const W: u32, const H: u32, const K: u32> Solver<B, W, H, K> {
    /// `None` where `memory` is too small for any table.
    pub fn new(game: &ConnectFour<B, W, H, K>, memory: usize) -> Option<Self> {
        let book = Book::shipped(game).filter(|_| memory >= FOR_OPENINGS);
        let search = Search::new(game.clone(), memory, book)?;
        Some(Solver { search })
    }

    /// A solver that finds out everything itself.
    pub fn without_opening(game: &ConnectFour<B, W, H, K>, memory: usize) -> Option<Self> {
        let search = Search::new(game.clone(), memory, None)?;
        Some(Solver { search })
    }

    /// The value of an unfinished position for its mover, as sets of stones; `None` if stopped.
    pub fn value(&mut self, mover: B, other: B, is_over: &mut dyn FnMut() -> bool) -> Option<i8> {
        self.search.stopped = false;
        Some(self.find(mover, other, is_over)?.value)
    }

    /// The column of a move that keeps the value, 0 or 1, of an unfinished position for its mover; `None` if stopped.
    pub fn keeping(
        &mut self,
        mover: B,
        other: B,
        value: i8,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<u8> {
        self.search.stopped = false;
        let game = &self.search.game;
        let occupied = mover | other;
        let wins = game.landing(occupied) & game.completing(mover);
        if !wins.is_empty() {
            return Some(self.drop(B::square(wins.lowest())).0);
        }
        let holding = self.search.holding(occupied, game.completing(other));
        let replies = self.search.replies(mover, other, holding, 2).ok()?;
        let mut replies = replies.as_slice().to_vec();
        if let [only] = replies.as_slice() {
            return Some(self.drop(only.stone).0);
        }
        let stone = self.reaching(mover, other, value, &mut replies, is_over)??;
        Some(self.drop(stone).0)
    }

    /// The book is opened when the first position needs it.
    fn prepare(&mut self, stones: u32) {
        let search = &mut self.search;
        if let Some(book) = &mut search.book
            && stones <= book.stones()
        {
            book.open(&search.game);
        }
    }

    /// Whether the book answers for every line of play from a position with so many stones on.
    fn is_covered(&self, stones: u32) -> bool {
        let covers = |book: &Book<B>| stones <= book.stones() && book.is_complete();
        self.search.book.as_ref().is_some_and(covers)
    }

    /// The result of a position that is not over and a move that keeps it.
    fn find(&mut self, mover: B, other: B, is_over: &mut dyn FnMut() -> bool) -> Option<Found<B>> {
        let game = &self.search.game;
        let occupied = mover | other;
        let landing = game.landing(occupied);
        let wins = landing & game.completing(mover);
        if !wins.is_empty() {
            let stone = B::square(wins.lowest());
            return Some(Found { value: 1, stone });
        }
        let threats = game.completing(other);
        let holding = self.search.holding(occupied, threats);
        if holding.is_empty() {
            let stone = B::square(landing.lowest());
            return Some(Found { value: -1, stone });
        }
        if let Some((value, column)) = self.search.book_reply(mover, occupied) {
            let stone = column & landing;
            return Some(Found { value, stone });
        }
        // No move reaches 2, so this only puts them in order.
        let Ok(replies) = self.search.replies(mover, other, holding, 2) else {
            return None;
        };
        let mut replies = replies.as_slice().to_vec();
        let before = self.search.nodes;
        let known = self.search.known(mover, other);
        for beta in [1, 0] {
            if known.high < beta {
                continue;
            }
            if let Some(stone) = self.reaching(mover, other, beta, &mut replies, is_over)? {
                let work = self.search.nodes - before;
                let exact = Bounds {
                    low: beta,
                    high: beta,
                };
                self.search.learn(mover, other, exact, work);
                return Some(Found { value: beta, stone });
            }
        }
        let lost = Bounds { low: -1, high: -1 };
        self.search
            .learn(mover, other, lost, self.search.nodes - before);
        let stone = replies.first()?.stone;
        Some(Found { value: -1, stone })
    }

    /// A move worth `beta` at least, those first of which the table knows that already. `None` if stopped, `Some(None)`
    /// if there is no such move.
    fn reaching(
        &mut self,
        mover: B,
        other: B,
        beta: i8,
        replies: &mut [Reply<B>],
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<Option<B>> {
        let search = &mut self.search;
        replies.sort_by_key(|reply| -search.known(other, mover | reply.stone).high < beta);
        for reply in replies {
            let stones = mover | reply.stone;
            let value = -search.bound(other, stones, reply.threats, 1 - beta, is_over);
            if search.stopped {
                return None;
            }
            if value >= beta {
                return Some(Some(reply.stone));
            }
        }
        Some(None)
    }

    /// Moves from the position on that keep its value, until the end or until one would take long to find.
    fn continue_line(
        &mut self,
        mut position: Position<B>,
        is_over: &mut dyn FnMut() -> bool,
        line: &mut Vec<Drop>,
    ) {
        while self.search.game.outcome(&position).is_none() {
            let mut polls = 0;
            let mut enough = || {
                polls += 1;
                polls > FOR_LATER_MOVES / search::POLL || is_over()
            };
            let (mover, other) = position.sides();
            let found = self.find(mover, other, &mut enough);
            self.search.stopped = false;
            let Some(mut found) = found else {
                return;
            };
            if found.value < 0 {
                found.stone =
                    Delay::new(&mut self.search, FOR_LATER_MOVES, is_over).choose(mover, other);
            }
            let m = self.drop(found.stone);
            line.push(m);
            self.search.game.apply(&mut position, m);
        }
    }

    fn outcome(&self, position: &Position<B>, value: i8) -> Outcome {
        let turn = self.search.game.turn(position);
        match value {
            1 => Outcome::Win(turn),
            0 => Outcome::Draw,
            _ => Outcome::Win(turn.other()),
        }
    }

    fn drop(&self, stone: B) -> Drop {
        Drop((stone.lowest() / (self.search.game.height() + 1)) as u8)
    }
}

impl<B: Bits, const W: u32, const H: u32, const K: u32> Exact<ConnectFour<B, W, H, K>>
    for Solver<B, W, H, K>
{
    /// Measured on 7x6 (docs/results/connect-four.md): positions with `e` empty squares took 10^(0.2 e - 1.1) positions on
    /// average, the hardest of many ten times as many. A search that does not finish leaves its table to the next. A
    /// complete opening table leaves nothing to do before its own ply.
    fn can_finish(&self, position: &Position<B>, seconds: f64) -> bool {
        let (mover, other) = position.sides();
        let stones = (mover | other).count();
        let ends = |book: &Book<B>| stones <= book.stones() && book.is_complete();
        if self.search.book.as_ref().is_some_and(ends) {
            return true;
        }
        let empty = self.search.game.board.count().saturating_sub(stones);
        let nodes = 10f64.powf(0.2 * f64::from(empty) - 1.1);
        let slower = if W == 0 { 3.0 } else { 1.0 };
        nodes * slower / SPEED < seconds
    }

    /// Points are not counted in this game: `margin` changes nothing.
    fn solve(
        &mut self,
        position: &Position<B>,
        _margin: bool,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<Solved<ConnectFour<B, W, H, K>>> {
        self.search.stopped = false;
        let (mover, other) = position.sides();
        let stones = (mover | other).count();
        self.prepare(stones);
        let mut found = match self.is_covered(stones) {
            // Some ten thousand positions at most: a proven value is not given away for that.
            true => self.find(mover, other, &mut || false)?,
            false => self.find(mover, other, is_over)?,
        };
        if found.value < 0 {
            found.stone = Delay::new(&mut self.search, delay::MOST, is_over).choose(mover, other);
        }
        let m = self.drop(found.stone);
        let mut pv = vec![m];
        self.continue_line(self.search.game.after(position, m), is_over, &mut pv);
        Some(Solved {
            outcome: self.outcome(position, found.value),
            margin: None,
            pv,
        })
    }

    fn result(
        &mut self,
        position: &Position<B>,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<Outcome> {
        self.search.stopped = false;
        let (mover, other) = position.sides();
        self.prepare((mover | other).count());
        let found = self.find(mover, other, is_over)?;
        Some(self.outcome(position, found.value))
    }

    fn nodes(&self) -> u64 {
        self.search.nodes
    }

    fn clear(&mut self) {
        self.search.table.clear();
    }
}
