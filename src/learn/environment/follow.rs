//! Steps of the replay with what followed them, as a learned model is unrolled along them (Schrittwieser et al. 2020, appendices G and H).
//!
//! Of each observation the replay has what the search found: the share of each action, and the value. An observation is worth the
//! rewards of n steps and what the search found then. Behind the end of an episode the model is to stay where it is: whatever is done,
//! nothing is worth anything. Behind a place where it was broken off nothing is known.

use super::config::Config;
use super::learner::Unrolled;
use super::replay::{Next, Replay};
use crate::game::{Rng, random};

/// How steps are drawn and unrolled.
#[derive(Debug, Clone, Copy)]
pub struct Following {
    /// K.
    pub steps: usize,
    /// n.
    pub returns: usize,
    pub discount: f32,
    pub actions: usize,
    /// Powers of how far the search was off, and of what is drawn more often.
    pub priority: f64,
    pub correction: f64,
}

impl Following {
    /// As the configuration has it, unrolled along so many steps.
    pub fn of(config: &Config, actions: usize, steps: usize) -> Following {
        let real = |key| config.real("search", key);
        Following {
            steps,
            returns: config.size("search", "returns"),
            discount: real("discount") as f32,
            actions,
            priority: real("priority"),
            correction: real("correction"),
        }
    }
}

/// What an error of none weighs beside.
const LEAST: f64 = 1e-3;
/// Tries to find a step of weight; the last is taken.
const TRIES: usize = 64;

/// The largest error that was seen of late, by which others are accepted.
#[derive(Debug, Default)]
pub struct Largest(f64);

impl Largest {
    /// What was kept.
    pub fn of(kept: f32) -> Largest {
        Largest(f64::from(kept))
    }

    pub fn kept(&self) -> f32 {
        self.0 as f32
    }

    /// From now on it is what can be kept exactly.
    pub fn round(&mut self) {
        *self = Largest::of(self.kept());
    }
}

impl Following {
    /// Draws `count` steps; false where there is none.
    pub fn draw(
        &self,
        replay: &Replay,
        count: usize,
        (rng, largest): (&mut Rng, &mut Largest),
        rows: &mut Unrolled,
    ) -> bool {
        rows.clear(self.steps);
        for _ in 0..count {
            let Some((age, weight)) = self.pick(replay, rng, largest) else {
                return false;
            };
            rows.weights.push(weight);
            self.add(replay, age, rng, rows);
        }
        let mean = rows.weights.iter().sum::<f32>() / count.max(1) as f32;
        rows.weights.iter_mut().for_each(|weight| *weight /= mean);
        true
    }

    /// A step, and what it counts: (1 / P)^β up to a factor (Schaul et al. 2016).
    fn pick(&self, replay: &Replay, rng: &mut Rng, largest: &mut Largest) -> Option<(usize, f32)> {
        let mut picked = replay.pick(rng)?;
        if self.priority == 0.0 {
            return Some((picked, 1.0));
        }
        largest.0 *= 0.9999;
        for _ in 0..TRIES {
            let chance = self.error(replay, picked).powf(self.priority);
            largest.0 = largest.0.max(chance);
            let drawn = (random::word(rng) >> 11) as f64 / (1u64 << 53) as f64;
            if drawn * largest.0 < chance {
                return Some((picked, chance.powf(-self.correction) as f32));
            }
            picked = replay.pick(rng)?;
        }
        Some((picked, largest.0.powf(-self.correction) as f32))
    }

    /// How far the search was off.
    fn error(&self, replay: &Replay, age: usize) -> f64 {
        f64::from((self.found(replay, age) - self.worth(replay, age)).abs()) + LEAST
    }

    /// The value that the search found.
    fn found(&self, replay: &Replay, age: usize) -> f32 {
        replay.found(age)[self.actions]
    }

    /// What the observation of an age, which was answered, is worth.
    pub fn worth(&self, replay: &Replay, age: usize) -> f32 {
        let (mut sum, mut factor) = (0.0, 1.0);
        // The same without the last step: what can be said where the episode was broken off behind it.
        let mut known = self.found(replay, age);
        for after in age.. {
            let slot = replay.slot(after);
            if slot.next == Next::Open {
                return known;
            }
            known = sum + factor * self.found(replay, after);
            if after - age == self.returns {
                break;
            }
            sum += factor * slot.reward;
            factor *= self.discount;
            if slot.next == Next::Over {
                return sum;
            }
        }
        known
    }

