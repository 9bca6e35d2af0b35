//! MuZero (ALPHAS §4.7; Schrittwieser et al. 2020): a model of the game is unrolled along the moves that were played, and
//! what it says of each state compared with what the search found there and what came of the game.

use super::sight::Sight;
use super::unroll::{Chances, Rows, Unrolling};
use super::{Course, Desk, Games};
use crate::game::random::{self, mix};
use crate::learn::config::{IMAGES, Images};
use crate::learn::team::{Role, Team};
use crate::learn::train::{Loss, learning};
use anyhow::{Context, Result, ensure};
use treeline_nets::arch::Network;
use treeline_nets::file::Tensors;
use treeline_torch::{Model, Unrolled};

struct MuZero {
    model: Model,
    sight: Sight,
    unrolling: Unrolling,
    consistency: f64,
    chances: Chances,
    steps: u64,
    batch: usize,
    images: bool,
    seed: u64,
}

pub fn open(desk: Desk<'_>) -> Result<Box<dyn Course>> {
    let (config, own) = (desk.config, desk.config.get("muzero"));
    ensure!(
        !desk.games.is_empty(),
        "there are no states on disk to learn from"
    );
    let of = |role: Role| {
        let found = desk.network.other(role);
        found.with_context(|| format!("the run has no network for its {}", role.word()))
    };
    let (dynamics, prediction) = (of(Role::Dynamics)?, of(Role::Prediction)?);
    let (how, gpu) = learning(config, desk.threads)?;
    let support = own.int("support").unwrap_or(0) as usize;
    let mut model = Model::new([desk.network, dynamics, prediction], support, gpu, how)?;
    if !desk.state.is_empty() {
        model.restore(desk.state)?;
    }
    model.set_rate(desk.rate);
    let real = |name| own.real(name).unwrap_or(0.0);
    let consistency = real("consistency");
    let seen = |network: &Network| network.meta().shape.input.iter().product::<usize>();
    let unrolling = Unrolling {
        steps: config.size("muzero", "unroll"),
        plies: own.int("plies").map(|plies| plies as usize),
        action: seen(dynamics) - seen(prediction),
        later: consistency > 0.0,
    };
    Ok(Box::new(MuZero {
        chances: Chances::new(desk.games, &unrolling, real("priority"), real("correction")),
        model,
        sight: Sight::new(desk.games.game(), desk.network.meta())?,
        unrolling,
        consistency,
        steps: config.size("muzero", "steps") as u64,
        batch: config.size("train", "batch"),
        images: IMAGES.read(config.get("data"), "images") != Images::None,
        seed: desk.seed,
    }))
}

impl Course for MuZero {
    fn steps(&self) -> u64 {
        self.steps
    }

    fn batch(&self) -> usize {
        self.batch
    }

    fn step(&mut self, games: &Games, step: u64) -> Result<Loss> {
        let mut rng = random::seeded(mix(self.seed ^ mix(step)));
        let (mut rows, mut weights) = (Rows::default(), Vec::new());
        for _ in 0..self.batch {
            let (i, weight) = self.chances.draw(&mut rng);
            let image = Sight::image(games.game(), self.images, &mut rng);
            let (played, ply) = games.at(i);
            let shown = (&self.sight, image);
            self.unrolling
                .add((games, played, ply), shown, &mut rng, &mut rows);
            weights.push(weight);
        }
        let mean = weights.iter().sum::<f32>() / weights.len().max(1) as f32;
        weights.iter_mut().for_each(|weight| *weight /= mean);
        let made = self.model.step(&Unrolled {
            steps: self.unrolling.steps,
            inputs: &rows.inputs,
            actions: &rows.actions,
            turns: &rows.turns,
            values: &rows.values,
            policies: &rows.policies,
            weights: &weights,
            later: &rows.later,
            consistency: self.consistency,
        })?;
        Ok(Loss {
            value: made.loss.value,
            policy: made.loss.policy,
        })
    }

    fn network(&self) -> Result<Team> {
        Ok(team(self.model.networks()?))
    }

    fn player(&self) -> Result<Team> {
        Ok(team(self.model.averaged()?))
    }

    fn state(&self) -> Result<Tensors> {
        Ok(self.model.state()?)
    }
}

fn team([representation, dynamics, prediction]: [Network; 3]) -> Team {
    let others = vec![(Role::Dynamics, dynamics), (Role::Prediction, prediction)];
    Team::new(representation, others)
}
