//! `mcts`: Monte-Carlo tree search as a composition of parts, tree-parallel with virtual loss.
//!
//! Every part is an option and each of the papers' players a preset (`options`). UCT with random play-outs, which makes
//! more than a million simulations a second, is compiled apart (`plain`, `ucb`); everything else is one worker that asks
//! its `Composition` what to do (`general`): selection by `formula`, with AMAF counts from `amaf` and averages by move
//! from `averages`; play-outs by `policy`, cut off in `rollout`; loss avoidance in `avoid`. What new children are given is
//! in `growth` and `children`, what is proven in `bounds` and `proofs`, the choice of a move in `decide`; what learners are
//! told in `learned` (values) and `target` (policies).
//!
//! Each of the root's moves has a mean of its own, and none is a bound: there is nothing that `multipv` could add.
//! Values are backed up by player, so turns need not alternate. The tree is kept across moves, undo and replay (`way`); a
//! full tree recycles what is least useful (`recycle`). It takes 24 bytes a child and 24 a node with children; implicit
//! minimax, priors, progressive bias, GRAVE and averages by move take 20 more of both, and GRAVE a quarter of the memory for
//! its tables.
//!
//! What was taken where papers, or a paper and its program, differ is said in `formula` (progressive bias, β), `decide` (secure
//! child) and `avoid` (loss avoidance).

mod amaf;
mod arena;
mod averages;
mod avoid;
mod backup;
mod batch;
mod bounds;
mod certain;
mod children;
mod composition;
mod decide;
mod edge;
mod extra;
mod formula;
mod general;
mod growth;
mod gumbel;
mod learned;
mod options;
mod parts;
mod plain;
mod policy;
mod presets;

mod proofs;
mod recycle;
mod rollout;
mod seen;
mod select;
mod shared;
mod shuffle;
mod static_values;
mod sweep;
mod target;
mod tree;
mod ucb;
mod way;
mod words;

#[cfg(test)]
mod tests;

pub use presets::ENTRIES;

use super::control::Reporter;
use super::tables::EndgameTables;
use super::{
    Control, Equipment, Found, HEURISTIC, Lesson, Report, Resources, Searcher, Stats, team,
};
use crate::eval::{ByHeuristic, Cache, Cached, Evaluator};
use amaf::Amaf;
use averages::Averages;
use composition::{Composition, Judge, Playout};
use decide::{Favourite, found};
use general::General;
use growth::Source;
use gumbel::{Halving, Standings};
use learned::Taught;
use parking_lot::Mutex;
use plain::{Plain, PlainSettings};
use shared::{RootNoise, SharedSearch, Work};
use tree::Tree;
use treeline_game::options::{OptionError, Values};
use treeline_game::{ForMover, ForOne, Game, Record, Rng, random};
use ucb::{Seat, Ucb};

pub fn build<G: Game>(
    game: &G,
    values: &Values,
    equipment: Equipment<'_, G>,
) -> Result<Box<dyn Searcher<G>>, OptionError> {
    let network = match equipment.network {
        Some(network) if values.name(HEURISTIC.name) == "default" => Some(network.another()),
        _ => None,
    };
    let judge = Judge {
        is_network: network.is_some(),
        has_policy: network.as_ref().is_some_and(|n| n.has_policy()),
    };
    let composition = Composition::read(game, values, judge)?;
    let evaluator = match network {
        Some(network) if composition.evaluates() => network,
        _ => {
            let heuristic = composition::heuristic(game, values, HEURISTIC.name)?;
            Box::new(ByHeuristic::new(game, heuristic))
        }
    };
    let tables = EndgameTables::new(game, values, equipment.resources.memory);
    let resources = Resources {
        memory: equipment.resources.memory - tables.memory,
        ..equipment.resources
    };
    let cache = cache_bytes(values.int("cache"), &*evaluator, resources.memory);
    let mut mcts = Mcts::new(game, composition, evaluator, cache, resources);
    mcts.tables = tables;
    mcts.teaching = equipment.teaching;
    Ok(Box::new(mcts))
}

/// Bytes for the cache of evaluations, of which an option says how many MiB: by itself what a network with a policy is worth.
fn cache_bytes<G: Game>(asked: Option<i64>, evaluator: &dyn Evaluator<G>, memory: usize) -> usize {
    match asked {
        Some(mib) => (mib as usize) << 20,
        None if evaluator.has_policy() => memory / 4,
        None => 0,
    }
}

struct Mcts<G: Game> {
    composition: Composition<G>,
    tree: Tree<G>,
    /// One for each thread.
    evaluators: Vec<Box<dyn Evaluator<G>>>,
    cache: Option<Cache>,
    amaf: Option<Amaf>,
    /// One for each thread.
    averages: Vec<Averages>,
    /// The position of the last search; averages are for one position.
    last: Option<G::Position>,
    threads: usize,
    /// Whether somebody learns; then what the last search taught is kept.
    teaching: bool,
    taught: Option<Taught<G>>,
    /// The root's implicit minimax value after the last search, for the player to move.
    value: Option<ForMover>,
    /// Nodes whose terms a thread of the plain composition keeps.
    kept: usize,
    tables: EndgameTables,
    seed: Option<u64>,
    rng: Rng,
}

