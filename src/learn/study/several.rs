//! Several networks on the same games (MPV §3 to §5), as AlphaZero's one: the policy learns what was searched, the value what
//! came of the game. The network of the early part of a game learns from that alone, each other one from all states.

use super::games::{FoundThere, Games};
use super::sight::Sight;
use super::{Course, Desk};
use crate::game::random::{self, mix};
use crate::game::{Knowledge, Rng, Rules};
use crate::games::{AnyGame, AnyPosition};
use crate::learn::config::{Config, IMAGES, Images};
use crate::learn::data;
use crate::learn::team::{Role, Team};
use crate::learn::train::{Loss, learning};
use anyhow::{Result, ensure};
use treeline_nets::arch::Network;
use treeline_nets::file::Tensors;
use treeline_torch::{Batch, Trainable};

struct Several {
    /// The large network first.
    pupils: Vec<Pupil>,
    batch: usize,
    /// The result's part in the value.
    share: f32,
    images: bool,
    seed: u64,
}

/// One network and what it learns from.
struct Pupil {
    role: Option<Role>,
    learner: Trainable,
    sight: Sight,
    /// Numbers of states, in the order in which they are shown.
    order: Vec<u32>,
}

impl Pupil {
    fn steps(&self, batch: usize) -> u64 {
        self.order.len().div_ceil(batch) as u64
    }

    fn own(&self) -> &'static str {
        prefix(self.role)
    }
}

/// What stands before the names of a network's tensors in the state.
fn prefix(role: Option<Role>) -> &'static str {
    role.map_or("main", Role::word)
}

pub fn open(desk: Desk<'_>) -> Result<Box<dyn Course>> {
    let (config, games) = (desk.config, desk.games);
    let (how, gpu) = learning(config, desk.threads)?;
    let passes = config.get("train").real("passes").unwrap_or(1.0);
    let pupil = |role: Option<Role>, network: &Network, number: u64| {
        let mut learner = Trainable::new(network, gpu, how)?;
        let of = |name: &String| {
            name.strip_prefix(prefix(role))?
                .strip_prefix('.')
                .map(String::from)
        };
        let tensors = desk.state.iter();
        let state: Tensors = tensors
            .filter_map(|(name, tensor)| Some((of(name)?, tensor.clone())))
            .collect();
        if !state.is_empty() {
            learner.restore(&state)?;
        }
        learner.set_rate(desk.rate);
        let states = states(config, games, role == Some(Role::Early));
        let order = data::order(states.len(), passes, mix(desk.seed ^ number));
        anyhow::Ok(Pupil {
            role,
            learner,
            sight: Sight::new(games.game(), network.meta())?,
            order: order.iter().map(|i| states[*i as usize]).collect(),
        })
    };
    let mut pupils = vec![pupil(None, desk.network, 0)?];
    for ((role, network), number) in desk.network.others().iter().zip(1..) {
        pupils.push(pupil(Some(*role), network, number)?);
    }
    ensure!(
        !pupils[0].order.is_empty(),
        "there are no states on disk to learn from"
    );
    Ok(Box::new(Several {
        pupils,
        batch: config.size("train", "batch"),
        share: config.get("data").real("result").unwrap_or(1.0) as f32,
        images: IMAGES.read(config.get("data"), "images") != Images::None,
        seed: desk.seed,
    }))
}

/// The states to learn from, by their numbers.
fn states(config: &Config, games: &Games, early: bool) -> Vec<u32> {
    let game: &AnyGame = games.game();
    let forced = config.get("small").flag("forced");
    let is_learned = |position: &AnyPosition| {
        (!early || game.is_early(position)) && (forced || game.moves(position).len() > 1)
    };
    let numbers = 0..games.len() as u32;
    numbers
        .filter(|i| {
            let (played, ply) = games.at(*i as usize);
            is_learned(&played.positions[ply])
        })
        .collect()
}

