//! Breakthrough: pieces step or capture forward; reaching the far rank or taking every piece wins.
//!
//! No position is stuck: of the mover's pieces take one of the most advanced. It is not on the far
//! rank, or the game would be over, and boards have at least three columns, so that it has a diagonal square before it.
//! No piece of the mover is there, since it would be more advanced; an empty square can be stepped on and an enemy
//! captured. So a side has a move as long as it has a piece, and no rule for a side without one is needed.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![allow(
    missing_docs,
    reason = "fields and variants whose name says it all need no sentence"
)]

mod calibrations;
mod features;
mod foresight;
mod heuristics;
mod knowledge;
mod levels;
mod notation;
mod pick;
mod planes;
mod playout;
mod rules;
mod symmetry;
mod worth;

pub use pick::Board;
pub use rules::{Advance, Breakthrough, Position};

use treeline_any::{AnyGame, Entry, Perft};
use treeline_game::Tuning;
use treeline_game::options::{Kind, OptionError, Spec, Values};

pub const ENTRY: Entry = Entry {
    name: "breakthrough",
    aliases: &["bt"],
    help: "Breakthrough: the first piece on the far rank wins",
    options: &[Spec {
        name: "size",
        // No 24th column: `x` stands between the squares of a capture.
        kind: Kind::Size {
            columns: (3, 23),
            rows: (4, 42),
        },
        default: "8x8",
        help: "columns x rows, at most 128 squares; no column x, which is the sign of captures",
    }],
    open,
    resize,
    variants: &[
        "size=6x6",
        "size=3x4",
        "size=5x9",
        "size=16x4",
        "size=16x8",
        "size=7x16",
    ],
    perft: &[
        Perft {
            variant: "",
            position: "",
            counts: &[22, 484, 11132, 256036, 6182818, 149264638],
        },
        Perft {
            variant: "size=6x6",
            position: "",
            counts: &[16, 256, 4308, 71478, 1248290, 21470998],
        },
    ],
    sgf: None,
    gogui: None,
    margins: &[],
    endgames: None,
    tuning: Tuning {
        favourite_with_network: "ubfm",
        late_moves: true,
        levels: levels::LEVELS,
        calibrations: calibrations::CALIBRATIONS,
        ..Tuning::DEFAULT
    },
};

fn resize(columns: u32, rows: u32, values: &mut Values) -> Result<(), OptionError> {
    values.set("size", &format!("{columns}x{rows}"))
}

/// Opens the variant that `values` describe.
fn open(values: &Values) -> Result<AnyGame, OptionError> {
    let (width, height) = values.size("size");
    Ok(match width * height {
        64 if width == 8 => AnyGame::native(Breakthrough::<u64, 8, 8>::new(8, 8)),
        0..=64 => AnyGame::general(Breakthrough::<u64, 0, 0>::new(width, height)),
        65..=128 => AnyGame::general(Breakthrough::<u128, 0, 0>::new(width, height)),
        squares => {
            return Err(OptionError::Unfit(format!(
                "breakthrough: a board has at most 128 squares, and {width}x{height} has {squares}"
            )));
        }
    })
}
