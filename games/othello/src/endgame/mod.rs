//! The game's own solver: exact results of endgames, by discs or just who wins.

mod advice;
mod children;
mod last;
mod search;
mod table;
#[cfg(test)]
mod tests;

use super::board::Board;
use super::rules::{Othello, Position, Put};
use advice::Adviser;
use children::{Child, Children};
use search::Search;
use table::{Bounds, NO_MOVE};
use treeline_game::random::keys;
use treeline_game::{Advice, Exact, Outcome, Rules, Solved, Symmetric};

/// Positions a second, cautiously.
const SPEED: f64 = 8e6;
/// Positions that a move of the principal variation behind the first may cost.
const FOR_LATER_MOVES: u64 = 100_000;

/// Up to so many empty squares a lost side asks by how many points.
const BY_LEAST: u32 = 14;

/// Whose place in the table is whose. A seed of 0 would leave nothing of the position in a product.
const SEED: u64 = keys::<1>(0x07_e1_12)[0];

#[inline(always)]
fn hash<B: Board<N>, const N: u32>(own: B, other: B) -> u64 {
    B::key(own, other, SEED)
}

fn empties<B: Board<N>, const N: u32>(position: &Position<B>) -> u32 {
    (B::board() & !(position.own | position.other)).count()
}

/// Search and table.
pub struct Endgame<B: Board<N>, const N: u32> {
    game: Othello<B, N>,
    search: Search<B, N>,
}

impl<B: Board<N>, const N: u32> Endgame<B, N> {
    /// `None` where `memory` is too small for any table.
    pub fn new(game: &Othello<B, N>, memory: usize) -> Option<Self> {
        Some(Endgame {
            search: Search::new(game.empties_to_winner(), memory)?,
            game: game.clone(),
        })
    }

