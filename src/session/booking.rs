//! The session's opening book: which one is used, and moves from it.

use super::options::{BOOK, OFF, VARIETY};
use super::{LastSearch, Session, SessionError};
use crate::book::{self, Book, Header};
use crate::game::{Player, Rng, random};
use crate::options::Values;
use crate::search::level::{self, LEVEL};
use std::path::Path;

/// A book in use.
pub(super) struct Shelf {
    header: Header,
    book: Book,
    /// Chooses between moves that are as good.
    rng: Rng,
}

impl Shelf {
    fn read(path: &str, options: &Values) -> Result<Self, SessionError> {
        let read = book::read(Path::new(path));
        let (header, book) =
            read.map_err(|error| SessionError::Book(format!("{path}: {error}")))?;
        let seed = options.int("seed").map(|seed| seed as u64);
        let rng = seed.map_or_else(random::from_entropy, random::seeded);
        Ok(Shelf { header, book, rng })
    }
}

impl Session {
    /// Uses the book of a file, or none. After an error it is the one before.
    pub(super) fn set_book(&mut self, text: &str) -> Result<(), SessionError> {
        let mut options = self.options.clone();
        options.set(BOOK, text)?;
        let path = options.name(BOOK);
        if path == OFF {
            self.book = None;
            self.options = options;
            return Ok(());
        }
        if self.files_shut {
            return Err(SessionError::NoFiles);
        }
        let shelf = Shelf::read(path, &options)?;
        if !self.is_of(&shelf.header) {
            return Err(SessionError::Book(self.useless(path, &shelf.header)));
        }
        self.book = Some(shelf);
        self.options = options;
        Ok(())
    }

    /// Uses the book that the options name, whatever game it is of: another one may be meant to come.
    pub(super) fn begin_book(&mut self) -> Result<(), SessionError> {
        let path = self.options.name(BOOK);
        if path == OFF {
            return Ok(());
        }
        let shelf = Shelf::read(path, &self.options)?;
        if !self.is_of(&shelf.header) {
            log::warn!("{}", self.useless(path, &shelf.header));
        }
        self.book = Some(shelf);
        Ok(())
    }

    fn useless(&self, path: &str, header: &Header) -> String {
        let own = format!("{} {}", self.entry.name, self.variant.changed());
        let (theirs, own) = (header.title(), own.trim_end());
        format!("{path}: a book of {theirs} is of no use in {own}")
    }

    fn is_of(&self, header: &Header) -> bool {
        self.entry.name == header.game && self.variant.changed() == header.variant
    }

    /// A move of the book for `player`, played if `play`; `None` where it has none.
    pub(super) fn book_move(
        &mut self,
        player: Player,
        play: bool,
    ) -> Result<Option<LastSearch>, SessionError> {
        let usable = self
            .book
            .as_ref()
            .is_some_and(|shelf| self.is_of(&shelf.header))
            && !self.has_level();
        let variety = self.options.real(VARIETY).unwrap_or(0.0) as f32;
        let Some(shelf) = self.book.as_mut().filter(|_| usable) else {
            return Ok(None);
        };
        let Shelf { book, rng, .. } = shelf;
        let mut choose = |count: usize| random::pick(rng, count as u32) as usize;
        self.game
            .book_move(book, player, play, variety, &mut choose)
    }

    /// Whether the player is weaker than it could be.
    fn has_level(&self) -> bool {
        let options = &self.searcher_options;
        let levels = &self.entry.tuning.levels;
        options.has(LEVEL.name) && level::asked(options, levels).is_some()
    }
}
