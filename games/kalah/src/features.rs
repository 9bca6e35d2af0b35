//! Features: own houses from the left, own store, then the other's. A count is written as a thermometer (a bit for one seed
//! or more, for two or more, …), which a sown seed changes by one bit; a count that it cannot show is added as a binary
//! number. A house's thermometer shows up to twice the seeds it began with and four more, a store's half of all seeds, with
//! more than which the game is won.

use super::rules::{Kalah, Position};
use super::side::Side;
use treeline_game::features::{Writer, exchanged, write_turned};
use treeline_game::{Features, Player};

/// Binary digits of a count.
const DIGITS: u32 = 8;

impl<S: Side, const N: u32> Kalah<S, N> {
    /// The longest thermometers of a house and of a store.
    #[inline(always)]
    fn thermometers(&self) -> [u32; 2] {
        [2 * self.seeds() + 4, self.houses() * self.seeds()]
    }

    /// Features of one side.
    #[inline(always)]
    fn features_of_side(&self) -> usize {
        let [house, store] = self.thermometers();
        (self.houses() * (house + DIGITS) + store + DIGITS) as usize
    }

    /// As player one sees them.
    #[inline(always)]
    fn write_seeds(&self, position: &Position<S>, out: &mut [u64]) {
        let [house, store] = self.thermometers();
        let mut writer = Writer::new(out);
        let mut put = |count: u32, most: u32| {
            writer.put((1 << count.min(most)) - 1, most);
            writer.put(u128::from(if count > most { count } else { 0 }), DIGITS);
        };
        for side in position.sides {
            for h in 0..self.houses() {
                put(side.at(8 * h), house);
            }
            put(side.at(S::STORE), store);
        }
    }
}

impl<S: Side, const N: u32> Features for Kalah<S, N> {
    fn features(&self) -> usize {
        2 * self.features_of_side()
    }

    #[inline]
    fn write_features(&self, position: &Position<S>, player: Player, out: &mut [u64]) {
        match player {
            Player::One => self.write_seeds(position, out),
            Player::Two => write_turned(self, position, out),
        }
    }

    fn turned_feature(&self, feature: usize) -> usize {
        exchanged(feature, self.features_of_side())
    }
}
