//! A generation's training, step by step, and what becomes of the network.

use super::{INTERRUPTED, NONE, Run, Status, is_over};
use crate::learn::checkpoint::Phase;
use crate::learn::config::{Config, GATE_FAILED, STATES, States};
use crate::learn::data::{Batch, Portion, Rows, Shards, Window};
use crate::learn::folder::Folder;
use crate::learn::play::{self, Player};
use crate::learn::study;
use crate::learn::team::Team;
use crate::learn::train::{self, Learner};
use crate::learn::watch;
use crate::threads;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// Random games that one thread plays to their ends at a time.
const PART: usize = 4096;

impl Run<'_> {
    /// Trains on the replay; whether the generation is done.
    pub(super) fn train(&mut self) -> Result<bool> {
        let generation = self.at.standing.generation;
        if generation > 0 && study::studies(&self.config)? {
            return self.study();
        }
        let from = self.config.get("data").name("from").to_string();
        let others = generation == 0 && from != NONE;
        if others {
            self.recall(&from)?;
        } else if generation == 0 && !self.endings()? {
            return Ok(false);
        }
        if generation > 0 {
            self.narrow();
        }
        let passes = self.config.get("train").real("passes").unwrap_or(1.0);
        let passes = if generation == 0 && !others {
            1.0
        } else {
            passes
        };
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
        self.at.network = learner.network()?.into();
        self.at.state = learner.state()?;
        self.conclude(learner.averaged()?.into(), order.len())
    }

    /// Forgets what is further back than it learns from.
    pub(super) fn narrow(&mut self) {
        let dropped = self.window.narrow(self.span());
        if !self.config.get("replay").flag("keep") {
            dropped
                .into_iter()
                .for_each(|portion| self.shards.forget(portion));
        }
    }

    /// What becomes of a network that has learned: whether the generation is done.
    pub(super) fn conclude(&mut self, candidate: Team, shown: usize) -> Result<bool> {
        let generation = self.at.standing.generation;
        let Some(passed) = self.passes_gate(&candidate)? else {
            return Ok(false);
        };
        if passed {
            self.at.player = candidate;
        } else if !GATE_FAILED.read(self.config.get("train"), "gate-failed") {
            self.at.network = self.at.player.clone();
            self.at.state.clear();
        }
        self.tick();
        self.metrics
            .trained(&self.at.standing, shown, self.window.len(), self.rate())?;
        if generation == 0 {
            self.window = Window::new(self.window.layout());
        }
        let standing = &mut self.at.standing;
        (standing.generation, standing.phase, standing.step) = (generation + 1, Phase::Play, 0);
        (standing.training, standing.playing) = (0.0, 0.0);
        standing.played = Default::default();
        self.name(passed);
        self.at.player.publish(&self.folder.network())?;
        self.keep()?;
        Ok(true)
    }

    /// Takes the steps that are left; true if all were taken.
    fn steps(&mut self, learner: &mut dyn Learner, order: &[u32], size: usize) -> Result<bool> {
        let data = self.config.get("data");
        let share = match STATES.read(data, "states") {
            States::Terminal => 1.0,
            _ => data.real("result").unwrap_or(0.0) as f32,
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
            let over = is_over(deadline);
            if step + 1 < steps && (over || saved.elapsed().as_secs_f64() > every) {
                self.at.network = learner.network()?.into();
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

    /// Fills the window with the states of another run.
    fn recall(&mut self, path: &str) -> Result<()> {
        let other = Folder::open(Path::new(path)).context("[data] from")?;
        let variant = Config::read(&other.config())?.variant;
        let own = &self.config.variant;
        if (variant.entry.name, &variant.values) != (own.entry.name, &own.values) {
            bail!("[data] from: {path}: its game is another");
        }
        let layout = self.window.layout();
        let shards = Shards::open(&other.data(), layout)?;
        self.window = Window::new(layout);
        for (portion, number) in shards.portions()?.into_iter().zip(0..) {
            let (rows, games) = shards.read(portion).context("[data] from")?;
            let portion = Portion {
                generation: 0,
                number,
            };
            self.window.push(portion, rows, &games);
        }
        match self.window.is_empty() {
            true => bail!("[data] from: {path}: there are no states on disk"),
            false => Ok(()),
        }
    }

    /// Fills the window with ends of random games, before there were any others; whether there was time for all.
    fn endings(&mut self) -> Result<bool> {
        let count = self.config.get("play").int("random-endings").unwrap_or(0) as usize;
        let (layout, first) = play::player(&self.config, &self.at.player)?;
        let (parts, next, deadline) = (count.div_ceil(PART), AtomicUsize::new(0), self.deadline());
        let failed = AtomicBool::new(false);
        let run = &*self;
        let work = |mut player: Player| {
            let mut made = Vec::new();
            loop {
                let part = next.fetch_add(1, Relaxed);
                if part >= parts || is_over(deadline) || failed.load(Relaxed) {
                    return anyhow::Ok(made);
                }
                let (mut rows, games) = (Rows::new(layout), PART.min(count - part * PART));
                player.endings(games, run.seed([3, 0, part as u64]), &mut rows)?;
                made.push((part as u32, rows));
            }
        };
        let players = (0..self.threads.min(parts)).map(|_| first.another());
        let made = threads::on_each(players, work, || failed.store(true, Relaxed));
        let mut made: Vec<(u32, Rows)> = made?.into_iter().flatten().collect();
        if made.len() < parts {
            return Ok(false);
        }
        made.sort_unstable_by_key(|(part, _)| *part);
        self.window = Window::new(layout);
        for (number, rows) in made {
            let portion = Portion {
                generation: 0,
                number,
            };
            self.window.push(portion, rows, &[]);
        }
        Ok(true)
    }

    pub(super) fn rate(&self) -> f64 {
        let train = self.config.get("train");
        let real = |name| train.real(name).unwrap_or(1.0);
        let (rate, end) = (real("rate"), real("rate-end"));
        let generation = self.at.standing.generation.saturating_sub(1);
        let sunk = rate * real("rate-factor").powf(f64::from(generation));
        sunk.max(end.min(rate))
    }

    /// Whether the network may play the next generation; `None` if the match was interrupted.
    fn passes_gate(&mut self, candidate: &Team) -> Result<Option<bool>> {
        let Some(gate) = self.config.get("train").real("gate") else {
            return Ok(Some(true));
        };
        self.tick();
        let training = self.at.standing.training;
        let seed = self.seed([4, u64::from(self.at.standing.generation), 0]);
        let over = || INTERRUPTED.load(Relaxed);
        let players = [candidate, &self.at.player];
        let score = watch::gate(&self.config, players, self.players(), seed, &over);
        self.tick();
        self.at.standing.training = training;
        let score = score?;
        if over() {
            return Ok(None);
        }
        let passed = score >= gate;
        self.tell.line(&format!(
            "generation {}: {:.1} % against the network before; it {}",
            self.at.standing.generation,
            100.0 * score,
            match (
                passed,
                GATE_FAILED.read(self.config.get("train"), "gate-failed")
            ) {
                (true, _) => "plays on",
                (false, true) => "must learn more",
                (false, false) => "is discarded",
            },
        ));
        Ok(Some(passed))
    }

    /// Writes into the network that learns, and into that which plays where it is a new one, where they come from.
    fn name(&mut self, plays: bool) {
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
        let player = plays.then_some(&mut self.at.player);
        for network in std::iter::once(&mut self.at.network).chain(player) {
            network.meta_mut().origin = origin.clone();
        }
    }
}
