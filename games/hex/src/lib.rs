//! Hex: player one joins the top row with the bottom row, player two the first column with the last.
//!
//! Cells are named as in HexGui and SGF, a1 at the top left.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![allow(
    missing_docs,
    reason = "fields and variants whose name says it all need no sentence"
)]

mod calibrations;
mod cells;
mod connections;
mod features;
mod foresight;
mod heuristics;
mod inferior;
mod joined;
mod knowledge;
mod levels;
mod notation;
mod planes;
mod playout;
mod resistance;
mod rules;
mod symmetry;

pub use cells::Cells;
pub use rules::{Hex, Place, Position};

use treeline_any::{AnyGame, Entry, Perft};
use treeline_game::Tuning;
use treeline_game::options::{Kind, OptionError, Spec, Values};

pub const ENTRY: Entry = Entry {
    name: "hex",
    aliases: &[],
    help: "Hex: join your two opposite edges of the board",
    options: &[
        Spec {
            name: "size",
            kind: Kind::Size {
                columns: (2, 19),
                rows: (2, 19),
            },
            default: "11",
            help: "columns and rows",
        },
        Spec {
            name: "swap",
            kind: Kind::Flag,
            default: "off",
            help: "the second player may answer the first move with swap-pieces; square boards only",
        },
    ],
    open,
    resize,
    variants: &["size=3", "size=5 swap=on", "size=6x4", "size=13"],
    perft: &[
        Perft {
            variant: "",
            position: "",
            counts: &[121, 14520, 1727880],
        },
        Perft {
            variant: "size=3",
            position: "",
            counts: &[9, 72, 504, 3024, 15120, 54720, 146880, 207360, 120960],
        },
    ],
    sgf: Some(11),
    gogui: Some("Hex"),
    margins: &[],
    endgames: None,
    tuning: Tuning {
        favourite_with_network: "puct",
        glances: true,
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
    let (columns, rows) = values.size("size");
    let swap = values.flag("swap");
    if swap && columns != rows {
        return Err(OptionError::Unfit(format!(
            "hex: swap mirrors a stone across the diagonal of a square board, not of {columns}x{rows}"
        )));
    }
    let fits = |most: (u32, u32)| columns <= most.0 && rows <= most.1;
    Ok(if fits((15, 8)) {
        AnyGame::general(Hex::<2, 16, 2>::new(columns, rows, swap))
    } else if fits((15, 12)) {
        AnyGame::native(Hex::<3, 16, 3>::new(columns, rows, swap))
    } else if fits((15, 16)) {
        AnyGame::general(Hex::<4, 16, 4>::new(columns, rows, swap))
    } else {
        AnyGame::general(Hex::<7, 21, 0>::new(columns, rows, swap))
    })
}
