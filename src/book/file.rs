//! Book files: JSON, a line of what the book is of, then a line a position, in the order in which they were searched. A process that is
//! killed leaves half a line at most, which is left out.

use super::{ALL_MOVES, Book, Canon, MOST, MOVES, Searched};
use crate::game::{Notation, Outcome, Rules};
use crate::games::{self, AnyGame, AnyPosition};
use crate::search::proof::seen_by;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Longer lines are no position's.
const LONGEST: usize = 64 << 10;
const VERSION: u32 = 1;

/// Why a file is no book, or cannot be added to.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("it is no opening book: {0}")]
    Strange(String),
    #[error("it is a book of {0}")]
    Other(String),
    #[error("line {line}: {reason}")]
    Line { line: usize, reason: String },
    #[error("another process adds to it")]
    Locked,
    #[error("a book has at most {MOST} positions, and {ALL_MOVES} moves")]
    Full,
}

/// What a book is of, and how its positions were searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The version of the form of the file.
    pub book: u32,
    pub game: String,
    /// `key=value` words; empty for the usual variant.
    pub variant: String,
    /// The searcher with its options.
    pub searcher: String,
    /// The network, where one judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// What limited a search, in words.
    pub limits: String,
}

impl Header {
    pub fn new(game: &str, variant: &str) -> Self {
        Header {
            book: VERSION,
            game: game.into(),
            variant: variant.into(),
            searcher: String::new(),
            network: None,
            limits: String::new(),
        }
    }

    fn open(&self) -> Result<AnyGame, BookError> {
        if self.book != VERSION {
            let text = format!("version {}, known: {VERSION}", self.book);
            return Err(BookError::Strange(text));
        }
        let entry = games::find(&self.game);
        let entry = entry
            .ok_or_else(|| BookError::Strange(format!("unknown game '{}'", shorten(&self.game))))?;
        let game = entry.open_variant(&self.variant);
        game.map_err(|error| BookError::Strange(error.to_string()))
    }
}

/// A position as its line says it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    position: String,
    /// Best first, each with its score for the side to move, from 0 to 1.
    moves: Vec<(String, f32)>,
    /// `win`, `loss` or `draw` for the side to move, where that is certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    proven: Option<String>,
}

/// A book, what it is of, and how many bytes of its file are whole lines.
fn parse(file: &File) -> Result<(Header, Book, u64), BookError> {
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    let strange = |error: &dyn std::fmt::Display| BookError::Strange(error.to_string());
    if !next_line(&mut reader, &mut line)? {
        return Err(strange(&"it has no first line"));
    }
    let header: Header =
        serde_json::from_slice(&line).map_err(|error| strange(&unplaced(&error)))?;
    let mut book = Book::new(header.open()?);
    let mut whole = line.len() as u64;
    for number in 2.. {
        let wrong = |reason: String| BookError::Line {
            line: number,
            reason,
        };
        if !next_line(&mut reader, &mut line).map_err(|error| wrong(error.to_string()))? {
            break;
        }
        whole += line.len() as u64;
        let line: Line = serde_json::from_slice(&line).map_err(|error| wrong(unplaced(&error)))?;
        let (position, searched) = line.read(book.game()).map_err(wrong)?;
        if book.has(book.game().key(&position)) {
            return Err(wrong("its position was there before".into()));
        }
        if book.is_full() {
            return Err(BookError::Full);
        }
        book.add(&position, &searched);
    }
    book.settle();
    Ok((header, book, whole))
}

/// What is wrong with a line's JSON, without the place that serde_json adds: it knows of one line.
fn unplaced(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text[..end].into()
}

/// Reads the next line with its end; false where none is left, or only a part of one. A last line that lacks nothing but its end, as
/// editors write them, is a whole one.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    reader
        .by_ref()
        .take(LONGEST as u64 + 1)
        .read_until(b'\n', line)?;
    match line.len() > LONGEST {
        true => Err(std::io::Error::other("the line is too long")),
        false => {
            Ok(line.ends_with(b"\n") || serde_json::from_slice::<serde_json::Value>(line).is_ok())
        }
    }
}

impl Line {
    fn of(game: &AnyGame, position: &AnyPosition, searched: &Searched) -> Self {
        let moves = searched.moves.iter();
        let turn = game.turn(position);
        Line {
            position: game.write_position(position),
            moves: moves
                .map(|(m, score)| (game.write_move(position, *m), rounded(*score)))
                .collect(),
            proven: searched.proven.map(|outcome| seen_by(outcome, turn).into()),
        }
    }

