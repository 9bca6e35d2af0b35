//! Results of every opening of one length on the usual board, and a move that keeps each, computed by `examples/opening.rs` and
//! `examples/replies.rs` of this crate.
//!
//! The file holds no positions: they are enumerated again, in the same order, when the values are needed.

use super::super::rules::ConnectFour;
use treeline_game::bits::Bits;

/// Values of `positions(game, stones)`: the number of stones, then two bits a position, `value + 1` for the mover or 3
/// where nobody knows.
#[derive(Debug, Clone, Copy)]
pub struct Opening {
    bytes: &'static [u8],
}

static SHIPPED: &[u8] = include_bytes!("opening.bin");
/// Of the same positions, those that are lost aside: see [`replies`].
static REPLIES: &[u8] = include_bytes!("replies.bin");

/// What stands for an unknown value.
pub const UNKNOWN: u8 = 3;

impl Opening {
    /// The table that comes with the game, for the board that it was made for.
    pub fn shipped<B: Bits, const W: u32, const H: u32, const K: u32>(
        game: &ConnectFour<B, W, H, K>,
    ) -> Option<Self> {
        let usual = (game.width(), game.height(), game.line()) == (7, 6, 4);
        (usual && !SHIPPED.is_empty()).then_some(Opening { bytes: SHIPPED })
    }

    pub fn stones(self) -> u32 {
        u32::from(self.bytes[0])
    }

    /// Whether no value is unknown.
    pub fn is_complete(self) -> bool {
        let known = |byte: &u8| (0..4).all(|at| byte >> (2 * at) & 3 != UNKNOWN);
        self.bytes[1..].iter().all(known)
    }

    /// The value of position number `at` for its mover.
    pub fn value(self, at: usize) -> Option<i8> {
        value(self.bytes, at)
    }
}

/// The value of position number `at` in a table for its mover.
pub fn value(table: &[u8], at: usize) -> Option<i8> {
    let code = table.get(1 + at / 4)? >> (2 * (at % 4)) & 3;
    (code != UNKNOWN).then_some(code as i8 - 1)
}

/// What stands for no reply, in four bits.
const NO_REPLY: u8 = 15;

/// The column of the reply to position number `at` in a table of replies.
pub fn reply(table: &[u8], at: usize) -> Option<u8> {
    let column = table.get(1 + at / 2)? >> (4 * (at % 2)) & 15;
    (column != NO_REPLY).then_some(column)
}

/// The table of these replies: the number of stones, then four bits a position.
pub fn replies(stones: u32, replies: &[Option<u8>]) -> Vec<u8> {
    let mut table = vec![stones as u8];
    for two in replies.chunks(2) {
        let codes = two.iter().enumerate();
        table.push(codes.fold(0, |byte, (i, reply)| {
            byte | reply.unwrap_or(NO_REPLY) << (4 * i)
        }));
    }
    table
}

/// The table of these values.
pub fn table(stones: u8, values: &[Option<i8>]) -> Vec<u8> {
    let mut table = vec![stones];
    for four in values.chunks(4) {
        let codes = four.iter().enumerate();
        table.push(codes.fold(0, |byte, (i, value)| {
            byte | value.map_or(UNKNOWN, |value| (value + 1) as u8) << (2 * i)
        }));
    }
    table
}

/// Stones of the mover and of the other in every unfinished position with `stones` stones that play can reach, one of
/// each pair of mirror images, by ascending key.
pub fn positions<B: Bits, const W: u32, const H: u32, const K: u32>(
    game: &ConnectFour<B, W, H, K>,
    stones: u32,
) -> Vec<(B, B)> {
    let sides = |(key, occupied): (B, B)| (key & occupied, !key & occupied);
    level(game, stones).into_iter().map(sides).collect()
}

/// The key and the squares that are taken of each of those positions.
fn level<B: Bits, const W: u32, const H: u32, const K: u32>(
    game: &ConnectFour<B, W, H, K>,
    stones: u32,
) -> Vec<(B, B)> {
    let mut level = vec![(game.packed(B::EMPTY, B::EMPTY), B::EMPTY)];
    for _ in 0..stones {
        let mut next = Vec::with_capacity(4 * level.len());
        for (key, occupied) in level {
            let (mover, other) = (key & occupied, !key & occupied);
            for square in game.landing(occupied).squares() {
                let stone = B::square(square);
                if !game.has_line(mover | stone) {
                    next.push(either(game, other, occupied | stone));
                }
            }
        }
        next.sort_unstable_by_key(|(key, _)| *key);
        next.dedup();
        level = next;
    }
    level
}

/// The key of the position or of its mirror image, whichever is smaller, and the squares that are taken there. The key's bits
/// on those squares are the mover's stones.
fn either<B: Bits, const W: u32, const H: u32, const K: u32>(
    game: &ConnectFour<B, W, H, K>,
    mover: B,
    occupied: B,
) -> (B, B) {
    let packed = game.packed(mover, occupied);
    let image = game.mirrored(packed);
    if packed <= image {
        return (packed, occupied);
    }
    (image, game.mirrored(occupied))
}

/// A table that answers.
#[derive(Debug)]
pub struct Book<B> {
    opening: Opening,
    /// By ascending key; empty until `open`.
    keys: Vec<B>,
}

impl<B: Bits> Book<B> {
    /// The one that comes with the game.
    pub fn shipped<const W: u32, const H: u32, const K: u32>(
        game: &ConnectFour<B, W, H, K>,
    ) -> Option<Self> {
        Some(Book {
            opening: Opening::shipped(game)?,
            keys: Vec::new(),
        })
    }

    pub fn stones(&self) -> u32 {
        self.opening.stones()
    }

    pub fn is_complete(&self) -> bool {
        self.opening.is_complete()
    }

    /// Enumerates its positions, at the first call.
    pub fn open<const W: u32, const H: u32, const K: u32>(
        &mut self,
        game: &ConnectFour<B, W, H, K>,
    ) {
        if self.keys.is_empty() {
            let level = level(game, self.stones()).into_iter();
            self.keys = level.map(|(key, _)| key).collect();
        }
    }

    /// The value for the mover of the position with this key, its own or its mirror image's, whichever is smaller.
    pub fn value(&self, key: B) -> Option<i8> {
        let at = self.keys.binary_search(&key).ok()?;
        self.opening.value(at)
    }

    /// The column of a move that keeps it, in the position that has this key.
    pub fn reply(&self, key: B) -> Option<u8> {
        reply(REPLIES, self.keys.binary_search(&key).ok()?)
    }
}
