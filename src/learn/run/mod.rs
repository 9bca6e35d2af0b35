//! The loop of a run: play a generation, train on it, measure its strength, begin again.

mod clock;
mod playing;
mod studying;
mod tell;
mod training;

pub use tell::{Status, Tell};

use super::checkpoint::{Checkpoint, Checkpoints, Phase, Standing};
use super::config::Config;
use super::data::{Shards, Span, Window};
use super::folder::Folder;
use super::play;
use super::study::{self, Games};
use super::team::Team;
use super::train;
use super::watch::{self, GenerationMetrics, Metrics};
use crate::game::random::mix;
use anyhow::{Result, anyhow, bail};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Whether the user wants it to end.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Ends the run in this process soon, with nothing lost.
pub fn interrupt() {
    INTERRUPTED.store(true, Relaxed);
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

/// Begins or goes on with a run until it is over or interrupted. After an error all that was written is kept.
pub fn run(folder: &Folder, tell: &dyn Tell) -> Result<Ended> {
    let config = Config::read(&folder.config())?;
    train::available(&config)?;
    let _lock = folder.lock()?;
    folder.sweep();
    let mut run = Run::open(folder, config, tell)?;
    tell.line(&run.beginning());
    let complete = run.work()?;
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
    /// Those of the window, where the method learns from them.
    games: Option<Games>,
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
        let mut at = match checkpoints.newest_to_go_on()? {
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
                let at = newborn(&config)?;
                begins = true;
                if learned_before(&config) {
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
        let threads = config
            .get("run")
            .int("threads")
            .map_or_else(cores, |n| n as usize);
        // A device that is not there is better known before the first game than after it.
        train::learner(&at.network, &config, threads)?;
        let portions = config
            .size("play", "games")
            .div_ceil(config.size("play", "portion"));
        if threads > portions {
            tell.line(&format!(
                "{threads} threads, of which {portions} play at a time: each takes [play] portion of [play] games"
            ));
        }
        let endings = config.get("play").int("random-endings").is_some();
        if begins && endings && learned_before(&config) {
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
            games: match study::studies(&config)? {
                true => Some(Games::new(&config, &at.player)?),
                false => None,
            },
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
        let span = self.span();
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

    fn span(&self) -> Span {
        let replay = self.config.get("replay");
        Span {
            generations: replay.int("generations").map(|n| n as u32),
            games: replay.int("games").map(|n| n as usize),
            states: self.config.size("replay", "states"),
        }
    }

    /// Games of a generation.
    fn games(&self, generation: u32) -> usize {
        let play = self.config.get("play");
        let most = self.config.size("play", "games");
        let growth = play.real("growth").unwrap_or(1.0);
        match play.int("first-games") {
            Some(first) => {
                let grown = first as f64 * growth.powf(f64::from(generation.saturating_sub(1)));
                (grown as usize).clamp(1, most)
            }
            None => most,
        }
    }

    fn seed(&self, parts: [u64; 3]) -> u64 {
        let seed = self.config.size("run", "seed") as u64;
        parts
            .iter()
            .fold(mix(seed), |seed, part| mix(seed ^ mix(*part)))
    }

    /// Adds the time since the last call to the work; seconds of the run.
    fn tick(&mut self) -> f64 {
        let seconds = self.clock.elapsed().as_secs_f64();
        self.clock = Instant::now();
        let standing = &mut self.at.standing;
        standing.seconds += seconds;
        match standing.phase {
            Phase::Play => standing.playing += seconds,
            Phase::Train => standing.training += seconds,
        }
        standing.seconds
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
        let done =
            judged || most("generations").is_some_and(|most| i64::from(standing.generation) > most);
        done || self.limit().is_some_and(|limit| standing.seconds >= limit)
    }

    /// Works until the run is over (true) or interrupted (false). A checkpoint has been written either way.
    fn work(&mut self) -> Result<bool> {
        if self.at.standing.phase == Phase::Play && !self.is_over() {
            // Those that were interrupted.
            self.watch(false)?;
        }
        while !self.is_over() && !INTERRUPTED.load(Relaxed) {
            let done = match self.at.standing.phase {
                Phase::Play => self.play()?,
                Phase::Train => self.train()?,
            };
            self.tick();
            if done && self.at.standing.phase == Phase::Play {
                self.watch(false)?;
            }
        }
        let complete = !INTERRUPTED.load(Relaxed);
        if complete {
            self.watch(true)?;
        }
        self.tick();
        self.keep()?;
        Ok(complete)
    }

    fn keep(&mut self) -> Result<()> {
        self.checkpoints.keep(&self.at)
    }

    /// Matches, where they are due.
    fn watch(&mut self, last: bool) -> Result<()> {
        let watch = self.config.get("watch");
        let Some(minutes) = watch.real("minutes") else {
            return Ok(());
        };
        self.tick();
        let standing = &self.at.standing;
        let since = standing.seconds - standing.watched;
        let fresh = standing.seconds > standing.watched && standing.generation > 1;
        if !fresh || (!last && since < 60.0 * minutes) {
            return Ok(());
        }
        let over = || INTERRUPTED.load(Relaxed);
        let seed = self.seed([5, u64::from(standing.generation), 0]);
        let (playing, training) = (standing.playing, standing.training);
        let show = watch::Show {
            line: &|text| self.tell.line(text),
            progress: &|opponent, done, of| self.tell.game(opponent, done, of),
        };
        let figures = watch::matches(
            self.folder,
            &self.config,
            &self.at,
            self.players(),
            seed,
            &over,
            show,
        );
        self.tick();
        (self.at.standing.playing, self.at.standing.training) = (playing, training);
        let figures = figures?;
        if !over() {
            let generation = self.at.standing.generation - 1;
            self.metrics.matched(generation, &figures)?;
            self.at.standing.watched = self.at.standing.seconds;
            self.keep()?;
        }
        Ok(())
    }

    /// Games of a match at a time: searches with a clock need a core each.
    fn players(&self) -> usize {
        self.threads.min(cores())
    }
}

/// The beginning of a run.
fn newborn(config: &Config) -> Result<Checkpoint> {
    let network = play::first(config)?;
    let learned = learned_before(config);
    let endings = config.get("play").int("random-endings").is_some() && !learned;
    let pretrains = endings || config.get("data").name("from") != NONE;
    Ok(Checkpoint {
        standing: Standing {
            version: env!("CARGO_PKG_VERSION").into(),
            played: GenerationMetrics::default(),
            before: match learned {
                true => network.meta().origin.clone(),
                false => String::new(),
            },
            generation: u32::from(!pretrains),
            phase: if pretrains { Phase::Train } else { Phase::Play },
            step: 0,
            seconds: 0.0,
            training: 0.0,
            playing: 0.0,
            losses: [0.0; 2],
            watched: 0.0,
            games: 0,
            states: 0,
            samples: 0,
            evaluations: 0,
        },
        player: network.clone(),
        network,
        state: Default::default(),
    })
}

/// What a configuration says where there is no other run to learn from.
const NONE: &str = "none";

/// Whether a run begins with a network that is not random.
fn learned_before(config: &Config) -> bool {
    config.get("run").name("network") != play::RANDOM
}

/// A run cannot become another.
fn same(folder: &Folder, config: &Config, network: &Team) -> Result<()> {
    let wanted = play::newborn(config)?;
    match play::differs(&wanted, network) {
        None => Ok(()),
        Some((what, wanted, found)) => Err(anyhow!(
            "{}: this run's {what} is '{found}', and cannot become '{wanted}' (nothing means the defaults): put it back, or \
             begin another run in another folder",
            folder.config().display()
        )),
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}
