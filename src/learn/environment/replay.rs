//! What an agent remembers: the newest steps of its episodes, each observation once.

use super::learner::Drawn;
use crate::environment::Space;
use crate::game::{Rng, random};
use anyhow::{Result, anyhow};
use std::ops::Range;

/// What followed an observation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Next {
    /// Nothing yet, or the episode was broken off here.
    Open,
    /// An action; the next observation is the next in the ring.
    Acted,
    /// An action after which the episode was over.
    Over,
}

#[derive(Debug, Clone, Copy)]
pub struct Slot {
    /// Whether an episode begins here.
    begins: bool,
    pub next: Next,
    pub action: u32,
    pub reward: f32,
}

/// A ring of observations, the oldest of which give way.
#[derive(Debug)]
pub struct Replay {
    /// Bytes of an observation, and how many the network sees at once.
    bytes: usize,
    stack: usize,
    capacity: usize,
    seen: Vec<u8>,
    slots: Vec<Slot>,
    /// What was found of each observation besides, `width` numbers.
    found: Vec<f32>,
    width: usize,
    /// Where the oldest is, once the ring is full.
    oldest: usize,
}

impl Replay {
    /// Room for `capacity` observations, of which the newest `stack` frames are seen at once, with `width` numbers that were found
    /// of each.
    pub fn new(space: Space, stack: usize, capacity: usize, width: usize) -> Result<Replay> {
        let bytes = space.bytes();
        let stack = match space {
            Space::Frames(_) => stack,
            Space::Numbers(_) => 1,
        };
        let (mut seen, size) = (Vec::new(), capacity.saturating_mul(bytes));
        seen.try_reserve_exact(size)
            .map_err(|_| anyhow!("there is no memory for the replay: {} MB", size / 1_000_000))?;
        Ok(Replay {
            bytes,
            stack,
            capacity,
            seen,
            slots: Vec::new(),
            found: Vec::new(),
            width,
            oldest: 0,
        })
    }

    /// Observations that are remembered.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// The place in the ring of the observation that is `age` younger than the oldest.
    fn place(&self, age: usize) -> usize {
        (self.oldest + age) % self.slots.len().max(1)
    }

    /// An episode begins with this observation.
    pub fn begin(&mut self, seen: &[u8]) {
        self.push(seen, true);
    }

    fn push(&mut self, seen: &[u8], begins: bool) {
        let slot = Slot {
            begins,
            next: Next::Open,
            action: 0,
            reward: 0.0,
        };
        if self.slots.len() < self.capacity {
            self.seen.extend_from_slice(seen);
            self.slots.push(slot);
            self.found.resize(self.slots.len() * self.width, 0.0);
            return;
        }
        let at = self.oldest;
        self.seen[at * self.bytes..(at + 1) * self.bytes].copy_from_slice(seen);
        self.slots[at] = slot;
        self.oldest = (at + 1) % self.capacity;
    }

    /// What the newest observation was answered with, and what came of it.
    pub fn step(&mut self, action: usize, reward: f32, terminated: bool, seen: &[u8]) {
        let newest = self.place(self.len().saturating_sub(1));
        if let Some(slot) = self.slots.get_mut(newest) {
            slot.action = action as u32;
            slot.reward = reward;
            slot.next = if terminated { Next::Over } else { Next::Acted };
        }
        if !terminated {
            self.push(seen, false);
        }
    }

    /// What followed the observation of an age.
    pub fn slot(&self, age: usize) -> Slot {
        self.slots[self.place(age)]
    }

    /// What was found of the observation of an age.
    pub fn found(&self, age: usize) -> &[f32] {
        let at = self.place(age) * self.width;
        &self.found[at..at + self.width]
    }

    /// Notes what was found of it.
    pub fn note(&mut self, age: usize, found: &[f32]) {
        let at = self.place(age) * self.width;
        self.found[at..at + self.width].copy_from_slice(found);
    }

    /// The ages of the newest episode's observations that are remembered.
    pub fn newest_episode(&self) -> Range<usize> {
        let begins = (0..self.len())
            .rev()
            .find(|age| self.slots[self.place(*age)].begins);
        begins.unwrap_or(0)..self.len()
    }