    /// The canonical position and what was found there.
    fn read(&self, game: &AnyGame) -> Result<(AnyPosition, Searched), String> {
        let original = game
            .read_position(&self.position)
            .map_err(|error| error.to_string())?;
        if game.outcome(&original).is_some() {
            return Err("its game is over".into());
        }
        let canon = Canon::of(game, &original);
        if self.moves.is_empty() || self.moves.len() > MOVES {
            return Err(format!(
                "1 to {MOVES} moves expected, not {}",
                self.moves.len()
            ));
        }
        let mut moves = Vec::new();
        for (text, score) in &self.moves {
            let m = game.read_move(&original, text);
            let m = m.map_err(|error| format!("'{}': {error}", shorten(text)))?;
            if !(0.0..=1.0).contains(score) {
                return Err(format!("'{text}': a score is from 0 to 1"));
            }
            let m = canon.image(game, &original, m);
            if moves.iter().any(|(other, _)| *other == m) {
                return Err(format!("'{text}' twice"));
            }
            moves.push((m, *score));
        }
        let turn = game.turn(&original);
        let proven = match self.proven.as_deref() {
            None => None,
            Some("win") => Some(Outcome::Win(turn)),
            Some("loss") => Some(Outcome::Win(turn.other())),
            Some("draw") => Some(Outcome::Draw),
            Some(other) => return Err(format!("'{}' is no result", shorten(other))),
        };
        Ok((canon.position, Searched { moves, proven }))
    }
}

fn shorten(text: &str) -> String {
    crate::options::shorten(text)
}

/// Four decimals say all that a search knows.
fn rounded(score: f32) -> f32 {
    (score * 1e4).round() / 1e4
}

/// Reads a book.
pub fn read(path: &Path) -> Result<(Header, Book), BookError> {
    regular(path)?;
    let (header, mut book, _) = parse(&File::open(path)?)?;
    book.close();
    Ok((header, book))
}

/// An error where something else than a file is there: a pipe would keep its reader waiting.
fn regular(path: &Path) -> Result<(), BookError> {
    match std::fs::metadata(path)?.is_file() {
        true => Ok(()),
        false => Err(BookError::Strange("no regular file".into())),
    }
}

/// A book that grows, and its file, which nobody else adds to meanwhile.
#[derive(Debug)]
pub struct Writer {
    pub header: Header,
    pub book: Book,
    file: File,
    /// Bytes of whole lines; 0 where not even the first is there, which comes with the first position.
    end: u64,
    /// Whether the last of them lacks its end.
    is_bare: bool,
}

impl Writer {
    /// Opens the book in `path`, or begins one of which `header` says what it is of; a book that is there must be of the same
    /// game. Half a line at its end is cut off.
    pub fn open(path: &Path, header: Header) -> Result<Self, BookError> {
        if path.exists() {
            regular(path)?;
        }
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        match file.try_lock() {
            Ok(()) => (),
            Err(TryLockError::WouldBlock) => return Err(BookError::Locked),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let mut start = Vec::new();
        let is_whole = next_line(&mut BufReader::new(&file), &mut start)?;
        // A file whose first line was never finished holds nothing.
        if !is_whole && (start.is_empty() || start.starts_with(b"{\"book\":")) {
            let book = Book::new(header.open()?);
            return Ok(Writer {
                header,
                book,
                file,
                end: 0,
                is_bare: false,
            });
        }
        file.rewind()?;
        let (own, book, end) = parse(&file)?;
        if (&own.game, &own.variant) != (&header.game, &header.variant) {
            return Err(BookError::Other(own.title()));
        }
        let mut last = [b'\n'];
        if end > 0 {
            file.seek(SeekFrom::Start(end - 1))?;
            file.read_exact(&mut last)?;
        }
        Ok(Writer {
            header: own,
            book,
            file,
            end,
            is_bare: last != [b'\n'],
        })
    }

    /// Adds a canonical position that is not there yet. After an error neither the book nor its file has it.
    pub fn add(&mut self, position: &AnyPosition, searched: &Searched) -> Result<(), BookError> {
        if self.book.is_full() {
            return Err(BookError::Full);
        }
        let moves = searched.moves.iter().take(MOVES);
        // As it will be read.
        let searched = Searched {
            moves: moves.map(|(m, score)| (*m, rounded(*score))).collect(),
            proven: searched.proven,
        };
        let line = Line::of(self.book.game(), position, &searched);
        let mut text = serde_json::to_string(&line).map_err(std::io::Error::from)?;
        if self.end == 0 {
            let header = serde_json::to_string(&self.header).map_err(std::io::Error::from)?;
            text = format!("{header}\n{text}");
        }
        self.append(&text)?;
        self.book.add(position, &searched);
        self.book.settle();
        Ok(())
    }

    fn append(&mut self, line: &str) -> Result<(), BookError> {
        let before = if self.is_bare { "\n" } else { "" };
        let bytes = format!("{before}{line}\n");
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(bytes.as_bytes())?;
        self.file.sync_data()?;
        self.end += bytes.len() as u64;
        self.is_bare = false;
        Ok(())
    }
}

impl Header {
    /// The game and its variant.
    pub fn title(&self) -> String {
        format!("{} {}", self.game, self.variant).trim_end().into()
    }
}
