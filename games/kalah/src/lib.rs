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

use treeline_any::{AnyGame, Entry, Perft};
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
    endgames: None,
    tuning: Tuning {
        favourite: "ubfm",
        favourite_with_network: "ubfm",
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

/// Opens the variant that `values` describe.
fn open(values: &Values) -> Result<AnyGame, OptionError> {
    let number = |name| values.int(name).unwrap_or(0) as u32;
    let (houses, seeds) = (number("houses"), number("seeds"));
    let empty_capture = values.flag("empty-capture");
    Ok(match houses {
        6 => AnyGame::native(Kalah::<u64, 6>::new(6, seeds, empty_capture)),
        0..=5 => AnyGame::general(Kalah::<u64, 0>::new(houses, seeds, empty_capture)),
        _ => AnyGame::general(Kalah::<u128, 0>::new(houses, seeds, empty_capture)),
    })
}