    /// Whether all is there that `returns` steps after an age will ever be: they are answered, or the episode is over before.
    pub fn is_settled(&self, age: usize, returns: usize) -> bool {
        let newest = self.len().saturating_sub(1);
        for after in age..=age.saturating_add(returns).min(newest) {
            match self.slot(after).next {
                Next::Acted => {}
                Next::Over => return true,
                // A later one begins another episode.
                Next::Open => return after < newest,
            }
        }
        true
    }

    /// An answered step by chance; none where hardly any is there.
    pub fn pick(&self, rng: &mut Rng) -> Option<usize> {
        // All but the newest of each episode were answered; an episode has two observations or more.
        let mut newest = self.slots.iter().rev().take(3);
        if newest.all(|slot| slot.next == Next::Open) {
            return None;
        }
        loop {
            let age = random::pick(rng, self.len() as u32) as usize;
            if self.slot(age).next != Next::Open {
                return Some(age);
            }
        }
    }

    /// What the network sees now, `[stack, observation]`.
    pub fn now(&self, out: &mut Vec<u8>) {
        out.clear();
        if let Some(newest) = self.len().checked_sub(1) {
            self.show(newest, out);
        }
    }

    /// Adds what the network sees at an age: frames before the episode, and those forgotten, are black.
    pub fn show(&self, age: usize, out: &mut Vec<u8>) {
        let mut there = 1;
        while there < self.stack && there <= age && !self.slots[self.place(age + 1 - there)].begins
        {
            there += 1;
        }
        out.resize(out.len() + (self.stack - there) * self.bytes, 0);
        for back in (0..there).rev() {
            let at = self.place(age - back);
            out.extend_from_slice(&self.seen[at * self.bytes..(at + 1) * self.bytes]);
        }
    }

    /// Draws `count` steps by chance; each with the rewards of at most `returns` steps, discounted, and where those led.
    /// False where there is none.
    pub fn draw(
        &self,
        count: usize,
        returns: usize,
        discount: f32,
        rng: &mut Rng,
        drawn: &mut Drawn,
    ) -> bool {
        drawn.clear();
        for _ in 0..count {
            let Some(age) = self.pick(rng) else {
                return false;
            };
            self.add(age, returns, discount, drawn);
        }
        true
    }

    fn add(&self, age: usize, returns: usize, discount: f32, drawn: &mut Drawn) {
        let first = self.slots[self.place(age)];
        let (mut sum, mut factor, mut after) = (0.0, 1.0, age);
        let over = loop {
            let slot = self.slots[self.place(after)];
            if slot.next == Next::Open || after - age == returns {
                break false;
            }
            sum += factor * slot.reward;
            factor *= discount;
            if slot.next == Next::Over {
                break true;
            }
            after += 1;
        };
        self.show(age, &mut drawn.before);
        self.show(after, &mut drawn.after);
        drawn.actions.push(i64::from(first.action));
        drawn.rewards.push(sum);
        drawn.discounts.push(if over { 0.0 } else { factor });
    }
}

