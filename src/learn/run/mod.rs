//! The loop of a run: play a generation, train on it, measure its strength, begin again.

mod asking;
mod clock;
mod elsewhere;
mod playing;
mod tell;
mod training;

pub use elsewhere::Wire;
pub use tell::{Status, Tell};

use super::checkpoint::{Checkpoint, Checkpoints, Phase, Standing};
use super::config::{Config, Searcher, cores};
use super::data::{Shards, Window};
use super::folder::Folder;
use super::pieces;
use super::play;
use super::team::Team;
use super::train;
use super::watch::{self, GenerationMetrics, Metrics};
use anyhow::{Result, anyhow, bail};
use elsewhere::Elsewhere;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Whether the user wants it to end.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Ends the run in this process soon, with nothing lost.
pub fn interrupt() {
    INTERRUPTED.store(true, Relaxed);
}

/// Whether somebody has.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Relaxed)
}

/// Whether work has to end now.
fn is_over(deadline: Option<Instant>) -> bool {
    INTERRUPTED.load(Relaxed) || deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// How a run ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// Whether it is over and not interrupted.
    pub complete: bool,
    pub standing: Standing,
}

/// Begins or goes on with a run until it is over or interrupted. After an error all that was written is kept. With a `wire`
/// whoever is at its other end does the pieces, and the folder is the same.
pub fn run(folder: &Folder, tell: &dyn Tell, wire: Option<Wire>) -> Result<Ended> {
    let config = Config::read(&folder.config())?;
    train::available(&config)?;
    let _lock = folder.lock()?;
    folder.sweep();
    let mut run = Run::open(folder, config, tell)?;
    if wire.is_none() {
        // A device that is not there is better known before the first game than after it.
        train::learner(&run.at.network, &run.config, run.threads)?;
    }
    let mut elsewhere = match wire {
        Some(wire) => Some(Elsewhere::open(folder, wire)?),
        None => None,
    };
    tell.line(&run.beginning());
    let complete = run.work(&mut elsewhere)?;
    if let Some(elsewhere) = elsewhere {
        elsewhere.sweep();
    }
    Ok(Ended {
        complete,
        standing: run.at.standing,
    })
}

struct Run<'a> {
    folder: &'a Folder,
    config: Config,
    tell: &'a dyn Tell,
    checkpoints: Checkpoints,
    shards: Shards,
    window: Window,
    at: Checkpoint,
    metrics: Metrics,
    /// When work was last added to the standing.
    clock: Instant,
    threads: usize,
}

impl<'a> Run<'a> {
    fn open(folder: &'a Folder, config: Config, tell: &'a dyn Tell) -> Result<Self> {
        let mut checkpoints = Checkpoints::open(&folder.checkpoints())?;
        let mut begins = false;
        let mut at = match checkpoints.newest_to_go_on::<Checkpoint>()? {
            Some(mut at) => {
                at.standing.version = env!("CARGO_PKG_VERSION").into();
                clock::recall(folder, &mut at.standing);
                at
            }
            None if folder.network().exists() || folder.metrics().exists() => {
                bail!(
                    "{}: there is a network and no checkpoint that can be read, so this run cannot go on: begin another with its \
                     weights (run.network={}), or remove everything but learn.toml to begin this one anew",
                    folder.path().display(),
                    folder.network().display()
                );
            }
            None => {
                let at = pieces::newborn(&config)?;
                begins = true;
                if pieces::learned_before(&config) {
                    // An opponent for matches, as generation 0.
                    folder.keep_snapshot(0, &at.network)?;
                }
                at
            }
        };
        same(folder, &config, &at.network)?;
        play::check(&config, &at.player)?;
        let layout = play::layout(&config, &at.player)?;
        let shards = Shards::open(&folder.data(), layout)?;
        let (generation, played) = (at.standing.generation, at.standing.played.clone());
        let trains = at.standing.phase == Phase::Train;
        // Earlier versions did not keep what was played: the files say it.
        let unknown = trains && played == GenerationMetrics::default();
        let known = generation + u32::from(trains && !unknown);
        let mut metrics = Metrics::open(folder, generation, known, played)?;
        if unknown {
            let mut games = Vec::new();
            let portions = shards.portions()?.into_iter();
            for portion in portions.filter(|portion| portion.generation == generation) {
                games.extend(shards.games(portion).unwrap_or_default());
            }
            at.standing.played = metrics.played(&games, at.standing.playing);
        }
        let threads = config.threads();
        let portions = config
            .size("play", "games")
            .div_ceil(config.size("play", "portion"));
        if threads > portions {
            tell.line(&format!(
                "{threads} threads, of which {portions} play at a time: each takes [play] portion of [play] games"
            ));
        }
        let endings = config.get("play").int("random-endings").is_some();
        if begins && endings && pieces::learned_before(&config) {
            tell.line("random endings are for a random network: none are played");
        }
        if begins {
            // Before anything else is written: whatever comes between can be begun again from here.
            checkpoints.keep(&at)?;
        }
        let mut run = Run {
            folder,
            tell,
            checkpoints,
            window: Window::new(layout),
            shards,
            at,
            metrics,
            clock: Instant::now(),
            threads,
            config,
        };
        run.remember()?;
        Ok(run)
    }

