//! Null-window search of endgames: does the mover's margin exceed `alpha`?
//!
//! With many empty squares: a table, stable discs, the children's table entries, and the moves in order of the replies they
//! leave (fastest first) and, with very many, of what a network or a small search says of them. With few: squares of odd regions first,
//! no move generation. The last four are unrolled.

use super::super::board::Board;
use super::super::rules::Othello;
use super::advice::{self, Adviser};
use super::children::{Child, Children};
use super::hash;
use super::last::{Last, Parity, around, quarter};
use super::table::{Bounds, NO_MOVE, Table};

/// Up to so many empty squares a node tries them as they come.
const SHALLOW: u32 = 6;
/// From so many empty squares on a node looks its children up before it searches any.
const LOOKING_AHEAD: u32 = 10;
/// From so many empty squares on a small search of so many plies helps to put the moves in order, where no network advises; the
/// most first. Fewer positions below are worth more than it costs.
const PLIES: [(u32, u32); 2] = [(19, 3), (12, 1)];
/// Positions between two questions whether time is over; only nodes with more than `SHALLOW` empty squares ask.
pub const POLL: u64 = 64;

pub struct Search<B: Board<N>, const N: u32> {
    pub adviser: Option<Adviser<B, N>>,
    pub table: Table<B>,
    pub last: Last<B, N>,
    quarters: [B; 4],
    corners: B,
    polled: u64,
    pub stopped: bool,
}

impl<B: Board<N>, const N: u32> Search<B, N> {
    pub fn new(empties_to_winner: bool, memory: usize) -> Option<Self> {
        let mut quarters = [B::EMPTY; 4];
        for square in B::board().squares() {
            quarters[quarter::<N>(square).ilog2() as usize] |= B::square(square);
        }
        let corners = [(0, 0), (N - 1, 0), (0, N - 1), (N - 1, N - 1)];
        Some(Search {
            adviser: None,
            table: Table::new(memory, hash)?,
            last: Last::new(empties_to_winner),
            quarters,
            corners: corners.into_iter().fold(B::EMPTY, |set, (column, row)| {
                set | B::square(Othello::<B, N>::square(column, row))
            }),
            polled: 0,
            stopped: false,
        })
    }

    fn parity(&self, empty: B) -> Parity {
        let mut parity = 0;
        for (bit, quarter) in self.quarters.iter().enumerate() {
            parity |= ((empty & *quarter).count() & 1) << bit;
        }
        parity
    }

    /// The mover's margin, exact or a bound on its side of `alpha`. Meaningless once `stopped`.
    pub fn margin(
        &mut self,
        own: B,
        other: B,
        alpha: i32,
        is_over: &mut dyn FnMut() -> bool,
    ) -> i32 {
        let empty = B::board() & !(own | other);
        match empty.count() {
            0 => self.last.over(own, other),
            1..=SHALLOW => self.shallow(own, other, empty, self.parity(empty), alpha),
            _ => self.deep(own, other, alpha, is_over),
        }
    }

    /// At most `SHALLOW` empty squares.
    fn shallow(&mut self, own: B, other: B, empty: B, parity: Parity, alpha: i32) -> i32 {
        let mut squares = empty.squares();
        let mut next = || squares.next().unwrap_or(0);
        match empty.count() {
            4 => {
                return self
                    .last
                    .four(own, other, [next(), next(), next(), next()], parity, alpha);
            }
            3 => {
                return self
                    .last
                    .three(own, other, [next(), next(), next()], parity, alpha);
            }
            2 => return self.last.two(own, other, [next(), next()], alpha),
            _ => {}
        }
        self.last.nodes += 1;
        if let Some(best) = self.each_empty(own, other, empty, parity, alpha) {
            return best;
        }
        match self.each_empty(other, own, empty, parity, -alpha - 1) {
            Some(best) => -best,
            None => self.last.over(own, other),
        }
    }

