//! Game records of files: SGF, PDN, GGF, transcripts, the project's own text, and the games that a match keeps. Text in, a [`Sheet`]
//! out and back; whether its moves are legal is for those who play them. Knows no session.

pub mod ggf;
mod journal;
pub mod pdn;
pub mod sgf;
pub mod text;
pub mod transcript;

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
    /// Moves beside the game, each with the number of the move before it. Moves count from 1, these after those of the game; 0 is
    /// the start.
    pub variations: Vec<(usize, Option<Player>, String)>,
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

/// Characters of a name; longer ones are cut.
const LONGEST_NAME: usize = 100;

impl Sheet {
    /// Takes from what people wrote what could disturb a screen, and refuses it in moves.
    pub fn checked(mut self) -> Result<Self, FileError> {
        for text in self.names.iter_mut().chain([&mut self.event]) {
            let shown = |text: String| -> String {
                let visible = text.chars().filter(|c| !is_hidden(*c));
                visible.take(LONGEST_NAME).collect()
            };
            *text = text
                .take()
                .map(shown)
                .filter(|text| !text.trim().is_empty());
        }
        let moves = self.moves.iter().map(|(_, text)| text);
        let variations = self.variations.iter().map(|(.., text)| text);
        let stones = self.stones.iter().map(|(_, square)| square);
        let variant = self
            .game
            .iter()
            .flat_map(|(name, pairs)| pairs.iter().chain([name]));
        let texts = moves.chain(variations).chain(stones).chain(variant);
        let disturbs = texts
            .chain(&self.position)
            .any(|text| text.contains(is_hidden));
        match disturbs {
            true => Err(FileError::new(
                "control characters where a move, a square or a position stands",
            )),
            false => Ok(self),
        }
    }
}

/// Control characters, and those that turn the direction of writing.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// How a game is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Sgf,
    Pdn,
    Ggf,
    /// Of Othello, `f5d6c3…`.
    Transcript,
    /// A line of the file `games.jsonl` of a match.
    Match,
    /// The project's own, see [`text`].
    Text,
}

impl Form {
    /// Those that a game can be saved in.
    pub const WRITTEN: [Form; 5] = [
        Form::Text,
        Form::Sgf,
        Form::Pdn,
        Form::Ggf,
        Form::Transcript,
    ];

    /// By how the text begins.
    pub fn of(content: &str) -> Form {
        let content = content.trim_start_matches('\u{feff}').trim_start();
        let head = content.get(..1);
        match head {
            Some("[") => Form::Pdn,
            Some("{") => Form::Match,
            _ if ggf::is_one(content) => Form::Ggf,
            Some("(") => Form::Sgf,
            // SGF allows text before the game.
            _ if content.contains("(;") => Form::Sgf,
            _ if transcript::is_one(content) => Form::Transcript,
            _ => Form::Text,
        }
    }

    /// The form that a file's name asks for.
    pub fn of_ending(ending: &str) -> Form {
        let ending = ending.to_ascii_lowercase();
        let mut forms = Form::WRITTEN.into_iter();
        let form = forms.find(|form| form.ending() == ending);
        form.unwrap_or(Form::Text)
    }

    /// How the names of its files end.
    pub fn ending(self) -> &'static str {
        match self {
            Form::Sgf => "sgf",
            Form::Pdn => "pdn",
            Form::Ggf => "ggf",
            Form::Transcript => "transcript",
            Form::Match => "jsonl",
            Form::Text => "txt",
        }
    }

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Form::Sgf => "SGF, with variations",
            Form::Pdn => "PDN",
            Form::Ggf => "GGF",
            Form::Transcript => "Transcript",
            Form::Match => "JSON",
            Form::Text => "Text",
        }
    }

    /// The only game that can be written so, if there is only one.
    pub fn only_for(self) -> Option<&'static str> {
        match self {
            Form::Pdn => Some(pdn::GAME),
            Form::Ggf | Form::Transcript => Some(ggf::GAME),
            Form::Sgf | Form::Match | Form::Text => None,
        }
    }

    /// Reads the text of one game.
    pub fn read(self, game: &str) -> Result<Sheet, FileError> {
        let sheet = match self {
            Form::Sgf => sgf::read(game),
            Form::Pdn => pdn::read(game),
            Form::Ggf => ggf::read(game),
            Form::Transcript => transcript::read(game),
            Form::Match => journal::read(game),
            Form::Text => text::read(game),
        };
        sheet?.checked()
    }
}

/// The games of a file, each as text, and the form of all of them. Never an empty list.
pub fn games(content: &str) -> Result<(Form, Vec<&str>), FileError> {
    let form = Form::of(content);
    let games = match form {
        Form::Sgf => sgf::split(content),
        Form::Pdn => pdn::split(content),
        Form::Ggf => ggf::split(content),
        Form::Transcript => transcript::split(content),
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
            ("(;GM[Othello]PC[x])", Form::Ggf),
            ("1 (;GM[othello]PC[x];)", Form::Ggf),
            ("F5D6C3\n", Form::Transcript),
            ("f5f5d6", Form::Text),
            ("a2a3", Form::Text),
            ("", Form::Text),
        ] {
            assert_eq!(Form::of(text), form, "{text}");
        }
        assert_eq!(Form::of_ending("SGF"), Form::Sgf);
        assert_eq!(Form::of_ending("md"), Form::Text);
        assert!(games(" \n").is_err() && games("{\"treeline-match\":1}\n").is_err());
    }

    #[test]
    fn names_are_cleaned_and_moves_refused() {
        let text = "(;GM[11]PB[A\u{1b}[31m\u{202e}nn<b>]PW[\u{7}];B[a1])";
        let sheet = first(&text.replace("[31m", "31m")).unwrap();
        assert_eq!(sheet.names, [Some("A31mnn<b>".into()), None]);
        let long = format!("black: {}\na1", "x".repeat(5000));
        assert_eq!(first(&long).unwrap().names[0].as_ref().unwrap().len(), 100);
        for bad in ["(;GM[11];B[a\u{1}1])", "position: \u{7}\na1", "a1\u{0}"] {
            assert!(first(bad).unwrap_err().0.contains("control"), "{bad:?}");
        }
    }
}