/// States as one network takes them.
#[derive(Default)]
struct Rows {
    inputs: Vec<f32>,
    values: Vec<f32>,
    policies: Vec<f32>,
    weights: Vec<f32>,
}

impl Rows {
    fn add(
        &mut self,
        sight: &Sight,
        image: Option<usize>,
        position: &AnyPosition,
        found: &FoundThere,
        share: f32,
    ) {
        let shown = sight.show(image, position);
        sight.see(&shown, &mut self.inputs);
        let value = (1.0 - share) * found.value.0 + share * found.result.0;
        self.values.push(value * sight.side(&shown.position));
        let first = self.policies.len();
        self.policies.resize(first + sight.policy(), 0.0);
        let exchange = sight.exchange(position);
        for (m, share) in &found.policy {
            if exchange != Some(*m) {
                self.policies[first + sight.output_of(&shown, *m)] += share;
            }
        }
        self.weights
            .push(f32::from(u8::from(!found.policy.is_empty())));
    }
}

impl Several {
    fn rows(&self, pupil: &Pupil, games: &Games, step: u64, rng: &mut Rng) -> Rows {
        let mut rows = Rows::default();
        let from = step as usize * self.batch;
        for i in &pupil.order[from..pupil.order.len().min(from + self.batch)] {
            let (played, ply) = games.at(*i as usize);
            let image = Sight::image(games.game(), self.images, rng);
            if let Some(found) = &played.found[ply] {
                rows.add(
                    &pupil.sight,
                    image,
                    &played.positions[ply],
                    found,
                    self.share,
                );
            }
        }
        rows
    }

    fn team(&self, network: impl Fn(&Trainable) -> Result<Network>) -> Result<Team> {
        let first = network(&self.pupils[0].learner)?;
        let mut others = Vec::new();
        for pupil in &self.pupils[1..] {
            if let Some(role) = pupil.role {
                others.push((role, network(&pupil.learner)?));
            }
        }
        Ok(Team::new(first, others))
    }
}

impl Course for Several {
    /// As many as the network with the most states takes.
    fn steps(&self) -> u64 {
        let steps = self.pupils.iter().map(|pupil| pupil.steps(self.batch));
        steps.max().unwrap_or(0)
    }

    fn batch(&self) -> usize {
        self.batch
    }

    /// The loss is the mean over the networks that have states left.
    fn step(&mut self, games: &Games, step: u64) -> Result<Loss> {
        let (mut sum, mut count) = (Loss::default(), 0.0);
        for number in 0..self.pupils.len() {
            let pupil = &self.pupils[number];
            if step >= pupil.steps(self.batch) {
                continue;
            }
            let mut rng = random::seeded(mix(self.seed ^ mix(step)) ^ number as u64);
            let rows = self.rows(pupil, games, step, &mut rng);
            let loss = self.pupils[number].learner.step(&Batch {
                inputs: &rows.inputs,
                values: &rows.values,
                bounds: None,
                policies: Some(&rows.policies),
                legal: None,
                policy_weights: Some(&rows.weights),
            })?;
            (sum.value, sum.policy) = (sum.value + loss.value, sum.policy + loss.policy);
            count += 1.0;
        }
        Ok(Loss {
            value: sum.value / f64::max(count, 1.0),
            policy: sum.policy / f64::max(count, 1.0),
        })
    }

    fn network(&self) -> Result<Team> {
        self.team(|learner| Ok(learner.network()?))
    }

    fn player(&self) -> Result<Team> {
        self.team(|learner| Ok(learner.averaged()?))
    }

    fn state(&self) -> Result<Tensors> {
        let mut state = Tensors::new();
        for pupil in &self.pupils {
            let own = pupil.learner.state()?.into_iter();
            state.extend(own.map(|(name, tensor)| (format!("{}.{name}", pupil.own()), tensor)));
        }
        Ok(state)
    }
}
