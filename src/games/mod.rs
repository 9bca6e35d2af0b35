//! The only list of games. Each is a folder: rules, notation, heuristics, and its row here.

use crate::game::Notation;
use crate::options::{OptionError, Spec, Values};

/// What the engine knows of a game before one is opened.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    /// One line.
    pub help: &'static str,
    /// The variant's options, with the default variant as their defaults.
    pub options: &'static [Spec],
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
}

/// One row of a perft table: `counts[n - 1]` paths of `n` plies.
#[derive(Debug, Clone, Copy)]
pub struct Perft {
    pub variant: &'static str,
    /// A one-line position; empty for the start.
    pub position: &'static str,
    pub counts: &'static [u64],
}

/// Code that runs with a concrete game: the bridge from a name to monomorphised code.
pub trait Visitor {
    type Output;
    fn visit<G: Notation>(self, game: G) -> Self::Output;
}

/// Declares the modules, the table and the dispatch from one list.
macro_rules! games {
    ($($module:ident),+ $(,)?) => {
        $(pub mod $module;)+

        /// Every game, in the order `list_games` shows them.
        pub const ENTRIES: &[Entry] = &[$($module::ENTRY),+];

        /// Opens a game by its canonical name and lets `visitor` work with it.
        fn open<V: Visitor>(name: &str, values: &Values, visitor: V) -> Option<Result<V::Output, OptionError>> {
            $(if name == $module::ENTRY.name {
                return Some($module::open(values, visitor));
            })+
            None
        }
    };
}

games! {
    breakthrough,
    connect_four,
    draughts,
    hex,
    kalah,
    lines_of_action,
    othello,
}

/// The entry of a game by name or alias.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES
        .iter()
        .find(|entry| entry.name == name || entry.aliases.contains(&name))
}

impl Entry {
    /// The default variant's options.
    pub fn defaults(&self) -> Values {
        Values::new(self.options)
    }

    /// Opens the variant that `values` describe.
    pub fn with<V: Visitor>(&self, values: &Values, visitor: V) -> Result<V::Output, OptionError> {
        open(self.name, values, visitor).unwrap_or_else(|| {
            Err(OptionError::Unfit(format!(
                "no game is called {}",
                self.name
            )))
        })
    }

    /// Opens a variant written as `key=value …`.
    pub fn with_variant<V: Visitor>(
        &self,
        variant: &str,
        visitor: V,
    ) -> Result<V::Output, OptionError> {
        let mut values = self.defaults();
        values.set_pairs(variant.split_whitespace())?;
        self.with(&values, visitor)
    }
}
