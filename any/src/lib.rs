//! One type for all games. [`AnyGame`] is a game like any other to those who are generic, and keeps the types of the games
//! away from everything that need not be fast: sessions, matches, learning, tests are compiled once.
//!
//! A game's crate opens it by [`AnyGame::native`], which compiles every searcher for the game's own type there, or by
//! [`AnyGame::general`], which compiles none. [`build`], [`load`] and [`Prover`] search with what there is.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![allow(
    missing_docs,
    reason = "fields and variants whose name says it all need no sentence"
)]

mod catalogue;
mod engine;
mod evaluator;
mod game;
mod heuristics;
mod moves;
mod position;
mod rulebook;
mod searcher;

pub use catalogue::{Endgames, Entry, Making, Perft, Told};
pub use engine::{Prover, build, load};
pub use game::AnyGame;
pub use moves::AnyMove;
pub use position::AnyPosition;
