//! What a game is: rules, notation, players, records. Knows no particular game, no search and no protocol.
//!
//! A position is a small `Copy` value; the rules object (`impl Game`) holds what a variant fixes, such as the board
//! size. Turns need not alternate: ask [`Rules::turn`], never count plies.
//!
//! A game is described by several traits, one for each thing that can be asked of it; [`Game`] is their sum, and
//! [`Notation`] is for people.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![allow(
    missing_docs,
    reason = "fields and variants whose name says it all need no sentence"
)]

pub mod bits;
pub mod cache;
mod calibration;
mod cell;
pub mod drawing;
mod encoding;
mod exact;
pub mod features;
mod heuristic;
pub mod informed;
mod knowledge;
mod line;
pub mod memory;
mod moves;
mod notation;
pub mod numbering;
pub mod options;
pub mod pattern;
mod perft;
mod permutation;
pub mod planes;
mod player;
mod playouts;
pub mod random;
mod record;
mod refusal;
mod rules;
pub mod sgf;
mod symmetry;
pub mod synthetic;
pub mod terms;
pub mod text;
mod tuning;

pub use calibration::Calibration;
pub use cell::{Cell, Grid};
pub use encoding::{Encoding, Numbering, Shape};
pub use exact::{Advice, Exact, Solved};
pub use features::Features;
pub use heuristic::{CERTAIN, Heuristic, LastPly, fine, from_fine};
pub use knowledge::{Foresight, Inferior, Knowledge, MATERIAL_CLASSES, Tabled};
pub use line::Line;
pub use moves::{Move, Moves};
pub use notation::Notation;
pub use perft::{perft, perft_until};
pub use permutation::Permutation;
pub use planes::Planes;
pub use player::{ForMover, ForOne, Outcome, Player, certainty};
pub use playouts::{Playout, Playouts, Tally};
pub use random::Rng;
pub use record::{Record, Step};
pub use refusal::{MoveError, PositionError};
pub use rules::Rules;
pub use symmetry::{Symmetric, Symmetry};
pub use tuning::{Level, Tuning};

/// All traits of games at once, for those who use a game and do not write one.
pub mod prelude {
    pub use super::{
        Features, Game, Knowledge, Move, Notation, Planes, Playouts, Rules, Symmetric,
    };
}

/// Everything that search, networks and records ask of a game. Nothing is implemented by hand: a type that has the
/// parts is a game.
pub trait Game: Rules + Symmetric + Planes + Features + Knowledge + Playouts {}

impl<G: Rules + Symmetric + Planes + Features + Knowledge + Playouts> Game for G {}
