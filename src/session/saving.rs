//! Files with games: read with care, written whole or not at all.

use super::{Session, SessionError};
use crate::files::{self, Sheet, pdn};
use crate::game::{Outcome, Player, sgf};
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
        let record = match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("sgf") => self.as_sgf(),
            Some("pdn") => self.as_pdn()?,
            _ => files::text::write(&self.sheet()),
        };
        write_new(path, &record)
    }

    /// The game so far.
    pub fn as_sgf(&self) -> String {
        let mut root = self.sgf_root();
        root.extend(self.score().map(|score| ("RE", score)));
        sgf::write(root, self.game.moves_so_far())
    }

    fn as_pdn(&self) -> Result<String, SessionError> {
        let name = self.entry.name;
        if name != pdn::GAME {
            let text = format!("PDN is for {}; save {name} as .sgf or .txt", pdn::GAME);
            return Err(SessionError::File(text));
        }
        let result = self.game.outcome();
        let mut tags = vec![
            ("Result", pdn::result_word(result).into()),
            ("GameType", pdn::INTERNATIONAL.into()),
        ];
        tags.extend(self.game.special_start().map(|fen| ("FEN", fen)));
        Ok(pdn::write(tags, self.game.moves_so_far(), result))
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
