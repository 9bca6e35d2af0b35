//! Results of every opening of one length on the usual board, computed by `examples/connect_four_opening.rs`.
//!
//! The file holds no positions: they are enumerated again, in the same order, when the values are needed.

use super::super::rules::ConnectFour;
use crate::game::Game;
use crate::game::bits::Bits;

/// Values of `positions(game, stones)`: the number of stones, then two bits a position, `value + 1` for the mover or 3
/// where nobody knows.
#[derive(Debug, Clone, Copy)]
pub struct Opening {
    bytes: &'static [u8],
}

static SHIPPED: &[u8] = include_bytes!("opening.bin");

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
    let start = game.start();
    let mut level = vec![(B::EMPTY, start.sides().0, start.sides().1)];
    for _ in 0..stones {
        let mut next = Vec::new();
        for (_, mover, other) in level {
            for square in game.landing(mover | other).squares() {
                let mine = mover | B::square(square);
                if !game.has_line(mine) {
                    next.push(either(game, other, mine));
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        level = next;
    }
    level
        .into_iter()
        .map(|(_, mover, other)| (mover, other))
        .collect()
}

/// The position or its mirror image, whichever has the smaller key, behind that key.
fn either<B: Bits, const W: u32, const H: u32, const K: u32>(
    game: &ConnectFour<B, W, H, K>,
    mover: B,
    other: B,
) -> (B, B, B) {
    let occupied = mover | other;
    let packed = game.packed(mover, occupied);
    let image = game.mirrored(packed);
    if packed <= image {
        return (packed, mover, other);
    }
    (image, game.mirrored(mover), game.mirrored(other))
}
