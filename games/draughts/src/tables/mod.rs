//! Endgame tables: for every position with few pieces who wins with best play, and in how many plies at most.
//!
//! A table knows the rules of the board and the 16-move and 5-move rules; it knows no other counter. Its word is used as it
//! holds under any of the game's draw rules ([`Tables::verdict`]):
//!
//! - *Drawn*: neither side can force a win even if no rule ends a game. Draw rules only add draws.
//! - *Won in n plies*: who follows the shortest way wins within n plies, whatever the other side does. Each counter grows by one
//!   a ply at most, so that none can run out where n plies are left of all of them. An ending of the 16-move or 5-move rule that
//!   arises on the way has its own limit, and only counts where it is won within that.
//! - *Beyond*: one side wins if no rule ends the game, and cannot be shown to win in time. That is left to search.
//!
//! Repetition: on the shortest way the distance falls, so that no position comes twice.

mod board;
pub mod file;
mod index;
mod make;
mod share;
pub mod shared;
mod solve;
#[cfg(test)]
mod tests;
mod verify;

pub use index::{Board, MOST};
pub use make::make;

use index::{CLASSES, Class};

/// Plies to the end of the game: even where the side to move loses, odd where it wins. Up to this one.
const LONGEST: u8 = 249;
/// Lost or won by the rules of the board, with more plies than a rule allows.
const BEYOND_LOST: u8 = 252;
const BEYOND_WON: u8 = 253;
/// Neither side wins; while a table is made, not known yet.
const DRAWN: u8 = 255;

/// What a table says of a position for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Draw,
    /// Within so many plies.
    Win(u8),
    Loss(u8),
    /// A win or a loss that a rule may turn into a draw.
    Beyond,
}

/// The tables at hand.
#[derive(Debug, Clone)]
pub struct Tables {
    /// By number of class; empty where there is none.
    codes: Vec<Box<[u8]>>,
}

impl Default for Tables {
    fn default() -> Self {
        Tables {
            codes: vec![Box::default(); CLASSES],
        }
    }
}

impl Tables {
    /// Bytes of the tables of so many pieces.
    pub fn bytes(pieces: u32) -> usize {
        Class::all(pieces).into_iter().map(Class::length).sum()
    }

    /// Without those of so many pieces.
    fn forget(&mut self, pieces: u32) {
        for class in Class::all(pieces) {
            self.codes[class.number()] = Box::default();
        }
    }

    /// What is known of an unfinished position with at most [`MOST`] pieces; `None` without its table.
    #[inline]
    pub fn verdict(&self, board: Board) -> Option<Verdict> {
        let class = board.class();
        let codes = self.codes.get(class.number())?;
        let code = *codes.get(class.index(board))?;
        Some(match code {
            DRAWN => Verdict::Draw,
            BEYOND_LOST.. => Verdict::Beyond,
            plies if plies % 2 == 1 => Verdict::Win(plies),
            plies => Verdict::Loss(plies),
        })
    }
}
