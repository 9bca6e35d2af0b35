//! Othello (Reversi) on 6x6, 8x8 and 10x10: a disc must outflank, what it outflanks is turned; most discs win.
//!
//! Source: the rules of the World Othello Federation. The start has white on d4 and e5, black on e4
//! and d5, so that black's first moves are d3, c4, f5 and e6. Row 1 is the top row of diagrams and position texts.
//! Who cannot turn a disc passes; `pass` is then the only legal move and counts as a ply. The game ends as soon as
//! neither side can move, so that nobody passes at the end.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![allow(
    missing_docs,
    reason = "fields and variants whose name says it all need no sentence"
)]

mod board;
mod calibrations;
mod compass;
mod endgame;
mod features;
mod flip;
mod heuristics;
mod kernels;
mod knowledge;
mod lanes;
mod levels;
mod notation;
mod patterns;
mod planes;
mod playout;
mod rules;
mod squares;
mod symmetry;

pub use endgame::Endgame;
pub use rules::{Othello, Position, Put};

use treeline_any::{AnyGame, Entry, Perft};
use treeline_game::Tuning;
use treeline_game::options::{Kind, OptionError, Spec, Values};

pub const ENTRY: Entry = Entry {
    name: "othello",
    aliases: &["reversi"],
    help: "Othello: outflank and turn discs; most discs win",
    options: &[
        Spec {
            name: "size",
            kind: Kind::Choice(&["6", "8", "10"]),
            default: "8",
            help: "rows and columns",
        },
        Spec {
            name: "empties-to-winner",
            kind: Kind::Flag,
            default: "off",
            help: "count the empty squares of a finished game as the winner's",
        },
    ],
    open,
    resize,
    variants: &["size=6", "size=10", "size=6 empties-to-winner=on"],
    // The first row is published; the others were counted with the naive rules of tests/twins/othello.rs as well. In the
    // last two nearly every line of play has passes and games that end early.
    perft: &[
        Perft {
            variant: "",
            position: "",
            counts: &[4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571056],
        },
        Perft {
            variant: "size=6",
            position: "",
            counts: &[4, 12, 56, 244, 1364, 7604, 47740, 308716, 2114912],
        },
        Perft {
            variant: "size=10",
            position: "",
            counts: &[4, 12, 56, 244, 1396, 8200, 55180, 392268],
        },
        Perft {
            variant: "",
            position: "bwwwwwb1/wwwwww2/wwbwwww1/wbwbwwww/wwbwbww1/wwwwwb2/w1wwww2/1w1bw3 w",
            counts: &[4, 27, 92, 677, 2441, 16930, 63042, 378109, 1340793],
        },
        Perft {
            variant: "size=6",
            position: "ww1wwb/1wwwww/wwbwww/wwwbw1/w1wwww/2w1w1 b",
            counts: &[6, 8, 43, 54, 240, 290, 966, 1108, 2331],
        },
    ],
    sgf: Some(2),
    gogui: Some("Othello"),
    margins: &["empties-to-winner"],
    endgames: None,
    tuning: Tuning {
        favourite: "ubfm",
        favourite_with_network: "ubfm",
        sorted_moves: true,
        levels: levels::LEVELS,
        calibrations: calibrations::CALIBRATIONS,
        ..Tuning::DEFAULT
    },
};

fn resize(columns: u32, rows: u32, values: &mut Values) -> Result<(), OptionError> {
    if columns != rows {
        return Err(OptionError::Unfit(format!(
            "othello: the board is square, not {columns}x{rows}"
        )));
    }
    values.set("size", &columns.to_string())
}

/// Opens the variant that `values` describe.
fn open(values: &Values) -> Result<AnyGame, OptionError> {
    let empties_to_winner = values.flag("empties-to-winner");
    Ok(match values.word("size") {
        "6" => AnyGame::general(Othello::<u64, 6>::new(empties_to_winner)),
        "10" => AnyGame::general(Othello::<u128, 10>::new(empties_to_winner)),
        _ => AnyGame::native(Othello::<u64, 8>::new(empties_to_winner)),
    })
}
