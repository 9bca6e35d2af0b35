//! Breakthrough: pieces step or capture forward; reaching the far rank or taking every piece wins.
//!
//! No position is stuck: of the mover's pieces take one of the most advanced. It is not on the far
//! rank, or the game would be over, and boards have at least three columns, so that it has a diagonal square before it.
//! No piece of the mover is there, since it would be more advanced; an empty square can be stepped on and an enemy
//! captured. So a side has a move as long as it has a piece, and no rule for a side without one is needed.

mod features;
mod foresight;
mod heuristics;
mod hooks;
mod notation;
mod pick;
mod planes;
mod playout;
mod rules;

pub use pick::Board;
pub use rules::{Advance, Breakthrough, Position};

use super::{Entry, Perft, Visitor};
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
};

fn resize(columns: u32, rows: u32, values: &mut Values) -> Result<(), OptionError> {
    values.set("size", &format!("{columns}x{rows}"))
}

pub fn open<V: Visitor>(values: &Values, visitor: V) -> Result<V::Output, OptionError> {
    let (width, height) = values.size("size");
    Ok(match width * height {
        64 if width == 8 => visitor.visit(Breakthrough::<u64, 8, 8>::new(8, 8)),
        0..=64 => visitor.visit(Breakthrough::<u64, 0, 0>::new(width, height)),
        65..=128 => visitor.visit(Breakthrough::<u128, 0, 0>::new(width, height)),
        squares => {
            return Err(OptionError::Unfit(format!(
                "breakthrough: a board has at most 128 squares, and {width}x{height} has {squares}"
            )));
        }
    })
}
