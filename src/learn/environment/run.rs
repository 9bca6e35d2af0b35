//! The loop of a run: act, remember, train, and save now and then.

use super::agent::Agent;
use super::config::Config;
use super::dqn::Dqn;
use super::keep::{Checkpoint, Episode, Episodes, Standing};
use super::replay::learned_reward;
use super::searching::Searching;
use crate::environment::{Environment, Gymnasium};
use crate::game::random;
use crate::learn::checkpoint::Checkpoints;
use crate::learn::folder::Folder;
use crate::learn::run::interrupted;
use anyhow::{Result, bail};
use std::time::{Duration, Instant};

/// How a run ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// Whether it is over and not interrupted.
    pub complete: bool,
    pub standing: Standing,
}

/// Who is told what happens.
pub trait Tell {
    /// How it stands, several times a second.
    fn status(&self, text: &str);
    /// A line to stay.
    fn line(&self, text: &str);
}

/// Begins or goes on with a run until it is over or interrupted. After an error it goes on from its last checkpoint.
pub fn run(folder: &Folder, tell: &dyn Tell) -> Result<Ended> {
    let config = Config::read(&folder.config())?;
    let _lock = folder.lock()?;
    folder.sweep();
    let mut run = Run::open(folder, config, tell)?;
    let worked = run.work();
    // What was learned stays, whatever the environment did; that is told first.
    let saved = run.save();
    let complete = worked?;
    saved?;
    Ok(Ended {
        complete,
        standing: run.standing,
    })
}

struct Run<'a> {
    folder: &'a Folder,
    config: Config,
    tell: &'a dyn Tell,
    environment: Gymnasium,
    agent: Box<dyn Agent>,
    checkpoints: Checkpoints,
    episodes: Episodes,
    standing: Standing,
    /// When work was last added to the standing, and when it was saved.
    clock: Instant,
    saved: Instant,
    told: Instant,
    /// Sums of losses and worths since the last episode, and how many.
    losses: [f64; 3],
}

impl<'a> Run<'a> {
    fn open(folder: &'a Folder, config: Config, tell: &'a dyn Tell) -> Result<Self> {
        let checkpoints = Checkpoints::open(&folder.checkpoints())?;
        let before = checkpoints.newest_to_go_on::<Checkpoint>()?;
        if before.is_none() && (folder.network().exists() || folder.metrics().exists()) {
            bail!(
                "{}: there is no checkpoint that can be read: remove everything but learn.toml to begin anew",
                folder.path().display()
            );
        }
        let environment = Gymnasium::start(&config.making())?;
        let about = environment.about().clone();
        let standing = match &before {
            Some(at) => at.standing.clone(),
            None => Standing::default(),
        };
        let seed = random::mix(config.size("run", "seed") as u64 ^ random::mix(standing.steps));
        let mut agent = agent(&config, &environment, seed)?;
        if let Some(at) = &before {
            let learner = agent.learner_mut();
            learner.restore(&at.network.tensors, &at.state)?;
        }
        let path = folder.path().display();
        tell.line(&match before {
            Some(_) => format!(
                "goes on in {path}: {} frames, {} episodes so far; the replay is filled again",
                standing.frames, standing.episodes
            ),
            None => format!(
                "begins in {path}: {}, {} actions",
                about.name, about.actions
            ),
        });
        let now = Instant::now();
        Ok(Run {
            episodes: Episodes::open(&folder.metrics(), standing.episodes)?,
            folder,
            config,
            tell,
            environment,
            agent,
            checkpoints,
            standing,
            clock: now,
            saved: now,
            told: now,
            losses: [0.0; 3],
        })
    }

    fn is_over(&self) -> bool {
        let stop = self.config.get("stop");
        let over = |limit: Option<i64>, now: f64| limit.is_some_and(|limit| now >= limit as f64);
        over(stop.int("minutes"), self.standing.seconds / 60.0)
            || over(stop.int("steps"), self.standing.steps as f64)
    }

