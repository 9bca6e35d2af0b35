//! Win, draw or loss by alpha-beta with windows of no width: "does the mover get at least `beta`?"
//!
//! Moves that lose at once are left out and forced ones played without a choice (P. Pons' and others' tutorials on solving
//! Connect Four); a child that a follow-up strategy or the table decides ends a node before any child is searched.

use super::super::rules::ConnectFour;
use super::opening::Book;
use super::parity::Rows;
use super::table::{Bounds, Table, mix};
use treeline_game::bits::Bits;

/// Positions between two questions whether time is over.
pub const POLL: u64 = 64;
/// Up to this share of a full board a node asks the table for its children before it searches any: 26 of 42 squares.
const LOOKING_AHEAD: (u32, u32) = (26, 42);

#[derive(Debug)]
pub struct Search<B, const W: u32, const H: u32, const K: u32> {
    pub game: ConnectFour<B, W, H, K>,
    pub table: Table,
    /// Knows positions of one number of stones.
    pub book: Option<Book<B>>,
    /// That number; none has so many where there is no book.
    in_book: u32,
    rows: Rows<B>,
    /// Columns from the middle outwards.
    order: Vec<B>,
    /// Up to so many stones the table knows mirror images as one.
    mirrored: u32,
    looks_ahead: u32,
    pub nodes: u64,
    pub stopped: bool,
}

/// A move that does not lose at once.
#[derive(Debug, Clone, Copy)]
pub struct Reply<B> {
    pub stone: B,
    /// Where the mover completes lines after it, stones included.
    pub threats: B,
    score: u32,
}

/// The width of the widest board.
const MOST: usize = 16;

/// Moves in the order to search them.
#[derive(Debug)]
pub struct Replies<B> {
    all: [Reply<B>; MOST],
    count: usize,
}

impl<B: Bits> Replies<B> {
    fn new() -> Self {
        let none = Reply {
            stone: B::EMPTY,
            threats: B::EMPTY,
            score: 0,
        };
        Replies {
            all: [none; MOST],
            count: 0,
        }
    }

    /// Behind those with at least its score.
    #[inline(always)]
    fn insert(&mut self, reply: Reply<B>) {
        let mut at = self.count;
        while at > 0 && self.all[at - 1].score < reply.score {
            self.all[at] = self.all[at - 1];
            at -= 1;
        }
        self.all[at] = reply;
        self.count += 1;
    }

    #[inline(always)]
    pub fn as_slice(&self) -> &[Reply<B>] {
        &self.all[..self.count]
    }
}

impl<B: Bits, const W: u32, const H: u32, const K: u32> Search<B, W, H, K> {
    pub fn new(
        game: ConnectFour<B, W, H, K>,
        memory: usize,
        book: Option<Book<B>>,
    ) -> Option<Self> {
        let width = game.width();
        let mut columns: Vec<u32> = (0..width).collect();
        columns.sort_by_key(|c| (2 * c).abs_diff(width - 1));
        let squares = game.width() * game.height();
        Some(Search {
            rows: Rows::new(&game),
            order: columns.into_iter().map(|c| game.column(c)).collect(),
            mirrored: squares / 3,
            looks_ahead: squares * LOOKING_AHEAD.0 / LOOKING_AHEAD.1,
            table: Table::new(memory)?,
            in_book: book.as_ref().map_or(u32::MAX, Book::stones),
            book,
            game,
            nodes: 0,
            stopped: false,
        })
    }

    /// Columns from the middle outwards.
    pub fn columns(&self) -> &[B] {
        &self.order
    }

    /// The key of a position, the same for its mirror image while there are few stones.
    #[inline(always)]
    pub fn key(&self, mover: B, occupied: B) -> u64 {
        let mut packed = self.game.packed(mover, occupied);
        if occupied.count() <= self.mirrored {
            packed = packed.min(self.game.mirrored(packed));
        }
        let wide = packed.wide();
        if B::CAPACITY == 64 {
            wide as u64
        } else {
            mix(wide as u64) ^ (wide >> 64) as u64
        }
    }

    /// What the book knows of a position with its number of stones.
    #[cold]
    fn read(&self, mover: B, occupied: B) -> Option<i8> {
        let packed = self.game.packed(mover, occupied);
        let key = packed.min(self.game.mirrored(packed));
        self.book.as_ref()?.value(key)
    }

    /// The value of a position that the book has a move for, which keeps it, and that move's column.
    pub fn book_reply(&self, mover: B, occupied: B) -> Option<(i8, B)> {
        if occupied.count() != self.in_book {
            return None;
        }
        let packed = self.game.packed(mover, occupied);
        let image = self.game.mirrored(packed);
        let (book, key) = (self.book.as_ref()?, packed.min(image));
        let column = u32::from(book.reply(key)?);
        let column = match packed <= image {
            true => column,
            false => (self.game.width() - 1).checked_sub(column)?,
        };
        Some((book.value(key)?, self.game.column(column)))
    }

