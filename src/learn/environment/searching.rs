//! Agents that search before each step and learn what the search found: MuZero in a learned model, AlphaZero in copies of the
//! environment's states (ALPHAS §4.6 and 4.7).

use super::agent::{Agent, Trained, falling};
use super::config::Config;
use super::copies::Copies;
use super::follow::{Following, Largest};
use super::keep::Standing;
use super::learner::{self, Learner, Model, Unrolled};
use super::replay::Replay;
use crate::environment::{About, Environment};
use crate::game::{ForMover, Rng, random};
use crate::search::Stats;
use crate::search::muzero::{Advanced, Dynamics, Puct, Tree};
use anyhow::{Error, Result, bail};

/// The constant c2 of PUCT, as published.
const BASE: f32 = 19_652.0;
/// Bytes of a search's tree.
const ROOM: usize = 1 << 30;

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

/// What a search is like.
#[derive(Debug, Clone, Copy)]
struct Search {
    puct: Puct,
    simulations: usize,
    actions: usize,
    /// Part and parameter of the root's noise.
    noise: (f32, f64),
}

impl Searching {
    pub fn new(config: &Config, about: &About, seed: u64) -> Result<Searching> {
        let copies = config.method() == "alphazero";
        if copies && !about.copies {
            bail!(
                "{}: its states cannot be copied, which alphazero needs; muzero and dqn do without",
                about.name
            );
        }
        let size = |key| config.size("search", key);
        let real = |key| config.real("search", key);
        let (stack, width) = (config.size("environment", "stack"), about.actions + 1);
        Ok(Searching {
            model: learner::model(config, about)?,
            replay: Replay::new(about.space, stack, size("replay"), width)?,
            rows: Unrolled::default(),
            rng: random::seeded(seed),
            search: Search {
                puct: Puct {
                    c1: real("exploration") as f32,
                    c2: BASE,
                    discount: real("discount") as f32,
                },
                simulations: size("simulations"),
                actions: about.actions,
                noise: (real("noise") as f32, real("noise-alpha")),
            },
            copies,
            signs: config.get("search").flag("signs"),
            first: size("first"),
            every: size("every") as u64,
            batch: config.size("train", "batch"),
            reanalyse: match copies {
                true => 0,
                false => config.size("muzero", "reanalyse"),
            },
            following: Following {
                steps: match copies {
                    true => 0,
                    false => config.size("muzero", "unroll"),
                },
                returns: size("returns"),
                discount: real("discount") as f32,
                actions: about.actions,
                priority: real("priority"),
                correction: real("correction"),
            },
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

impl Search {
    /// Searches from a state: the share of visits of each action, and the value.
    fn run<D: Dynamics<Error = Error>>(
        &self,
        dynamics: &mut D,
        state: D::State,
        rng: &mut Rng,
    ) -> Result<Vec<f32>> {
        let (value, logits) = dynamics.predict(&state)?;
        let actions: Vec<Option<usize>> = (0..self.actions).map(Some).collect();
        let mut tree = Tree::new(self.puct, ROOM);
        tree.plant(state, &actions, logits, ForMover(value));
        let (part, alpha) = self.noise;
        if part > 0.0 {
            tree.add_dirichlet(part, alpha, rng);
        }
        let mut stats = Stats::default();
        for _ in 0..self.simulations {
            tree.simulate(dynamics, u32::MAX, &mut stats)?;
        }
        let visits = &tree.root().visits;
        let total: u32 = visits.iter().sum();
        let share = |n: &u32| (f64::from(*n) / f64::from(total.max(1))) as f32;
        let mut found: Vec<f32> = visits.iter().map(share).collect();
        found.push(tree.value());
        Ok(found)
    }
}

impl Agent for Searching {
    fn begin(&mut self, seen: &[u8]) {
        self.replay.begin(seen);
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
        let shares = &found[..self.search.actions];
        Ok(drawn(shares, self.chance(standing), &mut self.rng))
    }

    fn step(&mut self, action: usize, reward: f32, terminated: bool, seen: &[u8]) {
        self.replay.step(action, reward, terminated, seen);
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

    fn learner(&self) -> &dyn Learner {
        &*self.model
    }

    fn learner_mut(&mut self) -> &mut dyn Learner {
        &mut *self.model
    }
}

/// An action, drawn by its share to the power of 1 over the temperature.
fn drawn(shares: &[f32], temperature: f64, rng: &mut Rng) -> usize {
    let most = shares
        .iter()
        .copied()
        .fold(0.0, f32::max)
        .max(f32::MIN_POSITIVE);
    let weight = |share: &f32| f64::from(share / most).powf(1.0 / temperature);
    let sum: f64 = shares.iter().map(weight).sum();
    let mut left = (random::word(rng) >> 11) as f64 / (1u64 << 53) as f64 * sum;
    for (action, share) in shares.iter().enumerate() {
        left -= weight(share);
        if left < 0.0 {
            return action;
        }
    }
    // Rounding, or no visits at all.
    (0..shares.len())
        .max_by(|a, b| shares[*a].total_cmp(&shares[*b]))
        .unwrap_or(0)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_drawn_by_their_shares_to_a_power() {
        let mut rng = random::seeded(1);
        let mut counts = |temperature: f64| {
            let mut counts = [0; 3];
            for _ in 0..3000 {
                counts[drawn(&[0.25, 0.75, 0.0], temperature, &mut rng)] += 1;
            }
            counts
        };
        let even = counts(1.0);
        assert!((650..850).contains(&even[0]) && even[2] == 0, "{even:?}");
        // 1 : 9.
        let sharp = counts(0.5);
        assert!((240..360).contains(&sharp[0]), "{sharp:?}");
        assert_eq!(drawn(&[0.0, 0.0], 1.0, &mut rng), 1);
    }
}
