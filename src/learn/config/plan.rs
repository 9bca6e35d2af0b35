//! What a configuration says of a run's course: how many games a generation has, how they are cut into portions, and the seed
//! of each piece of work. All that a piece must know besides its files follows from here.

use super::Config;
use crate::game::random::mix;

/// What a seed is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seed {
    /// A game, by its generation and its number there.
    Game = 1,
    /// The order in which a generation's training shows states.
    Order = 2,
    /// A part of the random endings.
    Ending = 3,
    /// The match at a gate.
    Gate = 4,
    /// The matches of a generation.
    Match = 5,
    /// The states that are searched anew for a generation's training.
    Again = 6,
}

impl Config {
    /// Games of a generation, which counts from 1.
    pub fn games(&self, generation: u32) -> usize {
        let play = self.get("play");
        let most = self.size("play", "games");
        let growth = play.real("growth").unwrap_or(1.0);
        match play.int("first-games") {
            Some(first) => {
                let grown = first as f64 * growth.powf(f64::from(generation.saturating_sub(1)));
                (grown as usize).clamp(1, most)
            }
            None => most,
        }
    }

    /// Games of all generations before this one.
    pub fn games_before(&self, generation: u32) -> usize {
        (1..generation).map(|earlier| self.games(earlier)).sum()
    }

    /// Portions of a generation.
    pub fn portions(&self, generation: u32) -> u32 {
        self.games(generation)
            .div_ceil(self.size("play", "portion")) as u32
    }

    /// The games of a portion, by their numbers in the generation; empty where there is no such portion.
    pub fn games_of(&self, generation: u32, portion: u32) -> std::ops::Range<usize> {
        let size = self.size("play", "portion");
        let from = size.saturating_mul(portion as usize);
        from..self.games(generation).min(from.saturating_add(size))
    }

    /// The seed of something, by its generation and its number there.
    pub fn seed(&self, what: Seed, generation: u32, number: u64) -> u64 {
        let seed = self.size("run", "seed") as u64;
        [what as u64, u64::from(generation), number]
            .iter()
            .fold(mix(seed), |seed, part| mix(seed ^ mix(*part)))
    }

    /// Adam's step size, or what stands for it, in a generation.
    pub fn rate(&self, generation: u32) -> f64 {
        let train = self.get("train");
        let real = |name| train.real(name).unwrap_or(1.0);
        let (rate, end) = (real("rate"), real("rate-end"));
        let sunk = rate * real("rate-factor").powf(f64::from(generation.saturating_sub(1)));
        sunk.max(end.min(rate))
    }

    /// Threads that play, and train: the configuration's, or one for each core of this machine.
    pub fn threads(&self) -> usize {
        let threads = self.get("run").int("threads");
        threads.map_or_else(cores, |n| n as usize)
    }
}

/// Cores of this machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}