    fn add(&self, replay: &Replay, age: usize, rng: &mut Rng, rows: &mut Unrolled) {
        replay.show(age, &mut rows.seen);
        // The state is the observation of an age, or one behind the end, or nothing is known of it.
        let (mut at, mut is_over, mut is_known) = (age, false, true);
        for step in 0..=self.steps {
            let next = (!is_over && is_known).then(|| replay.slot(at));
            let next = next.filter(|slot| slot.next != Next::Open);
            is_known = is_over || next.is_some();
            rows.known.push(f32::from(u8::from(is_known)));
            match next {
                Some(_) => {
                    rows.values.push(self.worth(replay, at));
                    let shares = &replay.found(at)[..self.actions];
                    rows.policies.extend_from_slice(shares);
                }
                None => {
                    rows.values.push(0.0);
                    let length = rows.policies.len() + self.actions;
                    rows.policies.resize(length, 0.0);
                }
            }
            if step == self.steps {
                break;
            }
            match next {
                Some(slot) => {
                    rows.actions.push(i64::from(slot.action));
                    rows.rewards.push(slot.reward);
                    is_over = slot.next == Next::Over;
                    at += 1;
                }
                None => {
                    let any = random::pick(rng, self.actions as u32);
                    rows.actions.push(i64::from(any));
                    rows.rewards.push(0.0);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Space;

    const PLAIN: Following = Following {
        steps: 3,
        returns: 2,
        discount: 0.5,
        actions: 2,
        priority: 0.0,
        correction: 1.0,
    };

    /// An episode of three steps and its end, one that was broken off after two. Rewards 1, 2, 4; 8, 16. Found values 10, 20, 30; 40, 50.
    fn replay() -> Replay {
        let mut replay = Replay::new(Space::Frames(1), 1, 10, 3).unwrap();
        let found = |replay: &mut Replay, value: f32| {
            replay.note(replay.len() - 1, &[0.25, 0.75, value]);
        };
        replay.begin(&[1]);
        found(&mut replay, 10.0);
        replay.step(0, 1.0, false, &[2]);
        found(&mut replay, 20.0);
        replay.step(1, 2.0, false, &[3]);
        found(&mut replay, 30.0);
        replay.step(0, 4.0, true, &[9]);
        replay.begin(&[4]);
        found(&mut replay, 40.0);
        replay.step(1, 8.0, false, &[5]);
        found(&mut replay, 50.0);
        replay.step(1, 16.0, false, &[6]);
        replay.begin(&[7]);
        replay
    }

    #[test]
    fn a_step_is_worth_its_rewards_and_what_was_found_then() {
        let replay = replay();
        let worth = |age| PLAIN.worth(&replay, age);
        assert_eq!(worth(0), 1.0 + 0.5 * 2.0 + 0.25 * 30.0);
        // The end comes first.
        assert_eq!((worth(1), worth(2)), (2.0 + 0.5 * 4.0, 4.0));
        // It was broken off: what was found at the last step that was searched.
        assert_eq!((worth(3), worth(4)), (8.0 + 0.5 * 50.0, 50.0));
    }

    #[test]
    fn what_follows_is_unrolled_and_nothing_is_worth_anything_behind_the_end() {
        let replay = replay();
        let unrolled = |age| {
            let mut rows = Unrolled::default();
            rows.clear(3);
            PLAIN.add(&replay, age, &mut random::seeded(1), &mut rows);
            rows
        };
        let whole = unrolled(1);
        assert_eq!(whole.seen, [2]);
        assert_eq!(whole.actions[..2], [1, 0]);
        assert_eq!(whole.rewards, [2.0, 4.0, 0.0]);
        assert_eq!(whole.values, [4.0, 4.0, 0.0, 0.0]);
        assert_eq!(whole.known, [1.0; 4]);
        assert_eq!(whole.policies[..4], [0.25, 0.75, 0.25, 0.75]);
        assert_eq!(whole.policies[4..], [0.0; 4]);
        let broken = unrolled(4);
        assert_eq!((broken.actions[0], broken.rewards[0]), (1, 16.0));
        assert_eq!(broken.known, [1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn what_the_search_was_wrong_about_is_drawn_more_often_and_counts_less() {
        let replay = replay();
        let following = Following {
            priority: 1.0,
            ..PLAIN
        };
        let (mut rng, mut largest) = (random::seeded(3), Largest::default());
        let (mut counts, mut weights) = ([0.0; 5], [0.0; 5]);
        for _ in 0..4000 {
            let (age, weight) = following.pick(&replay, &mut rng, &mut largest).unwrap();
            counts[age] += 1.0;
            weights[age] = weight;
        }
        // Errors: 10 of 9.5, 20 of 4, 30 of 4, 40 of 33; and none at the last.
        let errors = [0.5f64, 16.0, 26.0, 7.0];
        for (age, error) in errors.iter().enumerate() {
            let share: f64 = counts[age] / 4000.0;
            assert!((share - error / 49.5).abs() < 0.04, "{counts:?}");
            assert!((f64::from(weights[age]) * error - 1.0).abs() < 0.01);
        }
        assert!(counts[4] < 3.0);
    }
}
