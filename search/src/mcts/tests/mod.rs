//! Whole searches on exact trees.

mod alphago;
mod avoidance;
mod caching;
mod learning;
mod network;
mod parts;
mod policies;
mod reference;
mod solving;

use super::edge::Index;
use super::*;
use crate::eval::written::Written;
use crate::{Limits, Stop};
use treeline_game::Knowledge;
use treeline_game::synthetic::{Child, Synthetic};

/// Player two to move: b wins for one, c is good for one, d and e are equally good for two.
const CHOICE: &str = "a 2 0: b c d e\n b one\n c 1 0.5: b\n d 1 -0.25: b\n e 1 -0.25: b";

/// A searcher of `game` with options as a user would type them.
fn searcher(game: &Synthetic, options: &str, threads: usize, seed: u64) -> Mcts<Synthetic> {
    let evaluator = ByHeuristic::new(game, &game.heuristics()[0]);
    let parts = composition(game, options);
    with_evaluator(game, parts, Box::new(evaluator), threads, seed)
}

/// The same with a network: one that knows the text's values and, if there are any, its logits.
fn networked(game: &Synthetic, options: &str, threads: usize, seed: u64) -> Mcts<Synthetic> {
    let network = Written::new(game);
    let parts = composition_with(game, options, &network);
    with_evaluator(game, parts, Box::new(network), threads, seed)
}

fn with_evaluator(
    game: &Synthetic,
    parts: Composition<Synthetic>,
    evaluator: Box<dyn Evaluator<Synthetic>>,
    threads: usize,
    seed: u64,
) -> Mcts<Synthetic> {
    let resources = Resources {
        threads,
        memory: 8 << 20,
        seed: Some(seed),
    };
    Mcts::new(game, parts, evaluator, 0, resources)
}

fn values(options: &str) -> Values {
    let mut values = ENTRIES[0].values();
    values.set_pairs(options.split_whitespace()).unwrap();
    values
}

fn composition(game: &Synthetic, options: &str) -> Composition<Synthetic> {
    Composition::read(game, &values(options), Judge::default()).unwrap()
}

fn composition_with(
    game: &Synthetic,
    options: &str,
    network: &dyn Evaluator<Synthetic>,
) -> Composition<Synthetic> {
    let judge = Judge {
        is_network: true,
        has_policy: network.has_policy(),
    };
    Composition::read(game, &values(options), judge).unwrap()
}

/// The root of the start's search.
fn root(mcts: &mut Mcts<Synthetic>, game: &Synthetic) -> Index {
    let record = Record::new(game.clone());
    let evaluator = &mut *mcts.evaluators[0];
    let rng = &mut random::seeded(1);
    mcts.tree.root(&record, rng, evaluator).unwrap().0
}

fn simulations(count: u64) -> Control {
    let limits = Limits {
        simulations: Some(count),
        ..Limits::default()
    };
    Control::new(limits, Stop::default(), 1)
}

/// A search of the start.
fn search(mcts: &mut Mcts<Synthetic>, game: &Synthetic, count: u64) -> Found<Synthetic> {
    let record = Record::new(game.clone());
    mcts.search(&record, &simulations(count), &mut |_| ())
}

/// Visits and mean of the root's child number `child`.
fn candidate(found: &Found<Synthetic>, child: u8) -> (u64, f32) {
    let at = found.candidates.iter().find(|c| c.played == Child(child));
    at.map_or((0, 0.0), |c| (c.visits, c.value.0))
}
