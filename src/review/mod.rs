//! A whole game looked at, move by move: every position is searched, and what the moves did to the values is told as text, JSON,
//! annotated SGF and one page of HTML. Knows analysis, files and sessions; neither GTP nor the command line.

mod board;
mod graph;
mod html;
mod json;
mod judge;
mod search;
mod sgf;
mod text;

pub use html::html;
pub use json::json;
pub use judge::{Better, Mark, Ply, Point, Side};
pub use search::{Settings, review};
pub use sgf::sgf;
pub use text::text;

use crate::analysis::Place;
use crate::files::Sheet;
use crate::game::{Outcome, Player};
use crate::session::DEFAULT_GAME;

/// Why a game cannot be reviewed.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    #[error(transparent)]
    Session(#[from] crate::session::SessionError),
    /// Neither the file nor the user named a game.
    #[error(
        "{0} (no game was named, and it was read as one of {DEFAULT_GAME}; --game names another)"
    )]
    Assumed(crate::session::SessionError),
    /// A search was refused.
    #[error("{}: {}", .0.field, .0.text)]
    Search(#[from] crate::analysis::Field),
    #[error("{0} says no value of a position; choose another searcher")]
    NoValue(String),
    #[error("the game has no moves")]
    NoMoves,
    #[error(transparent)]
    Panicked(#[from] crate::threads::Panicked),
}

/// What was found out about a game.
#[derive(Debug, Clone)]
pub struct Review {
    /// The game with its canonical moves.
    pub place: Place,
    /// Names, event, result and variant as the file and the board say them.
    pub sheet: Sheet,
    /// The searcher with its options, and the limits of a search.
    pub how: String,
    /// The position before each move, and the last one.
    pub points: Vec<Point>,
    pub plies: Vec<Ply>,
    pub sides: [Side; 2],
}

impl Review {
    /// Game and variant, as `set_game` takes them.
    pub fn game(&self) -> String {
        let game = &self.place.game;
        format!("{} {}", game.name, game.pairs.join(" "))
            .trim()
            .into()
    }

    /// A player's name, or nothing.
    pub fn name(&self, player: Player) -> &str {
        let name = self.sheet.names[player.index()].as_deref();
        name.map_or("", str::trim)
    }

    /// A player as the reader knows it: `b` or `w`, with the name.
    pub fn called(&self, player: Player) -> String {
        format!("{player} {}", self.name(player)).trim().into()
    }

    /// How the game ended, in words.
    pub fn ending(&self) -> String {
        match self.sheet.result {
            Some(Outcome::Draw) => "drawn".into(),
            Some(Outcome::Win(winner)) => format!("{winner} has won"),
            None => "no result".into(),
        }
    }
}
