//! The rules as the referee needs them: one game in progress, its type hidden, everything in text. No search.

use crate::game::{Cell, Grid, MoveError, Notation, Outcome, Player, Record, Rules};
use crate::games::{self, AnyGame, AnyMove, Entry};
use crate::options::Values;
use anyhow::{Context, Result};

/// A game and its variant as a user writes them: `hex size=9 swap=on`.
#[derive(Debug, Clone)]
pub struct Variant {
    pub entry: &'static Entry,
    pub values: Values,
}

impl Variant {
    /// Reads `NAME key=value …`.
    pub fn read(text: &str) -> Result<Self> {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        let entry = games::find(name).with_context(|| {
            let known: Vec<_> = games::ENTRIES.iter().map(|entry| entry.name).collect();
            let name = crate::options::shorten(name);
            format!("unknown game '{name}'; known: {}", known.join(", "))
        })?;
        let mut values = entry.defaults();
        values.set_pairs(words)?;
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
    pub fn open(&self) -> Result<Board> {
        let game = self.entry.open(&self.values)?;
        Ok(Board(Record::new(game)))
    }
}

/// A game in progress.
#[derive(Debug, Clone)]
pub struct Board(Record<AnyGame>);

impl Board {
    pub fn turn(&self) -> Player {
        self.0.turn()
    }

    /// The result, repetition included.
    pub fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    /// Player one's points minus player two's, where the game counts points.
    pub fn margin(&self) -> Option<i32> {
        self.0.game().margin(self.0.position())
    }

    /// The legal moves as they are written; none when the game is over.
    pub fn legal_moves(&self) -> Vec<String> {
        let position = self.0.position();
        let write = |m: &AnyMove| self.0.game().write_move(position, *m);
        self.0.moves().iter().map(write).collect()
    }

    /// How a legal move that a player wrote as `text` is written.
    pub fn read(&self, text: &str) -> Result<String, MoveError> {
        if self.0.outcome().is_some() {
            return Err(MoveError::Finished);
        }
        let position = self.0.position();
        let m = self.0.game().read_move(position, text)?;
        // Reading is about text; what is legal the moves say.
        if !self.0.game().moves(position).contains(&m) {
            return Err(MoveError::Illegal {
                text: crate::options::shorten(text),
                reason: "no such move here".into(),
            });
        }
        Ok(self.0.game().write_move(position, m))
    }

    /// Plays a legal move.
    pub fn play(&mut self, text: &str) -> Result<(), MoveError> {
        let m = self.0.game().read_move(self.0.position(), text)?;
        self.0.play(m)
    }

    /// The position on one line.
    pub fn position(&self) -> String {
        self.0.game().write_position(self.0.position())
    }

    /// Begins at a position.
    pub fn set_position(&mut self, text: &str) -> Result<()> {
        let position = self.0.game().read_position(text)?;
        self.0 = Record::from_position(self.0.game().clone(), position);
        Ok(())
    }

    pub fn grid(&self) -> Option<Grid> {
        self.0.game().grid(self.0.position())
    }

    /// Where a legal move puts its stone, in games where a move places one.
    pub fn placed_at(&self, text: &str) -> Option<Cell> {
        let position = self.0.position();
        let m = self.0.game().read_move(position, text).ok()?;
        self.0.game().placed_at(position, m)
    }
}
