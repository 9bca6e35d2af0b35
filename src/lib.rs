//! Treeline: a game engine for seven board games that speaks GTP.
//!
//! The crates below it say what a game is (`game`), search and evaluate (`search`), give all games one type (`any`) and play them
//! (`games/`); their names stand here as rooms of the program. Imports run one way:
//! `options → memory → game → eval → search → games → files → book → session → analysis → review → play → server | referee → environment → learn → web → cli`.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![allow(
    missing_docs,
    reason = "fields and variants whose name says it all need no sentence"
)]

pub use treeline_game as game;
pub use treeline_game::{memory, options};

pub mod analysis;
pub mod book;
pub mod cli;
pub mod environment;
pub mod files;
pub mod games;
pub mod learn;
pub mod play;
pub mod referee;
pub mod review;
pub mod server;
pub mod session;
pub mod statistics;
pub mod threads;
pub mod web;

/// The searchers, for games of any type.
pub mod search {
    pub use treeline_any::build;
    pub use treeline_search::*;

    /// `solve` and its searcher, for games of any type.
    pub mod proof {
        pub use treeline_any::Prover;
        pub use treeline_search::proof::*;
    }
}

/// Static evaluation, for games of any type.
pub mod eval {
    pub use treeline_search::eval::*;

    /// From network files to evaluators.
    pub mod network {
        pub use treeline_any::load;
        pub use treeline_search::eval::network::*;
    }
}
