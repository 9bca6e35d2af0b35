//! The loop of a run: act, remember, train, and save now and then.

use super::agent::{Agent, Open};
use super::alphago::AlphaGo;
use super::config::Config;
use super::dqn::Dqn;
use super::keep::{Checkpoint, Episode, Episodes, Standing};
use super::replay::learned_reward;
use super::searching::Searching;
use crate::environment::{Environment, Gymnasium, Step};
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
    /// The episode that was open at the checkpoint, as far as it has been gone through again.
    open: Option<Going>,
}

/// What an episode has come to.
#[derive(Debug, Clone, Copy, Default)]
struct Going {
    /// Of the rewards as the environment gives them.
    sum: f64,
    length: u64,
}

impl<'a> Run<'a> {
    fn open(folder: &'a Folder, config: Config, tell: &'a dyn Tell) -> Result<Self> {
        let checkpoints = Checkpoints::open(&folder.checkpoints())?;
        let before = checkpoints.newest_to_go_on::<Checkpoint>()?;
        // What was killed before it saved anything begins anew.
        if before.is_none() && folder.network().exists() {
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
        let mut agent = agent(&config, &environment, (folder, seed, standing.steps))?;
        if let Some(at) = &before {
            let learner = agent.learner_mut();
            learner.restore(&at.network.tensors, &at.state)?;
        }
        let open = agent.recall(&standing)?;
        let path = folder.path().display();
        tell.line(&match before {
            Some(_) => format!(
                "goes on in {path}: {} frames, {} episodes so far; the replay is {}",
                standing.frames,
                standing.episodes,
                match config.method() {
                    "alphago" => "what it was",
                    _ => "filled again",
                }
            ),
            None => format!(
                "begins in {path}: {}, {} actions",
                about.name, about.actions
            ),
        });
        let now = Instant::now();
        let mut run = Run {
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
            open: None,
        };
        if let Some(open) = open {
            run.open = run.again(&open)?;
            if run.open.is_none() {
                tell.line("the environment does not repeat itself: the episode that was open at the checkpoint is broken off");
            }
        }
        Ok(run)
    }

    /// Takes the actions of the episode that was open once more; none where something else comes of them.
    fn again(&mut self, open: &Open) -> Result<Option<Going>> {
        self.reset()?;
        let mut going = Going::default();
        for (action, reward) in &open.taken {
            let step = self.environment.step(*action)?;
            if self.learned(step).reward != *reward || step.is_last() {
                return Ok(None);
            }
            going.sum += f64::from(step.reward);
            going.length += 1;
        }
        Ok((self.environment.observation() == open.seen).then_some(going))
    }

    /// Begins the next episode.
    fn reset(&mut self) -> Result<()> {
        let seed = self.config.size("run", "seed") as u64;
        let episode = random::mix(seed ^ self.standing.episodes);
        Ok(self.environment.reset(episode)?)
    }

    /// A step with its reward as it is learned.
    fn learned(&self, step: Step) -> Step {
        let signs = self.config.get(self.config.own()).flag("signs");
        Step {
            reward: learned_reward(step.reward, signs),
            ..step
        }
    }

    fn is_over(&self) -> bool {
        let stop = self.config.get("stop");
        let over = |limit: Option<i64>, now: f64| limit.is_some_and(|limit| now >= limit as f64);
        over(stop.int("minutes"), self.standing.seconds / 60.0)
            || over(stop.int("steps"), self.standing.steps as f64)
    }

    /// Plays episodes until the run is over; false where it was interrupted.
    fn work(&mut self) -> Result<bool> {
        loop {
            self.tick();
            if self.is_over() {
                return Ok(true);
            }
            let going = match self.open.take() {
                Some(going) => going,
                None => {
                    self.reset()?;
                    let seen = self.environment.observation();
                    self.agent.begin(seen, &self.standing)?;
                    Going::default()
                }
            };
            if !self.episode(going)? {
                return Ok(self.is_over());
            }
        }
    }

    /// Plays an episode from where it stands; false where it was left before its end.
    fn episode(&mut self, going: Going) -> Result<bool> {
        let Going {
            mut sum,
            mut length,
        } = going;
        let (begun, frames) = (Instant::now(), self.standing.frames);
        loop {
            let action = self.agent.act(&mut self.environment, &self.standing)?;
            let step = self.environment.step(action)?;
            sum += f64::from(step.reward);
            length += 1;
            let learned = self.learned(step);
            let seen = self.environment.observation();
            self.agent.step(action, learned, seen)?;
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
        let [loss, worth, count] = std::mem::take(&mut self.standing.losses);
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
            figures: self.agent.figures(),
        })
    }

    /// Trains if it is time.
    fn train(&mut self) -> Result<()> {
        if let Some(trained) = self.agent.train(&self.standing)? {
            let [loss, worth, count] = self.standing.losses;
            self.standing.losses = [loss + trained.loss, worth + trained.worth, count + 1.0];
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
            match (self.config.method(), self.agent.figures().stage) {
                ("dqn", _) => "epsilon".into(),
                ("alphago", stage) => format!("{stage} stage · temperature"),
                _ => "temperature".into(),
            },
            self.agent.chance(standing),
            standing.updates
        ));
    }

    fn save(&mut self) -> Result<()> {
        self.agent.keep(&self.standing)?;
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

/// The agent of the configuration's method, for a run in a folder that has made so many steps.
fn agent(
    config: &Config,
    environment: &dyn Environment,
    (folder, seed, steps): (&Folder, u64, u64),
) -> Result<Box<dyn Agent>> {
    let about = environment.about();
    Ok(match config.method() {
        "alphago" => Box::new(AlphaGo::new(config, about, &folder.data(), steps)?),
        "dqn" => Box::new(Dqn::new(config, about, seed)?),
        _ => Box::new(Searching::new(config, about, seed)?),
    })
}
