//! What an engine can do wrong, and when.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a game or an engine was at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// The process was started and greeted.
    Start,
    /// A game was set up.
    Setup,
    /// A move was told.
    Play,
    /// A move was asked for.
    Genmove,
    /// The process was asked to end.
    Quit,
}

/// How a game ended, or what an engine did that ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// By the rules.
    Rules,
    Resignation,
    /// A move that is none, or not here.
    IllegalMove,
    /// The process ended or closed its pipes.
    Crash,
    /// No reply where none takes long.
    Hang,
    /// More time than a move or the clock had.
    Time,
    /// Text that is no reply.
    Garbage,
    /// More text than anybody needs.
    Flood,
    /// A refusal of something legal.
    Refusal,
    /// The referee's decision, as the match's rules allow.
    Adjudication,
}

/// An engine's failure, which costs it the game, or something that kept the referee from starting it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{cause} ({phase}): {detail}")]
pub struct Trouble {
    pub cause: Cause,
    pub phase: Phase,
    pub detail: String,
    /// Whether the engine had no part in it: it costs nobody a game.
    pub ours: bool,
}

impl Trouble {
    pub fn new(cause: Cause, phase: Phase, detail: impl Into<String>) -> Self {
        let detail: String = detail.into().chars().take(200).collect();
        Trouble {
            cause,
            phase,
            detail,
            ours: false,
        }
    }

    /// What kept the referee from starting a program: no file handles, no memory, a program or log that went away.
    pub fn of_the_referee(detail: impl Into<String>) -> Self {
        Trouble {
            ours: true,
            ..Trouble::new(Cause::Crash, Phase::Start, detail)
        }
    }
}

impl Trouble {
    /// Adds what the engine wrote to its standard error at last.
    pub fn with_last_words(&mut self, words: &str) {
        if !words.is_empty() {
            let words: String = words.chars().take(300).collect();
            self.detail = format!("{}: {words}", self.detail);
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Start => "start",
            Phase::Setup => "setup",
            Phase::Play => "play",
            Phase::Genmove => "genmove",
            Phase::Quit => "quit",
        })
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::Rules => "rules",
            Cause::Resignation => "resignation",
            Cause::IllegalMove => "illegal move",
            Cause::Crash => "crash",
            Cause::Hang => "hang",
            Cause::Time => "time",
            Cause::Garbage => "garbage",
            Cause::Flood => "flood",
            Cause::Refusal => "refusal",
            Cause::Adjudication => "adjudication",
        })
    }
}
