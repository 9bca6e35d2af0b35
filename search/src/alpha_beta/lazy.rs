//! Lazy evaluation: what a network said of positions of the same material ([`Knowledge::material_class`]) says of most others of
//! them whether they are outside the window, and then they need not be evaluated. The margins are learned from the network's own
//! values while the search goes on, so that they fit any network.
//!
//! The idea is that of lazy evaluation in chess programs, whose margins are constants.
//!
//! [`Knowledge::material_class`]: treeline_game::Knowledge::material_class

use super::worker::Worker;
use treeline_game::{Game, MATERIAL_CLASSES, Player};

/// Values of a class before what they say is believed.
const LEAST: f32 = 256.0;
/// Values that count: older ones fade.
const MOST: f32 = 16384.0;
/// Standard deviations from the mean within which a value is taken to be: 99 of 100 were in draughts.
const DEVIATIONS: f32 = 2.5;
/// One of so many positions is evaluated though it might have been spared, so that a class goes on learning.
const SAMPLE: u32 = 32;
/// Values in points end there.
const END: f32 = 999_999.0;

/// The values of a class for the player to move, in points.
#[derive(Debug, Clone, Copy, Default)]
struct Values {
    count: f32,
    mean: f32,
    variance: f32,
}

/// What a thread's network said of each class.
#[derive(Debug, Clone)]
pub struct Experience {
    classes: Box<[Values; MATERIAL_CLASSES]>,
    /// Positions that might have been spared.
    spared: u32,
}

impl Experience {
    pub fn new() -> Self {
        Experience {
            classes: Box::new([Values::default(); MATERIAL_CLASSES]),
            spared: 0,
        }
    }

    /// A position of the class is worth so many points to the player to move.
    #[inline(always)]
    fn learn(&mut self, class: usize, points: i32) {
        let Some(values) = self.classes.get_mut(class) else {
            return;
        };
        values.count = (values.count + 1.0).min(MOST);
        let off = points as f32 - values.mean;
        values.mean += off / values.count;
        let squared = off * (points as f32 - values.mean);
        values.variance += (squared - values.variance) / values.count;
    }

    /// What the next position of the class is worth at least and at most, if enough is known.
    #[inline(always)]
    fn bounds(&self, class: usize) -> Option<[i32; 2]> {
        let values = self.classes.get(class)?;
        let margin = DEVIATIONS * values.variance.sqrt();
        let bounds = [values.mean - margin, values.mean + margin];
        (values.count >= LEAST).then(|| bounds.map(|bound| bound.clamp(-END, END) as i32))
    }
}

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
        let experience = &mut self.network.as_mut()?.experience;
        let class = self.game.material_class(position)?;
        let [low, high] = experience.bounds(class)?;
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
        experience.spared = experience.spared.wrapping_add(1);
        if experience.spared.is_multiple_of(SAMPLE) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_for_nearly_all_values_once_there_are_some() {
        let mut experience = Experience::new();
        let value = |i: i32| 300_000 + (i * 7919 % 200_001) - 100_000;
        for i in 0..255 {
            experience.learn(3, value(i));
            assert_eq!(experience.bounds(3), None, "{i}");
        }
        for i in 255..40_000 {
            experience.learn(3, value(i));
        }
        let [low, high] = experience.bounds(3).unwrap();
        // Evenly from 200,000 to 400,000: the deviation is 200,000 / √12.
        assert!((155_000..157_000).contains(&low), "{low}");
        assert!((443_000..445_000).contains(&high), "{high}");
        assert_eq!(experience.bounds(4), None);
        assert_eq!(experience.bounds(MATERIAL_CLASSES), None);
    }

    #[test]
    fn old_values_fade() {
        let mut experience = Experience::new();
        for points in [900_000, -900_000] {
            for _ in 0..200_000 {
                experience.learn(0, points);
            }
        }
        let [low, high] = experience.bounds(0).unwrap();
        assert!(low < -890_000 && high < -850_000, "{low} {high}");
    }
}
