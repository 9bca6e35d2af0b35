//! Treeline: a game engine for seven board games that speaks GTP.
//!
//! Imports run one way: `options → memory → game → games → eval → search → session → server | referee → learn → cli`.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![allow(
    missing_docs,
    reason = "fields and variants whose name says it all need no sentence"
)]

pub mod cli;
pub mod eval;
pub mod game;
pub mod games;
pub mod learn;
pub mod memory;
pub mod options;
pub mod referee;
pub mod search;
pub mod server;
pub mod session;
pub mod statistics;
