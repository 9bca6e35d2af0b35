//! What happens when: play a generation, train on it, see how strong it is, begin again.

use super::checkpoint::{Checkpoint, Checkpoints, Phase, Standing, weights};
use super::config::Config;
use super::data::{Batch, Game, Portion, Rows, Shards, Span, Window};
use super::folder::Folder;
use super::play::{self, Play};
use super::train::{self, Learner};
use super::watch::{self, Metrics};
use crate::game::random::mix;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use treeline_nets::arch::Network;

/// Whether the user wants it to end.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Ends the run in this process soon, with nothing lost.
pub fn interrupt() {
    INTERRUPTED.store(true, Relaxed);
}

/// Where a run tells what it does.
pub trait Tell: Sync {
    /// How it stands; several times a second.
    fn status(&self, status: &Status);
    /// A match that it plays: the opponent, and the games that are over and in all.
    fn game(&self, opponent: &str, done: usize, of: usize);
    /// A line to stay.
    fn line(&self, text: &str);
}

/// How a run stands.
#[derive(Debug, Clone, Copy, Default)]
pub struct Status {
    pub generation: u32,
    pub training: bool,
    /// Games or steps of this phase, done and in all.
    pub done: u64,
    pub of: u64,
    /// Over the run.
    pub games: u64,
    pub states: u64,
    /// Evaluations, or samples, a second of this phase.
    pub rate: f64,
    /// The mean of this generation's training, or of the last one's.
    pub loss: f64,
    pub seconds: f64,
    /// Of the whole run, where there is a limit.
    pub limit: Option<f64>,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// Whether it is over and not interrupted.
    pub complete: bool,
    pub standing: Standing,
}

/// Begins or goes on with a run until it is over or interrupted. An error is a sentence, and costs nothing that is safe.
pub fn run(folder: &Folder, tell: &dyn Tell) -> Result<Ended, String> {
    train::available()?;
    let config = Config::read(&folder.config())?;
    let _lock = folder.lock()?;
    let mut run = Run::open(folder, config, tell)?;
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
    at: Checkpoint,
    metrics: Metrics,
    /// When work was last added to the standing.
    clock: Instant,
    threads: usize,
}

/// A portion that was played.
type Made = (Portion, Rows, Vec<Game>);

