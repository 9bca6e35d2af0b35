//! Features: own stones, then the other's, column by column from below; likewise the empty squares that would complete a line
//! of one's own and of the other's; and whether this is the first player, or the second. Which rows' threats are worth more
//! hangs on that.
//!
//! Version 1 had the stones only.

use super::rules::{ConnectFour, Position};
use treeline_game::bits::Bits;
use treeline_game::features::{Writer, exchanged, packed};
use treeline_game::{Features, Player};

const VERSION: u32 = 2;

impl<B: Bits, const W: u32, const H: u32, const K: u32> Features for ConnectFour<B, W, H, K> {
    #[inline(always)]
    fn features(&self) -> usize {
        4 * (self.width() * self.height()) as usize + 2
    }

    fn features_version(&self) -> u32 {
        VERSION
    }

    #[inline]
    fn write_features(&self, position: &Position<B>, player: Player, out: &mut [u64]) {
        let (width, height) = (self.width(), self.height());
        let own = position.stones[player.index()];
        let other = position.stones[player.other().index()];
        let empty = !(own | other);
        let threats = [own, other].map(|stones| self.completing(stones) & empty);
        let mut writer = Writer::new(out);
        for squares in [own, other].into_iter().chain(threats) {
            let squares = packed(squares.wide(), height + 1, height, width);
            writer.put(squares, width * height);
        }
        writer.put(1 << player.index(), 2);
    }

    fn turned_feature(&self, feature: usize) -> usize {
        let squares = (self.width() * self.height()) as usize;
        let (runs, within) = (feature / (2 * squares), feature % (2 * squares));
        match runs {
            0 | 1 => runs * 2 * squares + exchanged(within, squares),
            _ => 4 * squares + exchanged(within, 1),
        }
    }
}