    /// The best of all legal moves; `None` if there is none.
    #[inline(always)]
    fn each_empty(
        &mut self,
        own: B,
        other: B,
        empty: B,
        parity: Parity,
        alpha: i32,
    ) -> Option<i32> {
        let mut odd = B::EMPTY;
        for (bit, quarter) in self.quarters.iter().enumerate() {
            if parity >> bit & 1 != 0 {
                odd |= *quarter;
            }
        }
        let mut best = None;
        for part in [empty & odd, empty & !odd] {
            for square in part.squares() {
                let turned = self.last.turned(own, other, square);
                if turned.is_empty() {
                    continue;
                }
                let one = B::square(square);
                let (rest, parity) = (empty & !one, parity ^ quarter::<N>(square));
                let (next, mine) = (other & !turned, own | turned | one);
                let value = -self.shallow(next, mine, rest, parity, -alpha - 1);
                if value > alpha {
                    return Some(value);
                }
                best = best.max(Some(value));
            }
        }
        best
    }

    /// More than `SHALLOW` empty squares.
    fn deep(&mut self, own: B, other: B, alpha: i32, is_over: &mut dyn FnMut() -> bool) -> i32 {
        self.last.nodes += 1;
        if self.last.nodes - self.polled >= POLL {
            self.polled = self.last.nodes;
            self.stopped |= is_over();
        }
        if self.stopped {
            return alpha;
        }
        let empty = B::board() & !(own | other);
        let count = empty.count();
        let hash = hash(own, other);
        self.table.prefetch(hash);
        if let Some(most) = self.too_stable(own, other, count, alpha) {
            return most;
        }
        let moves = Othello::<B, N>::legal(own, other);
        if moves.is_empty() {
            if Othello::<B, N>::legal(other, own).is_empty() {
                return self.last.over(own, other);
            }
            // A pass is not a position of its own.
            self.last.nodes -= 1;
            return -self.deep(other, own, -alpha - 1, is_over);
        }
        let (known, hint) = match self.table.get(hash, own, other) {
            Some((bounds, hint)) => (bounds, hint),
            None => (
                Bounds {
                    low: -127,
                    high: 127,
                },
                NO_MOVE,
            ),
        };
        if i32::from(known.low) > alpha {
            return i32::from(known.low);
        }
        if i32::from(known.high) <= alpha {
            return i32::from(known.high);
        }
        let mut children = Children::new();
        self.children(own, other, moves, hint, &mut children);
        if count >= LOOKING_AHEAD
            && let Some(value) = self.known_child(&children, alpha)
        {
            return value;
        }

        let before = self.last.nodes;
        let mut best = -127;
        let mut best_move = NO_MOVE;
        for at in 0..children.len() {
            next_best(&mut children[at..]);
            let child = children[at];
            let value = if count - 1 > SHALLOW {
                -self.deep(child.own, child.other, -alpha - 1, is_over)
            } else {
                let rest = empty & !B::single(child.square);
                -self.shallow(child.own, child.other, rest, self.parity(rest), -alpha - 1)
            };
            if self.stopped {
                return alpha;
            }
            if value > best {
                best = value;
                best_move = child.square;
                if best > alpha {
                    break;
                }
            }
        }
        let bounds = if best > alpha {
            Bounds {
                low: best as i8,
                high: 127,
            }
        } else {
            Bounds {
                low: -127,
                high: best as i8,
            }
        };
        let cost = self.last.nodes - before;
        self.table.put(hash, own, other, (bounds, best_move), cost);
        best
    }

    /// An upper bound that is not above `alpha`, if the opponent has that many discs for good.
    #[inline(always)]
    fn too_stable(&self, own: B, other: B, empties: u32, alpha: i32) -> Option<i32> {
        // Stable discs are rarely enough for a low bound.
        let squares = (N * N) as i32;
        if alpha < squares / 2 - empties as i32 {
            return None;
        }
        let [_, stable] = Othello::<B, N>::stable(own, other);
        let most = squares - 2 * stable.count() as i32;
        (most <= alpha).then_some(most)
    }

