//! `State`: one game in progress.

use crate::errors::{Refusal, guarded};
use crate::game::Game;
use crate::numbers::Last;
use crate::opened::Progress;
use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use treeline::game::{Notation, Outcome, Planes, Player, Rules};

/// `current_player()` of a finished game, as in OpenSpiel.
pub const TERMINAL: i64 = -4;

/// One game in progress: its position and its moves so far. Made by `Game.new_initial_state`; `clone` copies it.
///
/// Players are 0, who moves first, and 1. A state belongs to one thread at a time.
#[pyclass(module = "treeline")]
#[derive(Clone)]
pub struct State {
    pub game: Game,
    pub progress: Progress,
    /// Nothing but a help to make the list of moves.
    last: Last,
}

impl State {
    pub fn new(game: Game, progress: Progress) -> Self {
        State {
            game,
            progress,
            last: Last::default(),
        }
    }

    fn player(&self) -> i64 {
        match self.progress.outcome {
            Some(_) => TERMINAL,
            None => self.progress.turn(&self.game.0).index() as i64,
        }
    }

    fn write_planes(&self, version: u32) -> Result<Vec<f32>, Refusal> {
        let (game, position) = (&self.game.0, &self.progress.position);
        let (encoding, shape) = (game.encoding(version)?, self.game.shape(version)?);
        let mut planes = vec![0.0; shape.planes * shape.rows * shape.columns];
        guarded(|| {
            game.rules.write_planes(encoding, position, &mut planes);
            Ok(())
        })?;
        Ok(planes)
    }
}

#[pymethods]
impl State {
    /// The game that this is one of.
    fn get_game(&self) -> Game {
        self.game.clone()
    }

    /// 0 or 1, or -4 (OpenSpiel's TERMINAL) when the game is over. Turns need not alternate (Kalah).
    fn current_player(&self) -> i64 {
        self.player()
    }

