//! The rules as the referee needs them: one game in progress, its type hidden, everything in text. No search.

use crate::game::{Cell, Grid, MoveError, Notation, Outcome, Player, Record};
use crate::games::{self, Entry, Visitor};
use crate::options::Values;

/// A game and its variant as a user writes them: `hex size=9 swap=on`.
#[derive(Debug, Clone)]
pub struct Variant {
    pub entry: &'static Entry,
    pub values: Values,
}

impl Variant {
    /// Reads `NAME key=value …`; an error is a sentence.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        let entry = games::find(name).ok_or_else(|| {
            let known: Vec<_> = games::ENTRIES.iter().map(|entry| entry.name).collect();
            let name = crate::options::shorten(name);
            format!("unknown game '{name}'; known: {}", known.join(", "))
        })?;
        let mut values = entry.defaults();
        values.set_pairs(words).map_err(|e| e.to_string())?;
        let variant = Variant { entry, values };
        variant.open()?;
        Ok(variant)
    }

    /// The shortest text that [`Variant::read`] reads as this one: how the variant is called everywhere.
    pub fn name(&self) -> String {
        let changed = self.values.changed();
        format!("{} {changed}", self.entry.name).trim().to_string()
    }

    /// A board with the initial position.
    pub fn open(&self) -> Result<Box<dyn Board>, String> {
        struct Open;
        impl Visitor for Open {
            type Output = Box<dyn Board>;
            fn visit<G: Notation>(self, game: G) -> Self::Output {
                Box::new(Record::new(game))
            }
        }
        self.entry
            .with(&self.values, Open)
            .map_err(|e| e.to_string())
    }
}

/// A game in progress.
pub trait Board: Send {
    fn turn(&self) -> Player;
    /// The result, repetition included.
    fn outcome(&self) -> Option<Outcome>;
    /// Player one's points minus player two's, where the game counts points.
    fn margin(&self) -> Option<i32>;
    /// The legal moves as they are written; none when the game is over.
    fn legal_moves(&self) -> Vec<String>;
    /// How a legal move that a player wrote as `text` is written.
    fn read(&self, text: &str) -> Result<String, MoveError>;
    /// Plays a legal move.
    fn play(&mut self, text: &str) -> Result<(), MoveError>;
    /// The position on one line.
    fn position(&self) -> String;
    /// Begins at a position; an error is a sentence.
    fn set_position(&mut self, text: &str) -> Result<(), String>;
    fn grid(&self) -> Option<Grid>;
    /// Where a legal move puts its stone, in games where a move places one.
    fn placed_at(&self, text: &str) -> Option<Cell>;
}

impl<G: Notation> Board for Record<G> {
    fn turn(&self) -> Player {
        Record::turn(self)
    }

    fn outcome(&self) -> Option<Outcome> {
        Record::outcome(self)
    }

    fn margin(&self) -> Option<i32> {
        self.game().margin(Record::position(self))
    }

    fn legal_moves(&self) -> Vec<String> {
        let position = Record::position(self);
        let write = |m: &G::Move| self.game().write_move(position, *m);
        self.moves().iter().map(write).collect()
    }

    fn read(&self, text: &str) -> Result<String, MoveError> {
        if Record::outcome(self).is_some() {
            return Err(MoveError::Finished);
        }
        let position = Record::position(self);
        let m = self.game().read_move(position, text)?;
        // Reading is about text; what is legal the moves say.
        if !self.game().moves(position).contains(&m) {
            return Err(MoveError::Illegal {
                text: crate::options::shorten(text),
                reason: "no such move here".into(),
            });
        }
        Ok(self.game().write_move(position, m))
    }

    fn play(&mut self, text: &str) -> Result<(), MoveError> {
        let m = self.game().read_move(Record::position(self), text)?;
        Record::play(self, m)
    }

    fn position(&self) -> String {
        self.game().write_position(Record::position(self))
    }

    fn set_position(&mut self, text: &str) -> Result<(), String> {
        let position = self.game().read_position(text).map_err(|e| e.to_string())?;
        *self = Record::from_position(self.game().clone(), position);
        Ok(())
    }

    fn grid(&self) -> Option<Grid> {
        self.game().grid(Record::position(self))
    }

    fn placed_at(&self, text: &str) -> Option<Cell> {
        let position = Record::position(self);
        let m = self.game().read_move(position, text).ok()?;
        self.game().placed_at(position, m)
    }
}