    /// A line that says whether the run begins, goes on or was over already, and in which folder.
    fn beginning(&self) -> String {
        let path = self.folder.path();
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let standing = &self.at.standing;
        if standing.games == 0 {
            return format!("begins in {}", path.display());
        }
        let goes_on = match self.is_over() {
            true => "was over in",
            false => "goes on in",
        };
        format!(
            "{goes_on} {}: generation {}, {:.1} minutes of work so far",
            path.display(),
            standing.generation,
            standing.seconds / 60.0
        )
    }

    /// Reads the games before that are still learned from.
    fn remember(&mut self) -> Result<()> {
        let span = pieces::span(&self.config);
        let standing = &self.at.standing;
        // In the middle of training, this generation's games are part of what it learns from.
        let end = standing.generation + u32::from(standing.phase == Phase::Train);
        let portions = self.shards.portions()?;
        let keeps = self.config.get("replay").flag("keep");
        let mut kept = Vec::new();
        let mut states = 0;
        for portion in portions.into_iter().filter(|p| p.generation < end).rev() {
            let far = span
                .generations
                .is_some_and(|most| portion.generation + most < end);
            if far || states > span.states {
                if !keeps {
                    self.shards.forget(portion);
                }
                continue;
            }
            match self.shards.read(portion) {
                Ok((rows, games)) => {
                    states += rows.len();
                    kept.push((portion, rows, games));
                }
                Err(error) => {
                    log::warn!("{error:#}; it is not learned from");
                    self.shards.set_aside(portion);
                }
            }
        }
        for (portion, rows, games) in kept.into_iter().rev() {
            self.window.push(portion, rows, &games);
        }
        let standing = &mut self.at.standing;
        let trains = standing.phase == Phase::Train && standing.generation > 0;
        if trains && self.window.is_empty() {
            let generation = standing.generation;
            log::warn!(
                "there is no game left to learn from; generation {generation} is played again"
            );
            (standing.phase, standing.step, standing.losses) = (Phase::Play, 0, [0.0; 2]);
        }
        Ok(())
    }

    /// Seconds between checkpoints.
    fn every(&self) -> f64 {
        let every = self.config.get("train").real("checkpoint");
        every.unwrap_or(15.0)
    }

    /// Adds the time since the last call to the work.
    fn tick(&mut self) {
        tick(&mut self.clock, &mut self.at.standing);
    }

    fn limit(&self) -> Option<f64> {
        let minutes = self.config.get("stop").real("minutes");
        minutes.map(|minutes| 60.0 * minutes)
    }

    /// When work has to end.
    fn deadline(&self) -> Option<Instant> {
        let left = self.limit()? - self.at.standing.seconds;
        self.clock
            .checked_add(Duration::from_secs_f64(left.max(0.0)))
    }

    fn is_over(&self) -> bool {
        let most = |name| self.config.get("stop").int(name);
        let standing = &self.at.standing;
        let judged = standing.phase == Phase::Play
            && most("evaluations").is_some_and(|most| standing.evaluations >= most as u64);
        let last = self.config.last_generation();
        let done = judged
            || last.is_some_and(|last| standing.generation > last)
            || most("generations").is_some_and(|most| i64::from(standing.generation) > most);
        done || self.limit().is_some_and(|limit| standing.seconds >= limit)
    }