impl<G: Game> Mcts<G> {
    /// `cache`: bytes for evaluations, at most half of the memory.
    fn new(
        game: &G,
        composition: Composition<G>,
        evaluator: Box<dyn Evaluator<G>>,
        cache: usize,
        resources: Resources,
    ) -> Self {
        let threads = resources.threads.max(1);
        let length = match composition.playout {
            Playout::Grams { length, .. } => length,
            _ => 1,
        };
        let averaging = composition.keeps_averages();
        let for_averages = if averaging {
            threads * Averages::bytes(game, length)
        } else {
            0
        };
        let for_amaf = match composition.grave {
            Some(_) => resources.memory / 4,
            None => 0,
        };
        let kept = Ucb::nodes_within(resources.memory / 32 / threads);
        let for_terms = if composition.is_plain() {
            threads * Ucb::bytes(kept)
        } else {
            0
        };
        let for_cache = if composition.evaluates() {
            cache.min(resources.memory / 2)
        } else {
            0
        };
        let with_policy = matches!(composition.growth().source, Source::Policy(_));
        let cache = (for_cache > 0).then(|| Cache::new(for_cache, with_policy));
        let evaluator = match &cache {
            Some(cache) => Box::new(Cached::new(game, evaluator, cache.clone())),
            None => evaluator,
        };
        let mut evaluators: Vec<_> = (1..threads).map(|_| evaluator.another()).collect();
        evaluators.push(evaluator);
        let taken = for_averages + for_amaf + for_terms + for_cache;
        let for_tree = resources.memory.saturating_sub(taken);
        let average = |_| {
            if averaging {
                Averages::new(game, length)
            } else {
                Averages::default()
            }
        };
        Mcts {
            tree: Tree::new(for_tree, composition.growth()),
            evaluators,
            cache,
            amaf: composition.grave.map(|_| Amaf::new(game.slots(), for_amaf)),
            averages: (0..threads).map(average).collect(),
            composition,
            last: None,
            threads,
            teaching: false,
            taught: None,
            value: None,
            kept,
            tables: EndgameTables::default(),
            seed: resources.seed,
            rng: resources
                .seed
                .map_or_else(random::from_entropy, random::seeded),
        }
    }

    /// A random move, when memory does not even hold the root.
    fn helpless(&mut self, record: &Record<G>, control: &Control) -> Found<G> {
        log::warn!("the memory limit leaves no room for a tree; playing at random");
        let moves = record.moves();
        let best = moves[random::pick(&mut self.rng, moves.len() as u32) as usize];
        let stats = Stats {
            seconds: control.seconds(),
            ..Stats::default()
        };
        Found {
            best,
            value: None,
            proven: None,
            pv: vec![best],
            candidates: Vec::new(),
            stats,
        }
    }

    /// Gives node priors the weight that they have in a search of this length. A weight that hardly changes stays, since what
    /// the tree holds was counted with it.
    fn weigh_priors(&mut self, control: &Control) {
        let rate = self.composition.prior_rate.filter(|rate| *rate > 0);
        let (Some(rate), Some(seconds)) = (rate, control.seconds_left()) else {
            return;
        };
        let wanted = (f64::from(rate) * seconds).round().clamp(1.0, 10_000.0);
        let present = f64::from(self.composition.prior_weight);
        if wanted >= 1.5 * present || present >= 1.5 * wanted {
            self.composition.prior_weight = wanted as u32;
            self.tree.set_prior_weight(wanted as u32);
        }
    }

    /// Readies the tables by move for a search of `position`.
    fn begin(&mut self, position: &G::Position) {
        if self.last != Some(*position) {
            self.last = Some(*position);
            self.averages.iter_mut().for_each(Averages::clear);
        }
        if let Some(amaf) = &mut self.amaf {
            amaf.begin();
        }
    }
}

impl<G: Game> Searcher<G> for Mcts<G> {
    fn judges_by_network(&self) -> bool {
        self.composition.evaluates() && self.evaluators.iter().any(|e| e.is_network())
    }

