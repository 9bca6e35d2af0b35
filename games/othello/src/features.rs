//! Features: own discs, then the other's, row by row from the top.

use super::board::Board;
use super::rules::{Othello, Position};
use super::squares::stride;
use treeline_game::features::{Writer, exchanged, packed, write_turned};
use treeline_game::pattern::Patterns;
use treeline_game::{Features, Player};

impl<B: Board<N>, const N: u32> Othello<B, N> {
    /// As player one sees them.
    #[inline(always)]
    fn write_discs(position: &Position<B>, out: &mut [u64]) {
        let mut writer = Writer::new(out);
        for discs in position.discs() {
            writer.put(packed(discs.wide(), stride(N), N, N), N * N);
        }
    }
}

impl<B: Board<N>, const N: u32> Features for Othello<B, N> {
    fn features(&self) -> usize {
        (2 * N * N) as usize
    }

    #[inline]
    fn write_features(&self, position: &Position<B>, player: Player, out: &mut [u64]) {
        match player {
            Player::One => Self::write_discs(position, out),
            Player::Two => write_turned(self, position, out),
        }
    }

    fn turned_feature(&self, feature: usize) -> usize {
        exchanged(feature, (N * N) as usize)
    }

    fn patterns(&self) -> Option<Patterns> {
        Some(super::patterns::patterns(N as usize))
    }
}
