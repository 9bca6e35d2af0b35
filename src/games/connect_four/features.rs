//! Features: own stones, then the other's, column by column from below.

use super::rules::{ConnectFour, Position};
use crate::game::bits::Bits;
use crate::game::features::{Writer, packed};

impl<B: Bits, const W: u32, const H: u32, const K: u32> ConnectFour<B, W, H, K> {
    /// Squares of the board.
    #[inline(always)]
    pub(super) fn count_squares(&self) -> u32 {
        self.width() * self.height()
    }

    /// As player one sees them.
    #[inline(always)]
    pub(super) fn write_stones(&self, position: &Position<B>, out: &mut [u64]) {
        let mut writer = Writer::new(out);
        for stones in position.stones {
            let (width, height) = (self.width(), self.height());
            let stones = packed(stones.wide(), height + 1, height, width);
            writer.put(stones, self.count_squares());
        }
    }
}
