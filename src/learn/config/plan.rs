//! What a configuration says of a run's course: how many games a generation has, how they are cut into portions, and the seed
//! of each piece of work. All that a piece must know besides its files follows from here.

use super::Config;
use super::method::Learns;
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
    /// A game that nothing is learned from.
    Held = 7,
    /// Which of the states that a step shows teach their values.
    Values = 8,
}

/// What a generation is for, where a method has stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Learns from games of others.
    Recorded,
    /// An iteration of policy gradient, from 1.
    Gradient(u32),
    /// Learns values.
    Valued,
}

impl Config {
    /// What the generation, which counts from 1, is for; none where the method has no stages.
    pub fn stage(&self, generation: u32) -> Option<Stage> {
        let has_stages = self.method().is_ok_and(|m| m.learns == Learns::Stages);
        let iterations = self.size("alphago", "iterations") as u32;
        has_stages.then(|| match generation {
            0..=1 => Stage::Recorded,
            _ if generation - 1 <= iterations => Stage::Gradient(generation - 1),
            _ => Stage::Valued,
        })
    }

    /// The stage of the run's game of that number.
    pub fn stage_of_game(&self, number: usize) -> Option<Stage> {
        let first = self.games(1);
        let generation = match number.checked_sub(first) {
            None => 1,
            Some(later) => later / self.size("play", "games").max(1) + 2,
        };
        self.stage(generation.min(u32::MAX as usize) as u32)
    }

    /// The generation after which there is nothing more to learn; none where there always is.
    pub fn last_generation(&self) -> Option<u32> {
        let iterations = self.size("alphago", "iterations") as u32;
        self.stage(1).map(|_| iterations.saturating_add(2))
    }

    /// Games of a generation, which counts from 1.
    pub fn games(&self, generation: u32) -> usize {
        match self.stage(generation) {
            Some(Stage::Recorded) => return self.size("alphago", "recorded"),
            Some(Stage::Valued) => return self.size("alphago", "valued"),
            _ => {}
        }
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
        if let Some(Stage::Gradient(_)) = self.stage(generation) {
            return self.get("alphago").real("gradient-rate").unwrap_or(0.001);
        }
        let train = self.get("train");
        let real = |name| train.real(name).unwrap_or(1.0);
        let (rate, end) = (real("rate"), real("rate-end"));
        let sunk = rate * real("rate-factor").powf(f64::from(generation.saturating_sub(1)));
        sunk.max(end.min(rate))
    }

    /// In what part of the times that a state is shown its value is learned.
    pub fn value_share(&self) -> f64 {
        let train = self.get("train");
        let passes = train.real("passes").unwrap_or(1.0);
        train.real("value-passes").unwrap_or(passes) / passes
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

#[cfg(test)]
mod tests {
    use super::super::Method;
    use super::*;

    #[test]
    fn a_methods_stages_follow_each_other() {
        let changes = [("recorded", "10"), ("iterations", "3"), ("valued", "20")];
        let changes = changes.map(|(key, value)| ("alphago".into(), key.into(), value.into()));
        let games = ("play".into(), "games".into(), "4".into());
        let changes = [&changes[..], &[games]].concat();
        let config = Config::new(Method::find("alphago").unwrap(), &changes).unwrap();
        let recorded = Some(Stage::Recorded);
        let gradient = |iteration| Some(Stage::Gradient(iteration));
        assert_eq!((config.stage(1), config.games(1)), (recorded, 10));
        assert_eq!((config.stage(2), config.games(2)), (gradient(1), 4));
        assert_eq!(
            (config.stage(4), config.stage(5)),
            (gradient(3), Some(Stage::Valued))
        );
        assert_eq!((config.games(5), config.last_generation()), (20, Some(5)));
        for (game, stage) in [
            (0, recorded),
            (9, recorded),
            (10, gradient(1)),
            (13, gradient(1)),
            (14, gradient(2)),
            (21, gradient(3)),
            (22, Some(Stage::Valued)),
            (41, Some(Stage::Valued)),
        ] {
            assert_eq!(config.stage_of_game(game), stage, "{game}");
        }
        assert_eq!((config.rate(1), config.rate(2)), (0.001, 0.0001));
        let other = Config::new(Method::find("dqn").unwrap(), &[]).unwrap();
        assert_eq!((other.stage(1), other.last_generation()), (None, None));
    }
}
