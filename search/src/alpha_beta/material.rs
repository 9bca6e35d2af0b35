//! What a network said of positions of the same material ([`Knowledge::material_class`]), and between what the next value of such a
//! position will be, nearly always.
//!
//! [`Knowledge::material_class`]: treeline_game::Knowledge::material_class

use treeline_game::MATERIAL_CLASSES;

/// Values of a class before what they say is believed.
const LEAST: f32 = 256.0;
/// Values that count: older ones fade.
const MOST: f32 = 16384.0;
/// Standard deviations from the mean within which a value is taken to be: 99 of 100 were in draughts.
const DEVIATIONS: f32 = 2.5;
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
}

impl Experience {
    pub fn new() -> Self {
        Experience {
            classes: Box::new([Values::default(); MATERIAL_CLASSES]),
        }
    }

    /// A position of the class is worth so many points to the player to move.
    #[inline(always)]
    pub fn learn(&mut self, class: usize, points: i32) {
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
    pub fn bounds(&self, class: usize) -> Option<[i32; 2]> {
        let values = self.classes.get(class)?;
        let margin = DEVIATIONS * values.variance.sqrt();
        let bounds = [values.mean - margin, values.mean + margin];
        (values.count >= LEAST).then(|| bounds.map(|bound| bound.clamp(-END, END) as i32))
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