    fn search(
        &mut self,
        record: &Record<G>,
        control: &Control,
        report: &mut Report<'_, G>,
    ) -> Found<G> {
        (self.taught, self.value) = (None, None);
        if let Some(found) = self.tables.play(record, control) {
            return found;
        }
        self.weigh_priors(control);
        let root = self.evaluators.first_mut().and_then(|evaluator| {
            let (tree, rng) = (&mut self.tree, &mut self.rng);
            tree.root(record, rng, &mut **evaluator)
        });
        let Some((root, judged)) = root else {
            return self.helpless(record, control);
        };
        self.tree
            .study_root(&self.composition, record, root, control);
        self.begin(record.position());
        let threads: Vec<Rng> = (0..self.threads)
            .map(|_| random::seeded(random::word(&mut self.rng)))
            .collect();
        let (tree, composition) = (&self.tree, self.composition);
        let reused_nodes = tree.visits_below(root);
        let mut shared = SharedSearch::new(tree, control, root, record.line());
        let at = |root| Standings::of(tree, &composition, root, record.turn());
        shared.halving = composition.gumbel.map(|settings| {
            let budget = Some(control.simulations()).filter(|n| *n < u64::MAX);
            Mutex::new(Halving::new(settings, &at(root), budget, &mut self.rng))
        });
        shared.noise = RootNoise::new(&composition, record.moves().len(), &mut self.rng);
        shared.tables = self.tables.count_for(record);
        shared.ends = self.teaching.then(Mutex::default);
        let shared = shared;
        let so_far = |stats: Stats| {
            let stats = Stats {
                reused_nodes,
                evaluations: stats.evaluations + judged,
                ..stats
            };
            let halving = shared.halving.as_ref();
            let favourite = halving.and_then(|halving| halving.lock().favourite(&at(root)));
            let decide = composition.decide;
            let choice = Favourite { decide, favourite };
            found(tree, record, root, choice, stats, control)
        };
        let mut reporter = Reporter::new(control);
        let between = |stats| {
            if reporter.is_due() {
                report(&so_far(stats));
            }
        };
        let alone = threads.len() == 1;
        let stats = if !composition.is_plain() {
            let amaf = self.amaf.as_ref();
            let own = self.averages.iter_mut().zip(&mut self.evaluators);
            let parts: Vec<_> = threads
                .into_iter()
                .zip(own)
                .map(|(rng, (averages, evaluator))| {
                    let evaluator: &mut dyn Evaluator<G> = &mut **evaluator;
                    (rng, averages, evaluator)
                })
                .collect();
            let make = |(rng, averages, evaluator)| {
                General::new(&shared, composition, amaf, averages, evaluator, alone, rng)
            };
            run(&shared, parts, make, between)
        } else {
            let settings = PlainSettings {
                exploration: composition.exploration,
                expand_after: composition.expand_after,
                kept: self.kept,
            };
            let of = threads.len();
            let seats = (0..of).map(|number| Seat::new(number, of));
            let parts: Vec<_> = seats.zip(threads).collect();
            if alone {
                let make = |(seat, rng)| Plain::<G, false>::new(&shared, settings, seat, rng);
                run(&shared, parts, make, between)
            } else {
                let make = |(seat, rng)| Plain::<G, true>::new(&shared, settings, seat, rng);
                run(&shared, parts, make, between)
            }
        };
        if composition.is_implicit() {
            tree.refresh_way(record);
            let value = match tree.solved(root, record.turn()) {
                Some(outcome) => outcome.value(),
                None => tree.extra(root).implicit(),
            };
            self.value = Some(value.seen_by(record.turn()));
        }
        let mut found = so_far(stats);
        if let Some(sampling) = composition.sampling
            && record.steps().len() < sampling.plies as usize
        {
            target::draw(&mut found, sampling, &mut self.rng);
        }
        if self.teaching {
            self.taught = Some(Taught {
                game: record.game().clone(),
                position: *record.position(),
                root,
                policy: target::policy(tree, &composition, &shared.noise, root, record.turn()),
                ends: shared.ends.map_or_else(Vec::new, Mutex::into_inner),
            });
        }
        found
    }

    fn root_value(&self) -> Option<ForMover> {
        self.value
    }

    fn lessons(&mut self, visit: &mut dyn FnMut(&Lesson<G::Position>)) {
        if let Some(taught) = &self.taught {
            taught.tell(&self.tree, self.composition.is_implicit(), visit);
        }
    }

    fn policy(&mut self) -> Vec<(G::Move, f32)> {
        let taught = self.taught.as_ref();
        taught.map_or_else(Vec::new, |taught| taught.policy.clone())
    }

    fn worth(&self, record: &Record<G>) -> Option<ForOne> {
        let outcome = record.outcome()?;
        let growth = self.tree.growth();
        let broken_off = growth.broken_off(record.game(), record.position());
        Some(broken_off.unwrap_or(outcome.value()))
    }

    fn clear(&mut self) {
        self.tree.forget();
        self.taught = None;
        if let Some(cache) = &self.cache {
            cache.clear();
        }
        self.last = None;
        if let Some(seed) = self.seed {
            self.rng = random::seeded(seed);
        }
    }
}

/// Runs a worker for each of `parts`, the first on this thread; `between` is called by that one now and then.
fn run<G: Game, P: Send, W: Work>(
    shared: &SharedSearch<'_, G>,
    parts: Vec<P>,
    make: impl Fn(P) -> W + Sync,
    mut between: impl FnMut(Stats),
) -> Stats {
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else {
        return Stats::default();
    };
    if parts.len() == 0 {
        return shared::run(make(first), shared, &mut between);
    }
    let make = &make;
    let others = parts.map(|part| move || shared::run(make(part), shared, &mut |_| ()));
    let (mut stats, more) = team::run(others, || shared::run(make(first), shared, &mut between));
    more.into_iter().for_each(|other| stats.join(other));
    stats
}
