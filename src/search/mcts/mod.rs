//! `mcts`: Monte-Carlo tree search as a composition of the parts in systems.md §2, tree-parallel with virtual loss.
//!
//! Every part is an option and each of the papers' players a preset (`options`). UCT with random play-outs, which makes
//! more than a million simulations a second, is compiled apart (`plain`, `ucb`); everything else is one worker that asks
//! its `Composition` what to do (`general`): selection by `formula`, with AMAF counts from `amaf` and averages by move
//! from `averages`; play-outs by `policy`, cut off in `rollout`; loss avoidance in `avoid`. What new children are given is
//! in `growth`, what is proven in `bounds`, the choice of a move in `decide`.
//!
//! Values are backed up by player, so turns need not alternate. The tree is kept across moves, undo and replay (`tree`); a
//! full tree recycles what is least useful. It takes 24 bytes a child and 24 a node with children; implicit minimax,
//! progressive bias, GRAVE and averages by move take 16 more a child, and GRAVE a quarter of the memory for its tables.
//!
//! Where systems.md and a paper differ, systems.md was taken: see `formula` (progressive bias, β), `decide` (secure child),
//! `avoid` (loss avoidance).

mod amaf;
mod arena;
mod averages;
mod avoid;
mod bounds;
mod composition;
mod decide;
mod extra;
mod formula;
mod general;
mod growth;
mod joint;
mod options;
mod plain;
mod policy;
mod rollout;
mod tree;
mod ucb;
mod unit;

#[cfg(test)]
mod tests;

pub use options::ENTRIES;

use super::control::Reporter;
use super::{Control, Equipment, Found, Report, Resources, Searcher, Stats, team};
use crate::game::{Game, Record, Rng, random};
use crate::options::{OptionError, Values};
use amaf::Amaf;
use averages::Averages;
use composition::{Composition, Playout};
use decide::found;
use general::General;
use joint::{Joint, Work};
use plain::{Plain, Settings};
use tree::Tree;
use ucb::Ucb;

pub fn build<G: Game>(
    game: &G,
    values: &Values,
    equipment: Equipment<'_, G>,
) -> Result<Box<dyn Searcher<G>>, OptionError> {
    let resources = equipment.resources;
    let composition = Composition::read(game, values)?;
    Ok(Box::new(Mcts::new(game, composition, resources)))
}

struct Mcts<G: Game> {
    composition: Composition<G>,
    tree: Tree<G>,
    amaf: Option<Amaf>,
    /// One for each thread.
    averages: Vec<Averages>,
    /// The position of the last search; averages are for one position.
    last: Option<G::Position>,
    threads: usize,
    /// Nodes whose terms a thread of the plain composition keeps.
    kept: usize,
    seed: Option<u64>,
    rng: Rng,
}

impl<G: Game> Mcts<G> {
    fn new(game: &G, composition: Composition<G>, resources: Resources) -> Self {
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
        let taken = for_averages + for_amaf + for_terms;
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
            amaf: composition.grave.map(|_| Amaf::new(game.slots(), for_amaf)),
            averages: (0..threads).map(average).collect(),
            composition,
            last: None,
            threads,
            kept,
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
    fn search(
        &mut self,
        record: &Record<G>,
        control: &Control,
        report: &mut Report<'_, G>,
    ) -> Found<G> {
        let Some(root) = self.tree.root(record, &mut self.rng) else {
            return self.helpless(record, control);
        };
        self.begin(record.position());
        let threads: Vec<Rng> = (0..self.threads)
            .map(|_| random::seeded(random::word(&mut self.rng)))
            .collect();
        let (tree, composition) = (&self.tree, self.composition);
        let reused_nodes = u64::from(tree.unit(root).visits());
        let joint = Joint::new(tree, control, root, record.line());
        let so_far = |stats: Stats| {
            let stats = Stats {
                reused_nodes,
                ..stats
            };
            found(tree, record, root, composition.decide, stats, control)
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
            let parts: Vec<_> = threads.into_iter().zip(&mut self.averages).collect();
            let make =
                |(rng, averages)| General::new(&joint, composition, amaf, averages, alone, rng);
            run(&joint, parts, make, between)
        } else {
            let settings = Settings {
                exploration: composition.exploration,
                expand_after: composition.expand_after,
                kept: self.kept,
            };
            if alone {
                let make = |rng| Plain::<G, false>::new(&joint, settings, rng);
                run(&joint, threads, make, between)
            } else {
                let make = |rng| Plain::<G, true>::new(&joint, settings, rng);
                run(&joint, threads, make, between)
            }
        };
        so_far(stats)
    }

    fn clear(&mut self) {
        self.tree.forget();
        self.last = None;
        if let Some(seed) = self.seed {
            self.rng = random::seeded(seed);
        }
    }
}

/// Runs a worker for each of `parts`, the first on this thread; `between` is called by that one now and then.
fn run<G: Game, P: Send, W: Work>(
    joint: &Joint<'_, G>,
    parts: Vec<P>,
    make: impl Fn(P) -> W + Sync,
    mut between: impl FnMut(Stats),
) -> Stats {
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else {
        return Stats::default();
    };
    if parts.len() == 0 {
        return joint::run(make(first), joint, &mut between);
    }
    let make = &make;
    let others = parts.map(|part| move || joint::run(make(part), joint, &mut |_| ()));
    let (mut stats, more) = team::run(others, || joint::run(make(first), joint, &mut between));
    more.into_iter().for_each(|other| stats.join(other));
    stats
}
