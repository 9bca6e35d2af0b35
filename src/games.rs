//! The games that this program was built with: the crates in `games/` that Cargo.toml names. There is no other list.

pub use treeline_any::{AnyGame, AnyMove, AnyPosition, Endgames, Entry, Making, Perft, Told};

include!(concat!(env!("OUT_DIR"), "/games.rs"));

/// The entry of a game by name or alias.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES
        .iter()
        .copied()
        .find(|entry| entry.name == name || entry.aliases.contains(&name))
}
