//! Files with games: read with care, written whole or not at all.

use super::{Session, SessionError};
use crate::files::{self, Form, Sheet, ggf, pdn, transcript};
use crate::game::sgf::Step;
use crate::game::{Grid, Outcome, Player, sgf};
use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

/// Larger files are no game records, in bytes.
const LARGEST: u64 = 1 << 18;

fn unreadable(error: impl std::fmt::Display) -> SessionError {
    SessionError::File(error.to_string())
}

/// The first game of a file.
pub fn read_file(path: &str) -> Result<Sheet, SessionError> {
    let no_record = || unreadable(format!("not a regular file of 1 to {LARGEST} bytes"));
    // Of what is empty nothing is read: /proc has files that are regular and empty and keep readers waiting.
    let fits = |data: &fs::Metadata| data.is_file() && (1..=LARGEST).contains(&data.len());
    // Asked first, since opening a device can have effects; and of the open file, since the name may change hands.
    if !fits(&fs::metadata(path).map_err(unreadable)?) {
        return Err(no_record());
    }
    let file = fs::File::open(path).map_err(unreadable)?;
    let data = file.metadata().map_err(unreadable)?;
    if !fits(&data) {
        return Err(no_record());
    }
    let mut bytes = Vec::new();
    file.take(data.len())
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    files::first(&String::from_utf8_lossy(&bytes)).map_err(unreadable)
}

/// A new file, whole or not at all.
pub fn write_new(path: &str, record: &str) -> Result<(), SessionError> {
    let keep = || -> io::Result<()> {
        let mut file = fs::File::create_new(path)?;
        let written = file
            .write_all(record.as_bytes())
            .and_then(|()| file.sync_all());
        if written.is_err() {
            // Half a record would be in the way of the next attempt.
            let _ = fs::remove_file(path);
        }
        written
    };
    keep().map_err(|error| SessionError::File(format!("cannot write {path}: {error}")))
}

impl Session {
    /// The first game of a text in any form. What does not fit changes nothing.
    pub fn load_text(&mut self, content: &str) -> Result<(), SessionError> {
        if content.len() as u64 > LARGEST {
            return Err(unreadable(format!("longer than {LARGEST} bytes")));
        }
        let sheet = files::first(content).map_err(unreadable)?;
        self.load(&sheet, usize::MAX)
    }

    /// Writes the game so far into a new file, in the form that its name asks for.
    pub fn save(&self, path: &str) -> Result<(), SessionError> {
        let ending = Path::new(path).extension().and_then(|e| e.to_str());
        let form = Form::of_ending(ending.unwrap_or_default());
        write_new(path, &self.record(form, &Sheet::default(), &[])?)
    }

    /// The game so far in a form that it can be saved in. Of `said` come names, event, and the result of a game that the rules have
    /// not ended. SGF has all of `tree` (as [`Session::load_tree`] makes it) where there is one.
    pub fn record(&self, form: Form, said: &Sheet, tree: &[Step]) -> Result<String, SessionError> {
        let own = self.sheet();
        let sheet = Sheet {
            names: said.names.clone(),
            event: said.event.clone(),
            result: own.result.or(said.result),
            ..own
        };
        let name = self.entry.name;
        if let Some(only) = form.only_for().filter(|only| *only != name) {
            let title = form.ending().to_ascii_uppercase();
            let text = format!("{title} is for {only}; save {name} as .sgf or .txt");
            return Err(SessionError::File(text));
        }
        match form {
            Form::Sgf => Ok(self.tree_as_sgf(&sheet, tree)),
            Form::Pdn => Ok(as_pdn(&sheet)),
            Form::Ggf => self.as_ggf(&sheet),
            Form::Transcript => self.as_transcript(&sheet),
            Form::Text | Form::Match => Ok(files::text::write(&sheet)),
        }
    }

    /// The game so far.
    pub fn as_sgf(&self) -> String {
        self.tree_as_sgf(&self.sheet(), &[])
    }

    fn tree_as_sgf(&self, sheet: &Sheet, tree: &[Step]) -> String {
        let mut root = self.sgf_root();
        for (property, name) in ["PB", "PW"].into_iter().zip(&sheet.names) {
            root.extend(name.as_ref().map(|name| (property, sgf::escaped(name))));
        }
        let event = sheet.event.as_ref();
        root.extend(event.map(|event| ("EV", sgf::escaped(event))));
        let result = sheet.result.map(files::sgf::result_word);
        root.extend(self.score().or(result).map(|score| ("RE", score)));
        match tree {
            [] => sgf::write(root, self.game.moves_so_far()),
            tree => sgf::write_tree(root, tree),
        }
    }

    fn as_ggf(&self, sheet: &Sheet) -> Result<String, SessionError> {
        let mut begin = self.another()?;
        if let Some(position) = &sheet.position {
            begin.game.set_position(position)?;
        }
        let start = begin.game.grid().unwrap_or(Grid::new(0, 0, |_| None));
        let moves = self.game.moves_so_far();
        let moves = moves.iter().map(|(player, text)| (*player, text.as_str()));
        let margin = sheet.result.and(self.game.margin());
        let turn = begin.game.turn();
        Ok(ggf::write(&sheet.names, (&start, turn), moves, margin))
    }

    fn as_transcript(&self, sheet: &Sheet) -> Result<String, SessionError> {
        let grid = self.game.grid();
        let usual = grid.is_some_and(|grid| grid.columns == transcript::SIZE);
        if !usual || sheet.position.is_some() || sheet.moves.len() < 2 {
            let text = "a transcript is of a game on 8 by 8 from its start; save this one as .ggf";
            return Err(SessionError::File(text.into()));
        }
        Ok(transcript::write(
            sheet.moves.iter().map(|(_, text)| text.as_str()),
        ))
    }

    /// The result with its margin: `B+12`, `W+`, `0`; `None` before the end.
    pub fn score(&self) -> Option<String> {
        let winner = match self.game.outcome()? {
            Outcome::Draw => return Some("0".into()),
            Outcome::Win(Player::One) => "B",
            Outcome::Win(Player::Two) => "W",
        };
        let margin = self.game.margin().map(|margin| margin.abs().to_string());
        Some(format!("{winner}+{}", margin.unwrap_or_default()))
    }
}

fn as_pdn(sheet: &Sheet) -> String {
    let mut tags = Vec::new();
    let [white, black] = sheet.names.clone();
    for (tag, text) in [
        ("Event", &sheet.event),
        ("White", &white),
        ("Black", &black),
    ] {
        tags.extend(text.clone().map(|text| (tag, text)));
    }
    tags.push(("Result", pdn::result_word(sheet.result).into()));
    tags.push(("GameType", pdn::INTERNATIONAL.into()));
    tags.extend(sheet.position.clone().map(|fen| ("FEN", fen)));
    let moves = sheet.moves.iter();
    let moves = moves.filter_map(|(player, text)| Some(((*player)?, text)));
    pdn::write(tags, moves, sheet.result)
}
