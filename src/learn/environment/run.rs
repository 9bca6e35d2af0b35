//! The loop of a run: act, remember, train, and save now and then.

use super::config::Config;
use super::keep::{Checkpoint, Episode, Episodes, Standing};
use super::learner::{Drawn, Learner, learner};
use super::replay::Replay;
use crate::environment::{Environment, Gymnasium};
use crate::game::{Rng, random};
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
    learner: Box<dyn Learner>,
    replay: Replay,
    checkpoints: Checkpoints,
    episodes: Episodes,
    standing: Standing,
    rng: Rng,
    /// When work was last added to the standing, and when it was saved.
    clock: Instant,
    saved: Instant,
    told: Instant,
    /// Sums of losses and of Q since the last episode, and how many.
    losses: [f64; 3],
    drawn: Drawn,
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
        let mut learner = learner(&config, &about)?;
        let standing = match &before {
            Some(at) => {
                learner.restore(&at.network.tensors, &at.state)?;
                at.standing.clone()
            }
            None => Standing::default(),
        };
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
        let stack = config.size("environment", "stack");
        let replay = Replay::new(about.space, stack, config.size("dqn", "replay"))?;
        let seed = config.size("run", "seed") as u64;
        let now = Instant::now();
        Ok(Run {
            episodes: Episodes::open(&folder.metrics(), standing.episodes)?,
            rng: random::seeded(random::mix(seed ^ random::mix(standing.steps))),
            folder,
            config,
            tell,
            environment,
            learner,
            replay,
            checkpoints,
            standing,
            clock: now,
            saved: now,
            told: now,
            losses: [0.0; 3],
            drawn: Drawn::default(),
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
            self.replay.begin(self.environment.observation());
            if !self.episode()? {
                return Ok(self.is_over());
            }
        }
    }

    /// Plays an episode; false where it was left before its end.
    fn episode(&mut self) -> Result<bool> {
        let (mut sum, mut length) = (0.0, 0);
        let (begun, frames) = (Instant::now(), self.standing.frames);
        let signs = self.config.get("dqn").flag("signs");
        loop {
            let action = self.act()?;
            let step = self.environment.step(action)?;
            sum += f64::from(step.reward);
            length += 1;
            let reward = match signs && step.reward != 0.0 {
                true => step.reward.signum(),
                false => step.reward,
            };
            self.replay.step(
                action,
                reward,
                step.terminated,
                self.environment.observation(),
            );
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
        let [loss, q, count] = std::mem::take(&mut self.losses);
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
            epsilon: self.epsilon(),
            loss: mean(loss),
            q: mean(q),
            speed,
        })
    }

    /// The chance of a random action: falls on a line once training has begun.
    fn epsilon(&self) -> f64 {
        let [first, fall] =
            ["first", "epsilon-steps"].map(|key| self.config.size("dqn", key) as f64);
        let [high, low] = ["epsilon", "epsilon-end"].map(|key| self.config.real("dqn", key));
        let fallen = ((self.standing.steps as f64 - first) / fall).clamp(0.0, 1.0);
        high + (low - high) * fallen
    }

    fn act(&mut self) -> Result<usize> {
        let actions = self.environment.about().actions;
        let by_chance =
            f64::from(random::pick(&mut self.rng, 1 << 20)) < self.epsilon() * f64::from(1 << 20);
        if by_chance {
            return Ok(random::pick(&mut self.rng, actions as u32) as usize);
        }
        self.replay.now(&mut self.drawn.before);
        let q = self.learner.answers(&self.drawn.before)?;
        let best = (0..q.len().min(actions)).max_by(|a, b| q[*a].total_cmp(&q[*b]));
        Ok(best.unwrap_or(0))
    }

    /// Trains if it is time.
    fn train(&mut self) -> Result<()> {
        let size = |key| self.config.size("dqn", key);
        let due = self.standing.steps.is_multiple_of(size("every") as u64);
        if !due || self.replay.len() < size("first") {
            return Ok(());
        }
        let batch = self.config.size("train", "batch");
        let discount = self.config.real("dqn", "discount") as f32;
        let (returns, rng) = (size("returns"), &mut self.rng);
        if !self
            .replay
            .draw(batch, returns, discount, rng, &mut self.drawn)
        {
            return Ok(());
        }
        let (loss, q) = self.learner.step(&self.drawn)?;
        self.losses = [
            self.losses[0] + loss,
            self.losses[1] + q,
            self.losses[2] + 1.0,
        ];
        self.standing.updates += 1;
        if self
            .standing
            .updates
            .is_multiple_of(self.config.size("dqn", "target") as u64)
        {
            self.learner.refresh_target()?;
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
            "{:.1} min · {} frames, {} episodes{mean} · epsilon {:.2} · {} trainings",
            standing.seconds / 60.0,
            standing.frames,
            standing.episodes,
            self.epsilon(),
            standing.updates
        ));
    }

    fn save(&mut self) -> Result<()> {
        let about = self.environment.about();
        let checkpoint = Checkpoint::of(&self.standing, about, self.learner.as_ref())?;
        self.checkpoints.keep(&checkpoint)?;
        checkpoint.network.write(&self.folder.network())?;
        self.saved = Instant::now();
        Ok(())
    }
}
