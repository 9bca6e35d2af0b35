//! The game's own solver: exact margins, or just who wins, for every variant.

mod advice;
mod board;
pub mod endings;
pub mod opening;
mod opens;
mod search;
mod table;
#[cfg(test)]
mod tests;

use super::rules::{House, Kalah, Position, margin};
use super::side::Side;
use advice::Adviser;
pub use board::Board;
use endings::Layer;
use opening::Opening;
use opens::{Opens, next_best};
use search::Search;
use std::sync::Arc;
use table::{Known, NO_HOUSE, hash};
use treeline_game::{Advice, Exact, Outcome, Rules, Solved};

/// Positions that a move of the principal variation behind the first may cost.
const FOR_LATER_MOVES: u64 = 20_000;
/// Positions that it may cost to find out, where who wins is known, by how many seeds.
const FOR_MARGIN: u64 = 500_000;
/// Positions a second, cautiously.
const SPEED: f64 = 1.3e6;
/// Moves that it may take until a search finishes.
const TRIES: f64 = 5.0;

/// Search, tables of endings and of bounds, and who wins from the first positions.
pub struct Solver<S: Side, const N: u32> {
    search: Search<S, N>,
    opening: Opening<S>,
}

/// What the mover still gets less what the other gets, or a bound, and a move that shows it; any where all are as bad.
struct Found {
    value: i32,
    house: House,
}

impl<S: Side, const N: u32> Solver<S, N> {
    /// `None` where `memory` is too small for any table of bounds. The cache's tables of endings take two thirds of it at most.
    pub fn new(game: &Kalah<S, N>, memory: usize) -> Option<Self> {
        let solver = Self::without_opening(game, memory)?;
        let opening = Opening::shipped(game);
        Some(Solver { opening, ..solver })
    }

    /// The same without what is known of the first positions.
    pub fn without_opening(game: &Kalah<S, N>, memory: usize) -> Option<Self> {
        let (cached, _) = endings::shared::load(game, memory as u64 / 3 * 2);
        Self::with(game, cached, memory)
    }

    /// A solver with these tables of endings that finds out everything else itself.
    fn with(game: &Kalah<S, N>, cached: Vec<Arc<Layer>>, memory: usize) -> Option<Self> {
        let search = Search::new(game, cached, memory)?;
        let opening = Opening::default();
        Some(Solver { search, opening })
    }

