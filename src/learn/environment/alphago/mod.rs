//! AlphaGo in an environment (ALPHAS §4.5; Silver et al. 2016), in three stages.
//!
//! `recorded`: a teacher plays, and a policy and a fast policy learn its actions (Eq. 4.5). `gradient`: the policy draws the actions and
//! follows the gradient of what they were worth, the network's value being the baseline (REINFORCE, Eq. 4.6). `valued`: actions come of a
//! search in copied states, whose leaves are worth the mean of their value and of a play-out by the fast policy; the value learns the
//! returns (Eq. 4.7), and the policy stays where it was by learning its own answers, since as in ALPHAS one network has both
//! heads. A stage ends with an episode; the next remembers nothing of it.
//!
//! Whatever is drawn depends on the seed and on how many steps the run has made, and what is remembered is on disk: a run that was
//! killed goes on exactly as it would have.

mod fast;
mod playouts;
mod pupil;
mod teacher;

use super::agent::{Agent, Open, Trained, falling};
use super::config::Config;
use super::copies::{self, Copies};
use super::follow::{Following, Largest};
use super::journal::{Event, Journal, Taken};
use super::keep::{Figures, Standing};
use super::learner::{Learner, Unrolled};
use super::planning::{Search, drawn};
use super::replay::{Next, Replay};
use crate::environment::{About, Environment, Step};
use crate::game::Rng;
use crate::game::random::{self, mix};
use crate::search::softmax;
use anyhow::{Result, bail};
use playouts::{Playout, Playouts};
use pupil::Pupil;
use std::path::Path;
use teacher::Teacher;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Recorded,
    Gradient,
    Valued,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Stage::Recorded => "recorded",
            Stage::Gradient => "gradient",
            Stage::Valued => "valued",
        }
    }
}

pub struct AlphaGo {
    config: Config,
    about: About,
    /// The present episode's, once one has begun.
    stage: Option<Stage>,
    /// There in the first stage alone.
    teacher: Option<Teacher>,
    pupil: Pupil,
    /// Of each observation what was found: in the first stage whether each policy named the action (1 or 0), later the policy's
    /// probabilities, and last a value: the network's, or the search's.
    replay: Replay,
    journal: Journal,
    rows: Unrolled,
    rng: Rng,
    seed: u64,
    search: Search,
    playout: Playout,
    following: Following,
    signs: bool,
    baseline: bool,
    first: usize,
    every: u64,
    batch: usize,
    iteration: usize,
    /// Steps of the run when the first two stages are over.
    ends: [u64; 2],
    /// Steps of the run when the present stage began.
    since: u64,
    temperature: [f64; 2],
    temperature_steps: f64,
    seen: Vec<u8>,
}

impl AlphaGo {
    /// For a run that has made so many steps and keeps what it remembers in `folder`.
    pub fn new(config: &Config, about: &About, folder: &Path, steps: u64) -> Result<AlphaGo> {
        copies::needed(about, "alphago")?;
        let size = |key| config.size("search", key);
        let real = |key| config.real("search", key);
        let own = |key| config.size("alphago", key);
        let recorded = own("recorded") as u64;
        // Before the network, since the run's own number of threads shall hold; and what is wrong with it is to be said at once.
        let teacher = match steps < recorded {
            true => Some(Teacher::open(config, about)?),
            false => None,
        };
        Ok(AlphaGo {
            stage: None,
            teacher,
            pupil: Pupil::new(config, about)?,
            replay: remembering(config, about)?,
            journal: Journal::new(folder, about.space.bytes(), about.actions + 1),
            rows: Unrolled::default(),
            rng: random::seeded(0),
            seed: mix(config.size("run", "seed") as u64),
            search: Search::of(config, about.actions),
            playout: Playout {
                weight: config.real("alphago", "playout-weight") as f32,
                steps: own("playout"),
                discount: real("discount") as f32,
            },
            following: Following::of(config, about.actions, 0),
            signs: config.get("search").flag("signs"),
            baseline: config.get("alphago").flag("baseline"),
            first: size("first"),
            every: size("every") as u64,
            batch: config.size("train", "batch"),
            iteration: own("iteration"),
            ends: [recorded, recorded + own("gradient") as u64],
            since: 0,
            temperature: ["temperature", "temperature-end"].map(real),
            temperature_steps: size("temperature-steps") as f64,
            seen: Vec::new(),
            config: config.clone(),
            about: about.clone(),
        })
    }

