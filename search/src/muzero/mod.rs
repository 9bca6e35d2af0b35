//! `muzero`: PUCT in the latent states of a learned model (Schrittwieser et al. 2020, ALPHAS §4.7). Of the rules it asks the
//! legal moves of the root and whose turn it is there, and nothing below: the tree knows no positions.
//!
//! A child is chosen by `Q + P_i·sqrt(N)/(1 + n_i)·(c1 + ln((N + c2 + 1)/c2))` with N the visits of all children, 1 at least, and Q the
//! mean for the player to move, scaled by the smallest and the largest in the tree, 0 before the first visit. Whose turn it is
//! in a state says the model: published programs negate at every ply, which is wrong after a pass or an extra turn.
//! There are no results below the root, so that nothing is proven. As published, each search begins with an empty tree. Without a model
//! the rules are the model, and `muzero` is `az`, AlphaZero's search.

#[cfg(test)]
mod tests;
mod tree;

use super::control::Reporter;
use super::eval::Model;
use super::{
    Candidate, Control, Entry, Equipment, Found, HEURISTIC, Report, Searcher, Stats, mcts, network,
};
use crate::eval::shared_logits;
use std::convert::Infallible;
pub use tree::{Advanced, Dynamics, Node, Puct, Tree};
use treeline_game::options::{Kind, OptionError, Spec, Values};
use treeline_game::{ForMover, Game, Record, Rng, random};

const fn real(name: &'static str, most: f64, default: &'static str, help: &'static str) -> Spec {
    let kind = Kind::Real {
        min: 0.0,
        max: most,
        off: false,
    };
    Spec {
        name,
        kind,
        default,
        help,
    }
}

pub const ENTRIES: &[Entry] = &[Entry {
    name: "muzero",
    help: "ALPHAS §4.7: PUCT in the latent states of a learned model; without a model as az",
    options: &[
        HEURISTIC,
        real("exploration", 100.0, "1.25", "the constant c1 of PUCT"),
        Spec {
            name: "exploration-base",
            kind: Kind::Real {
                min: 1.0,
                max: 1e9,
                off: false,
            },
            default: "19652",
            help: "the constant c2 of PUCT: visits after which exploration has grown by ln 2",
        },
        real(
            "root-noise",
            1.0,
            "0",
            "part of the root's priors that is Dirichlet noise, for self-play (published: 0.25); not without a model",
        ),
        Spec {
            name: "root-noise-alpha",
            kind: Kind::Real {
                min: 0.001,
                max: 1000.0,
                off: false,
            },
            default: "0.3",
            help: "the parameter of that noise",
        },
    ],
    preset: &[],
    parallel: false,
}];

pub fn build<G: Game>(
    game: &G,
    values: &Values,
    equipment: Equipment<'_, G>,
) -> Result<Box<dyn Searcher<G>>, OptionError> {
    let real = |name| values.real(name).unwrap_or(1.0) as f32;
    match network(values, equipment).and_then(|network| network.model()) {
        Some(model) => Ok(Box::new(MuZero {
            model,
            puct: Puct {
                c1: real("exploration"),
                c2: real("exploration-base"),
                discount: 1.0,
            },
            noise: Noise {
                fraction: values.real("root-noise").unwrap_or(0.0) as f32,
                alpha: values.real("root-noise-alpha").unwrap_or(0.3),
            },
            seed: equipment.resources.seed,
            rng: rng(equipment.resources.seed),
            memory: equipment.resources.memory,
        })),
        None => {
            let az = crate::find("az").ok_or_else(|| OptionError::Unfit("no az".into()))?;
            let mut own = az.values();
            for name in ["exploration", HEURISTIC.name] {
                let text = values.get(name).map(ToString::to_string);
                own.set(name, &text.unwrap_or_default())?;
            }
            mcts::build(game, &own, equipment)
        }
    }
}

/// A game's model: nothing is rewarded on the way, and no end is known.
struct OfGame<'a, G: Game>(&'a mut dyn Model<G>);