    /// Plays episodes until the run is over; false where it was interrupted.
    fn work(&mut self) -> Result<bool> {
        let seed = self.config.size("run", "seed") as u64;
        loop {
            self.tick();
            if self.is_over() {
                return Ok(true);
            }
            self.environment
                .reset(random::mix(seed ^ self.standing.episodes))?;
            self.agent.begin(self.environment.observation());
            if !self.episode()? {
                return Ok(self.is_over());
            }
        }
    }

    /// Plays an episode; false where it was left before its end.
    fn episode(&mut self) -> Result<bool> {
        let (mut sum, mut length) = (0.0, 0);
        let (begun, frames) = (Instant::now(), self.standing.frames);
        let signs = self.config.get(self.config.own()).flag("signs");
        loop {
            let action = self.agent.act(&mut self.environment, &self.standing)?;
            let step = self.environment.step(action)?;
            sum += f64::from(step.reward);
            length += 1;
            let reward = learned_reward(step.reward, signs);
            let seen = self.environment.observation();
            self.agent.step(action, reward, step.terminated, seen);
            self.standing.steps += 1;
            self.standing.frames += u64::from(step.frames);
            self.train()?;
            self.tick();
            if step.is_last() {
                let frames = self.standing.frames - frames;
                self.note(
                    sum,
                    length,
                    frames as f64 / begun.elapsed().as_secs_f64().max(1e-6),
                )?;
                return Ok(true);
            }
            if interrupted() || self.is_over() {
                return Ok(false);
            }
            if self.saved.elapsed()
                >= Duration::from_secs_f64(60.0 * self.config.real("save", "minutes"))
            {
                self.save()?;
            }
        }
    }

    /// Notes an episode that is over.
    fn note(&mut self, sum: f64, length: u64, speed: f64) -> Result<()> {
        self.standing.note(sum);
        let [loss, worth, count] = std::mem::take(&mut self.losses);
        let mean = |sum: f64| if count > 0.0 { sum / count } else { 0.0 };
        let standing = &self.standing;
        self.episodes.add(&Episode {
            episode: standing.episodes,
            steps: standing.steps,
            frames: standing.frames,
            minutes: standing.seconds / 60.0,
            sum,
            length,
            mean: standing.mean().unwrap_or(0.0),
            chance: self.agent.chance(standing),
            loss: mean(loss),
            worth: mean(worth),
            speed,
        })
    }

    /// Trains if it is time.
    fn train(&mut self) -> Result<()> {
        if let Some(trained) = self.agent.train(&self.standing)? {
            let [loss, worth, count] = self.losses;
            self.losses = [loss + trained.loss, worth + trained.worth, count + 1.0];
            self.standing.updates += 1;
        }
        Ok(())
    }

    /// Books the time, and tells how it stands.
    fn tick(&mut self) {
        let now = Instant::now();
        self.standing.seconds += (now - self.clock).as_secs_f64();
        self.clock = now;
        if now - self.told < Duration::from_millis(200) {
            return;
        }
        self.told = now;
        let standing = &self.standing;
        let mean = standing
            .mean()
            .map_or(String::new(), |mean| format!(" · mean return {mean:.2}"));
        self.tell.status(&format!(
            "{:.1} min · {} frames, {} episodes{mean} · {} {:.2} · {} trainings",
            standing.seconds / 60.0,
            standing.frames,
            standing.episodes,
            match self.config.method() {
                "dqn" => "epsilon",
                _ => "temperature",
            },
            self.agent.chance(standing),
            standing.updates
        ));
    }

    fn save(&mut self) -> Result<()> {
        let about = self.environment.about();
        let checkpoint = Checkpoint::of(
            &self.standing,
            about,
            self.config.method(),
            self.agent.learner(),
        )?;
        self.checkpoints.keep(&checkpoint)?;
        checkpoint.network.write(&self.folder.network())?;
        self.saved = Instant::now();
        Ok(())
    }
}

/// The agent of the configuration's method.
fn agent(config: &Config, environment: &dyn Environment, seed: u64) -> Result<Box<dyn Agent>> {
    let about = environment.about();
    Ok(match config.method() {
        "dqn" => Box::new(Dqn::new(config, about, seed)?),
        _ => Box::new(Searching::new(config, about, seed)?),
    })
}
