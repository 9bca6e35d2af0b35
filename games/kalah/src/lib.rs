//! Kalah: seeds are sown counter-clockwise; more seeds in the store win.
//!
//! Source: the rules of G. Irving, J. Donkers and J. Uiterwijk, "Solving Kalah" (ICGA Journal 23(3),
//! 2000), whose empty capture is the option `empty-capture`.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![allow(
    missing_docs,
    reason = "fields and variants whose name says it all need no sentence"
)]

mod calibrations;
mod features;
mod heuristics;
mod knowledge;
mod levels;
mod notation;
mod planes;
mod playout;
mod rules;
mod side;
mod solver;
mod symmetry;

pub use rules::{House, Kalah, Position};
pub use side::Side;
pub use solver::{Solver, opening};

use solver::endings::make;
use std::path::Path;
use treeline_any::{AnyGame, Endgames, Entry, MakeError, Making, Perft, Told};
use treeline_game::Tuning;
use treeline_game::options::{Kind, OptionError, Spec, Values};

pub const ENTRY: Entry = Entry {
    name: "kalah",
    aliases: &["mancala"],
    help: "Kalah: sow seeds, collect more than the opponent",
    options: &[
        Spec {
            name: "houses",
            kind: Kind::Int {
                min: 2,
                max: 10,
                off: false,
            },
            default: "6",
            help: "houses on each side",
        },
        Spec {
            name: "seeds",
            kind: Kind::Int {
                min: 1,
                max: 10,
                off: false,
            },
            default: "4",
            help: "seeds in each house at the start",
        },
        Spec {
            name: "empty-capture",
            kind: Kind::Flag,
            default: "off",
            help: "whether a last seed in an own empty house goes to the store if the house opposite is empty too",
        },
    ],
    open,
    resize,
    variants: &[
        "empty-capture=on",
        "houses=2 seeds=10",
        "houses=3 seeds=1",
        "houses=7 seeds=10 empty-capture=on",
        "houses=8 seeds=3",
        "houses=10 seeds=10",
    ],
    perft: &[Perft {
        variant: "",
        position: "",
        counts: &[6, 35, 185, 942, 4690, 23233, 114430, 563055, 2763490],
    }],
    sgf: None,
    gogui: None,
    margins: &[],
    endgames: Some(Endgames {
        of: "seeds",
        sizes,
        folder: solver::endings::shared::folder,
        make: make_tables,
    }),
    tuning: Tuning {
        favourite: "ubfm",
        favourite_with_network: "ubfm",
        solver_memory: 2,
        levels: levels::LEVELS,
        calibrations: calibrations::CALIBRATIONS,
        ..Tuning::DEFAULT
    },
};

fn resize(_columns: u32, _rows: u32, _values: &mut Values) -> Result<(), OptionError> {
    Err(OptionError::Unfit(
        "kalah has no columns and rows; its size is the options houses and seeds".into(),
    ))
}

/// The rules of a variant, in the words that its houses need.
enum Variant {
    Usual(Kalah<u64, 6>),
    Small(Kalah<u64, 0>),
    Large(Kalah<u128, 0>),
}

impl Variant {
    fn of(values: &Values) -> Self {
        let number = |name| values.int(name).unwrap_or(0) as u32;
        let (houses, seeds) = (number("houses"), number("seeds"));
        let empty_capture = values.flag("empty-capture");
        match houses {
            6 => Variant::Usual(Kalah::new(6, seeds, empty_capture)),
            0..=5 => Variant::Small(Kalah::new(houses, seeds, empty_capture)),
            _ => Variant::Large(Kalah::new(houses, seeds, empty_capture)),
        }
    }
}

/// Opens the variant that `values` describe.
fn open(values: &Values) -> Result<AnyGame, OptionError> {
    Ok(match Variant::of(values) {
        Variant::Usual(game) => AnyGame::native(game),
        Variant::Small(game) => AnyGame::general(game),
        Variant::Large(game) => AnyGame::general(game),
    })
}

fn sizes(values: &Values) -> [u32; 3] {
    match Variant::of(values) {
        Variant::Usual(game) => make::seeds(&game),
        Variant::Small(game) => make::seeds(&game),
        Variant::Large(game) => make::seeds(&game),
    }
}

/// The tables depend on the houses and the captures alone, not on how many seeds a game starts with.
fn make_tables(
    values: &Values,
    folder: &Path,
    making: Making,
    tell: &mut dyn FnMut(Told),
) -> Result<(), MakeError> {
    match Variant::of(values) {
        Variant::Usual(game) => make::make(&game, folder, making, tell),
        Variant::Small(game) => make::make(&game, folder, making, tell),
        Variant::Large(game) => make::make(&game, folder, making, tell),
    }
}
