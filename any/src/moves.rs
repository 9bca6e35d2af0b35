//! A move of any game: its number.

use treeline_game::Move;

/// A move of some game, as [`Move::to_bits`] numbers it; the order is the game's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AnyMove(pub u64);

impl Move for AnyMove {
    fn to_bits(self) -> u64 {
        self.0
    }

    fn from_bits(bits: u64) -> Self {
        AnyMove(bits)
    }
}
