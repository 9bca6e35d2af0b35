//! A generation's training in the run: the states that it begins with, what goes on beside it, and what is written of it.

use super::elsewhere::Elsewhere;
use super::{Run, Status, Tell, interrupted, is_over, tick};
use crate::learn::checkpoint::{Checkpoint, Checkpoints, Standing};
use crate::learn::config::{Config, Seed};
use crate::learn::data::{Portion, Rows, Shards, Window};
use crate::learn::folder::Folder;
use crate::learn::pieces::{self, Hooks, NONE, Trained};
use crate::learn::play::{self, Player};
use crate::threads;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// Random games that one thread plays to their ends at a time.
const PART: usize = 4096;

impl Run<'_> {
    /// Trains on the replay; whether the generation is done.
    pub(super) fn train(&mut self, elsewhere: &mut Option<Elsewhere>) -> Result<bool> {
        let generation = self.at.standing.generation;
        let from = self.config.get("data").name("from").to_string();
        let others = generation == 0 && from != NONE;
        if others {
            self.recall(&from)?;
        } else if generation == 0 && !self.endings()? {
            return Ok(false);
        }
        let dropped = match generation {
            0 => Vec::new(),
            _ => self.window.narrow(pieces::span(&self.config)),
        };
        if !self.config.get("replay").flag("keep") {
            dropped
                .into_iter()
                .for_each(|portion| self.shards.forget(portion));
        }
        let trained = match elsewhere {
            Some(elsewhere) if generation > 0 => self.ask_for_training(elsewhere)?,
            _ => self.train_here((generation == 0 && !others).then_some(1.0))?,
        };
        let Some(trained) = trained else {
            return Ok(false);
        };
        self.metrics.trained(
            &trained.standing,
            trained.shown,
            trained.replay,
            trained.rate,
        )?;
        if generation == 0 {
            self.window = Window::new(self.window.layout());
        }
        self.at.player.publish(&self.folder.network())?;
        self.keep()?;
        Ok(true)
    }

    /// Trains in this process; none where it had to end before.
    fn train_here(&mut self, passes: Option<f64>) -> Result<Option<Trained>> {
        let (deadline, limit) = (self.deadline(), self.limit());
        let mut beside = Beside {
            every: self.every(),
            checkpoints: &mut self.checkpoints,
            clock: &mut self.clock,
            tell: self.tell,
            deadline,
            limit,
            saved: Instant::now(),
            begin: Instant::now(),
            samples: self.at.standing.samples,
        };
        pieces::train(
            &self.config,
            &mut self.at,
            &self.window,
            passes,
            &mut beside,
        )
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
        let config = &self.config;
        let work = |mut player: Player| {
            let mut made = Vec::new();
            loop {
                let part = next.fetch_add(1, Relaxed);
                if part >= parts || is_over(deadline) || failed.load(Relaxed) {
                    return anyhow::Ok(made);
                }
                let (mut rows, games) = (Rows::new(layout), PART.min(count - part * PART));
                let seed = config.seed(Seed::Ending, 0, part as u64);
                player.endings(games, seed, &mut rows)?;
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
}

/// Checkpoints, the clock and the live line beside a training.
struct Beside<'a> {
    /// Seconds between checkpoints.
    every: f64,
    checkpoints: &'a mut Checkpoints,
    clock: &'a mut Instant,
    tell: &'a dyn Tell,
    deadline: Option<Instant>,
    limit: Option<f64>,
    saved: Instant,
    begin: Instant,
    /// Of the run, before this training.
    samples: u64,
}

impl Hooks for Beside<'_> {
    fn over(&self) -> bool {
        is_over(self.deadline)
    }

    fn broken_off(&self) -> &(dyn Fn() -> bool + Sync) {
        &interrupted
    }

    fn due(&self) -> bool {
        self.saved.elapsed().as_secs_f64() > self.every
    }

    fn keep(&mut self, at: &mut Checkpoint) -> Result<()> {
        self.tick(&mut at.standing);
        self.checkpoints.keep(at)?;
        self.saved = Instant::now();
        Ok(())
    }

    fn tick(&mut self, standing: &mut Standing) {
        tick(self.clock, standing);
    }

    fn stepped(&mut self, standing: &Standing, steps: u64) {
        if standing.step % 8 != 1 {
            return;
        }
        let passed = self.begin.elapsed().as_secs_f64();
        self.tell.status(&Status {
            generation: standing.generation,
            training: true,
            done: standing.step,
            of: steps,
            games: standing.games,
            states: standing.states,
            rate: (standing.samples - self.samples) as f64 / passed.max(1e-3),
            loss: standing.losses[0] / standing.step as f64,
            seconds: standing.seconds + self.clock.elapsed().as_secs_f64(),
            limit: self.limit,
        });
    }

    fn line(&self, text: &str) {
        self.tell.line(text);
    }
}