    /// Whether the mover's margin exceeds `alpha`: a bound on the margin, and, if it does, a move that shows it.
    fn exceeds(
        &mut self,
        position: &Position<B>,
        alpha: i32,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<(i32, Option<Put>)> {
        let (own, other) = (position.own, position.other);
        let hash = hash(own, other);
        let hint = self.search.table.get(hash, own, other);
        let hint = hint.map_or(NO_MOVE, |(_, hint)| hint);
        let mut children = self.search.all_children(own, other, position.moves, hint);
        self.drop_images(position, &mut children);
        let mut best = -127;
        for child in children {
            let value = -self
                .search
                .margin(child.own, child.other, -alpha - 1, is_over);
            if self.search.stopped {
                return None;
            }
            best = best.max(value);
            if value > alpha {
                let bounds = Bounds {
                    low: value as i8,
                    high: 127,
                };
                self.search
                    .table
                    .put(hash, own, other, (bounds, child.square), u64::MAX / 2);
                return Some((value, Some(Put(child.square))));
            }
        }
        Some((best, None))
    }

    /// One of several moves that lead to the same position but for a symmetry of the board is enough.
    fn drop_images(&self, position: &Position<B>, children: &mut Children<B>) {
        let kept = |s: &usize| self.game.image(*s, position) == *position;
        // The last symmetry exchanges the players.
        let symmetries: Vec<usize> = (0..self.game.symmetries().len() - 1).filter(kept).collect();
        let mut seen: Vec<Put> = Vec::new();
        children.retain(|child: &mut Child<B>| {
            let m = Put(child.square);
            let image = |s: &usize| self.game.image_of_move(*s, position, m);
            let is_new = !symmetries.iter().map(image).any(|m| seen.contains(&m));
            seen.push(m);
            is_new
        });
    }

    /// The mover's margin and a move that reaches it: null windows, each next to the last bound (MTD(f)).
    fn exact_margin(
        &mut self,
        position: &Position<B>,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<(i32, Option<Put>)> {
        let most = (N * N) as i32;
        let (mut low, mut high) = (-most, most);
        let mut best = None;
        let mut guess = 0;
        while low < high {
            let alpha = if guess == low { guess } else { guess - 1 };
            let (value, m) = self.exceeds(position, alpha, is_over)?;
            match m {
                Some(m) => {
                    low = value;
                    best = Some(m);
                }
                None => high = value,
            }
            guess = value;
        }
        Some((low, best))
    }

    /// Where every move loses, the one that loses by least if that is soon known, else the one to be tried first.
    fn hardest(
        &mut self,
        position: &Position<B>,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<Put> {
        let (own, other) = (position.own, position.other);
        if empties(position) <= BY_LEAST {
            let least = self.exact_margin(position, is_over);
            self.search.stopped = false;
            if let Some((_, Some(m))) = least {
                return Some(m);
            }
        }
        let moves = position.moves;
        let children = self.search.all_children(own, other, moves, NO_MOVE);
        children.first().map(|child| Put(child.square))
    }

    /// 1, 0 or -1 for the mover, and a move that reaches it.
    fn sign(
        &mut self,
        position: &Position<B>,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<(i32, Option<Put>)> {
        for (alpha, sign) in [(0, 1), (-1, 0)] {
            if let (_, Some(m)) = self.exceeds(position, alpha, is_over)? {
                return Some((sign, Some(m)));
            }
        }
        Some((-1, None))
    }

    /// What `margin` asks for, of a position that is not over, and a move that keeps it.
    fn find(
        &mut self,
        position: &Position<B>,
        margin: bool,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<(i32, Put)> {
        if let Some(pass) = self.game.forced_pass(position) {
            let next = self.game.after(position, pass);
            let (value, _) = self.find(&next, margin, is_over)?;
            return Some((-value, pass));
        }
        let (value, m) = match margin {
            true => self.exact_margin(position, is_over)?,
            false => self.sign(position, is_over)?,
        };
        let m = m.or_else(|| self.hardest(position, is_over))?;
        Some((value, m))
    }
}

impl<B: Board<N>, const N: u32> Exact<Othello<B, N>> for Endgame<B, N> {
    /// Half of the positions of played games with so many empty squares take no more than this, three of four twice as much
    /// (docs/results/othello-endgame.md): an attempt in vain costs a search some of its time, a result in reach more.
    fn can_finish(&self, position: &Position<B>, seconds: f64) -> bool {
        let (square, first) = match self.search.adviser {
            Some(_) => (0.3, 0.1),
            None => (0.34, -0.44),
        };
        let nodes = 10f64.powf(square * f64::from(empties(position)) + first);
        let slower = if N > 8 { 6.0 } else { 1.0 };
        nodes * slower / SPEED < seconds
    }

    fn solve(
        &mut self,
        position: &Position<B>,
        margin: bool,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<Solved<Othello<B, N>>> {
        self.search.stopped = false;
        let (value, m) = self.find(position, margin, is_over)?;
        let mut pv = vec![m];
        let mut next = self.game.after(position, m);
        while self.game.outcome(&next).is_none() {
            let end = self.nodes() + FOR_LATER_MOVES;
            let mut polls = 0;
            let mut enough = || {
                polls += 1;
                polls > FOR_LATER_MOVES / search::POLL || is_over()
            };
            let found = self.find(&next, margin, &mut enough);
            self.search.stopped = false;
            let Some((_, m)) = found.filter(|_| self.nodes() < end) else {
                break;
            };
            pv.push(m);
            self.game.apply(&mut next, m);
        }
        let sign = self.game.turn(position).sign();
        Some(Solved {
            outcome: Outcome::by_margin(value * sign),
            margin: margin.then_some(value * sign),
            pv,
        })
    }

    fn result(
        &mut self,
        position: &Position<B>,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<Outcome> {
        self.search.stopped = false;
        let (value, _) = self.find(position, false, is_over)?;
        Some(Outcome::by_margin(value * self.game.turn(position).sign()))
    }

    fn advise(&mut self, advice: Box<Advice<Othello<B, N>>>) {
        self.search.adviser = Some(Adviser::new(advice));
    }

    fn nodes(&self) -> u64 {
        self.search.last.nodes
    }

    fn clear(&mut self) {
        self.search.table.clear();
    }
}