impl<'a> Run<'a> {
    fn open(folder: &'a Folder, config: Config, tell: &'a dyn Tell) -> Result<Self, String> {
        let checkpoints = Checkpoints::open(&folder.checkpoints())?;
        let at = match checkpoints.newest()? {
            Some(at) => at,
            None if folder.network().exists() || folder.metrics().exists() => {
                return Err(format!(
                    "{}: there is a network and no checkpoint that can be read, so this run cannot go on: begin another, or \
                     remove network.safetensors and metrics.jsonl to begin this one anew",
                    folder.path().display()
                ));
            }
            None => {
                let at = newborn(&config)?;
                if learned_before(&config) {
                    // An opponent for matches, as generation 0.
                    folder.keep_snapshot(0, &at.network)?;
                }
                at
            }
        };
        same(&config, &at.network)?;
        let (layout, _) = play::player(&config, &at.player)?;
        let shards = Shards::open(&folder.data(), layout)?;
        let metrics = Metrics::open(folder, at.standing.generation)?;
        let threads = config
            .get("run")
            .int("threads")
            .map_or_else(cores, |n| n as usize);
        // A device that is not there is better known before the first game than after it.
        train::learner(&at.network, &config, threads)?;
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

    /// Reads the games before that are still learned from.
    fn remember(&mut self) -> Result<(), String> {
        let span = self.span();
        let standing = &self.at.standing;
        // In the middle of training, this generation's games are part of what it learns from.
        let end = standing.generation + u32::from(standing.phase == Phase::Train);
        let portions = self.shards.portions()?;
        let mut kept = Vec::new();
        let mut states = 0;
        for portion in portions.into_iter().filter(|p| p.generation < end).rev() {
            let far = span
                .generations
                .is_some_and(|most| portion.generation + most < end);
            if far || states > span.states {
                break;
            }
            match self.shards.read(portion) {
                Ok((rows, games)) => {
                    states += rows.len();
                    kept.push((portion, rows, games));
                }
                Err(error) => {
                    log::warn!("{error}; it is not learned from");
                    self.shards.set_aside(portion);
                }
            }
        }
        for (portion, rows, games) in kept.into_iter().rev() {
            self.window.push(portion, rows, &games);
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

    /// Until it is over (true) or interrupted; the work so far is on the books either way.
    fn work(&mut self) -> Result<bool, String> {
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

    /// Plays what is missing of the generation; whether all is there.
    fn play(&mut self) -> Result<bool, String> {
        let generation = self.at.standing.generation;
        let (games, size) = (self.games(generation), self.config.size("play", "portion"));
        let portions = games.div_ceil(size) as u32;
        let mut made: BTreeMap<u32, Made> = BTreeMap::new();
        for portion in self.shards.portions()? {
            if portion.generation != generation || portion.number >= portions {
                continue;
            }
            match self.shards.read(portion) {
                Ok((rows, games)) => drop(made.insert(portion.number, (portion, rows, games))),
                Err(error) => {
                    log::warn!("{error}; its games are played again");
                    self.shards.set_aside(portion);
                }
            }
        }
        let missing: Vec<u32> = (0..portions).filter(|n| !made.contains_key(n)).collect();
        self.play_portions(&missing, games, size, &mut made)?;
        self.tick();
        if made.len() < portions as usize {
            return Ok(false);
        }
        let all: Vec<Game> = made
            .values()
            .flat_map(|(.., games)| games.clone())
            .collect();
        for (portion, rows, games) in made.into_values() {
            self.window.push(portion, rows, &games);
        }
        let standing = &mut self.at.standing;
        standing.games += all.len() as u64;
        standing.states += all.iter().map(|game| game.states).sum::<u64>();
        standing.evaluations += all.iter().map(|game| game.evaluations).sum::<u64>();
        (standing.phase, standing.step) = (Phase::Train, 0);
        standing.losses = [0.0; 2];
        let seconds = standing.playing;
        self.metrics.played(&all, seconds);
        self.keep()?;
        Ok(true)
    }

    /// Plays these portions on all threads, into `made`.
    fn play_portions(
        &mut self,
        missing: &[u32],
        games: usize,
        size: usize,
        made: &mut BTreeMap<u32, Made>,
    ) -> Result<(), String> {
        if missing.is_empty() {
            return Ok(());
        }
        let (_, first) = play::player(&self.config, &self.at.player)?;
        let standing = self.at.standing.clone();
        let generation = standing.generation;
        let before: usize = (1..generation).map(|earlier| self.games(earlier)).sum();
        let seed = |index: usize| self.seed([1, u64::from(generation), index as u64]);
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel::<Result<Made, String>>();
        let played = AtomicUsize::new(made.values().map(|(.., games)| games.len()).sum());
        let evaluations = AtomicUsize::new(0);
        let deadline = self.deadline();
        let over = || {
            stop.load(Relaxed)
                || INTERRUPTED.load(Relaxed)
                || deadline.is_some_and(|deadline| Instant::now() >= deadline)
        };
        let (layout, shards) = (self.window.layout(), &self.shards);
        let one = |player: &mut dyn Play, number_of: u32| -> Result<Option<Made>, String> {
            let portion = Portion {
                generation,
                number: number_of,
            };
            let (mut rows, mut list) = (Rows::new(layout), Vec::new());
            let from = number_of as usize * size;
            for index in from..games.min(from + size) {
                if over() {
                    return Ok(None);
                }
                let game = player.game((before + index) as u32, seed(index), &mut rows)?;
                played.fetch_add(1, Relaxed);
                evaluations.fetch_add(game.evaluations as usize, Relaxed);
                list.push(game);
            }
            shards.write(portion, &rows, &list)?;
            Ok(Some((portion, rows, list)))
        };
        let mut result = Ok(());
        let begin = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..self.threads.min(missing.len()) {
                let (sender, mut player) = (sender.clone(), first.another());
                let (next, one, over) = (&next, &one, &over);
                scope.spawn(move || {
                    while let Some(number) = missing.get(next.fetch_add(1, Relaxed)) {
                        let made = match over() {
                            true => return,
                            false => one(&mut *player, *number),
                        };
                        let Some(made) = made.transpose() else { return };
                        if sender.send(made).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            loop {
                match receiver.recv_timeout(Duration::from_millis(200)) {
                    Ok(Ok(one)) => drop(made.insert(one.0.number, one)),
                    Ok(Err(error)) => {
                        stop.store(true, Relaxed);
                        result = Err(error);
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                }
                let passed = begin.elapsed().as_secs_f64();
                self.tell.status(&Status {
                    generation,
                    training: false,
                    done: played.load(Relaxed) as u64,
                    of: games as u64,
                    games: standing.games + played.load(Relaxed) as u64,
                    states: standing.states,
                    rate: evaluations.load(Relaxed) as f64 / passed.max(1e-3),
                    loss: self.metrics.loss(),
                    seconds: standing.seconds + passed,
                    limit: self.limit(),
                });
            }
        });
        result
    }

    /// Trains on the replay; whether the generation is done.
    fn train(&mut self) -> Result<bool, String> {
        let generation = self.at.standing.generation;
        let dropped = match generation {
            0 => self.endings()?,
            _ => self.window.narrow(self.span()),
        };
        if !self.config.get("replay").flag("keep") {
            dropped
                .into_iter()
                .for_each(|portion| self.shards.forget(portion));
        }
        let passes = self.config.get("train").real("passes").unwrap_or(1.0);
        let passes = if generation == 0 { 1.0 } else { passes };
        let order = self
            .window
            .order(passes, self.seed([2, u64::from(generation), 0]));
        let size = self.config.size("train", "batch");
        let mut learner = train::learner(&self.at.network, &self.config, self.threads)?;
        if !self.at.state.is_empty() {
            learner.restore(&self.at.state)?;
        }
        learner.set_rate(self.rate());
        if !self.steps(&mut *learner, &order, size)? {
            return Ok(false);
        }
        self.at.network = learner.network()?;
        self.at.state = learner.state()?;
        let candidate = learner.averaged()?;
        if self.passes_gate(&candidate)? {
            self.at.player = candidate;
        }
        self.tick();
        self.metrics.trained(
            &self.at.standing,
            order.len(),
            self.window.len(),
            self.rate(),
        )?;
        if generation == 0 {
            self.window = Window::new(self.window.layout());
        }
        let standing = &mut self.at.standing;
        (standing.generation, standing.phase, standing.step) = (generation + 1, Phase::Play, 0);
        (standing.training, standing.playing) = (0.0, 0.0);
        self.name();
        let file = weights(&self.at.player);
        file.write(&self.folder.network())
            .map_err(|e| e.to_string())?;
        self.keep()?;
        Ok(true)
    }

    /// The steps that are left; whether none is.
    fn steps(
        &mut self,
        learner: &mut dyn Learner,
        order: &[u32],
        size: usize,
    ) -> Result<bool, String> {
        let share = match self.config.get("data").word("states") {
            "terminal" => 1.0,
            _ => self.config.get("data").real("result").unwrap_or(0.0) as f32,
        };
        let every = self.config.get("train").real("checkpoint").unwrap_or(15.0);
        let (mut saved, begin) = (Instant::now(), Instant::now());
        let from = self.at.standing.step;
        let steps = order.len().div_ceil(size) as u64;
        let deadline = self.deadline();
        let mut batch = Batch::default();
        for step in from..steps {
            let at = step as usize * size;
            let which = &order[at..order.len().min(at + size)];
            self.window.fill(which, share, &mut batch);
            let loss = learner.step(&batch)?;
            let standing = &mut self.at.standing;
            standing.step = step + 1;
            standing.losses[0] += loss.value;
            standing.losses[1] += loss.policy;
            standing.samples += which.len() as u64;
            let over = INTERRUPTED.load(Relaxed)
                || deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if step + 1 < steps && (over || saved.elapsed().as_secs_f64() > every) {
                self.at.network = learner.network()?;
                self.at.state = learner.state()?;
                self.tick();
                self.keep()?;
                saved = Instant::now();
                if over {
                    return Ok(false);
                }
            }
            if step % 8 == 0 {
                let passed = begin.elapsed().as_secs_f64();
                let standing = &self.at.standing;
                self.tell.status(&Status {
                    generation: standing.generation,
                    training: true,
                    done: standing.step,
                    of: steps,
                    games: standing.games,
                    states: standing.states,
                    rate: ((standing.step - from) as usize * size) as f64 / passed.max(1e-3),
                    loss: standing.losses[0] / standing.step as f64,
                    seconds: standing.seconds + self.clock.elapsed().as_secs_f64(),
                    limit: self.limit(),
                });
            }
        }
        Ok(true)
    }

    /// Fills the window with ends of random games, before there were any others.
    fn endings(&mut self) -> Result<Vec<Portion>, String> {
        let count = self.config.get("play").int("random-endings").unwrap_or(0) as usize;
        let (layout, mut player) = play::player(&self.config, &self.at.player)?;
        let mut rows = Rows::new(layout);
        player.endings(count, self.seed([3, 0, 0]), &mut rows);
        self.window = Window::new(layout);
        let portion = Portion {
            generation: 0,
            number: 0,
        };
        self.window.push(portion, rows, &[]);
        Ok(Vec::new())
    }

    fn rate(&self) -> f64 {
        let train = self.config.get("train");
        let real = |name| train.real(name).unwrap_or(1.0);
        let (rate, end) = (real("rate"), real("rate-end"));
        let generation = self.at.standing.generation.saturating_sub(1);
        let sunk = rate * real("rate-factor").powf(f64::from(generation));
        sunk.max(end.min(rate))
    }

    /// Whether the network may play the next generation.
    fn passes_gate(&mut self, candidate: &Network) -> Result<bool, String> {
        let Some(gate) = self.config.get("train").real("gate") else {
            return Ok(true);
        };
        let seed = self.seed([4, u64::from(self.at.standing.generation), 0]);
        let score = watch::gate(
            &self.config,
            [candidate, &self.at.player],
            self.threads,
            seed,
        )?;
        let passed = score >= gate;
        self.tell.line(&format!(
            "generation {}: {:.1} % against the network before; it {}",
            self.at.standing.generation,
            100.0 * score,
            if passed {
                "plays on"
            } else {
                "must learn more"
            },
        ));
        Ok(passed)
    }

    /// Writes into the networks where they come from.
    fn name(&mut self) {
        let standing = &self.at.standing;
        let mut origin = format!(
            "treeline {} learn, {} generations, {} games, {} states, seed {}",
            standing.version,
            standing.generation - 1,
            standing.games,
            standing.states,
            self.config.size("run", "seed"),
        );
        if !standing.before.is_empty() {
            origin = format!("{origin}; before: {}", standing.before);
        }
        for network in [&mut self.at.network, &mut self.at.player] {
            match network {
                Network::Planes { meta, .. } | Network::Inc { meta, .. } => {
                    meta.origin = origin.clone();
                }
            }
        }
    }

    fn keep(&mut self) -> Result<(), String> {
        self.checkpoints.keep(&self.at)
    }

    /// Matches, where they are due.
    fn watch(&mut self, last: bool) -> Result<(), String> {
        let watch = self.config.get("watch");
        let Some(minutes) = watch.real("minutes") else {
            return Ok(());
        };
        let standing = &self.at.standing;
        let since = standing.seconds - standing.watched;
        let fresh = standing.seconds > standing.watched && standing.generation > 1;
        if !fresh || (!last && since < 60.0 * minutes) {
            return Ok(());
        }
        let over = || INTERRUPTED.load(Relaxed);
        let seed = self.seed([5, u64::from(standing.generation), 0]);
        let show = watch::Show {
            line: &|text| self.tell.line(text),
            progress: &|opponent, done, of| self.tell.game(opponent, done, of),
        };
        watch::matches(
            self.folder,
            &self.config,
            &self.at,
            self.threads,
            seed,
            &over,
            show,
        )?;
        if !over() {
            self.tick();
            self.at.standing.watched = self.at.standing.seconds;
            self.keep()?;
        }
        Ok(())
    }
}

/// The beginning of a run.
fn newborn(config: &Config) -> Result<Checkpoint, String> {
    let network = play::first(config)?;
    let learned = learned_before(config);
    let pretrains = config.get("play").int("random-endings").is_some() && !learned;
    Ok(Checkpoint {
        standing: Standing {
            version: env!("CARGO_PKG_VERSION").into(),
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

/// Whether a run begins with a network that is not random.
fn learned_before(config: &Config) -> bool {
    config.get("run").name("network") != play::RANDOM
}

/// A run cannot become another.
fn same(config: &Config, network: &Network) -> Result<(), String> {
    match play::differs(&play::newborn(config)?, network) {
        None => Ok(()),
        Some((what, wanted, found)) => Err(format!(
            "this run's {what} is '{found}', and cannot become '{wanted}': begin another run"
        )),
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}
