//! Engines behind a protocol: how one is started, told a game, asked for moves and ended. Each protocol is a file.

mod gtp;
mod hub;
mod nboard;

use super::board::{Board, Variant};
use super::clock::{Budget, Time};
use super::config::{EngineSetup, Patience, Protocol};
use super::lines::NoLine;
use super::process::{Log, Process, Program};
use super::trouble::{Cause, Phase, Trouble};
use crate::game::Player;
use anyhow::Result;
use serde::Deserialize;
use std::time::{Duration, Instant};

/// One ply of a game.
#[derive(Debug, Clone)]
pub struct Ply {
    pub player: Player,
    /// As the game writes it.
    pub text: String,
    /// The position before it.
    pub before: String,
}

/// A game in progress, as engines are told of it.
pub struct GameState {
    pub variant: Variant,
    pub board: Board,
    /// The position that it began with, where that is not the game's initial one.
    pub start: Option<String>,
    pub plies: Vec<Ply>,
}

impl GameState {
    /// A new game, at the game's initial position or at `start`.
    pub fn new(variant: &Variant, start: Option<&str>) -> Result<Self> {
        let mut board = variant.open()?;
        if let Some(start) = start {
            board.set_position(start)?;
        }
        Ok(GameState {
            variant: variant.clone(),
            board,
            start: start.map(String::from),
            plies: Vec::new(),
        })
    }

    /// Plays a legal move for the player to move.
    pub fn play(&mut self, text: &str) -> Result<(), crate::game::MoveError> {
        let ply = Ply {
            player: self.board.turn(),
            text: self.board.read(text)?,
            before: self.board.position(),
        };
        self.board.play(&ply.text)?;
        self.plies.push(ply);
        Ok(())
    }
}

/// What an engine answers when it is asked for a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A legal move as the game writes it.
    Move(String),
    Resign,
}

/// What an engine says of its last search, for the tables. Everything else that it says is ignored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Stats {
    pub simulations: u64,
    pub nodes: u64,
    pub depth: Option<u64>,
    /// In [-1, 1] for the player that searched.
    pub value: Option<f64>,
}

/// A running engine in one game after another. Any trouble is its end: nobody asks it anything more.
pub trait Engine: Send {
    /// Its name and version, as far as it says.
    fn identity(&self) -> String;
    fn new_game(&mut self, state: &GameState, budget: &Budget) -> Result<(), Trouble>;
    /// Tells it the plies that it has not heard of.
    fn catch_up(&mut self, state: &GameState) -> Result<(), Trouble>;
    /// Tells it the time before a move, where its protocol has a command for that.
    fn tell_time(&mut self, _table: &GameState, _budget: &Budget) -> Result<(), Trouble> {
        Ok(())
    }
    /// Asks for a move of the player to move and takes it as played.
    fn think(&mut self, state: &GameState, budget: &Budget) -> Result<Reply, Trouble>;
    /// What it says of the search before.
    fn stats(&mut self) -> Result<Option<Stats>, Trouble>;
    /// Asks it to end and waits for that.
    fn quit(&mut self) -> Result<(), Trouble>;
}

/// Starts an engine for a game and greets it.
pub fn start(
    setup: &EngineSetup,
    variant: &Variant,
    time: Time,
    patience: &Patience,
    log: Log,
) -> Result<Box<dyn Engine>, Trouble> {
    let program = setup.program(variant, time);
    Ok(match setup.protocol {
        Protocol::Gtp => Box::new(gtp::Gtp::start(setup, &program, *patience, log)?),
        Protocol::Hub => Box::new(hub::Hub::start(setup, &program, *patience, log)?),
        Protocol::Nboard => Box::new(nboard::Nboard::start(setup, &program, *patience, log)?),
    })
}

/// The trouble of a program that cannot be started.
fn no_start(program: &Program, error: &std::io::Error) -> Trouble {
    let name = program.words.first().map_or("", String::as_str);
    Trouble::of_the_referee(format!("cannot run {name}: {error}"))
}

/// The trouble that a missing line means. While a move is waited for, the engine has lost on time.
fn no_line(error: NoLine, phase: Phase, process: &Process) -> Trouble {
    match error {
        NoLine::Late => late(phase),
        NoLine::Closed => {
            let mut trouble = Trouble::new(Cause::Crash, phase, "the engine closed the connection");
            trouble.with_last_words(&process.last_words());
            trouble
        }
        NoLine::Broken(panicked) => Trouble::of_the_referee(panicked.to_string()),
        NoLine::TooLong => Trouble::new(Cause::Flood, phase, "a line without end"),
    }
}

fn late(phase: Phase) -> Trouble {
    match phase {
        Phase::Genmove => Trouble::new(Cause::Time, phase, "no move in time"),
        _ => Trouble::new(Cause::Hang, phase, "no reply in time"),
    }
}

/// Waits for a process that was asked to end.
fn end(process: &mut Process, patience: Duration) -> Result<(), Trouble> {
    match process.wait(patience) {
        true => Ok(()),
        false => Err(Trouble::new(
            Cause::Hang,
            Phase::Quit,
            "still running after quit",
        )),
    }
}

fn after(seconds: f64) -> Instant {
    Instant::now() + Duration::from_secs_f64(seconds.clamp(0.0, 1e7))
}
