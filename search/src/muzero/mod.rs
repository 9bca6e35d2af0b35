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
use tree::{Puct, Tree};
use treeline_game::options::{Kind, OptionError, Spec, Values};
use treeline_game::{ForMover, Game, Record};

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
            },
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

struct MuZero<G: Game> {
    model: Box<dyn Model<G>>,
    puct: Puct,
    /// Bytes for the tree.
    memory: usize,
}

impl<G: Game> MuZero<G> {
    fn found(&self, moves: &[G::Move], tree: &Tree, stats: Stats, control: &Control) -> Found<G> {
        let root = tree.root();
        let visited = (0..moves.len()).filter(|i| root.visits[*i] > 0);
        let mut candidates: Vec<Candidate<G>> = visited
            .map(|i| Candidate {
                played: moves[i],
                visits: u64::from(root.visits[i]),
                value: ForMover(root.mean(i)),
                bound: crate::Bound::Exact,
                lost: false,
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
            tree.simulate(&mut *self.model, deepest, &mut stats);
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

    fn clear(&mut self) {}
}
