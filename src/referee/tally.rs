//! What games come to: counts for rows of tables and for tests.

use super::config::{Config, Scoring};
use super::record::{GameRecord, Side, Work};
use super::trouble::Cause;
use crate::statistics::elo::Meeting;
use crate::statistics::proportion::wilson;
use std::collections::BTreeMap;

/// Wins, draws and losses of `a`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

impl Score {
    fn add(&mut self, winner: Option<Side>) {
        match winner {
            Some(Side::A) => self.wins += 1,
            Some(Side::B) => self.losses += 1,
            None => self.draws += 1,
        }
    }

    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }

    /// Points of a hundred; `None` without games.
    pub fn percent(&self) -> Option<f64> {
        (self.games() > 0).then(|| 100.0 * self.points() / f64::from(self.games()))
    }

    /// Wilson's 95 % interval in percent.
    pub fn interval(&self) -> (f64, f64) {
        let (low, high) = wilson(self.points(), f64::from(self.games()));
        (100.0 * low, 100.0 * high)
    }
}

/// All games of one pair in one game.
#[derive(Debug, Clone, Default)]
pub struct Row {
    pub game: String,
    pub a: String,
    pub b: String,
    /// What counts, by the match's scoring.
    pub score: Score,
    /// Pairs of games that were not counted: the same side won both.
    pub discarded: u32,
    /// Single games with `a` as player one, as player two.
    pub seats: [Score; 2],
    pub plies: usize,
    pub work: [Work; 2],
    /// Games that `a`, `b` lost otherwise than by the rules, by cause.
    pub faults: [BTreeMap<String, u32>; 2],
    /// What was said of the first of them, by cause.
    pub details: [BTreeMap<String, String>; 2],
}

impl Row {
    /// Single games.
    pub fn games(&self) -> u32 {
        self.seats[0].games() + self.seats[1].games()
    }

    pub fn mean_plies(&self) -> f64 {
        self.plies as f64 / f64::from(self.games().max(1))
    }

    /// The points of player one, of a hundred.
    pub fn player_one_percent(&self) -> f64 {
        let [first, second] = self.seats;
        let points = first.points() + f64::from(second.games()) - second.points();
        100.0 * points / f64::from(self.games().max(1))
    }

    /// The mean of something over the moves of `a` and of `b`.
    pub fn mean(&self, of: impl Fn(&Work) -> f64) -> [f64; 2] {
        self.work.map(|work| of(&work) / work.moves.max(1) as f64)
    }

    /// The same of what `a` and `b` say of their searches; `None` for one that says nothing.
    pub fn mean_told(&self, of: impl Fn(&Work) -> u64) -> [Option<f64>; 2] {
        self.work.map(|work| {
            let sum = of(&work);
            // Games of older journals do not say how often they were told.
            (work.told > 0 || sum > 0).then(|| sum as f64 / work.moves.max(1) as f64)
        })
    }

    fn add(&mut self, game: &GameRecord) {
        self.seats[usize::from(!game.a_first)].add(game.winner);
        self.plies += game.moves.len();
        for (sum, work) in self.work.iter_mut().zip(&game.work) {
            sum.add(work);
        }
        let end = &game.end;
        if let (Some(by), false) = (
            end.by,
            matches!(end.cause, Cause::Rules | Cause::Resignation),
        ) {
            let (i, cause) = (by.index(), end.cause.to_string());
            let detail = self.details[i].entry(cause.clone());
            detail.or_insert_with(|| end.detail.clone());
            *self.faults[i].entry(cause).or_default() += 1;
        }
    }
}

/// A row for each pair in each game, in the match's order, also where no game was played.
pub fn rows(config: &Config, games: &[GameRecord]) -> Vec<Row> {
    let mut rows = Vec::new();
    for variant in &config.variants {
        for (a, b) in config.pairs() {
            let mut row = Row {
                game: variant.name(),
                a: config.engines[a].name.clone(),
                b: config.engines[b].name.clone(),
                ..Row::default()
            };
            let own = games
                .iter()
                .filter(|g| g.game == row.game && g.a == row.a && g.b == row.b);
            let own: Vec<&GameRecord> = own.collect();
            own.iter().for_each(|game| row.add(game));
            match config.scoring {
                Scoring::Games => own.iter().for_each(|game| row.score.add(game.winner)),
                Scoring::Pairs => score_pairs(&mut row, &own),
            }
            rows.push(row);
        }
    }
    rows
}

