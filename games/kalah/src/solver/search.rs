//! Null-window search: does the player to move still get more than the other by over `alpha` seeds?
//!
//! Endings come from tables, bounds from the seeds that are left and from the transposition table, which is asked about all
//! children before one is searched (enhanced transposition cut-off). What is still to be had has the parity of the seeds.

use super::super::rules::Kalah;
use super::super::side::Side;
use super::advice::{self, Adviser};
use super::board::{Board, Child};
use super::endings::{Endings, Layer};
use super::opens::{Open, Opens, next_best};
use super::table::{Known, NO_HOUSE, Table, hash};
use std::sync::Arc;

/// Positions between two questions whether time is over.
pub const POLL: u64 = 64;
/// Tables up to so many seeds come first.
const FIRST_TABLES: i32 = 8;
/// Positions of a table that are computed in the time of a node.
const ENDINGS_A_NODE: u64 = 4;
/// Plies at most: far beyond any line of play from a start, and the stack bears it.
const DEEPEST: u32 = 600;

pub struct Search<S: Side, const N: u32> {
    pub game: Kalah<S, N>,
    pub endings: Endings<S, N>,
    pub table: Table<S>,
    pub adviser: Option<Adviser<S, N>>,
    pub nodes: u64,
    /// `nodes` when it was last asked whether time is over, and when the next table of endings is due.
    polled: u64,
    due: u64,
    pub stopped: bool,
}

/// What is certain of the children without a search.
#[derive(Debug)]
pub struct Glance {
    /// A bound from below, and a move that reaches it.
    pub low: i32,
    pub house: u8,
    /// A bound from above of those that need no search.
    pub rest: i32,
}

impl<S: Side, const N: u32> Search<S, N> {
    /// The value of a position that is not over for the player to move: exact or a bound on its side of `alpha`.
    /// Meaningless once `stopped`.
    pub fn bound(
        &mut self,
        board: Board<S>,
        alpha: i32,
        ply: u32,
        is_over: &mut dyn FnMut() -> bool,
    ) -> i32 {
        if board.seeds <= self.endings.ready() {
            return self.endings.value(board);
        }
        self.nodes += 1;
        if self.nodes - self.polled >= POLL {
            self.poll(is_over);
        }
        self.stopped |= ply > DEEPEST;
        // A position's value has the parity of its seeds.
        let alpha = alpha - ((alpha ^ board.seeds) & 1);
        if self.stopped || board.seeds <= alpha {
            return board.seeds;
        }
        if -board.seeds > alpha {
            return -board.seeds;
        }
        let hash = hash(board);
        let known = self.table.get(hash, board).unwrap_or(Known {
            low: -board.seeds,
            high: board.seeds,
            best: NO_HOUSE,
        });
        if known.low > alpha {
            return known.low;
        }
        if known.high <= alpha {
            return known.high;
        }
        let mut opens = Opens::new();
        let glance = self.look(board, alpha, known.best, &mut opens);
        if glance.low > alpha {
            return glance.low;
        }
        self.advise(board, &mut opens, alpha, known.best);
        let before = self.nodes;
        let mut best = glance.rest;
        let mut house = NO_HOUSE;
        for at in 0..opens.len() {
            next_best(&mut opens[at..]);
            let child = opens[at].child;
            let value = self.search(&child, alpha, ply, is_over);
            if self.stopped {
                return alpha;
            }
            best = best.max(value);
            if best > alpha {
                house = child.house;
                break;
            }
        }
        let found = match best > alpha {
            true => Known {
                low: best,
                high: board.seeds,
                best: house,
            },
            false => Known {
                low: -board.seeds,
                high: best,
                best: house,
            },
        };
        self.table.put(hash, board, found, self.nodes - before);
        best
    }

    /// Has the network judge the moves where that pays.
    #[inline(always)]
    pub fn advise(&mut self, board: Board<S>, opens: &mut Opens<S>, alpha: i32, hint: u8) {
        if board.seeds - self.endings.ready() >= advice::BEYOND_TABLES
            && opens.len() > 1
            && let Some(adviser) = self.adviser.as_mut()
        {
            adviser.judge(opens, alpha, hint);
        }
    }