/// A reward as it is learned.
pub fn learned_reward(reward: f32, signs: bool) -> f32 {
    match signs && reward != 0.0 {
        true => reward.signum(),
        false => reward,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of observations of one byte.
    fn ring(stack: usize, capacity: usize) -> Replay {
        Replay::new(Space::Frames(1), stack, capacity, 0).unwrap()
    }

    fn shown(replay: &Replay, age: usize) -> Vec<u8> {
        let mut out = Vec::new();
        replay.show(age, &mut out);
        out
    }

    fn added(replay: &Replay, age: usize, returns: usize) -> (Vec<u8>, f32, f32) {
        let mut drawn = Drawn::default();
        replay.add(age, returns, 0.5, &mut drawn);
        (drawn.after, drawn.rewards[0], drawn.discounts[0])
    }

    #[test]
    fn frames_of_another_episode_are_black() {
        let mut replay = ring(3, 10);
        replay.begin(&[1]);
        replay.step(0, 0.0, false, &[2]);
        replay.step(0, 0.0, true, &[3]);
        replay.begin(&[4]);
        replay.step(0, 0.0, false, &[5]);
        replay.step(0, 0.0, false, &[6]);
        // What follows the end is not remembered.
        assert_eq!(replay.len(), 5);
        let all: Vec<_> = (0..5).map(|age| shown(&replay, age)).collect();
        let wanted = [[0, 0, 1], [0, 1, 2], [0, 0, 4], [0, 4, 5], [4, 5, 6]];
        assert_eq!(all, wanted);
        let mut now = Vec::new();
        replay.now(&mut now);
        assert_eq!(now, [4, 5, 6]);
    }

    #[test]
    fn the_oldest_give_way() {
        let mut replay = ring(2, 3);
        replay.begin(&[1]);
        for i in 2..=5 {
            replay.step(i, i as f32, false, &[i as u8]);
        }
        assert_eq!(replay.len(), 3);
        // The frame before 3 is forgotten.
        assert_eq!(shown(&replay, 0), [0, 3]);
        assert_eq!(shown(&replay, 2), [4, 5]);
        assert_eq!(added(&replay, 0, 1), (vec![3, 4], 4.0, 0.5));
    }

    #[test]
    fn returns_end_with_the_episode_and_where_it_was_broken_off() {
        let mut replay = ring(1, 10);
        replay.begin(&[1]);
        replay.step(0, 1.0, false, &[2]);
        replay.step(0, 2.0, false, &[3]);
        replay.step(0, 4.0, true, &[9]);
        replay.begin(&[4]);
        replay.step(0, 8.0, false, &[5]);
        replay.begin(&[6]);
        assert_eq!(added(&replay, 0, 1), (vec![2], 1.0, 0.5));
        assert_eq!(added(&replay, 0, 2), (vec![3], 2.0, 0.25));
        assert_eq!(added(&replay, 0, 5), (vec![3], 3.0, 0.0));
        assert_eq!(added(&replay, 2, 1), (vec![3], 4.0, 0.0));
        // Broken off after one step: what comes then is asked of the network.
        assert_eq!(added(&replay, 3, 5), (vec![5], 8.0, 0.5));
    }

    #[test]
    fn what_will_never_change_is_settled() {
        let mut replay = ring(1, 10);
        replay.begin(&[1]);
        replay.step(0, 0.0, false, &[2]);
        replay.step(0, 0.0, true, &[9]);
        replay.begin(&[3]);
        replay.step(0, 0.0, false, &[4]);
        assert_eq!(replay.newest_episode(), 2..4);
        let settled = |replay: &Replay, returns| -> Vec<bool> {
            (0..replay.len())
                .map(|age| replay.is_settled(age, returns))
                .collect()
        };
        // The newest is not answered yet, so that nothing was found of it.
        assert_eq!(settled(&replay, 1), [true, true, false, false]);
        replay.step(0, 0.0, false, &[5]);
        assert_eq!(settled(&replay, 1), [true, true, true, false, false]);
        assert_eq!(settled(&replay, 2), [true, true, false, false, false]);
        // Broken off.
        replay.begin(&[6]);
        assert_eq!(settled(&replay, 9), [true, true, true, true, true, false]);
    }

    #[test]
    fn only_answered_observations_are_drawn() {
        let mut replay = ring(1, 100);
        let (mut rng, mut drawn) = (random::seeded(1), Drawn::default());
        replay.begin(&[0]);
        assert!(!replay.draw(4, 1, 1.0, &mut rng, &mut drawn));
        for i in 1..10u8 {
            replay.step(usize::from(i), 0.0, false, &[i]);
        }
        assert!(replay.draw(200, 1, 1.0, &mut rng, &mut drawn));
        let pairs = drawn.before.iter().zip(&drawn.actions);
        assert!(
            pairs
                .clone()
                .all(|(seen, action)| i64::from(*seen) + 1 == *action)
        );
        assert_eq!(pairs.map(|(seen, _)| seen).max(), Some(&8));
    }
}
