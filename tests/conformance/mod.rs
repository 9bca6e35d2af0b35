//! What every game must satisfy in every variant: legality, hashes, undo, texts, symmetry, termination, play-outs.

mod knowledge;
mod playouts;
mod records;
mod rules;
mod texts;

use std::collections::HashSet;
use treeline::game::prelude::*;
use treeline::game::{Record, random};
use treeline::games::{ENTRIES, Entry};

const GAMES: u64 = if cfg!(debug_assertions) { 40 } else { 200 };

/// Calls `visit` with the record after each ply of `games` random games, the start included.
fn each_random<G: Notation>(game: &G, games: u64, mut visit: impl FnMut(&Record<G>)) {
    for seed in 0..games {
        let mut rng = random::seeded(seed);
        let mut record = Record::new(game.clone());
        loop {
            visit(&record);
            let moves = record.moves();
            if moves.is_empty() {
                break;
            }
            record
                .play(moves[random::pick(&mut rng, moves.len() as u32) as usize])
                .unwrap();
        }
    }
}

#[test]
fn names_are_unique_and_wrong_options_are_refused() {
    let mut names = HashSet::new();
    for entry in ENTRIES {
        for name in std::iter::once(&entry.name).chain(entry.aliases) {
            assert!(names.insert(*name), "{name} twice");
            assert_eq!(
                treeline::games::find(name).map(|e: &Entry| e.name),
                Some(entry.name)
            );
        }
        let mut values = entry.defaults();
        assert!(values.set_pairs(["nonsense=1"]).is_err());
        assert!(values.set_pairs(["nonsense"]).is_err());
        // Every size that `boardsize` accepts opens or is refused with a sentence; nothing panics.
        for size in 0..30 {
            let mut values = entry.defaults();
            if (entry.resize)(size, size, &mut values).is_ok() {
                let _ = entry.open(&values).map(|game| game.turn(&game.start()));
            }
        }
    }
}
