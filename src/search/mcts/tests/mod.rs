//! Whole searches on exact trees.

mod avoidance;
mod parts;
mod reference;
mod solving;

use super::*;
use crate::game::synthetic::{Child, Synthetic};
use crate::search::{Limits, Stop};

/// A searcher of `game` with options as a user would type them.
fn searcher(game: &Synthetic, options: &str, threads: usize, seed: u64) -> Mcts<Synthetic> {
    let resources = Resources {
        threads,
        memory: 8 << 20,
        seed: Some(seed),
    };
    Mcts::new(game, composition(game, options), resources)
}

fn composition(game: &Synthetic, options: &str) -> Composition<Synthetic> {
    let mut values = ENTRIES[0].values();
    values.set_pairs(options.split_whitespace()).unwrap();
    Composition::read(game, &values).unwrap()
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