    fn stage_at(&self, steps: u64) -> Stage {
        match self.ends {
            [recorded, _] if steps < recorded => Stage::Recorded,
            [_, gradient] if steps < gradient => Stage::Gradient,
            _ => Stage::Valued,
        }
    }

    /// An episode begins after so many steps of the run; whether a stage does.
    fn enter(&mut self, steps: u64, seen: &[u8]) -> Result<bool> {
        let stage = self.stage_at(steps);
        let fresh = self.stage != Some(stage);
        if fresh {
            (self.stage, self.since) = (Some(stage), steps);
            self.replay = remembering(&self.config, &self.about)?;
            (self.pupil.pending, self.pupil.largest) = (0, Largest::default());
            self.pupil.model.set_rate(match stage {
                Stage::Gradient => self.config.real("alphago", "gradient-rate"),
                _ => self.config.real("train", "rate"),
            });
            match stage {
                Stage::Recorded if self.teacher.is_none() => {
                    self.teacher = Some(Teacher::open(&self.config, &self.about)?);
                }
                Stage::Recorded => {}
                _ => self.teacher = None,
            }
        }
        if let Some(teacher) = &mut self.teacher {
            teacher.begin(seen)?;
        }
        self.replay.begin(seen);
        self.pend();
        Ok(fresh)
    }

    /// What an action led to.
    fn remember(&mut self, taken: &Taken, seen: &[u8]) -> Result<()> {
        let Taken {
            reward, terminated, ..
        } = *taken;
        let action = taken.action as usize;
        if let Some(newest) = self.replay.len().checked_sub(1) {
            self.replay.note(newest, &taken.found);
        }
        self.replay.step(action, reward, terminated, seen);
        if !terminated {
            self.pend();
        }
        if let Some(teacher) = &mut self.teacher {
            let step = Step {
                reward,
                terminated,
                truncated: taken.last && !terminated,
                frames: 1,
            };
            teacher.step(action, step, seen)?;
        }
        Ok(())
    }

    /// One observation more is there to be learned from.
    fn pend(&mut self) {
        self.pupil.pending = (self.pupil.pending + 1).min(self.replay.len());
    }

    /// What the network says of what is seen now: its value, and the probability of each action.
    fn answers(&self) -> Result<(f32, Vec<f32>)> {
        let model = &self.pupil.model;
        let (value, mut shares) = model.predict(&model.represent(&self.seen)?)?;
        softmax(&mut shares, 1.0);
        Ok((value, shares))
    }

    /// The teacher's action, and whether the policies would have named it.
    fn record(&mut self, environment: &mut dyn Environment) -> Result<(usize, Vec<f32>)> {
        let (_, shares) = self.answers()?;
        let action = match &mut self.teacher {
            Some(teacher) => teacher.act(environment, &mut self.rng)?,
            None => bail!("the recorded stage has no teacher"),
        };
        let named = |shares: &[f32]| f32::from(u8::from(likeliest(shares) == action));
        let mut found = vec![0.0; self.about.actions + 1];
        (found[0], found[1]) = (named(&shares), named(&self.pupil.fast.shares(&self.seen)));
        Ok((action, found))
    }

    /// The searched action; with the policy, and the value that the search found.
    fn searched(
        &mut self,
        environment: &mut dyn Environment,
        temperature: f64,
    ) -> Result<(usize, Vec<f32>)> {
        let (_, mut found) = self.answers()?;
        let (model, signs) = (&*self.pupil.model, self.signs);
        let (copies, state) = Copies::of(environment, model, &self.seen, signs)?;
        let mut playouts = Playouts {
            copies,
            fast: &self.pupil.fast,
            playout: self.playout,
            rng: random::seeded(random::word(&mut self.rng)),
        };
        let searched = self.search.run(&mut playouts, state, &mut self.rng);
        // The environment is brought back where it was, whatever the search came to.
        let back = playouts.copies.end();
        let searched = searched?;
        back?;
        let (shares, value) = searched.split_at(self.about.actions);
        found.extend(value);
        Ok((drawn(shares, temperature, &mut self.rng), found))
    }

    /// Rows of steps, of which the value is known or not.
    fn show(&mut self, ages: &[usize], values_known: bool) {
        self.rows.clear(0);
        for age in ages {
            self.replay.show(*age, &mut self.rows.seen);
        }
        self.rows.weights.resize(ages.len(), 1.0);
        let known = f32::from(u8::from(values_known));
        self.rows.known.resize(ages.len(), known);
    }

