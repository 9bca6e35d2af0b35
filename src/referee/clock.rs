//! Time as the referee measures it: from the moment a move is asked for to the moment its reply is there.

use crate::game::Player;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What the match allows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Time {
    /// As long as the referee's patience.
    Unlimited,
    /// Seconds for every move.
    Move(f64),
    /// Seconds for the game, and more after each move.
    Clock { main: f64, increment: f64 },
}

/// What a player has for a move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    pub time: Time,
    /// Seconds on the mover's clock, on the other's, where there are clocks.
    pub left: [f64; 2],
    /// When the referee stops waiting: the limit and the allowance, or its patience.
    pub wait: Duration,
}

impl Budget {
    /// Seconds for this move, for engines that are told nothing else: on a clock a thirtieth of it and the increment.
    pub fn seconds(&self) -> Option<f64> {
        match self.time {
            Time::Unlimited => None,
            Time::Move(seconds) => Some(seconds),
            Time::Clock { increment, .. } => {
                Some((self.left[0] / 30.0 + increment).min(0.9 * self.left[0]))
            }
        }
    }
}

/// Two players' clocks.
#[derive(Debug, Clone)]
pub struct Clocks {
    times: [Time; 2],
    allowance: [f64; 2],
    patience: f64,
    left: [f64; 2],
}

impl Clocks {
    /// The times and allowances of player one and player two, in seconds.
    pub fn new(times: [Time; 2], allowance: [f64; 2], patience: f64) -> Self {
        let left = times.map(|time| match time {
            Time::Clock { main, .. } => main,
            _ => 0.0,
        });
        Clocks {
            times,
            allowance,
            patience,
            left,
        }
    }

    pub fn budget(&self, player: Player) -> Budget {
        let (i, other) = (player.index(), player.other().index());
        let seconds = match self.times[i] {
            Time::Unlimited => self.patience,
            Time::Move(seconds) => seconds + self.allowance[i],
            Time::Clock { .. } => self.left[i] + self.allowance[i],
        };
        Budget {
            time: self.times[i],
            left: [self.left[i], self.left[other]],
            wait: Duration::try_from_secs_f64(seconds.clamp(0.0, 1e7)).unwrap_or_default(),
        }
    }

    /// Takes the time of a move off the clock; true if the player has lost on time.
    pub fn spend(&mut self, player: Player, seconds: f64) -> bool {
        let i = player.index();
        match self.times[i] {
            Time::Unlimited => seconds > self.patience,
            Time::Move(limit) => seconds > limit + self.allowance[i],
            Time::Clock { increment, .. } => {
                let fallen = seconds > self.left[i] + self.allowance[i];
                // The allowance forgives a late flag, it is no time to think: the clock does not go below nothing.
                self.left[i] = (self.left[i] - seconds).max(0.0) + increment;
                fallen
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_runs_down_and_gains_its_increment() {
        let time = Time::Clock {
            main: 10.0,
            increment: 2.0,
        };
        let mut clocks = Clocks::new([time, Time::Move(1.0)], [0.5, 0.25], 60.0);
        assert!(!clocks.spend(Player::One, 4.0));
        assert_eq!(clocks.budget(Player::One).left, [8.0, 0.0]);
        assert_eq!(
            clocks.budget(Player::One).wait,
            Duration::from_secs_f64(8.5)
        );
        assert!(!clocks.spend(Player::One, 8.4));
        assert_eq!(clocks.budget(Player::One).left[0], 2.0);
        assert!(clocks.spend(Player::One, 2.6));
        assert!(!clocks.spend(Player::Two, 1.2));
        assert!(clocks.spend(Player::Two, 1.3));
        assert_eq!(clocks.budget(Player::Two).seconds(), Some(1.0));
    }
}
