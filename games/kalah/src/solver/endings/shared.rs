//! The tables of the cache that the process uses, each read once.

use super::super::super::rules::Kalah;
use super::super::super::side::Side;
use super::file::{self, Ruleset};
use super::{Layer, MOST, bytes};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use treeline_game::cache;

/// Those of some rules.
struct Set {
    rules: Ruleset,
    layers: Vec<Arc<Layer>>,
    /// Whether there are no more in the cache.
    complete: bool,
}

static LOADED: Mutex<Vec<Set>> = Mutex::new(Vec::new());

/// Where the files are, if there is a place for them.
pub fn folder() -> Option<PathBuf> {
    cache::folder().map(|folder| folder.join("endgame"))
}

/// The tables of the cache, those of few seeds first, as many as `memory` bytes hold; or more where others have read them already.
pub fn load<S: Side, const N: u32>(game: &Kalah<S, N>, memory: u64) -> Vec<Arc<Layer>> {
    let rules = Ruleset::of(game);
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let at = match loaded.iter().position(|set| set.rules == rules) {
        Some(at) => at,
        None => {
            loaded.push(Set {
                rules,
                layers: Vec::new(),
                complete: false,
            });
            loaded.len() - 1
        }
    };
    let set = &mut loaded[at];
    let mut left = memory;
    for seeds in 2..=MOST {
        let bytes = bytes(game, seeds);
        if bytes > left {
            break;
        }
        left -= bytes;
        if seeds - 2 < set.layers.len() {
            continue;
        }
        if set.complete {
            break;
        }
        match read(rules, seeds) {
            Some(layer) => set.layers.push(Arc::new(layer)),
            None => set.complete = true,
        }
    }
    set.layers.clone()
}

fn read(rules: Ruleset, seeds: usize) -> Option<Layer> {
    file::read(rules, &folder()?, seeds).unwrap_or_else(|error| {
        log::warn!("an endgame table is not used: {error}");
        None
    })
}
