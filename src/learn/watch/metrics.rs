//! A line for each generation: what was played, what was learned, how fast. For people, plots and TensorBoard.

use super::events::Events;
use super::lines;
use crate::learn::checkpoint::Standing;
use crate::learn::data::Game;
use crate::learn::folder::Folder;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::PathBuf;

/// One generation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GenerationMetrics {
    pub generation: u32,
    /// Minutes of work when it was over, matches included.
    pub minutes: f64,
    /// Over the run.
    pub games: u64,
    pub states: u64,
    pub samples: u64,
    /// Of this generation's games: plies on average, shares of the first player's wins and of draws, those cut short.
    pub plies: f64,
    pub first_wins: f64,
    pub draws: f64,
    pub cut: f64,
    /// The share of its games that were played before, move by move, as far as this program has seen or still finds them.
    pub duplicates: f64,
    /// The mean squared distance of searched values from results.
    pub error: f64,
    /// The means over its training.
    pub value_loss: f64,
    pub policy_loss: f64,
    pub rate: f64,
    /// States in the replay, and those shown.
    pub replay: u64,
    pub shown: u64,
    /// Seconds on the clock.
    pub playing: f64,
    pub training: f64,
    pub evaluations: u64,
    pub nodes: u64,
}

impl GenerationMetrics {
    /// The figures that are plotted, by name.
    pub fn figures(&self) -> [(&'static str, f64); 12] {
        let per = |count: u64, seconds: f64| count as f64 / seconds.max(1e-3);
        [
            ("loss/value", self.value_loss),
            ("loss/policy", self.policy_loss),
            ("games/error", self.error),
            ("games/plies", self.plies),
            ("games/first_wins", self.first_wins),
            ("games/draws", self.draws),
            ("games/duplicates", self.duplicates),
            ("speed/evaluations", per(self.evaluations, self.playing)),
            ("speed/nodes", per(self.nodes, self.playing)),
            ("speed/samples", per(self.shown, self.training)),
            ("run/states", self.states as f64),
            ("run/minutes", self.minutes),
        ]
    }
}

/// Collects and writes them.
#[derive(Debug)]
pub struct Metrics {
    path: PathBuf,
    /// The last generation's loss.
    loss: f64,
    /// Hashes of all games so far.
    known: HashSet<u64>,
    next: GenerationMetrics,
    events: Events,
}

impl Metrics {
    /// Lines of generations from `generation` on are written anew; of the first of them `played` says what was played, if it
    /// is over. Games of generations before `known` were played before.
    pub fn open(
        folder: &Folder,
        generation: u32,
        known: u32,
        played: GenerationMetrics,
    ) -> Result<Metrics> {
        let path = folder.metrics();
        let mut before: Vec<GenerationMetrics> = lines(&path)?;
        before.retain(|line| line.generation < generation);
        let mut text = String::new();
        for line in &before {
            text += &written(line)?;
        }
        // Also without what a kill cut off.
        if std::fs::read(&path).is_ok_and(|found| found != text.as_bytes()) {
            treeline_nets::file::replace(&path, text.as_bytes())?;
        }
        let mut metrics = Metrics {
            path,
            next: played,
            known: HashSet::new(),
            events: Events::open(folder.path())?,
            loss: before.last().map_or(0.0, |line| line.value_loss),
        };
        metrics.recall(folder, known)?;
        Ok(metrics)
    }

    /// Remembers the games of earlier generations.
    fn recall(&mut self, folder: &Folder, generation: u32) -> Result<()> {
        let Ok(entries) = std::fs::read_dir(folder.data()) else {
            return Ok(());
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let early = name.get(1..7).and_then(|n| n.parse::<u32>().ok());
            let early = early.is_some_and(|of| of < generation);
            if !early || path.extension().is_none_or(|e| e != "jsonl") {
                continue;
            }
            let games: Vec<Game> = lines(&path).unwrap_or_default();
            self.known
                .extend(games.iter().map(|game| hash(&game.moves)));
        }
        Ok(())
    }

    /// The last generation's loss.
    pub fn loss(&self) -> f64 {
        self.loss
    }

    /// Takes down a generation's games, played in so many seconds; what its line has of them.
    pub fn played(&mut self, games: &[Game], seconds: f64) -> GenerationMetrics {
        let count = games.len().max(1) as f64;
        let mean = |of: &dyn Fn(&Game) -> f64| games.iter().map(of).sum::<f64>() / count;
        let share = |of: &dyn Fn(&Game) -> bool| mean(&|game| f64::from(u8::from(of(game))));
        let mut known = std::mem::take(&mut self.known);
        let again = games.iter().filter(|game| !known.insert(hash(&game.moves)));
        let duplicates = again.count() as f64 / count;
        self.known = known;
        self.next = GenerationMetrics {
            plies: mean(&|game| f64::from(game.plies)),
            first_wins: share(&|game| game.result > 0),
            draws: share(&|game| game.result == 0),
            cut: share(&|game| game.cut),
            duplicates,
            error: mean(&|game| game.error),
            playing: seconds,
            evaluations: games.iter().map(|game| game.evaluations).sum(),
            nodes: games.iter().map(|game| game.nodes).sum(),
            ..GenerationMetrics::default()
        };
        self.next.clone()
    }

    /// Takes down what came of the matches of a generation's network.
    pub fn matched(&mut self, generation: u32, figures: &[(String, f64)]) -> Result<()> {
        self.events.add(generation, figures)
    }

    /// Adds its training and writes the line.
    pub fn trained(
        &mut self,
        standing: &Standing,
        shown: usize,
        replay: usize,
        rate: f64,
    ) -> Result<()> {
        let steps = standing.step.max(1) as f64;
        let line = GenerationMetrics {
            generation: standing.generation,
            minutes: standing.seconds / 60.0,
            games: standing.games,
            states: standing.states,
            samples: standing.samples,
            value_loss: standing.losses[0] / steps,
            policy_loss: standing.losses[1] / steps,
            rate,
            replay: replay as u64,
            shown: shown as u64,
            training: standing.training,
            ..std::mem::take(&mut self.next)
        };
        self.events.add(line.generation, &line.figures())?;
        self.loss = line.value_loss;
        let text = written(&line)?;
        let file = File::options().create(true).append(true).open(&self.path);
        let added = file.and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_data()
        });
        added.with_context(|| self.path.display().to_string())
    }
}

fn written(line: &GenerationMetrics) -> Result<String> {
    let text = serde_json::to_string(line)?;
    Ok(text + "\n")
}

fn hash(moves: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    moves.hash(&mut hasher);
    hasher.finish()
}
