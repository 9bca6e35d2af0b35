//! Rules on bitboards: bit = column * (height + 1) + row, the row above the board always empty, so that no line wraps
//! around from one column to the next.

use treeline_game::bits::Bits;
use treeline_game::random::keys;
use treeline_game::{self, Outcome, Player, Rules};

static KEYS: [[u64; 128]; 2] = [keys(0xc4_01), keys(0xc4_02)];
const TURN_KEY: u64 = keys::<1>(0xc4_03)[0];

/// The rules on a `W` x `H` board with `K` in a row; 0 means known only at run time.
#[derive(Debug, Clone)]
pub struct ConnectFour<B, const W: u32, const H: u32, const K: u32> {
    width: u32,
    height: u32,
    line: u32,
    /// The lowest square of each column.
    pub(super) bottom: B,
    /// Every square of the board, sentinels excluded.
    pub(super) board: B,
}

/// A column to drop a stone into, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Drop(pub u8);

impl treeline_game::Move for Drop {
    #[inline]
    fn to_bits(self) -> u64 {
        u64::from(self.0)
    }

    #[inline]
    fn from_bits(bits: u64) -> Self {
        Drop(bits as u8)
    }
}

/// Stones by player; whoever has fewer is to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position<B> {
    pub(super) stones: [B; 2],
    pub(super) key: u64,
    pub(super) turn: Player,
}

impl<B: Bits, const W: u32, const H: u32, const K: u32> ConnectFour<B, W, H, K> {
    /// A board of `width * (height + 1) <= B::CAPACITY` squares, sentinels included.
    pub fn new(width: u32, height: u32, line: u32) -> Self {
        let (mut bottom, mut board) = (B::EMPTY, B::EMPTY);
        for column in 0..width {
            bottom |= B::square(column * (height + 1));
            board |= B::first(height) << (column * (height + 1));
        }
        ConnectFour {
            width,
            height,
            line,
            bottom,
            board,
        }
    }

    #[inline(always)]
    pub fn width(&self) -> u32 {
        if W == 0 { self.width } else { W }
    }

    #[inline(always)]
    pub fn height(&self) -> u32 {
        if H == 0 { self.height } else { H }
    }

    #[inline(always)]
    pub fn line(&self) -> u32 {
        if K == 0 { self.line } else { K }
    }

    /// The square of a column and row.
    #[inline(always)]
    pub(super) fn square(&self, column: u32, row: u32) -> u32 {
        column * (self.height() + 1) + row
    }

    /// The landing square of every column that is not full.
    #[inline(always)]
    pub(super) fn landing(&self, occupied: B) -> B {
        // Above each stone or on the floor, and empty: columns are stacks, so one square each.
        ((occupied << 1) | self.bottom) & !occupied & self.board
    }

    /// Whether `stones` hold a line.
    #[inline(always)]
    pub(super) fn has_line(&self, stones: B) -> bool {
        let h = self.height();
        // All at once: lines are rare, so that four tests in turn are four tests nearly always.
        self.has_line_along(stones, 1)
            | self.has_line_along(stones, h + 1)
            | self.has_line_along(stones, h)
            | self.has_line_along(stones, h + 2)
    }

    #[inline(always)]
    fn has_line_along(&self, stones: B, step: u32) -> bool {
        let line = self.line();
        if line == 4 {
            let pairs = stones & (stones >> step);
            return !(pairs & (pairs >> (2 * step))).is_empty();
        }
        let mut runs = stones;
        for k in 1..line {
            if k * step >= B::CAPACITY {
                return false;
            }
            runs &= stones >> (k * step);
        }
        !runs.is_empty()
    }
}

impl<B: Copy> Position<B> {
    /// The stones of the player to move and of the other.
    #[inline(always)]
    pub fn sides(&self) -> (B, B) {
        let mover = self.turn.index();
        (self.stones[mover], self.stones[1 - mover])
    }

    /// The player who made the last move.
    #[inline(always)]
    pub(super) fn last(&self) -> Player {
        self.turn.other()
    }
}

impl<B: Bits, const W: u32, const H: u32, const K: u32> Rules for ConnectFour<B, W, H, K> {
    type Position = Position<B>;
    type Move = Drop;

    fn start(&self) -> Position<B> {
        Position {
            stones: [B::EMPTY; 2],
            key: 0,
            turn: Player::One,
        }
    }

    #[inline(always)]
    fn turn(&self, position: &Position<B>) -> Player {
        position.turn
    }

    #[inline(always)]
    fn key(&self, position: &Position<B>) -> u64 {
        position.key
    }

    fn slots(&self) -> usize {
        (self.width() * (self.height() + 1)) as usize
    }

    /// By the square on which the stone lands.
    #[inline]
    fn slot(&self, position: &Position<B>, m: Drop) -> usize {
        let column = B::first(self.height()) << self.square(u32::from(m.0), 0);
        let stones = (position.stones[0] | position.stones[1]) & column;
        (self.square(u32::from(m.0), 0) + stones.count()) as usize
    }

    #[inline]
    fn outcome(&self, position: &Position<B>) -> Option<Outcome> {
        if self.has_line(position.stones[position.last().index()]) {
            return Some(Outcome::Win(position.last()));
        }
        let full = (position.stones[0] | position.stones[1]) == self.board;
        full.then_some(Outcome::Draw)
    }

    #[inline]
    fn each_move(&self, position: &Position<B>, mut visit: impl FnMut(Drop)) {
        let landing = self.landing(position.stones[0] | position.stones[1]);
        for square in landing.squares() {
            visit(Drop((square / (self.height() + 1)) as u8));
        }
    }

    #[inline]
    fn count_moves(&self, position: &Position<B>) -> u32 {
        self.landing(position.stones[0] | position.stones[1])
            .count()
    }

    #[inline]
    fn apply(&self, position: &mut Position<B>, m: Drop) {
        let landing = self.landing(position.stones[0] | position.stones[1]);
        let column = B::first(self.height()) << self.square(u32::from(m.0) % self.width(), 0);
        let stone = landing & column;
        let mover = position.turn.index();
        position.stones[mover] |= stone;
        position.key ^= KEYS[mover][(stone.lowest() & 127) as usize] ^ TURN_KEY;
        position.turn = position.turn.other();
    }

    fn longest(&self) -> Option<u32> {
        Some(self.width() * self.height())
    }
}

impl<B: Bits, const W: u32, const H: u32, const K: u32> ConnectFour<B, W, H, K> {
    /// The key from scratch.
    pub(super) fn full_key(&self, position: &Position<B>) -> u64 {
        let mut key = match position.turn {
            Player::One => 0,
            Player::Two => TURN_KEY,
        };
        for player in Player::BOTH {
            for square in position.stones[player.index()].squares() {
                key ^= KEYS[player.index()][square as usize];
            }
        }
        key
    }
}
