//! Every test that goes through the program's binaries and its public interfaces, as one binary, so that what they share is
//! compiled and linked once. One file: `cargo test --test all perft::`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[macro_use]
#[path = "common/each_game.rs"]
mod each_game;
mod common;

mod alpha_beta;
mod analyze;
mod book;
mod campaigns;
mod command_line;
mod conformance;
mod endgame;
mod engine;
mod files;
mod frontends;
mod hooks;
mod hostile;
mod inc_network;
mod kalah_endings;
mod layering;
mod learn;
mod levels;
mod littlegolem;
mod ludii;
mod match_files;
mod match_parts;
mod match_reports;
mod matches;
#[cfg(target_os = "linux")]
mod memory;
mod networks;
mod perft;
mod planes;
mod play;
mod playing_with_networks;
mod readme;
mod referee;
mod review;
mod shipped_networks;
mod signatures;
mod solve;
mod solvers;
mod tcp;
mod thinking;
#[cfg(feature = "torch")]
mod torch_moves;
mod transcripts;
mod twins;
mod values;
mod web;
