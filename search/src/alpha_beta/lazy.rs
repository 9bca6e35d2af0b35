//! Lazy evaluation: what a network said of positions of the same material ([`Knowledge::material_class`]) says of most others of
//! them whether they are outside the window, and then they need not be evaluated. The margins are learned from the network's own
//! values while the search goes on, so that they fit any network.
//!
//! The idea is that of lazy evaluation in chess programs, whose margins are constants.
//!
//! [`Knowledge::material_class`]: treeline_game::Knowledge::material_class

use super::worker::Worker;
use treeline_game::{Game, Player};

/// One of so many positions is evaluated though it might have been spared, so that a class goes on learning.
const SAMPLE: u32 = 32;

impl<G: Game> Worker<'_, G> {
    /// A bound of the score for `mover` of a position that the network would be asked about, if its material says that it is outside the
    /// window.
    #[inline(always)]
    pub(super) fn spare(
        &mut self,
        position: &G::Position,
        mover: Player,
        alpha: i32,
        beta: i32,
    ) -> Option<i32> {
        if !self.settings.lazy {
            return None;
        }
        let network = self.network.as_mut()?;
        let class = self.game.material_class(position)?;
        let [low, high] = network.experience.bounds(class)?;
        let [low, high] = match self.game.turn(position) == mover {
            true => [low, high],
            false => [-high, -low],
        };
        let bound = if low >= beta {
            low
        } else if high <= alpha {
            high
        } else {
            return None;
        };
        network.spared = network.spared.wrapping_add(1);
        if network.spared.is_multiple_of(SAMPLE) {
            return None;
        }
        self.grounds.soft += 1;
        Some(bound)
    }

    /// The network said that a position is worth `points` to player one.
    #[inline(always)]
    pub(super) fn learn_material(&mut self, position: &G::Position, points: i32) {
        if self.settings.lazy
            && let Some(class) = self.game.material_class(position)
            && let Some(network) = self.network.as_mut()
        {
            let points = points * self.game.turn(position).sign();
            network.experience.learn(class, points);
        }
    }
}