    /// Adds the action of an age, times what it counts.
    fn add_action(&mut self, age: usize, counts: f32) {
        let first = self.rows.policies.len();
        self.rows.policies.resize(first + self.about.actions, 0.0);
        let action = self.replay.slot(age).action as usize;
        self.rows.policies[first + action] = counts;
    }

    /// Both policies towards the actions that were recorded (Eq. 4.5).
    fn imitate(&mut self) -> Result<Option<Trained>> {
        let picks = (0..self.batch).map(|_| self.replay.pick(&mut self.rng));
        let Some(ages) = picks.collect::<Option<Vec<usize>>>() else {
            return Ok(None);
        };
        self.show(&ages, false);
        for age in &ages {
            self.rows.values.push(0.0);
            self.add_action(*age, 1.0);
        }
        let actions = ages
            .iter()
            .map(|age| self.replay.slot(*age).action as usize);
        let actions: Vec<usize> = actions.collect();
        let loss = self.pupil.model.step(&self.rows)?;
        self.pupil.fast.learn(&self.rows.seen, &actions);
        Ok(Some(Trained { loss, worth: 0.0 }))
    }

    /// One iteration of policy gradient, once all of its returns are there: (z - v)·∇log p(a|s), and v learns z (Eq. 4.6).
    fn reinforce(&mut self) -> Result<Option<Trained>> {
        let first = self.replay.len() - self.pupil.pending;
        let last = first + self.iteration - 1;
        let is_due = last < self.replay.len();
        if !is_due || !self.replay.is_settled(last, self.following.returns) {
            return Ok(None);
        }
        self.pupil.pending -= self.iteration;
        let ages = (first..=last).filter(|age| self.replay.slot(*age).next != Next::Open);
        let ages: Vec<usize> = ages.collect();
        if ages.is_empty() {
            return Ok(None);
        }
        self.show(&ages, true);
        for age in &ages {
            let z = self.following.worth(&self.replay, *age);
            let v = self.replay.found(*age)[self.about.actions];
            self.rows.values.push(z);
            self.add_action(*age, if self.baseline { z - v } else { z });
        }
        self.taught().map(Some)
    }

    /// The value towards returns (Eq. 4.7), the policy towards what it was.
    fn value(&mut self) -> Result<Option<Trained>> {
        let chance = (&mut self.rng, &mut self.pupil.largest);
        let rows = &mut self.rows;
        if !(self.following).draw(&self.replay, self.batch, chance, rows) {
            return Ok(None);
        }
        self.pupil.largest.round();
        self.taught().map(Some)
    }

    fn taught(&mut self) -> Result<Trained> {
        let loss = self.pupil.model.step(&self.rows)?;
        let sum: f32 = self.rows.values.iter().sum();
        let worth = f64::from(sum) / self.rows.values.len().max(1) as f64;
        Ok(Trained { loss, worth })
    }

    /// The step from which on the run needs what it remembers.
    fn needed(&self, steps: u64) -> u64 {
        let capacity = self.config.size("search", "replay") as u64;
        self.since.max(steps.saturating_sub(capacity))
    }
}

fn remembering(config: &Config, about: &About) -> Result<Replay> {
    let stack = config.size("environment", "stack");
    let capacity = config.size("search", "replay");
    Replay::new(about.space, stack, capacity, about.actions + 1)
}

/// The first of the likeliest actions.
fn likeliest(shares: &[f32]) -> usize {
    let by_share = |a: &usize, b: &usize| shares[*a].total_cmp(&shares[*b]).then(b.cmp(a));
    (0..shares.len()).max_by(by_share).unwrap_or(0)
}

/// Of probabilities, in nats.
fn entropy(shares: &[f32]) -> f64 {
    let there = shares.iter().filter(|p| **p > 0.0);
    there.map(|p| -f64::from(*p) * f64::from(*p).ln()).sum()
}

impl Agent for AlphaGo {
    fn begin(&mut self, seen: &[u8], standing: &Standing) -> Result<()> {
        let fresh = self.enter(standing.steps, seen)?;
        self.journal.begin(standing.steps, fresh, seen)
    }