    /// Before a search: the smallest tables of endings.
    pub fn begin(&mut self, is_over: &mut dyn FnMut() -> bool) {
        self.endings.grow(FIRST_TABLES, is_over);
        self.stopped = false;
    }

    /// Asks whether time is over. A table of endings is computed once the search has cost as much as that will: so it costs
    /// twice as much at most as with the best choice of tables, whichever that is.
    fn poll(&mut self, is_over: &mut dyn FnMut() -> bool) {
        self.polled = self.nodes;
        self.stopped |= is_over();
        if self.nodes < self.due || self.stopped {
            return;
        }
        if self.due > 0 {
            self.endings.grow(self.endings.ready() + 1, is_over);
        }
        self.due = self.nodes + self.endings.next() / ENDINGS_A_NODE;
    }

    /// What a move is worth that [`Search::look`] left open.
    pub fn search(
        &mut self,
        child: &Child<S>,
        alpha: i32,
        ply: u32,
        is_over: &mut dyn FnMut() -> bool,
    ) -> i32 {
        child.worth(self.bound(child.board, child.alpha(alpha), ply + 1, is_over))
    }

    /// Whether a child exceeds `alpha` at a glance; if none does, those that might.
    #[inline(always)]
    pub fn look(&self, board: Board<S>, alpha: i32, hint: u8, opens: &mut Opens<S>) -> Glance {
        let mut glance = Glance {
            low: i32::MIN,
            house: NO_HOUSE,
            rest: i32::MIN,
        };
        let ready = self.endings.ready();
        board.each_child(&self.game, |child| {
            let (low, high) = if child.over {
                (child.gain, child.gain)
            } else if child.board.seeds <= ready {
                let value = child.worth(self.endings.value(child.board));
                (value, value)
            } else {
                (
                    child.gain - child.board.seeds,
                    child.gain + child.board.seeds,
                )
            };
            if low > glance.low {
                (glance.low, glance.house) = (low, child.house);
            }
            if high <= alpha || low == high {
                glance.rest = glance.rest.max(high);
                return;
            }
            self.table.prefetch(hash(child.board));
            let score = self.promise(&child, hint);
            opens.push(Open { child, score });
        });
        if glance.low > alpha {
            return glance;
        }
        opens.retain(|open| {
            let child = &open.child;
            let Some(known) = self.table.get(hash(child.board), child.board) else {
                return true;
            };
            let [low, high] = match child.again {
                true => [known.low, known.high],
                false => [known.high, known.low],
            };
            let [low, high] = [child.worth(low), child.worth(high)];
            if low > glance.low {
                (glance.low, glance.house) = (low, child.house);
            }
            if high <= alpha {
                glance.rest = glance.rest.max(high);
            }
            high > alpha
        });
        glance
    }

    /// How likely a move is to be good: the table's first, then those that go on, then by the seeds that it brings, then the
    /// nearest to the store.
    #[inline(always)]
    fn promise(&self, child: &Child<S>, hint: u8) -> i32 {
        if child.house == hint {
            return i32::MAX;
        }
        let again = if child.again { 640 } else { 0 };
        again + child.gain + i32::from(child.house)
    }
}

impl<S: Side, const N: u32> Search<S, N> {
    /// With these tables of endings, which take two thirds of `memory` at most unless others have them already, and those that it
    /// computes, up to a quarter of the rest. `None` where that is too small for any table of bounds.
    pub fn new(game: &Kalah<S, N>, cached: Vec<Arc<Layer>>, memory: usize) -> Option<Self> {
        let taken = Endings::new(game, cached.clone(), 0).bytes() as usize;
        let rest = memory - taken.min(memory / 3 * 2);
        let endings = Endings::new(game, cached, rest / 4);
        let computed = endings.bytes() as usize - taken;
        Some(Search {
            game: game.clone(),
            endings,
            table: Table::new(rest - computed)?,
            adviser: None,
            nodes: 0,
            polled: 0,
            due: 0,
            stopped: false,
        })
    }
}