fn score_pairs(row: &mut Row, games: &[&GameRecord]) {
    for [one, two] in pairs(games.iter().copied()) {
        match (one.winner, two.winner) {
            (None, None) => row.score.add(None),
            (Some(a), Some(b)) if a != b => row.discarded += 1,
            (Some(winner), _) | (_, Some(winner)) => row.score.add(Some(winner)),
        }
    }
}

/// The games that share an opening, where both are over, in the order of their numbers.
fn pairs<'a>(games: impl Iterator<Item = &'a GameRecord>) -> Vec<[&'a GameRecord; 2]> {
    let mut by_opening: BTreeMap<(&str, &str, &str, u32), Vec<&GameRecord>> = BTreeMap::new();
    for game in games {
        let key = (
            game.game.as_str(),
            game.a.as_str(),
            game.b.as_str(),
            game.number / 2,
        );
        by_opening.entry(key).or_default().push(game);
    }
    by_opening
        .into_values()
        .filter_map(|games| games.try_into().ok())
        .collect()
}

/// Losses, draws and wins of `a`.
pub fn results(games: &[GameRecord]) -> [f64; 3] {
    let mut counts = [0.0; 3];
    games
        .iter()
        .for_each(|game| counts[(2.0 * game.points()) as usize] += 1.0);
    counts
}

/// Pairs of games from one opening by the points of `a`: none, a half, one, one and a half, two.
pub fn results_of_pairs(games: &[GameRecord]) -> [f64; 5] {
    let mut counts = [0.0; 5];
    for [one, two] in pairs(games.iter()) {
        counts[(2.0 * (one.points() + two.points())) as usize] += 1.0;
    }
    counts
}

/// What the ratings are fitted to: for the games of one variant, or all.
pub fn meetings(config: &Config, games: &[GameRecord], game: Option<&str>) -> Vec<Meeting> {
    let mut meetings = Vec::new();
    for (a, b) in config.pairs() {
        let (name_a, name_b) = (&config.engines[a].name, &config.engines[b].name);
        for a_first in [true, false] {
            let mut score = Score::default();
            let own = games.iter().filter(|g| {
                g.a == *name_a
                    && g.b == *name_b
                    && g.a_first == a_first
                    && game.is_none_or(|x| x == g.game)
            });
            own.for_each(|game| score.add(game.winner));
            let (wins, losses) = match a_first {
                true => (score.wins, score.losses),
                false => (score.losses, score.wins),
            };
            meetings.push(Meeting {
                players: if a_first { (a, b) } else { (b, a) },
                wins: wins.into(),
                draws: score.draws.into(),
                losses: losses.into(),
            });
        }
    }
    meetings.retain(|m| m.wins + m.draws + m.losses > 0.0);
    meetings
}

/// Each engine's mean score in each repetition, a block of equally many games of every pair; only whole blocks count.
pub fn repetitions(config: &Config, games: &[GameRecord]) -> Vec<Vec<f64>> {
    let count = config.repetitions;
    let block = config.games / count.max(1);
    if count < 2 || block == 0 {
        return Vec::new();
    }
    let expected = block as usize * config.variants.len() * config.pairs().len();
    let whole = |games: &&Vec<&GameRecord>| games.len() == expected;
    let mut blocks: BTreeMap<u32, Vec<&GameRecord>> = BTreeMap::new();
    for game in games.iter().filter(|game| game.number < block * count) {
        blocks.entry(game.number / block).or_default().push(game);
    }
    let of = |engine: &str, games: &[&GameRecord]| {
        let mut points = 0.0;
        let mut played = 0.0;
        for game in games {
            if game.a == engine || game.b == engine {
                played += 1.0;
                points += if game.a == engine {
                    game.points()
                } else {
                    1.0 - game.points()
                };
            }
        }
        points / f64::max(played, 1.0)
    };
    let engines = config.engines.iter();
    engines
        .map(|engine| {
            blocks
                .values()
                .filter(whole)
                .map(|games| of(&engine.name, games))
                .collect()
        })
        .collect()
}