    /// The children, each with a promise. The weights were the best of a few that were tried on random positions with 18 to
    /// 22 empty squares.
    #[inline(always)]
    fn children(&mut self, own: B, other: B, moves: B, hint: u8, children: &mut Children<B>) {
        let empty = B::board() & !(own | other);
        let parity = self.parity(empty);
        let count = empty.count();
        let advised = self.adviser.is_some() && count >= advice::FROM;
        let enough = |(from, plies): &(u32, u32)| (count >= *from).then_some(*plies);
        let plies = PLIES.iter().find_map(enough).filter(|_| !advised);
        for square in moves.squares() {
            let turned = B::turned(own, other, square);
            let one = B::single(square as u8);
            let (next, mine) = (other & !turned, own | turned | one);
            let mut score = -4 * self.freedom(next, mine, empty & !one);
            if let Some(plies) = plies {
                score -= 3 * self.outlook(next, mine, plies, -i32::MAX, i32::MAX);
            }
            if parity & quarter::<N>(square) != 0 {
                score += 16;
            }
            if !(one & self.corners).is_empty() {
                score += 48;
            }
            if square as u8 == hint {
                score = i32::MAX;
            }
            children.push(Child {
                own: next,
                other: mine,
                square: square as u8,
                score,
            });
        }
        if let Some(adviser) = self.adviser.as_mut().filter(|_| advised) {
            adviser.judge(children, count, hint, &self.last);
        }
    }

    /// How freely `own` can move: replies, corners counted twice, and, for less, empty squares where replies may come.
    #[inline(always)]
    fn freedom(&self, own: B, other: B, empty: B) -> i32 {
        let moves = Othello::<B, N>::legal(own, other);
        let replies = moves.count() + (moves & self.corners).count();
        let later = (around::<B, N>(other) & empty).count();
        (8 * replies + 4 * later) as i32
    }

    /// A guess at how well the mover stands, by a search of so many plies: the difference of both sides' freedom, and the
    /// corners that they have.
    fn outlook(&self, own: B, other: B, plies: u32, low: i32, high: i32) -> i32 {
        /// What a corner is worth in units of [`Self::freedom`], and a disc where the game is over.
        const CORNER: i32 = 16;
        const DISC: i32 = 16;
        let empty = B::board() & !(own | other);
        let moves = Othello::<B, N>::legal(own, other);
        if moves.is_empty() {
            return match Othello::<B, N>::legal(other, own).is_empty() {
                true => DISC * self.last.over(own, other),
                false => -self.outlook(other, own, plies, -high, -low),
            };
        }
        if plies == 0 {
            let corners = |set: B| (set & self.corners).count() as i32;
            let freedom = self.freedom(own, other, empty) - self.freedom(other, own, empty);
            return freedom + CORNER * (corners(own) - corners(other));
        }
        let mut best = -i32::MAX;
        for square in moves.squares() {
            let turned = B::turned(own, other, square);
            let (next, mine) = (other & !turned, own | turned | B::single(square as u8));
            let value = -self.outlook(next, mine, plies - 1, -high, -low.max(best));
            best = best.max(value);
            if best >= high {
                break;
            }
        }
        best
    }

    /// The children of a position, best promise first.
    pub fn all_children(&mut self, own: B, other: B, moves: B, hint: u8) -> Children<B> {
        let mut children = Children::new();
        self.children(own, other, moves, hint, &mut children);
        children.sort_by_key(|child| -i64::from(child.score));
        children
    }

    /// The value, if the table knows a child that exceeds `alpha`.
    #[inline(always)]
    fn known_child(&self, children: &[Child<B>], alpha: i32) -> Option<i32> {
        for child in children {
            self.table.prefetch(hash(child.own, child.other));
        }
        let known = |child: &Child<B>| {
            let hash = hash(child.own, child.other);
            let (bounds, _) = self.table.get(hash, child.own, child.other)?;
            Some(-i32::from(bounds.high))
        };
        children
            .iter()
            .filter_map(known)
            .find(|value| *value > alpha)
    }
}

/// Brings the child with the highest score to the front: cheaper than to sort, since most nodes end after few.
#[inline(always)]
fn next_best<B: Copy>(children: &mut [Child<B>]) {
    let mut at = 0;
    for i in 1..children.len() {
        if children[i].score > children[at].score {
            at = i;
        }
    }
    children.swap(0, at);
}
