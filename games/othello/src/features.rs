//! Features: own discs, then the other's, row by row from the top.

use super::board::{Board, stride};
use super::rules::{Othello, Position};
use treeline_game::features::{Writer, packed};

impl<B: Board<N>, const N: u32> Othello<B, N> {
    /// As player one sees them.
    #[inline(always)]
    pub(super) fn write_discs(position: &Position<B>, out: &mut [u64]) {
        let mut writer = Writer::new(out);
        for discs in position.discs() {
            writer.put(packed(discs.wide(), stride(N), N, N), N * N);
        }
    }
}
