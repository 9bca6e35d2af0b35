//! Matches between engines that speak a protocol: pairing, clocks, blame, records, reports.
//!
//! It knows the rules through `games`, and never a searcher: our own engine is a process behind pipes like any other. A
//! front end makes a [`config::Config`], calls [`run::run`], and shows what [`report`] makes of the games.

pub mod board;
pub mod clock;
pub mod config;
mod engine;
mod game;
mod greeting;
mod journal;
mod lines;
mod openings;
pub mod orphans;
pub mod process;
pub mod record;
pub mod report;
pub mod run;
mod seat;
mod spelling;
pub mod tally;
mod template;
mod trouble;
