//! Learning from nothing: a network plays against itself, learns from what its searches found, and plays again.
//!
//! A run is a folder. It alternates between generations of games, each a pure function of the network and of a seed, and
//! training; so what a kill interrupts is done again and ends the same. `config` says what a run is told, `data` what it
//! learns from, `play` how games are made, `train` how the network learns, `watch` how strong it has become, `checkpoint`
//! what is safe, `run` what happens when,
//! `environment` what learns something else than a game. Knows no game and no protocol.

pub mod checkpoint;
pub mod config;
pub mod data;
pub mod environment;
pub mod folder;
pub mod pieces;
pub mod play;
pub mod run;
pub mod study;
pub mod team;
pub mod train;
pub mod watch;
