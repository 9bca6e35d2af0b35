//! Clocks: what `time_settings` and its relatives set, and how much of it a move gets.

use crate::game::Player;
use std::time::Duration;

/// How a game is timed. All times in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Timing {
    /// No clock: the option `seconds` limits each move.
    #[default]
    None,
    /// Main time, then overtime of `stones` moves in each `period` (0 stones: no overtime).
    Canadian { main: f64, period: f64, stones: u32 },
    /// Main time, and `increment` more after each move.
    Increment { main: f64, increment: f64 },
    /// Main time, then `periods` periods, each lost only when overstepped.
    Byoyomi {
        main: f64,
        period: f64,
        periods: u32,
    },
}

/// What one player has left.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Left {
    time: f64,
    /// Moves to make in `time`; 0 during main time.
    stones: u32,
}

/// Both players' clocks.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    timing: Timing,
    left: Option<[Left; 2]>,
}

/// A game is expected to last this many more moves of a player.
const MOVES_TO_GO: f64 = 25.0;

/// When a clock is nearly down a move gets this many seconds, and at most such a part of what is left: the game may last for
/// as many more, and each takes more than its search.
const LEAST: f64 = 0.001;
const LONGEST: f64 = 400.0;

impl Clock {
    /// Starts both clocks anew.
    pub fn set(&mut self, timing: Timing) {
        self.timing = timing;
        self.reset();
    }

    /// A new game with the same timing.
    pub fn reset(&mut self) {
        self.left = match self.timing {
            Timing::None => None,
            Timing::Canadian {
                main,
                period,
                stones,
            } => Some(match main {
                main if main > 0.0 || stones == 0 => {
                    [Left {
                        time: main,
                        stones: 0,
                    }; 2]
                }
                _ => {
                    [Left {
                        time: period,
                        stones,
                    }; 2]
                }
            }),
            Timing::Increment { main, .. } => Some(
                [Left {
                    time: main,
                    stones: 0,
                }; 2],
            ),
            Timing::Byoyomi { main, period, .. } => Some(match main {
                main if main > 0.0 => {
                    [Left {
                        time: main,
                        stones: 0,
                    }; 2]
                }
                _ => {
                    [Left {
                        time: period,
                        stones: 1,
                    }; 2]
                }
            }),
        };
    }

    /// Sets a player's clock to what the controller shows. `stones` is 0 during main time, moves in Canadian overtime, and
    /// periods in byo-yomi (KGS). Without `time_settings` before it, the clock has this time and no overtime.
    pub fn tell(&mut self, player: Player, time: f64, stones: u32) {
        if self.left.is_none() {
            self.set(Timing::Canadian {
                main: time,
                period: 0.0,
                stones: 0,
            });
        }
        // Each period is for one move, however many are left.
        let stones = match self.timing {
            Timing::Byoyomi { .. } => stones.min(1),
            Timing::Increment { .. } => 0,
            _ => stones,
        };
        if let Some(left) = &mut self.left {
            left[player.index()] = Left { time, stones };
        }
    }

    /// The time for a move of `player`; `margin` seconds are kept back. `None` without a clock.
    pub fn for_move(&self, player: Player, margin: f64) -> Option<Duration> {
        let left = self.left?[player.index()];
        let overtime = match self.timing {
            Timing::None => 0.0,
            Timing::Canadian { period, stones, .. } if stones > 0 => period / f64::from(stones),
            Timing::Canadian { .. } => 0.0,
            Timing::Increment { increment, .. } => increment,
            Timing::Byoyomi { period, .. } => period,
        };
        // An increment comes after the move only.
        let beyond = match self.timing {
            Timing::Increment { .. } => 0.0,
            _ => overtime,
        };
        let share = match left.stones {
            stones @ 1.. => left.time / f64::from(stones) - margin,
            // What slow pipes take of a main time, they take from the moves to come, too.
            0 => {
                let main = (left.time - 2.0 * margin).max(0.0) / MOVES_TO_GO;
                main + (overtime * 0.8 - margin).max(0.0)
            }
        };
        let bound = match left.stones {
            0 => left.time + beyond,
            _ => left.time,
        };
        let least = (bound / LONGEST).clamp(0.0, LEAST);
        let seconds = share.min(bound - margin).max(least);
        Some(Duration::from_secs_f64(seconds.min(1e6)))
    }

