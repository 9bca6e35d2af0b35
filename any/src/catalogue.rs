//! What the engine knows of a game before one is opened.

use crate::AnyGame;
use std::error::Error;
use std::path::{Path, PathBuf};
use treeline_game::Tuning;
use treeline_game::options::{OptionError, Spec, Values};

/// A game: its name, its variants, how it is opened.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    /// One line.
    pub help: &'static str,
    /// The variant's options, with the default variant as their defaults.
    pub options: &'static [Spec],
    /// Opens the variant that the values describe; an error where they do not fit together.
    pub open: fn(&Values) -> Result<AnyGame, OptionError>,
    /// What `boardsize W H` means for the options; an error where the game has one size.
    pub resize: fn(columns: u32, rows: u32, values: &mut Values) -> Result<(), OptionError>,
    /// Variants besides the default that tests and benchmarks visit, as `key=value …`.
    pub variants: &'static [&'static str],
    /// Published or cross-checked perft counts.
    pub perft: &'static [Perft],
    /// The SGF game number (property GM), where SGF has one.
    pub sgf: Option<u32>,
    /// The name under which GoGui's rules commands know the game, if it can show it.
    pub gogui: Option<&'static str>,
    /// Options of which nothing depends but by how much a finished game is won: what was learned with others knows this variant, too.
    pub margins: &'static [&'static str],
    /// Endgame tables, where the game can compute some.
    pub endgames: Option<Endgames>,
    /// How the game is best searched, where options leave that to the game.
    pub tuning: Tuning,
}

/// Endgame tables that a game computes and keeps in the cache.
#[derive(Debug, Clone, Copy)]
pub struct Endgames {
    /// What the tables are of, such as pieces.
    pub of: &'static str,
    /// How many of those the smallest table of a variant has, the largest that is usually made, and the largest that can be.
    pub sizes: fn(&Values) -> [u32; 3],
    /// Where searches look for them; `None` where there is no place for a cache.
    pub folder: fn() -> Option<PathBuf>,
    /// Computes those that are not in a folder, and tells how it goes.
    pub make: MakeTables,
}

/// Computes a variant's tables into a folder and tells how it goes.
pub type MakeTables = fn(&Values, &Path, Making, &mut dyn FnMut(Told)) -> Result<(), MakeError>;

/// Why tables could not be made.
pub type MakeError = Box<dyn Error + Send + Sync>;

/// What is told while tables are computed.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// The share of the present one that is done, 0 to 1.
    Share(f64),
    /// What became of one.
    Line(String),
}

/// What tables to compute.
#[derive(Debug, Clone, Copy)]
pub struct Making {
    /// All of up to so many pieces, or what else there are tables of.
    pub pieces: u32,
    pub threads: usize,
    /// Whether those that are there are held against the rules.
    pub check: bool,
}

/// One row of a perft table: `counts[n - 1]` paths of `n` plies.
#[derive(Debug, Clone, Copy)]
pub struct Perft {
    pub variant: &'static str,
    /// A one-line position; empty for the start.
    pub position: &'static str,
    pub counts: &'static [u64],
}

impl Entry {
    /// The default variant's options.
    pub fn defaults(&self) -> Values {
        Values::new(self.options)
    }

    /// Opens the variant that `values` describe.
    pub fn open(&self, values: &Values) -> Result<AnyGame, OptionError> {
        Ok((self.open)(values)?.tuned(self.tuning))
    }

    /// Opens a variant written as `key=value …`.
    pub fn open_variant(&self, variant: &str) -> Result<AnyGame, OptionError> {
        let mut values = self.defaults();
        values.set_pairs(variant.split_whitespace())?;
        self.open(&values)
    }
}
