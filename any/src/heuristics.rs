//! Heuristics of any game. A heuristic is a plain function that is told the game, so each number has a function of its own.

use crate::rulebook::Rulebook;
use crate::{AnyGame, AnyPosition};
use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use treeline_game::{Heuristic, LastPly};

type Table = HashMap<TypeId, &'static [Heuristic<AnyGame>]>;

/// The heuristics of a game of type `G`. They are made once a type and stay for good.
pub fn of<G: 'static>(rules: &dyn Rulebook) -> &'static [Heuristic<AnyGame>] {
    static MADE: OnceLock<Mutex<Table>> = OnceLock::new();
    let made = MADE.get_or_init(Mutex::default);
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(TypeId::of::<G>())
        .or_insert_with(|| Box::leak(list(rules).into_boxed_slice()))
}

fn list(rules: &dyn Rulebook) -> Vec<Heuristic<AnyGame>> {
    let own = rules.heuristics();
    debug_assert!(own.len() <= NUMBERED.len(), "more heuristics than numbers");
    let numbered = own.into_iter().zip(NUMBERED);
    let heuristic = |(named, numbered): (crate::rulebook::Named, &Numbered)| Heuristic {
        name: named.name,
        help: named.help,
        points: numbered.points,
        scale: numbered.scale,
        last_ply: named.last_ply.then_some(numbered.last_ply),
    };
    numbered.map(heuristic).collect()
}

struct Numbered {
    points: fn(&AnyGame, &AnyPosition) -> i32,
    scale: fn(&AnyGame, i32) -> f32,
    last_ply: fn(&AnyGame, &AnyPosition) -> LastPly,
}

const fn numbered<const I: usize>() -> Numbered {
    Numbered {
        points: |game, position| game.rules.points(I, position),
        scale: |game, points| game.rules.scale(I, points),
        last_ply: |game, position| game.rules.last_ply(I, position),
    }
}

/// As many as a game may have.
const NUMBERED: &[Numbered] = &[
    numbered::<0>(),
    numbered::<1>(),
    numbered::<2>(),
    numbered::<3>(),
    numbered::<4>(),
    numbered::<5>(),
    numbered::<6>(),
    numbered::<7>(),
    numbered::<8>(),
    numbered::<9>(),
    numbered::<10>(),
    numbered::<11>(),
];
