//! Agents that search before each step and learn what the search found: MuZero in a learned model, AlphaZero in copies of the
//! environment's states (ALPHAS §4.6 and 4.7).

use super::agent::{Agent, Trained, falling};
use super::config::Config;
use super::copies::{self, Copies};
use super::follow::{Following, Largest};
use super::keep::Standing;
use super::learner::{self, Learner, Model, Unrolled};
use super::planning::{Search, drawn};
use super::replay::Replay;
use crate::environment::{About, Environment, Step};
use crate::game::{Rng, random};
use crate::search::muzero::{Advanced, Dynamics};
use anyhow::{Error, Result};

pub struct Searching {
    model: Box<dyn Model>,
    replay: Replay,
    rows: Unrolled,
    rng: Rng,
    search: Search,
    /// Whether states are copied; otherwise they are the model's.
    copies: bool,
    signs: bool,
    first: usize,
    every: u64,
    batch: usize,
    reanalyse: usize,
    following: Following,
    largest: Largest,
    temperature: [f64; 2],
    temperature_steps: f64,
    seen: Vec<u8>,
}

impl Searching {
    pub fn new(config: &Config, about: &About, seed: u64) -> Result<Searching> {
        let copies = config.method() == "alphazero";
        if copies {
            copies::needed(about, "alphazero")?;
        }
        let size = |key| config.size("search", key);
        let real = |key| config.real("search", key);
        let (stack, width) = (config.size("environment", "stack"), about.actions + 1);
        Ok(Searching {
            model: learner::model(config, about)?,
            replay: Replay::new(about.space, stack, size("replay"), width)?,
            rows: Unrolled::default(),
            rng: random::seeded(seed),
            search: Search::of(config, about.actions),
            copies,
            signs: config.get("search").flag("signs"),
            first: size("first"),
            every: size("every") as u64,
            batch: config.size("train", "batch"),
            reanalyse: match copies {
                true => 0,
                false => config.size("muzero", "reanalyse"),
            },
            following: Following::of(
                config,
                about.actions,
                match copies {
                    true => 0,
                    false => config.size("muzero", "unroll"),
                },
            ),
            largest: Largest::default(),
            temperature: ["temperature", "temperature-end"].map(real),
            temperature_steps: size("temperature-steps") as f64,
            seen: Vec::new(),
        })
    }

    /// Searches an older step again, in the model.
    fn search_again(&mut self) -> Result<()> {
        let Some(age) = self.replay.pick(&mut self.rng) else {
            return Ok(());
        };
        self.seen.clear();
        self.replay.show(age, &mut self.seen);
        let state = self.model.represent(&self.seen)?;
        let found = (self.search).run(&mut Learned(&*self.model), state, &mut self.rng)?;
        self.replay.note(age, &found);
        Ok(())
    }
}

impl Agent for Searching {
    fn begin(&mut self, seen: &[u8], _: &Standing) -> Result<()> {
        self.replay.begin(seen);
        Ok(())
    }

    fn act(&mut self, environment: &mut dyn Environment, standing: &Standing) -> Result<usize> {
        self.replay.now(&mut self.seen);
        let found = match self.copies {
            true => {
                let (model, signs) = (&*self.model, self.signs);
                let (mut copies, state) = Copies::of(environment, model, &self.seen, signs)?;
                let found = self.search.run(&mut copies, state, &mut self.rng);
                // The environment is brought back where it was, whatever the search came to.
                let back = copies.end();
                let found = found?;
                back?;
                found
            }
            false => {
                let state = self.model.represent(&self.seen)?;
                (self.search).run(&mut Learned(&*self.model), state, &mut self.rng)?
            }
        };
        if let Some(newest) = self.replay.len().checked_sub(1) {
            self.replay.note(newest, &found);
        }
        let shares = &found[..self.following.actions];
        Ok(drawn(shares, self.chance(standing), &mut self.rng))
    }

    fn step(&mut self, action: usize, step: Step, seen: &[u8]) -> Result<()> {
        let Step {
            reward, terminated, ..
        } = step;
        self.replay.step(action, reward, terminated, seen);
        Ok(())
    }

    fn train(&mut self, standing: &Standing) -> Result<Option<Trained>> {
        let due = standing.steps.is_multiple_of(self.every);
        if !due || self.replay.len() < self.first {
            return Ok(None);
        }
        for _ in 0..self.reanalyse {
            self.search_again()?;
        }
        let chance = (&mut self.rng, &mut self.largest);
        let (replay, rows) = (&self.replay, &mut self.rows);
        if !self.following.draw(replay, self.batch, chance, rows) {
            return Ok(None);
        }
        let loss = self.model.step(rows)?;
        let states = rows.steps + 1;
        let first: f32 = rows.values.iter().step_by(states).sum();
        let worth = f64::from(first) / self.batch as f64;
        Ok(Some(Trained { loss, worth }))
    }

    /// The temperature.
    fn chance(&self, standing: &Standing) -> f64 {
        falling(
            self.temperature,
            standing.steps as f64,
            self.temperature_steps,
        )
    }

    fn seed(&mut self, seed: u64) {
        self.rng = random::seeded(seed);
    }

    fn learner(&self) -> &dyn Learner {
        &*self.model
    }

    fn learner_mut(&mut self) -> &mut dyn Learner {
        &mut *self.model
    }
}

/// The learned model: its own rewards, and no end.
struct Learned<'a>(&'a dyn Model);

impl Dynamics for Learned<'_> {
    type State = Vec<f32>;
    type Error = Error;

    fn advance(&mut self, state: &Vec<f32>, action: usize) -> Result<Advanced<Vec<f32>>> {
        let (state, reward) = self.0.advance(state, action)?;
        Ok(Advanced {
            state,
            passes: false,
            reward,
            over: false,
        })
    }

    fn predict(&mut self, state: &Vec<f32>) -> Result<(f32, Vec<f32>)> {
        Ok(self.0.predict(state)?)
    }

    fn bytes(state: &Vec<f32>) -> usize {
        4 * state.len()
    }
}