impl<G: Game> Dynamics for OfGame<'_, G> {
    type State = Vec<f32>;
    type Error = Infallible;

    fn advance(
        &mut self,
        state: &Vec<f32>,
        action: usize,
    ) -> Result<Advanced<Vec<f32>>, Infallible> {
        let (state, passes) = self.0.advance(state, action);
        Ok(Advanced {
            state,
            passes,
            reward: 0.0,
            over: false,
        })
    }

    fn predict(&mut self, state: &Vec<f32>) -> Result<(f32, Vec<f32>), Infallible> {
        let (value, logits) = self.0.predict(state);
        Ok((value.0, logits))
    }

    fn bytes(state: &Vec<f32>) -> usize {
        4 * state.len()
    }
}

fn rng(seed: Option<u64>) -> Rng {
    seed.map_or_else(random::from_entropy, random::seeded)
}

/// Dirichlet noise on the root's priors, for self-play.
#[derive(Debug, Clone, Copy)]
struct Noise {
    fraction: f32,
    alpha: f64,
}

struct MuZero<G: Game> {
    model: Box<dyn Model<G>>,
    puct: Puct,
    noise: Noise,
    /// What the noise is drawn with, and what begins it.
    rng: Rng,
    seed: Option<u64>,
    /// Bytes for the tree.
    memory: usize,
}

impl<G: Game> MuZero<G> {
    fn found(
        &self,
        moves: &[G::Move],
        tree: &Tree<Vec<f32>>,
        stats: Stats,
        control: &Control,
    ) -> Found<G> {
        let root = tree.root();
        let visited = (0..moves.len()).filter(|i| root.visits[*i] > 0);
        let mut candidates: Vec<Candidate<G>> = visited
            .map(|i| Candidate {
                played: moves[i],
                visits: u64::from(root.visits[i]),
                value: ForMover(root.mean(i)),
                bound: crate::Bound::Exact,
                proven: None,
                pv: vec![moves[i]],
            })
            .collect();
        candidates.sort_by(|a, b| {
            let by_value = b.value.0.total_cmp(&a.value.0);
            b.visits.cmp(&a.visits).then(by_value)
        });
        let best = match candidates.first() {
            Some(first) => first.played,
            None => moves[tree.likeliest()],
        };
        Found {
            best,
            value: Some(ForMover(tree.value())),
            proven: None,
            pv: vec![best],
            candidates,
            stats: Stats {
                seconds: control.seconds(),
                ..stats
            },
        }
    }
}

impl<G: Game> Searcher<G> for MuZero<G> {
    fn judges_by_network(&self) -> bool {
        true
    }

    fn search(
        &mut self,
        record: &Record<G>,
        control: &Control,
        report: &mut Report<'_, G>,
    ) -> Found<G> {
        let (moves, position) = (record.moves(), record.position());
        let actions: Vec<Option<usize>> = moves
            .iter()
            .map(|m| self.model.action(position, *m))
            .collect();
        let state = self.model.represent(position);
        let (value, policy) = self.model.predict(&state);
        let logits = shared_logits(&actions, &policy);
        let mut tree = Tree::new(self.puct, self.memory);
        tree.plant(state, &actions, logits, value);
        if self.noise.fraction > 0.0 {
            tree.add_dirichlet(self.noise.fraction, self.noise.alpha, &mut self.rng);
        }
        let mut stats = Stats {
            nodes: 1,
            evaluations: 1,
            ..Stats::default()
        };
        let mut reporter = Reporter::new(control);
        let deepest = control.depth();
        let mut idle = 0;
        while stats.simulations < control.simulations() && stats.nodes < control.nodes() {
            let before = stats.nodes;
            let Ok(()) = tree.simulate(&mut OfGame(&mut *self.model), deepest, &mut stats);
            idle = if stats.nodes > before { 0 } else { idle + 1 };
            // Where memory or depth lets no node come, only another limit would end it.
            if control.is_over() || idle > 4096 && control.ends_by_positions() {
                break;
            }
            if reporter.is_due() {
                report(&self.found(&moves, &tree, stats, control));
            }
        }
        self.found(&moves, &tree, stats, control)
    }

    fn clear(&mut self) {
        if self.seed.is_some() {
            self.rng = rng(self.seed);
        }
    }
}
