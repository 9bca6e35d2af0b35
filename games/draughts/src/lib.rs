//! International draughts on 10x10: fifty squares numbered as in PDN, flying kings, the greatest capture compulsory.
//!
//! Player one has the squares 31..50 (`W` in PDN) and moves first, towards lower numbers. Source: the FMJD's rules
//! of play, for the four kinds of draw; the bit layout is that of the program Scan.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![allow(
    missing_docs,
    reason = "fields and variants whose name says it all need no sentence"
)]

mod board;
mod calibrations;
mod features;
mod fen;
mod heuristics;
mod knowledge;
mod levels;
mod moves;
mod notation;
mod patterns;
mod planes;
mod playout;
mod routes;
mod rules;
mod symmetry;
mod tables;

pub use moves::Move;
pub use rules::{Draughts, Draws, Position};

use std::path::Path;
use treeline_any::{AnyGame, Endgames, Entry, MakeError, Making, Perft, Told};
use treeline_game::Tuning;
use treeline_game::options::{Kind, OptionError, Spec, Values};

pub const ENTRY: Entry = Entry {
    name: "draughts",
    aliases: &["international-draughts", "draughts10"],
    help: "International draughts on 10x10",
    options: &[
        Spec {
            name: "draw-rules",
            kind: Kind::Flag,
            default: "on",
            help: "off switches no-progress, repetition, endgame-16 and endgame-5 off together",
        },
        Spec {
            name: "no-progress",
            kind: Kind::Int {
                min: 1,
                max: 1000,
                off: true,
            },
            default: "50",
            help: "plies in a row without progress that draw: 50 is 25 moves a side",
        },
        Spec {
            name: "progress",
            kind: Kind::Choice(&["moves", "captures"]),
            default: "moves",
            help: "what progress is: captures and men's moves, or captures only, which change the number of pieces (MPV §6.1)",
        },
        Spec {
            name: "repetition",
            kind: Kind::Choice(&["draw", "off"]),
            default: "draw",
            help: "whether the third occurrence of a position draws",
        },
        Spec {
            name: "endgame-16",
            kind: Kind::Flag,
            default: "on",
            help: "three pieces, a king among them, against a lone king: drawn after 16 more moves a side",
        },
        Spec {
            name: "endgame-5",
            kind: Kind::Flag,
            default: "on",
            help: "one or two pieces, a king among them, against a lone king: drawn after 5 more moves a side",
        },
        Spec {
            name: "length",
            kind: Kind::Int {
                min: 1,
                max: 10_000,
                off: true,
            },
            default: "300",
            help: "plies that draw the game",
        },
    ],
    open,
    resize,
    variants: &[
        // MPV's training limits.
        "length=150 no-progress=20 progress=captures repetition=off endgame-16=off endgame-5=off",
        "length=off",
        "no-progress=off endgame-5=off",
        "draw-rules=off",
    ],
    perft: &[
        Perft {
            variant: "",
            position: "",
            counts: &[
                9, 81, 658, 4265, 27117, 167140, 1049442, 6483961, 41022423, 258895763,
            ],
        },
        // Captures of many pieces in many orders.
        Perft {
            variant: "",
            position: "B:W6,9,10,11,20,21,22,23,30,K31,33,37,41,42,43,44,46:BK17,K24",
            counts: &[14, 55, 1168, 5432, 87195, 629010, 9041010],
        },
    ],
    sgf: None,
    gogui: None,
    margins: &[],
    endgames: Some(Endgames {
        of: "pieces",
        sizes: |_| [2, tables::MOST, tables::MOST],
        folder: tables::shared::folder,
        make: make_tables,
    }),
    tuning: Tuning {
        // An evaluation in the middle of an exchange says nothing.
        quiescence: true,
        late_moves: true,
        // Captures are compulsory, so that most shots are chains of them.
        single_replies: true,
        levels: levels::LEVELS,
        calibrations: calibrations::CALIBRATIONS,
        ..Tuning::DEFAULT
    },
};

fn resize(columns: u32, rows: u32, _values: &mut Values) -> Result<(), OptionError> {
    if (columns, rows) == (10, 10) {
        return Ok(());
    }
    Err(OptionError::Unfit(format!(
        "draughts is played on 10x10, not {columns}x{rows}"
    )))
}

/// Opens the variant that `values` describe.
fn open(values: &Values) -> Result<AnyGame, OptionError> {
    Ok(AnyGame::native(rules(values)))
}

/// The tables are those of the usual draw rules, and hold in every variant.
fn make_tables(
    _values: &Values,
    folder: &Path,
    making: Making,
    tell: &mut dyn FnMut(Told),
) -> Result<(), MakeError> {
    tables::make(&rules(&ENTRY.defaults()), folder, making, tell)
}

fn rules(values: &Values) -> Draughts {
    let on = values.flag("draw-rules");
    let plies = |name| values.int(name).map(|n| n as u16);
    Draughts::new(Draws {
        no_progress: plies("no-progress").filter(|_| on),
        by_captures: values.word("progress") == "captures",
        repetition: on && values.word("repetition") == "draw",
        sixteen: on && values.flag("endgame-16"),
        five: on && values.flag("endgame-5"),
        length: plies("length"),
    })
}

#[cfg(test)]
mod tests;