    /// Works until the run is over (true) or interrupted (false). A checkpoint has been written either way.
    fn work(&mut self, elsewhere: &mut Option<Elsewhere>) -> Result<bool> {
        if self.at.standing.phase == Phase::Play && !self.is_over() {
            // Those that were interrupted.
            self.watch(false, elsewhere)?;
        }
        while !self.is_over() && !INTERRUPTED.load(Relaxed) {
            let done = match self.at.standing.phase {
                Phase::Play => self.play(elsewhere)?,
                Phase::Train => self.train(elsewhere)?,
            };
            self.tick();
            if done && self.at.standing.phase == Phase::Play {
                self.watch(false, elsewhere)?;
            }
        }
        let complete = !INTERRUPTED.load(Relaxed);
        if complete {
            self.watch(true, elsewhere)?;
        }
        self.tick();
        self.keep()?;
        Ok(complete)
    }

    fn keep(&mut self) -> Result<()> {
        self.checkpoints.keep(&self.at)
    }

    /// Matches, where they are due.
    fn watch(&mut self, last: bool, elsewhere: &mut Option<Elsewhere>) -> Result<()> {
        match elsewhere {
            Some(elsewhere) => self.ask_for_matches(elsewhere, last),
            None if self.watches(last) => self.watch_here(),
            None => Ok(()),
        }
    }

    /// Whether matches are due.
    fn watches(&mut self, last: bool) -> bool {
        let Some(minutes) = self.config.get("watch").real("minutes") else {
            return false;
        };
        self.tick();
        let standing = &self.at.standing;
        let since = standing.seconds - standing.watched;
        let fresh = standing.seconds > standing.watched && standing.generation > 1;
        fresh && (last || since >= 60.0 * minutes)
    }

    /// Plays matches in this process.
    fn watch_here(&mut self) -> Result<()> {
        let standing = &self.at.standing;
        let (playing, training) = (standing.playing, standing.training);
        let scores = self.meet();
        self.tick();
        (self.at.standing.playing, self.at.standing.training) = (playing, training);
        match scores? {
            Some(scores) => self.watched(&scores),
            None => Ok(()),
        }
    }

    /// Writes down what came of matches.
    fn watched(&mut self, scores: &[(watch::Due, watch::Score)]) -> Result<()> {
        if let Some((due, _)) = scores.last() {
            let (figures, sentences) = watch::record(self.folder, &self.config, scores)?;
            sentences.iter().for_each(|text| self.tell.line(text));
            self.metrics.matched(due.generation, &figures)?;
        }
        self.at.standing.watched = self.at.standing.seconds;
        self.keep()
    }

    /// Plays the newest network's matches; none where they were interrupted.
    fn meet(&self) -> Result<Option<Vec<(watch::Due, watch::Score)>>> {
        let over = interrupted;
        let games = self.config.size("watch", "games");
        let mut scores = Vec::new();
        for due in watch::due(self.folder, &self.config, &self.at)? {
            let earlier = due.earlier.map(|earlier| self.folder.snapshot(earlier));
            let other = earlier.as_deref().map(Team::read).transpose()?;
            let named = match other {
                Some(_) => self.config.get("watch").name("searcher"),
                None => &due.opponent,
            };
            let meets = watch::Meets {
                network: &self.at.player,
                opponent: &Searcher::read(named)?,
                other: other.as_ref(),
                seed: due.seed,
                threads: self.players(),
            };
            let progress = |done| self.tell.game(&due.opponent, done, games);
            progress(0);
            let score = watch::score(&self.config, &meets, &progress, &over)?;
            if over() {
                return Ok(None);
            }
            scores.push((due, score));
        }
        Ok(Some(scores))
    }

    /// Games of a match at a time: searches with a clock need a core each.
    fn players(&self) -> usize {
        self.threads.min(cores())
    }
}

/// A run cannot become another.
fn same(folder: &Folder, config: &Config, networks: &Team) -> Result<()> {
    let wanted = play::newborn(config)?;
    match play::teams_differ(&wanted, networks) {
        None => Ok(()),
        Some((what, wanted, found)) => Err(anyhow!(
            "{}: this run's {what} is '{found}', and cannot become '{wanted}' (nothing means the defaults): put it back, or \
             begin another run in another folder",
            folder.config().display()
        )),
    }
}

/// Adds the time since the last call to the work.
fn tick(clock: &mut Instant, standing: &mut Standing) {
    let seconds = clock.elapsed().as_secs_f64();
    *clock = Instant::now();
    standing.seconds += seconds;
    match standing.phase {
        Phase::Play => standing.playing += seconds,
        Phase::Train => standing.training += seconds,
    }
}