    fn act(&mut self, environment: &mut dyn Environment, standing: &Standing) -> Result<usize> {
        self.rng = random::seeded(mix(self.seed ^ mix(standing.steps)));
        self.replay.now(&mut self.seen);
        let (action, found) = match self.stage {
            Some(Stage::Recorded) => self.record(environment)?,
            Some(Stage::Gradient) => {
                let (value, mut found) = self.answers()?;
                let action = drawn(&found, 1.0, &mut self.rng);
                found.push(value);
                (action, found)
            }
            Some(Stage::Valued) => self.searched(environment, self.chance(standing))?,
            None => bail!("a step before the first episode"),
        };
        if let Some(newest) = self.replay.len().checked_sub(1) {
            self.replay.note(newest, &found);
        }
        Ok(action)
    }

    fn step(&mut self, action: usize, step: Step, seen: &[u8]) -> Result<()> {
        let newest = self.replay.len().saturating_sub(1);
        let taken = Taken {
            action: action as u32,
            reward: step.reward,
            terminated: step.terminated,
            last: step.is_last(),
            found: self.replay.found(newest).to_vec(),
        };
        self.remember(&taken, seen)?;
        self.journal.step(&taken, seen)
    }

    fn train(&mut self, standing: &Standing) -> Result<Option<Trained>> {
        let due = standing.steps.is_multiple_of(self.every) && self.replay.len() >= self.first;
        match self.stage {
            Some(Stage::Recorded) if due => self.imitate(),
            Some(Stage::Gradient) => self.reinforce(),
            Some(Stage::Valued) if due => self.value(),
            _ => Ok(None),
        }
    }

    /// The last stage's temperature; 1 before.
    fn chance(&self, standing: &Standing) -> f64 {
        match self.stage {
            Some(Stage::Valued) => falling(
                self.temperature,
                standing.steps.saturating_sub(self.since) as f64,
                self.temperature_steps,
            ),
            _ => 1.0,
        }
    }

    fn seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn learner(&self) -> &dyn Learner {
        &self.pupil
    }

    fn learner_mut(&mut self) -> &mut dyn Learner {
        &mut self.pupil
    }

    fn keep(&mut self, standing: &Standing) -> Result<()> {
        self.journal.keep(self.needed(standing.steps))
    }

    fn recall(&mut self, standing: &Standing) -> Result<Option<Open>> {
        // Passed through anew, it would all be pending.
        let (pending, largest) = (self.pupil.pending, self.pupil.largest.kept());
        let capacity = self.config.size("search", "replay") as u64;
        let needed = standing.steps.saturating_sub(capacity);
        let mut journal = self.journal.anew();
        let mut open: Option<Open> = None;
        journal.recall(standing.steps, needed, |event, seen| {
            match event {
                Event::Begins(steps) => {
                    self.enter(steps, seen)?;
                    open = Some(Open {
                        taken: Vec::new(),
                        seen: seen.to_vec(),
                    });
                }
                Event::Step(taken) => {
                    self.remember(taken, seen)?;
                    match &mut open {
                        Some(open) if !taken.last => {
                            open.taken.push((taken.action as usize, taken.reward));
                            open.seen = seen.to_vec();
                        }
                        _ => open = None,
                    }
                }
            }
            Ok(())
        })?;
        self.since = journal.since();
        self.journal = journal;
        self.pupil.pending = pending.min(self.replay.len());
        self.pupil.largest = Largest::of(largest);
        Ok(open)
    }

    fn figures(&self) -> Figures {
        let Some(stage) = self.stage else {
            return Figures::default();
        };
        let ages = self.replay.newest_episode();
        let ages = ages.filter(|age| self.replay.slot(*age).next != Next::Open);
        let found: Vec<&[f32]> = ages.map(|age| self.replay.found(age)).collect();
        let mean = |of: &dyn Fn(&[f32]) -> f64| {
            let sum: f64 = found.iter().map(|found| of(found)).sum();
            (!found.is_empty()).then(|| sum / found.len() as f64)
        };
        let recorded = stage == Stage::Recorded;
        let when = |wanted: bool, figure: Option<f64>| figure.filter(|_| wanted);
        Figures {
            stage: stage.name().into(),
            named: when(recorded, mean(&|found| f64::from(found[0]))),
            named_fast: when(recorded, mean(&|found| f64::from(found[1]))),
            entropy: when(
                !recorded,
                mean(&|found| entropy(&found[..self.about.actions])),
            ),
        }
    }
}