    /// What is known of a position.
    pub fn known(&self, mover: B, other: B) -> Bounds {
        let occupied = mover | other;
        if occupied.count() == self.in_book
            && let Some(value) = self.read(mover, occupied)
        {
            return Bounds {
                low: value,
                high: value,
            };
        }
        let key = self.key(mover, mover | other);
        self.table.get(self.table.place(key))
    }

    /// Tells the table.
    pub fn learn(&mut self, mover: B, other: B, bounds: Bounds, work: u64) {
        let place = self.table.place(self.key(mover, mover | other));
        self.table.put(place, bounds, work);
    }

    /// The moves after which the opponent, who completes lines at `threats`, cannot do so at once.
    #[inline(always)]
    pub fn holding(&self, occupied: B, threats: B) -> B {
        let landing = self.game.landing(occupied);
        let holding = landing & !(threats >> 1);
        let forced = landing & threats;
        if forced.is_empty() {
            holding
        } else if forced.without_lowest().is_empty() {
            holding & forced
        } else {
            B::EMPTY
        }
    }

    /// The result for the side with the stones `mover`, which is to move and cannot complete a line at once: the exact
    /// one, or a bound on the right side of `beta` (0 or 1). `threats` is where `other` completes lines. Meaningless once
    /// `stopped`.
    pub fn bound(
        &mut self,
        mover: B,
        other: B,
        threats: B,
        beta: i8,
        is_over: &mut dyn FnMut() -> bool,
    ) -> i8 {
        self.nodes += 1;
        if self.nodes.is_multiple_of(POLL) && is_over() {
            self.stopped = true;
        }
        if self.stopped {
            return beta;
        }
        let occupied = mover | other;
        if occupied.count() == self.in_book
            && let Some(value) = self.read(mover, occupied)
        {
            return value;
        }
        let moves = self.holding(occupied, threats);
        if moves.is_empty() {
            return if occupied == self.game.board { 0 } else { -1 };
        }
        let empty = self.game.board & !occupied;
        if beta == 0 && !self.game.has_line(other | empty) {
            return 0;
        }
        let place = self.table.place(self.key(mover, occupied));
        self.table.prefetch(place);
        let replies = match self.replies(mover, other, moves, beta) {
            Ok(replies) => replies,
            Err(value) => return value,
        };
        let replies = replies.as_slice();
        if let [only] = replies {
            return -self.bound(other, mover | only.stone, only.threats, 1 - beta, is_over);
        }
        let known = self.table.get(place);
        if known.low >= beta {
            return known.low;
        }
        if known.high < beta {
            return known.high;
        }
        if occupied.count() < self.looks_ahead
            && let Some(value) = self.known_reply(other, occupied, replies, beta)
        {
            return value;
        }

        let before = self.nodes;
        let mut best = -1;
        for reply in replies {
            let stones = mover | reply.stone;
            let value = -self.bound(other, stones, reply.threats, 1 - beta, is_over);
            if self.stopped {
                return beta;
            }
            best = best.max(value);
            if best >= beta {
                break;
            }
        }
        let bounds = if best >= beta {
            Bounds { low: best, high: 1 }
        } else {
            Bounds {
                low: -1,
                high: best,
            }
        };
        self.table.put(place, bounds, self.nodes - before);
        best
    }

    /// The moves in order: those first that make most threats, counted one and a half times on rows that will be the
    /// mover's if all goes on in turn, then those nearest to the middle. Or the value, if a follow-up strategy after one
    /// of them reaches `beta`.
    #[inline(always)]
    pub fn replies(&self, mover: B, other: B, moves: B, beta: i8) -> Result<Replies<B>, i8> {
        let occupied = mover | other;
        let empty = self.game.board & !occupied;
        let good_rows = if occupied.count().is_multiple_of(2) {
            self.rows.first
        } else {
            self.rows.second
        };
        let mut replies = Replies::new();
        for column in &self.order {
            let stone = moves & *column;
            if stone.is_empty() {
                continue;
            }
            let stones = mover | stone;
            let threats = self.game.completing(stones);
            let value = -self.rows.ceiling(&self.game, other, stones, threats);
            if value >= beta {
                return Err(value);
            }
            let open = threats & empty;
            replies.insert(Reply {
                stone,
                threats,
                score: 2 * open.count() + (open & good_rows).count(),
            });
        }
        Ok(replies)
    }

    /// The value, if the table knows a move that reaches `beta`.
    #[inline(always)]
    fn known_reply(&self, other: B, occupied: B, replies: &[Reply<B>], beta: i8) -> Option<i8> {
        let mut places = [self.table.place(0); MOST];
        for (reply, place) in replies.iter().zip(&mut places) {
            *place = self.table.place(self.key(other, occupied | reply.stone));
            self.table.prefetch(*place);
        }
        let values = places[..replies.len()].iter();
        values
            .map(|place| -self.table.get(*place).high)
            .find(|value| *value >= beta)
    }
}
