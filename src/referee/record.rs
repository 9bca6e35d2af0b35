//! One finished game, as it is kept: a line of JSON.

use super::trouble::{Cause, Phase};
use serde::{Deserialize, Serialize};

/// One of the two engines of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    A,
    B,
}

impl Side {
    pub fn index(self) -> usize {
        self as usize
    }

    pub fn other(self) -> Side {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }
}

/// Why a game ended as it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    pub cause: Cause,
    /// Who is to blame, where somebody is; nobody where both failed before the first move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Side>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// What an engine did in a game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Work {
    pub moves: u64,
    /// Measured by the referee.
    pub seconds: f64,
    /// The longest that one move took, in seconds.
    pub slowest: f64,
    /// Moves of whose search the engine said anything.
    pub told: u64,
    /// As far as it says.
    pub simulations: u64,
    pub nodes: u64,
    /// The sum of the depths of its searches.
    pub depth: u64,
}

impl Work {
    pub fn add(&mut self, other: &Work) {
        self.moves += other.moves;
        self.seconds += other.seconds;
        self.slowest = self.slowest.max(other.slowest);
        self.told += other.told;
        self.simulations += other.simulations;
        self.nodes += other.nodes;
        self.depth += other.depth;
    }
}

/// The search for one move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Searched {
    /// Measured by the referee.
    pub seconds: f64,
    /// As far as the engine says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
    /// In [-1, 1] for the player that searched, as far as the engine says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

impl Searched {
    /// To the digits that are worth their place in a file.
    pub fn rounded(self) -> Self {
        let digits = |number: f64| (number * 1e4).round() / 1e4;
        Searched {
            seconds: digits(self.seconds),
            depth: self.depth,
            value: self.value.map(digits),
        }
    }
}

/// One finished game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Game and variant, as [`super::board::Variant::name`] writes them.
    pub game: String,
    pub a: String,
    pub b: String,
    /// From 0; games 2n and 2n + 1 begin with the same opening, with the seats swapped.
    pub number: u32,
    /// Whether `a` had player one's side.
    pub a_first: bool,
    /// `None` is a draw.
    pub winner: Option<Side>,
    pub end: End,
    /// Player one's points minus player two's, where the game counts points and came to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<i32>,
    /// The position that it began with, where that is not the game's initial one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Plies of the opening, which nobody chose.
    pub opening: usize,
    pub moves: Vec<String>,
    /// `b` or `w` for every move: who made it.
    pub movers: String,
    /// The searches for the moves after the opening, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searches: Vec<Searched>,
    /// What `a` and `b` did.
    pub work: [Work; 2],
    /// What `a` and `b` call themselves.
    pub identities: [String; 2],
    /// When it ended, in seconds since 1970.
    pub finished: i64,
}

/// What tells a game from the others of its match.
pub type Key = (String, String, String, u32);

impl GameRecord {
    pub fn key(&self) -> Key {
        (
            self.game.clone(),
            self.a.clone(),
            self.b.clone(),
            self.number,
        )
    }

    /// The same game as one of `b` against `a`: number 2n as 2n + 1, which begins with the same opening.
    pub fn turned(self) -> Self {
        let [work_a, work_b] = self.work;
        let [identity_a, identity_b] = self.identities;
        GameRecord {
            a: self.b,
            b: self.a,
            number: self.number ^ 1,
            a_first: !self.a_first,
            winner: self.winner.map(Side::other),
            end: End {
                by: self.end.by.map(Side::other),
                ..self.end
            },
            work: [work_b, work_a],
            identities: [identity_b, identity_a],
            ..self
        }
    }

    /// The points of `a`.
    pub fn points(&self) -> f64 {
        match self.winner {
            Some(Side::A) => 1.0,
            Some(Side::B) => 0.0,
            None => 0.5,
        }
    }
}
