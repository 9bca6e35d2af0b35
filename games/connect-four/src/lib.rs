//! Connect Four: stones fall to the lowest free row of a column; `line` in a row wins; a full board draws.
//!
//! The bit layout with a sentinel row above each column is J. Tromp's.

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
mod lines;
mod notation;
mod planes;
mod playout;
mod rules;
mod solver;
mod symmetry;

pub use rules::{ConnectFour, Drop, Position};
pub use solver::{Solver, opening};

use treeline_any::{AnyGame, Entry, Perft};
use treeline_game::Tuning;
use treeline_game::options::{Kind, OptionError, Spec, Values};

pub const ENTRY: Entry = Entry {
    name: "connect-four",
    aliases: &["connect4", "c4"],
    help: "Connect Four: four in a row on a standing board",
    options: &[
        Spec {
            name: "width",
            kind: Kind::Int {
                min: 2,
                max: 16,
                off: false,
            },
            default: "7",
            help: "columns; width x height is at most 64",
        },
        Spec {
            name: "height",
            kind: Kind::Int {
                min: 2,
                max: 16,
                off: false,
            },
            default: "6",
            help: "rows",
        },
        Spec {
            name: "line",
            kind: Kind::Int {
                min: 2,
                max: 8,
                off: false,
            },
            default: "4",
            help: "stones in a row that win",
        },
    ],
    open,
    resize,
    variants: &[
        "width=5 height=4",
        "width=8 height=8 line=5",
        "width=4 height=4 line=3",
    ],
    perft: &[Perft {
        variant: "",
        position: "",
        counts: &[7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572],
    }],
    sgf: None,
    gogui: Some("Connectfour"),
    margins: &[],
    endgames: None,
    tuning: Tuning {
        favourite: "ubfm",
        favourite_with_network: "ubfm",
        levels: levels::LEVELS,
        calibrations: calibrations::CALIBRATIONS,
        ..Tuning::DEFAULT
    },
};

fn resize(columns: u32, rows: u32, values: &mut Values) -> Result<(), OptionError> {
    values.set("width", &columns.to_string())?;
    values.set("height", &rows.to_string())
}

/// Opens the variant that `values` describe.
fn open(values: &Values) -> Result<AnyGame, OptionError> {
    let number = |name| values.int(name).unwrap_or(0) as u32;
    let (width, height, line) = (number("width"), number("height"), number("line"));
    if width * height > 64 {
        return Err(OptionError::Unfit(format!(
            "connect-four: width x height is at most 64, not {width}x{height}"
        )));
    }
    Ok(match (width, height, line) {
        (7, 6, 4) => AnyGame::native(ConnectFour::<u64, 7, 6, 4>::new(width, height, line)),
        _ if width * (height + 1) <= 64 => {
            AnyGame::general(ConnectFour::<u64, 0, 0, 0>::new(width, height, line))
        }
        _ => AnyGame::general(ConnectFour::<u128, 0, 0, 0>::new(width, height, line)),
    })
}
