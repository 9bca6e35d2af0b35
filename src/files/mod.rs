//! Game records of files: SGF, PDN, the project's own text, and the games that a match keeps. Text in, a [`Sheet`] out and back;
//! whether its moves are legal is for those who play them. Knows no session.

mod journal;
pub mod pdn;
pub mod sgf;
pub mod text;

use crate::game::{Outcome, Player};

/// A game as a file tells it, before anything of it is tried.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sheet {
    /// Name and `key=value` words; `None` where the file does not say which game it is.
    pub game: Option<(String, Vec<String>)>,
    /// Columns and rows, where they stand apart from the variant.
    pub size: Option<(u32, u32)>,
    /// One line, instead of the game's start.
    pub position: Option<String>,
    /// Stones to begin with, in games that place stones, each with its square.
    pub stones: Vec<(Player, String)>,
    /// Who moves first after `stones`.
    pub turn: Option<Player>,
    /// With their players, where the file says them.
    pub moves: Vec<(Option<Player>, String)>,
    /// Of player one and player two.
    pub names: [Option<String>; 2],
    pub event: Option<String>,
    pub result: Option<Outcome>,
}

/// Why a text is no game record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FileError(pub String);

impl FileError {
    fn new(text: impl ToString) -> Self {
        FileError(text.to_string())
    }
}

/// How a game is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Sgf,
    Pdn,
    /// A line of the file `games.jsonl` of a match.
    Match,
    /// The project's own, see [`text`].
    Text,
}

impl Form {
    /// By how the text begins.
    pub fn of(content: &str) -> Form {
        let content = content.trim_start_matches('\u{feff}').trim_start();
        let head = content.get(..1);
        match head {
            Some("[") => Form::Pdn,
            Some("{") => Form::Match,
            Some("(") => Form::Sgf,
            // SGF allows text before the game.
            _ if content.contains("(;") => Form::Sgf,
            _ => Form::Text,
        }
    }

    /// Reads the text of one game.
    pub fn read(self, game: &str) -> Result<Sheet, FileError> {
        match self {
            Form::Sgf => sgf::read(game),
            Form::Pdn => pdn::read(game),
            Form::Match => journal::read(game),
            Form::Text => text::read(game),
        }
    }
}

/// The games of a file, each as text, and the form of all of them. Never an empty list.
pub fn games(content: &str) -> Result<(Form, Vec<&str>), FileError> {
    let form = Form::of(content);
    let games = match form {
        Form::Sgf => sgf::split(content),
        Form::Pdn => pdn::split(content),
        Form::Match => journal::split(content),
        Form::Text => text::split(content),
    };
    match games.is_empty() {
        true => Err(FileError::new("no game in it")),
        false => Ok((form, games)),
    }
}

/// The first game of a file.
pub fn first(content: &str) -> Result<Sheet, FileError> {
    let (form, games) = games(content)?;
    form.read(games[0])
}

/// Cuts a text before every line that begins a game: `begins` says whether one does, told whether there were moves since the
/// last such line.
fn cut(content: &str, mut begins: impl FnMut(&str) -> bool) -> Vec<&str> {
    let (mut games, mut from, mut at) = (Vec::new(), 0, 0);
    for line in content.split_inclusive('\n') {
        if begins(line.trim()) {
            games.push(&content[from..at]);
            from = at;
        }
        at += line.len();
    }
    games.push(&content[from..]);
    games.retain(|game| !game.trim().is_empty());
    games
}

/// Whether a word numbers a move, as `12.` or `12...` do.
fn is_number(word: &str) -> bool {
    let digits = word.trim_end_matches('.');
    digits.len() < word.len() && digits.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_seen_at_the_head() {
        for (text, form) in [
            ("(;FF[4]GM[2])", Form::Sgf),
            ("junk (;FF[4])", Form::Sgf),
            ("\u{feff}\n[Event \"x\"]\n1. 32-28 *", Form::Pdn),
            ("{\"treeline-match\":1}\n", Form::Match),
            ("game: hex\na1 b2", Form::Text),
            ("a1 b2", Form::Text),
            ("", Form::Text),
        ] {
            assert_eq!(Form::of(text), form, "{text}");
        }
        assert!(games(" \n").is_err() && games("{\"treeline-match\":1}\n").is_err());
    }
}