    /// Takes the time of a move from a player's clock, until the controller says what is left.
    pub fn spend(&mut self, player: Player, seconds: f64) {
        let Some(clocks) = &mut self.left else { return };
        let left = &mut clocks[player.index()];
        left.time -= seconds;
        match self.timing {
            Timing::None => (),
            Timing::Canadian { period, stones, .. } if stones > 0 => {
                let was_overtime = left.stones > 0;
                left.stones = left.stones.saturating_sub(1);
                if left.time <= 0.0 || was_overtime && left.stones == 0 {
                    *left = Left {
                        time: period,
                        stones,
                    };
                }
            }
            Timing::Canadian { .. } => left.time = left.time.max(0.0),
            Timing::Increment { increment, .. } => left.time = left.time.max(0.0) + increment,
            Timing::Byoyomi { period, .. } => {
                if left.time <= 0.0 || left.stones > 0 {
                    *left = Left {
                        time: period,
                        stones: 1,
                    };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_game_never_oversteps_its_clock() {
        for (timing, total) in [
            (
                Timing::Canadian {
                    main: 60.0,
                    period: 0.0,
                    stones: 0,
                },
                60.0,
            ),
            (
                Timing::Canadian {
                    main: 0.5,
                    period: 0.0,
                    stones: 0,
                },
                0.5,
            ),
        ] {
            let mut clock = Clock::default();
            clock.set(timing);
            let mut used = 0.0;
            for _ in 0..200 {
                let seconds = clock.for_move(Player::One, 0.1).unwrap().as_secs_f64();
                used += seconds;
                clock.spend(Player::One, seconds);
            }
            assert!(used <= total + 0.2, "{timing:?}: {used}");
            assert!(used >= total * 0.5 || total < 1.0, "{timing:?}: {used}");
        }
    }

    #[test]
    fn a_long_game_on_a_short_clock_is_not_lost_by_what_moves_take_beside_their_search() {
        // A game of draughts has 300 plies; pipes and processes take their part of each move, whether the clock hears of it or not.
        const BESIDE: f64 = 0.0009;
        for told in [true, false] {
            let mut clock = Clock::default();
            clock.set(Timing::Canadian {
                main: 0.3,
                period: 0.0,
                stones: 0,
            });
            let mut left = 0.3;
            for _ in 0..150 {
                let seconds = clock.for_move(Player::One, 0.1).unwrap().as_secs_f64();
                assert!(seconds > 0.0);
                clock.spend(Player::One, seconds);
                left -= seconds + BESIDE;
                if told {
                    clock.tell(Player::One, left, 0);
                }
            }
            assert!(left > 0.0, "{left} s are left");
        }
    }

    #[test]
    fn an_increment_is_spent_but_not_before_it_is_there() {
        let mut clock = Clock::default();
        clock.set(Timing::Increment {
            main: 3.0,
            increment: 1.0,
        });
        for left in [3.0, 1.0, 0.3] {
            clock.tell(Player::One, left, 0);
            let seconds = clock.for_move(Player::One, 0.1).unwrap().as_secs_f64();
            assert!(seconds > 0.15 && seconds < left, "{left}: {seconds}");
        }
        for _ in 0..100 {
            let seconds = clock.for_move(Player::Two, 0.1).unwrap().as_secs_f64();
            assert!(seconds > 0.5 && seconds < 3.0, "{seconds}");
            clock.spend(Player::Two, seconds);
        }
    }

    #[test]
    fn overtime_is_shared_among_its_stones() {
        let mut clock = Clock::default();
        clock.set(Timing::Canadian {
            main: 0.0,
            period: 10.0,
            stones: 5,
        });
        for _ in 0..50 {
            let seconds = clock.for_move(Player::Two, 0.1).unwrap().as_secs_f64();
            assert!(seconds > 1.0 && seconds < 10.0, "{seconds}");
            clock.spend(Player::Two, seconds);
        }
        clock.set(Timing::Byoyomi {
            main: 0.0,
            period: 3.0,
            periods: 5,
        });
        let seconds = clock.for_move(Player::Two, 0.1).unwrap().as_secs_f64();
        assert!((seconds - 2.9).abs() < 1e-9);
        clock.tell(Player::Two, 3.0, 5);
        let seconds = clock.for_move(Player::Two, 0.1).unwrap().as_secs_f64();
        assert!((seconds - 2.9).abs() < 1e-9, "five periods, not stones");
        clock.set(Timing::None);
        assert_eq!(clock.for_move(Player::One, 0.1), None);
        clock.tell(Player::One, 5.0, 0);
        assert!(clock.for_move(Player::One, 0.1).unwrap() < Duration::from_secs(1));
    }
}
