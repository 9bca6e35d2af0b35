//! Lines of Action: a piece moves as many squares as there are pieces on its line; who connects all own pieces wins.
//!
//! Sources: C. Soucie, in S. Sackson, A Gamut of Games (1969); NIM §2.3 for moves that connect both.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![allow(
    missing_docs,
    reason = "fields and variants whose name says it all need no sentence"
)]

mod calibrations;
mod features;
mod geometry;
mod heuristics;
mod knowledge;
mod levels;
mod notation;
mod planes;
mod playout;
mod rules;
mod symmetry;

pub use geometry::Word;
pub use rules::{LinesOfAction, Move, Position, Settings};

use treeline_any::{AnyGame, Entry, Perft};
use treeline_game::Tuning;
use treeline_game::options::{Kind, OptionError, Spec, Values};

pub const ENTRY: Entry = Entry {
    name: "lines-of-action",
    aliases: &["loa"],
    help: "Lines of Action: connect all your pieces",
    options: &[
        Spec {
            name: "size",
            kind: Kind::Int {
                min: 5,
                max: 10,
                off: false,
            },
            default: "8",
            help: "rows and columns",
        },
        Spec {
            name: "both-connected",
            kind: Kind::Choice(&["draw", "mover"]),
            default: "draw",
            help: "who wins when one move connects both sides",
        },
        Spec {
            name: "repetition",
            kind: Kind::Choice(&["draw", "off"]),
            default: "draw",
            help: "whether the third occurrence of a position draws",
        },
        Spec {
            name: "length",
            kind: Kind::Int {
                min: 1,
                max: 10_000,
                off: true,
            },
            default: "400",
            help: "plies after which the game is drawn",
        },
    ],
    open,
    resize,
    variants: &[
        "size=5 length=off",
        "size=7 both-connected=mover length=60",
        "size=9 repetition=off",
        "size=10 repetition=off length=off",
    ],
    perft: &[Perft {
        variant: "",
        position: "",
        counts: &[36, 1244, 44952, 1563208],
    }],
    sgf: Some(9),
    gogui: None,
    margins: &[],
    endgames: None,
    tuning: Tuning {
        favourite: "ubfm",
        favourite_with_network: "ubfm",
        late_moves: true,
        levels: levels::LEVELS,
        calibrations: calibrations::CALIBRATIONS,
        ..Tuning::DEFAULT
    },
};

fn resize(columns: u32, rows: u32, values: &mut Values) -> Result<(), OptionError> {
    if columns != rows {
        return Err(OptionError::Unfit(format!(
            "lines-of-action: the board is square, not {columns}x{rows}"
        )));
    }
    values.set("size", &columns.to_string())
}

/// Opens the variant that `values` describe.
fn open(values: &Values) -> Result<AnyGame, OptionError> {
    let size = values.int("size").unwrap_or(8) as u32;
    let settings = Settings {
        mover_wins_both: values.word("both-connected") == "mover",
        repetition: values.word("repetition") == "draw",
        length: values.int("length").map(|plies| plies as u16),
    };
    Ok(match size {
        // Rows of eight bits serve smaller boards too; larger ones have a column to spare, so that nothing wraps.
        0..=8 => AnyGame::native(LinesOfAction::<u64, 8>::new(size, settings)),
        _ => AnyGame::general(LinesOfAction::<u128, 11>::new(size, settings)),
    })
}
