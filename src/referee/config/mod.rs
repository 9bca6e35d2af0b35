//! What a match is: games, engines, time, openings, rules of the match. Read from TOML by [`file`], or made by a front end.

mod engine;
mod file;
mod part;

pub use engine::{EngineSetup, Protocol, Restart, Tell};
pub use file::read;
pub use part::Part;

use super::board::Variant;
use super::clock::Time;
use crate::statistics::sprt::Sprt;
use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A match, checked.
#[derive(Debug, Clone)]
pub struct Config {
    pub title: String,
    pub variants: Vec<Variant>,
    pub engines: Vec<EngineSetup>,
    pub pairing: Pairing,
    /// Games of each pair in each game.
    pub games: u32,
    pub seed: u64,
    pub time: Time,
    /// Seconds beyond the limit that are not held against an engine.
    pub allowance: f64,
    pub openings: Openings,
    pub scoring: Scoring,
    pub adjudication: Adjudication,
    pub patience: Patience,
    pub sprt: Option<Sprt>,
    /// Blocks that the games are cut into for the analysis of variance; fewer than two make none.
    pub repetitions: u32,
    /// Games at a time.
    pub concurrency: usize,
    /// Which games are played; the others are no part of it.
    pub part: Option<Part>,
    /// The folder for everything that is kept.
    pub results: Option<PathBuf>,
    /// The file with the games where there is no folder.
    pub journal: Option<PathBuf>,
}

/// Who meets whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    #[default]
    RoundRobin,
    FirstAgainstAll,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scoring {
    #[default]
    Games,
    /// Two games from one opening are one result: won with a win and at least a draw, not counted where the same side
    /// wins both (IM §4.1).
    Pairs,
}

/// What games begin with; both games of a pair with the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Openings {
    /// This many random moves.
    Plies(u32),
    /// Lines of moves, or a position behind `position:`, in their order.
    Lines(Vec<String>),
    /// Kalah: every seed in a random house, none in the stores (IM §4.1).
    RandomSeeds,
}

/// When the referee ends a game before the rules do. Never, by default.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Adjudication {
    /// A draw after this many plies.
    pub draw_after: Option<u32>,
    /// A win where both engines say so: values of at least this much for one, at most its negative for the other,
    pub value: Option<f64>,
    /// in this many moves of each in a row.
    pub moves: Option<u32>,
}

/// Seconds that the referee waits where no clock runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Patience {
    /// For an engine to start.
    pub start: f64,
    /// For a reply to anything but genmove.
    pub reply: f64,
    /// For a move where time is not limited.
    pub genmove: f64,
    /// For an engine to end.
    pub quit: f64,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            start: 60.0,
            reply: 20.0,
            genmove: 600.0,
            quit: 5.0,
        }
    }
}

impl Config {
    /// A match without games and engines, with everything at its default.
    pub fn empty() -> Self {
        Config {
            title: String::new(),
            variants: Vec::new(),
            engines: Vec::new(),
            pairing: Pairing::default(),
            games: 20,
            seed: 1,
            time: Time::Unlimited,
            allowance: 1.0,
            openings: Openings::Plies(2),
            scoring: Scoring::default(),
            adjudication: Adjudication::default(),
            patience: Patience::default(),
            sprt: None,
            repetitions: 0,
            concurrency: 1,
            part: None,
            results: None,
            journal: None,
        }
    }