    /// The numbers of the legal moves, ascending; none for the player who is not to move, or when the game is over.
    #[pyo3(signature = (player = None))]
    fn legal_actions<'py>(
        &self,
        py: Python<'py>,
        player: Option<i64>,
    ) -> PyResult<Bound<'py, PyList>> {
        if player.is_some_and(|player| player != self.player()) {
            return Ok(PyList::empty(py));
        }
        let words = guarded(|| Ok(self.progress.actions(&self.game.0)))?;
        self.last.list(py, self.game.numbers(py)?, &words)
    }

    /// bool [num_distinct_actions]: whether each number is a legal move's.
    #[pyo3(signature = (player = None))]
    fn legal_actions_mask<'py>(
        &self,
        py: Python<'py>,
        player: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let mut mask = vec![false; self.game.0.actions];
        if player.is_none_or(|player| player == self.player()) {
            for (number, _) in guarded(|| Ok(self.progress.legal(&self.game.0)))? {
                mask[number as usize] = true;
            }
        }
        Ok(PyArray1::from_vec(py, mask))
    }

    /// Plays the legal move with this number. Raises IllegalActionError or FinishedError; nothing has changed then.
    fn apply_action(&mut self, action: i64) -> PyResult<()> {
        Ok(guarded(|| self.progress.apply(&self.game.0, action))?)
    }

    /// The same, under OpenSpiel's other name for it.
    fn apply_action_with_legality_check(&mut self, action: i64) -> PyResult<()> {
        self.apply_action(action)
    }

    /// Takes the last move back, which must be `player`'s `action`. Costs as much as playing the game again.
    fn undo_action(&mut self, player: i64, action: i64) -> PyResult<()> {
        let game = &self.game.0;
        let before = guarded(|| self.progress.before(game, 1))?;
        let last = self
            .progress
            .history
            .last()
            .map(|number| i64::from(*number));
        if last != Some(action) || before.turn(game).index() as i64 != player {
            let text = format!("the last move was not player {player}'s action {action}");
            return Err(crate::errors::IllegalActionError::new_err(text));
        }
        self.progress = before;
        Ok(())
    }

    /// A copy in which the legal move with this number was played.
    fn child(&self, action: i64) -> PyResult<State> {
        let mut child = self.clone();
        child.apply_action(action)?;
        Ok(child)
    }

    /// A copy.
    #[pyo3(name = "clone")]
    fn copy(&self) -> State {
        self.clone()
    }

    fn __copy__(&self) -> State {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> State {
        self.clone()
    }

    /// The text of a legal move, as the engine writes it: `action_to_string(action)`, or OpenSpiel's
    /// `action_to_string(player, action)`.
    #[pyo3(signature = (*arguments))]
    fn action_to_string(&self, arguments: &Bound<'_, PyTuple>) -> PyResult<String> {
        let action = match arguments.len() {
            1 => arguments.get_item(0)?.extract()?,
            2 => arguments.get_item(1)?.extract()?,
            n => {
                let text =
                    format!("an action, or a player and an action, expected; {n} arguments found");
                return Err(pyo3::exceptions::PyTypeError::new_err(text));
            }
        };
        let (game, progress) = (&self.game.0, &self.progress);
        let text = guarded(|| {
            let (_, m) = progress.find(game, action)?;
            Ok(game.rules.write_move(&progress.position, m))
        })?;
        Ok(text)
    }

    /// The number of a legal move's text: `string_to_action(text)`, or OpenSpiel's `string_to_action(player, text)`.
    #[pyo3(signature = (*arguments))]
    fn string_to_action(&self, arguments: &Bound<'_, PyTuple>) -> PyResult<u32> {
        let text: String = match arguments.len() {
            1 => arguments.get_item(0)?.extract()?,
            2 => arguments.get_item(1)?.extract()?,
            n => {
                let text = format!("a text, or a player and a text, expected; {n} arguments found");
                return Err(pyo3::exceptions::PyTypeError::new_err(text));
            }
        };
        Ok(guarded(|| self.progress.read(&self.game.0, &text))?)
    }

    /// Whether the game is over.
    fn is_terminal(&self) -> bool {
        self.progress.outcome.is_some()
    }

    /// What each player has of the game: 1 for a win, -1 for a loss, 0 for a draw and before the end.
    fn returns(&self) -> [f64; 2] {
        match self.progress.outcome {
            None | Some(Outcome::Draw) => [0.0, 0.0],
            Some(Outcome::Win(Player::One)) => [1.0, -1.0],
            Some(Outcome::Win(Player::Two)) => [-1.0, 1.0],
        }
    }

    /// The same: rewards come at the end.
    fn rewards(&self) -> [f64; 2] {
        self.returns()
    }

    /// One player's part of `returns`.
    fn player_return(&self, player: usize) -> PyResult<f64> {
        let of = self.returns().get(player).copied();
        of.ok_or_else(|| PyIndexError::new_err(format!("player 0 or 1 expected, {player} found")))
    }

    /// One player's part of `rewards`.
    fn player_reward(&self, player: usize) -> PyResult<f64> {
        self.player_return(player)
    }

    /// Player 0's points minus player 1's, in games that count points; else None.
    fn margin(&self) -> Option<i32> {
        self.game.0.rules.margin(&self.progress.position)
    }

    /// The numbers of the moves so far.
    fn history(&self) -> Vec<u32> {
        self.progress.history.clone()
    }

    /// The same as text.
    fn history_str(&self) -> String {
        let numbers: Vec<String> = self.progress.history.iter().map(u32::to_string).collect();
        numbers.join(", ")
    }

    /// Moves so far.
    fn move_number(&self) -> usize {
        self.progress.history.len()
    }

    /// Whether no move was made.
    fn is_initial_state(&self) -> bool {
        self.progress.history.is_empty()
    }

    /// 2.
    fn num_players(&self) -> usize {
        2
    }

    /// All actions are below this.
    fn num_distinct_actions(&self) -> usize {
        self.game.0.actions
    }

    /// False: nothing is left to chance.
    fn is_chance_node(&self) -> bool {
        false
    }

    /// False: players move one after the other.
    fn is_simultaneous_node(&self) -> bool {
        false
    }

    /// False: every state is a player's, or the end.
    fn is_mean_field_node(&self) -> bool {
        false
    }

    /// Whether somebody is to move.
    fn is_player_node(&self) -> bool {
        self.progress.outcome.is_none()
    }

    /// float32 [planes, rows, columns]: what networks see of the position, in a version of `Game.plane_versions`. Version 2 is
    /// the mover's view, in every game.
    #[pyo3(signature = (version = 2))]
    fn planes<'py>(&self, py: Python<'py>, version: u32) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let shape = self.game.shape(version)?;
        let planes = PyArray1::from_vec(py, self.write_planes(version)?);
        planes.reshape([shape.planes, shape.rows, shape.columns])
    }

    /// The planes of version 2, the mover's view, as a list of planes x rows x columns numbers, whichever player is asked for.
    #[pyo3(signature = (player = None))]
    fn observation_tensor(&self, player: Option<i64>) -> PyResult<Vec<f32>> {
        let _ = player;
        Ok(self.write_planes(2)?)
    }

    /// The board as text.
    #[pyo3(signature = (player = None))]
    fn observation_string(&self, player: Option<i64>) -> PyResult<String> {
        let _ = player;
        self.to_string()
    }

    /// The moves so far as text.
    #[pyo3(signature = (player = None))]
    fn information_state_string(&self, player: Option<i64>) -> String {
        let _ = player;
        self.history_str()
    }

    /// The position on one line, which `Game.new_initial_state` reads; without the moves that led to it.
    fn position(&self) -> PyResult<String> {
        let (game, progress) = (&self.game.0, &self.progress);
        Ok(guarded(|| {
            Ok(game.rules.write_position(&progress.position))
        })?)
    }

    /// A text from which `Game.deserialize_state` makes the same state, moves included.
    fn serialize(&self) -> PyResult<String> {
        Ok(guarded(|| Ok(self.progress.save(&self.game.0)))?)
    }

    /// The board as text: several lines.
    fn to_string(&self) -> PyResult<String> {
        let (game, progress) = (&self.game.0, &self.progress);
        Ok(guarded(|| Ok(game.rules.board(&progress.position)))?)
    }

    fn __str__(&self) -> PyResult<String> {
        self.to_string()
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<{} {:?}>", self.game.0.title(), self.position()?))
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let state = slf.borrow();
        let game = Bound::new(slf.py(), state.game.clone())?;
        let restore = game.getattr("deserialize_state")?;
        Ok((restore, PyTuple::new(slf.py(), [state.serialize()?])?))
    }
}