    /// Whether the mover still gets more than the other by over `alpha`: a bound, and, if so, a move that shows it.
    fn exceeds(
        &mut self,
        board: Board<S>,
        alpha: i32,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<(i32, Option<House>)> {
        let search = &mut self.search;
        let hash = hash(board);
        let hint = search
            .table
            .get(hash, board)
            .map_or(NO_HOUSE, |known| known.best);
        let mut opens = Opens::new();
        let glance = search.look(board, alpha, hint, &mut opens);
        if glance.low > alpha {
            return Some((glance.low, Some(House(glance.house))));
        }
        search.advise(board, &mut opens, alpha, hint);
        let mut best = glance.rest;
        for at in 0..opens.len() {
            next_best(&mut opens[at..]);
            let child = opens[at].child;
            let value = search.search(&child, alpha, 0, is_over);
            if search.stopped {
                return None;
            }
            best = best.max(value);
            if value > alpha {
                let found = Known {
                    low: value,
                    high: board.seeds,
                    best: child.house,
                };
                search.table.put(hash, board, found, u64::MAX / 2);
                return Some((value, Some(House(child.house))));
            }
        }
        Some((best, None))
    }

    /// The exact value, of which `known` is certain: null windows, each next to the last bound (MTD(f)), the first at
    /// `guess`. What is known meanwhile is left in `known` where it is stopped.
    fn exact(
        &mut self,
        board: Board<S>,
        known: &mut Range,
        guess: i32,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let mut guess = guess;
        while known.low < known.high {
            let alpha = (guess - 1).clamp(known.low, known.high - 1);
            let (value, m) = self.exceeds(board, alpha, is_over)?;
            match m {
                Some(m) => (known.low, known.house) = (value, Some(m)),
                None => known.high = value,
            }
            guess = value;
        }
        Some(())
    }

    /// Who will have more, where the mover has `lead` seeds more in store, and a move that keeps that.
    fn sign(
        &mut self,
        board: Board<S>,
        lead: i32,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<Range> {
        let mut known = Range::of(board);
        for alpha in [-lead, -lead - 1] {
            if known.high <= alpha {
                continue;
            }
            if known.low > alpha {
                break;
            }
            let (value, m) = self.exceeds(board, alpha, is_over)?;
            match m {
                Some(m) => (known.low, known.house) = (value, Some(m)),
                None => known.high = value,
            }
        }
        Some(known)
    }

    /// What is asked about a position that is not over, and a move that keeps it.
    fn find(
        &mut self,
        position: &Position<S>,
        by_margin: bool,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<Found> {
        if !by_margin && let Some((value, house)) = self.opening.get(position) {
            let value = i32::from(value);
            return Some(Found { value, house });
        }
        let board = Board::new(&self.search.game, position);
        let lead = margin(position) * position.turn.sign();
        let known = if by_margin {
            let mut known = Range::of(board);
            self.exact(board, &mut known, -lead, is_over)?;
            known
        } else {
            let mut known = self.sign(board, lead, is_over)?;
            self.improve(board, &mut known, lead, is_over);
            known
        };
        let house = match known.house {
            Some(house) => house,
            None => self.search.game.moves(position).first().copied()?,
        };
        let value = known.value(lead);
        Some(Found { value, house })
    }

    /// Looks for the move with the best margin where that is cheap: who has lost makes it hard, who has won makes sure.
    fn improve(
        &mut self,
        board: Board<S>,
        known: &mut Range,
        lead: i32,
        is_over: &mut dyn FnMut() -> bool,
    ) {
        let guess = match known.house {
            Some(_) => known.low + 2,
            None => known.high,
        };
        let mut enough = Enough::new(FOR_MARGIN, is_over);
        let drawn = known.house.is_some() && known.low == -lead;
        if !drawn {
            let _ = self.exact(board, known, guess, &mut || enough.is_over());
        }
        self.search.stopped = false;
    }
}

/// What is certain of a value, and a move that reaches `low`.
#[derive(Debug, Clone, Copy)]
struct Range {
    low: i32,
    high: i32,
    house: Option<House>,
}

impl Range {
    /// One less than the worst, so that a move is looked for which reaches that.
    fn of<S>(board: Board<S>) -> Self {
        Range {
            low: -board.seeds - 1,
            high: board.seeds,
            house: None,
        }
    }

    /// The mover's margin in the end, or a bound with its sign, where who wins is known and the mover has `lead` seeds more.
    fn value(&self, lead: i32) -> i32 {
        let value = if self.low + lead > 0 {
            self.low
        } else {
            self.high
        };
        value + lead
    }
}

/// Ends a search after so many positions, or earlier where `is_over` says so.
struct Enough<'a> {
    polls: u64,
    is_over: &'a mut dyn FnMut() -> bool,
}

impl<'a> Enough<'a> {
    fn new(positions: u64, is_over: &'a mut dyn FnMut() -> bool) -> Self {
        Enough {
            polls: positions / search::POLL,
            is_over,
        }
    }

    fn is_over(&mut self) -> bool {
        self.polls = self.polls.saturating_sub(1);
        self.polls == 0 || (self.is_over)()
    }
}

impl<S: Side, const N: u32> Exact<Kalah<S, N>> for Solver<S, N> {
    /// Measured with six houses (docs/results/kalah.md): half of the random positions with `s` seeds in houses took no more
    /// than 10^(0.1 s + 1.8) positions, with tables of endings up to `t` seeds than 10^(0.17 (s - t) + 1.75). A search that does not finish leaves its tables to the next move's, so that it is
    /// worth a try where `TRIES` times as long would do.
    fn can_finish(&self, position: &Position<S>, seconds: f64) -> bool {
        let board = Board::new(&self.search.game, position);
        if board.seeds <= self.search.endings.ready() || self.opening.get(position).is_some() {
            return true;
        }
        let choices = |seeds: i32| f64::from(seeds * self.search.game.houses() as i32) / 6.0;
        let alone = 0.1 * choices(board.seeds) + 1.8;
        let with_tables = 0.17 * choices(board.seeds - self.search.endings.ready()) + 1.75;
        let nodes = 10f64.powf(alone.min(with_tables));
        nodes / SPEED < TRIES * seconds
    }

    fn solve(
        &mut self,
        position: &Position<S>,
        by_margin: bool,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<Solved<Kalah<S, N>>> {
        self.search.begin(is_over);
        let found = self.find(position, by_margin, is_over)?;
        let mut pv = vec![found.house];
        let mut next = self.search.game.after(position, found.house);
        while self.search.game.outcome(&next).is_none() {
            let mut enough = Enough::new(FOR_LATER_MOVES, is_over);
            let found = self.find(&next, by_margin, &mut || enough.is_over());
            self.search.stopped = false;
            let Some(found) = found else { break };
            pv.push(found.house);
            self.search.game.apply(&mut next, found.house);
        }
        let value = found.value * position.turn.sign();
        Some(Solved {
            outcome: Outcome::by_margin(value),
            margin: by_margin.then_some(value),
            pv,
        })
    }

    fn result(
        &mut self,
        position: &Position<S>,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<Outcome> {
        if let Some((value, _)) = self.opening.get(position) {
            return Some(Outcome::by_margin(i32::from(value) * position.turn.sign()));
        }
        self.search.begin(is_over);
        let board = Board::new(&self.search.game, position);
        let lead = margin(position) * position.turn.sign();
        let value = self.sign(board, lead, is_over)?.value(lead);
        Some(Outcome::by_margin(value * position.turn.sign()))
    }

    fn advise(&mut self, advice: Box<Advice<Kalah<S, N>>>) {
        self.search.adviser = Some(Adviser::new(&self.search.game, advice));
    }

    fn nodes(&self) -> u64 {
        self.search.nodes
    }

    fn clear(&mut self) {
        self.search.table.clear();
    }
}
