//! One game of one type with its searcher behind a trait: the only place that knows both and hides the type from those above.

mod game;

pub use game::Game;

use super::networks::Brought;
use super::report::{Analysis, Evaluation, LastSearch, Verdict};
use super::{SessionError, SetUp};
use crate::eval::network::Backend;
use crate::game::{Cell, Grid, Outcome, Player};
use crate::options::Values;
use crate::search::{Control, Resources};
use std::sync::Arc;

/// What plays: a searcher with its options, the network that it evaluates with, and what both may use.
#[derive(Debug, Clone)]
pub struct Setup {
    pub searcher: &'static str,
    pub options: Values,
    pub network: Option<Arc<Brought>>,
    pub backend: Backend,
    pub resources: Resources,
}

impl Setup {
    /// The same with next to no memory for the searcher.
    pub fn small(mut self) -> Setup {
        self.resources.memory = 0;
        self
    }
}

/// What a session asks of a game, in text.
pub trait Playing: Send {
    fn turn(&self) -> Player;
    fn outcome(&self) -> Option<Outcome>;
    fn margin(&self) -> Option<i32>;
    fn legal_moves(&self) -> Vec<String>;
    fn board(&self) -> String;
    fn grid(&self) -> Option<Grid>;
    /// The cells where the legal moves put their stones, in games that place stones.
    fn placements(&self) -> Vec<Cell>;
    fn position(&self) -> String;
    fn set_position(&mut self, text: &str) -> Result<(), SessionError>;
    fn set_up(&mut self, set_up: &SetUp) -> Result<(), SessionError>;
    fn clear(&mut self);
    fn play(&mut self, player: Player, text: &str) -> Result<(), SessionError>;
    /// Takes back what the last `play` or `search` did; false at the start.
    fn undo(&mut self) -> bool;
    /// The moves since the position that the game began with, with their players.
    fn moves_so_far(&self) -> Vec<(Player, String)>;
    /// The position that the game began with, where that is not the game's initial one.
    fn special_start(&self) -> Option<String>;
    /// Whether `player` could be asked for a move now; changes nothing.
    fn check_turn(&mut self, player: Player) -> Result<(), SessionError>;
    /// Searches for `player`, who gets the turn as in `play`. With `play` the move is played, otherwise nothing changes.
    fn search(
        &mut self,
        player: Player,
        control: &Control,
        play: bool,
        report: &mut dyn FnMut(&Analysis),
    ) -> Result<LastSearch, SessionError>;
    /// The value of the position, proven within `memory` bytes; nothing changes but the solver, which stays warm until the
    /// next `set_player`.
    fn solve(
        &mut self,
        method: &str,
        memory: usize,
        control: &Control,
    ) -> Result<Verdict, SessionError>;
    fn perft(&self, plies: u32, is_over: &dyn Fn() -> bool) -> Option<u64>;
    /// Values of the game's heuristics for player one, by name.
    fn heuristics(&self) -> Vec<(&'static str, f32)>;
    /// The name of the game's first heuristic, and its value for player one after each legal move that places a stone.
    fn heuristic_by_cell(&self) -> (&'static str, Vec<(Cell, f32)>);
    /// What the network says of the position, and the heuristics; for a position that is not finished.
    fn evaluate(&mut self) -> Evaluation;
    /// Another player of the same game, or nothing changes.
    fn set_player(&mut self, setup: &Setup) -> Result<(), SessionError>;
    fn forget(&mut self);
}