    /// Whether it can be played; the error says why not.
    pub fn check(&self) -> Result<()> {
        if self.variants.is_empty() {
            bail!("no game is named");
        }
        let games: BTreeSet<_> = self.variants.iter().map(Variant::name).collect();
        if games.len() < self.variants.len() {
            bail!("a game is named twice");
        }
        let names: BTreeSet<_> = self.engines.iter().map(|e| e.name.as_str()).collect();
        if self.engines.is_empty() {
            bail!("nobody plays: an [[engine]] is missing, a match takes two or more");
        }
        if self.engines.len() < 2 || names.len() < self.engines.len() {
            bail!("a match takes two engines or more, all with different names");
        }
        if self.games == 0 || self.games > 1_000_000 {
            bail!("games: from 1 to 1000000 of each pair");
        }
        if self.scoring == Scoring::Pairs && !self.games.is_multiple_of(2) {
            bail!("scoring by pairs takes an even number of games");
        }
        if !(1..=1024).contains(&self.concurrency) {
            bail!("concurrency: from 1 to 1024 games at a time");
        }
        self.check_numbers()?;
        self.check_openings()?;
        if let Some(part) = &self.part {
            part.check(self)?;
        }
        if let Some(sprt) = &self.sprt {
            sprt.check()?;
            if self.engines.len() != 2 || self.variants.len() != 1 {
                bail!("sprt: for two engines in one game");
            }
        }
        for engine in &self.engines {
            let from_positions = match &self.openings {
                Openings::Plies(_) => false,
                Openings::RandomSeeds => true,
                Openings::Lines(lines) => lines.iter().any(|line| position_of(line).is_some()),
            };
            let named = || format!("engine {}", engine.name);
            engine
                .check(&self.variants, self.time, from_positions)
                .with_context(named)?;
        }
        Ok(())
    }

    fn check_numbers(&self) -> Result<()> {
        let positive = |name: &str, value: f64| match value > 0.0 && value <= 1e7 {
            true => Ok(()),
            false => Err(anyhow!("{name}: a positive number of seconds, not {value}")),
        };
        match self.time {
            Time::Unlimited => {}
            Time::Move(seconds) => positive("time", seconds)?,
            Time::Clock { main, increment } => {
                positive("time.main", main)?;
                if !(0.0..=1e7).contains(&increment) {
                    bail!("time.increment: not {increment}");
                }
            }
        }
        if !(0.0..=1e7).contains(&self.allowance) {
            bail!("time.allowance: not {}", self.allowance);
        }
        for engine in &self.engines {
            engine.check_numbers()?;
        }
        let patience = &self.patience;
        for (name, value) in [
            ("patience.start", patience.start),
            ("patience.reply", patience.reply),
            ("patience.genmove", patience.genmove),
            ("patience.quit", patience.quit),
        ] {
            positive(name, value)?;
        }
        if self
            .adjudication
            .value
            .is_some_and(|v| !(0.0..=1.0).contains(&v))
        {
            bail!("adjudication.value: from 0 to 1");
        }
        let nothing = |number: Option<u32>| number == Some(0);
        if nothing(self.adjudication.draw_after) || nothing(self.adjudication.moves) {
            bail!("adjudication: draw-after and moves begin with 1");
        }
        Ok(())
    }

    fn check_openings(&self) -> Result<()> {
        match &self.openings {
            Openings::Plies(plies) if *plies > 1000 => Err(anyhow!("openings.plies: at most 1000")),
            Openings::Lines(lines) if lines.is_empty() => {
                Err(anyhow!("openings: the file has none"))
            }
            Openings::RandomSeeds if self.variants.iter().any(|v| v.entry.name != "kalah") => {
                Err(anyhow!("openings: random seeds are for kalah"))
            }
            _ => Ok(()),
        }
    }

    /// Pairs of engines, as indices.
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        let count = self.engines.len();
        let firsts = match self.pairing {
            Pairing::RoundRobin => count,
            Pairing::FirstAgainstAll => 1,
        };
        (0..firsts)
            .flat_map(|a| (a + 1..count).map(move |b| (a, b)))
            .collect()
    }

    /// Everything that makes games comparable: two matches with the same conditions may share their games. How many games,
    /// how many at a time and where they go is none of it.
    pub fn conditions(&self) -> Value {
        let engines: serde_json::Map<String, Value> = self
            .engines
            .iter()
            .map(|engine| (engine.name.clone(), engine.conditions()))
            .collect();
        json!({
            "engines": engines,
            "seed": self.seed,
            "time": self.time,
            "allowance": self.allowance,
            "openings": self.openings,
            "adjudication": self.adjudication,
            "patience": self.patience,
        })
    }
}

/// Conditions as [`Config::conditions`] has them now, from a file that may be older.
pub fn renew(conditions: &mut Value) {
    if let Some(engines) = conditions.get_mut("engines").and_then(Value::as_object_mut) {
        engines.values_mut().for_each(engine::leave_places_out);
    }
}

/// The position that a line of an opening file names.
pub fn position_of(line: &str) -> Option<&str> {
    line.strip_prefix("position:").map(str::trim)
}
