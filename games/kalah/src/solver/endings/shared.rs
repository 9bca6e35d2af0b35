//! The tables of the cache that the process uses, each read once.

use super::super::super::rules::Kalah;
use super::super::super::side::Side;
use super::super::board::Board;
use super::file::{self, Ruleset};
use super::number::Numbers;
use super::{Layer, MOST, bytes};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use treeline_game::cache;

/// The most houses that a side has.
const HOUSES: usize = 10;

/// The tables of some rules, by seeds; nothing where there is no file.
struct Set {
    numbers: Numbers,
    layers: [OnceLock<Option<Arc<Layer>>>; MOST + 1],
}

/// By houses, and whether empty houses capture.
static SETS: [[OnceLock<Set>; 2]; HOUSES + 1] =
    [const { [const { OnceLock::new() }; 2] }; HOUSES + 1];

/// Where the files are, if there is a place for them.
pub fn folder() -> Option<PathBuf> {
    cache::folder().map(|folder| folder.join("endgame"))
}

/// The tables of the cache, those of few seeds first, as many as `memory` bytes hold, and those bytes; more where others have read
/// them already.
pub fn load<S: Side, const N: u32>(game: &Kalah<S, N>, memory: u64) -> (Vec<Arc<Layer>>, u64) {
    /// One reads at a time: each would for itself find memory enough.
    static READING: Mutex<()> = Mutex::new(());
    let _reading = READING.lock().unwrap_or_else(PoisonError::into_inner);
    let rules = Ruleset::of(game);
    let Some(set) = slot(rules).map(|slot| slot.get_or_init(|| Set::new(rules))) else {
        return (Vec::new(), 0);
    };
    let mut used = 0;
    for seeds in 2..=MOST {
        let bytes = bytes(game, seeds);
        let fits = used + bytes <= memory;
        if !fits
            || set.layers[seeds]
                .get_or_init(|| read(rules, seeds))
                .is_none()
        {
            break;
        }
        used += bytes;
    }
    let there = set.layers[2..]
        .iter()
        .map_while(|layer| layer.get()?.clone());
    (there.collect(), used)
}

/// What those in use say of a position that is not over: what the mover still gets less what the other gets.
#[inline]
pub fn value<S: Side, const N: u32>(game: &Kalah<S, N>, board: Board<S>) -> Option<i32> {
    let set = slot(Ruleset::of(game))?.get()?;
    let layer = set.layers.get(board.seeds as usize)?.get()?.as_ref()?;
    Some(layer.value(set.numbers.place::<S, N>(board.mine, board.theirs)))
}

#[inline]
fn slot(rules: Ruleset) -> Option<&'static OnceLock<Set>> {
    SETS.get(rules.houses as usize)?
        .get(usize::from(rules.empty_capture))
}

impl Set {
    fn new(rules: Ruleset) -> Self {
        Set {
            numbers: Numbers::new(rules.houses),
            layers: [const { OnceLock::new() }; MOST + 1],
        }
    }
}

fn read(rules: Ruleset, seeds: usize) -> Option<Arc<Layer>> {
    let found = file::read(rules, &folder()?, seeds);
    let layer = found.unwrap_or_else(|error| {
        log::warn!("an endgame table is not used: {error}");
        None
    });
    layer.map(Arc::new)
}
