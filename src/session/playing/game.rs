//! One game in progress with its searcher: playing moves and taking them back, in text.

use super::Setup;
use super::player::{Absent, Judge};
use crate::game::drawing::{Drawing, Piece, Spot};
use crate::game::{Calibration, Cell, Grid, Notation, Outcome, Player, Record, Rules};
use crate::games::{self, AnyGame, AnyPosition};
use crate::options::Values;
use crate::search::Searcher;
use crate::search::proof::Prover;
use crate::session::{LONGEST_GAME, SessionError, SetUp};

/// A game in progress: its moves so far, and what searches, evaluates and solves its positions.
pub struct Game {
    pub(super) entry: &'static games::Entry,
    pub(super) variant: Values,
    pub(super) record: Record<AnyGame>,
    /// The state before each `play`, since one play may imply a pass or a turn.
    pub(super) marks: Vec<Mark>,
    pub(super) searcher: Box<dyn Searcher<AnyGame>>,
    pub(super) searcher_name: &'static str,
    /// What the searcher's values are worth.
    pub(super) calibration: Calibration,
    /// That it searches on.
    pub(super) threads: usize,
    pub(super) network: Option<Judge>,
    pub(super) prover: Option<Prover>,
}

/// What `undo` returns to.
pub(super) struct Mark {
    steps: usize,
    position: AnyPosition,
    /// The text of a `play` that adjusted the position and was no move of the game, with its player.
    adjustment: Option<(Player, String)>,
}

impl Game {
    /// `entry` and `variant` are those of `game`.
    pub(in crate::session) fn new(
        game: AnyGame,
        entry: &'static games::Entry,
        variant: &Values,
        setup: &Setup,
    ) -> Result<Self, SessionError> {
        let mut playing = Game {
            entry,
            variant: variant.clone(),
            record: Record::new(game),
            marks: Vec::new(),
            searcher: Box::new(Absent),
            searcher_name: setup.searcher,
            calibration: Calibration::PLAIN,
            threads: 1,
            network: None,
            prover: None,
        };
        playing.set_player(setup)?;
        Ok(playing)
    }

    pub(super) fn rules(&self) -> &AnyGame {
        self.record.game()
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            steps: self.record.steps().len(),
            position: *self.record.position(),
            adjustment: None,
        }
    }

    pub(super) fn back_to(&mut self, mark: &Mark) {
        self.record.rewind(mark.steps, mark.position);
    }

    fn restart(&mut self, position: AnyPosition) {
        self.record = Record::from_position(self.rules().clone(), position);
        self.marks.clear();
    }

    /// Refuses a further move of a game that is too long already.
    pub(super) fn check_length(&self) -> Result<(), SessionError> {
        let length = self.marks.len().max(self.record.steps().len());
        if length >= LONGEST_GAME {
            return Err(SessionError::TooLong);
        }
        Ok(())
    }

    /// Makes it `player`'s turn or fails without a change.
    pub(super) fn hand_over(&mut self, player: Player) -> Result<(), SessionError> {
        let turn = self.record.turn();
        if turn == player {
            return Ok(());
        }
        let wrong = SessionError::WrongTurn { to_move: turn };
        if self.record.outcome().is_some() {
            return Err(SessionError::Finished);
        }
        let position = self.record.position();
        if let Some(pass) = self.rules().forced_pass(position) {
            return self.record.play(pass).map_err(SessionError::from);
        }
        let turned = self.rules().with_turn(position, player).ok_or(wrong)?;
        self.record.adjust(turned);
        Ok(())
    }

    /// Plays `text`; true if it was an adjustment and no move. After an error the caller has to undo what was half done.
    fn try_play(&mut self, player: Player, text: &str) -> Result<bool, SessionError> {
        if self.record.outcome().is_some() {
            return self.play_on(player, text).map(|()| false);
        }
        self.hand_over(player)?;
        if let Some(position) = self.rules().read_adjustment(self.record.position(), text) {
            self.record.adjust(position);
            return Ok(true);
        }
        let m = self.rules().read_move(self.record.position(), text)?;
        self.record.play(m)?;
        Ok(false)
    }

    /// A stone after the end, where front ends may set stones at any time: setting up a finished position in scan order
    /// completes the winning chain before its last stone.
    fn play_on(&mut self, player: Player, text: &str) -> Result<(), SessionError> {
        let position = self.rules().with_turn(self.record.position(), player);
        let position = position.ok_or(SessionError::Finished)?;
        let m = self.rules().read_move(&position, text)?;
        self.record.adjust(position);
        self.record.play_on(m);
        Ok(())
    }
}

/// Questions and commands of a session, in text.
impl Game {
    pub fn turn(&self) -> Player {
        self.record.turn()
    }

    pub fn outcome(&self) -> Option<Outcome> {
        self.record.outcome()
    }

    pub fn margin(&self) -> Option<i32> {
        self.rules().margin(self.record.position())
    }

    pub fn legal_moves(&self) -> Vec<String> {
        let position = self.record.position();
        self.record
            .moves()
            .iter()
            .map(|m| self.rules().write_move(position, *m))
            .collect()
    }

    pub fn board(&self) -> String {
        self.rules().board(self.record.position())
    }

    pub fn grid(&self) -> Option<Grid> {
        self.rules().grid(self.record.position())
    }

    /// The cells where the legal moves put their stones, in games that place stones.
    pub fn placements(&self) -> Vec<Cell> {
        let position = self.record.position();
        self.record
            .moves()
            .iter()
            .filter_map(|m| self.rules().placed_at(position, *m))
            .collect()
    }

    /// The board as front ends draw it.
    pub fn drawing(&self) -> Drawing {
        self.rules().drawing(self.record.position())
    }

    /// The legal moves with the places that each is clicked on, see [`Notation::trails`].
    pub fn ways(&self) -> Vec<(String, Vec<Vec<String>>)> {
        let (rules, position) = (self.rules(), self.record.position());
        let moves = self.record.moves();
        let way = |m: &_| (rules.write_move(position, *m), rules.trails(position, *m));
        moves.iter().map(way).collect()
    }

    /// The places of the last move.
    pub fn last_way(&self) -> Option<Vec<String>> {
        let step = self.record.steps().last()?;
        let ways = self.rules().trails(&step.before, step.played);
        ways.into_iter().next()
    }

    pub fn position(&self) -> String {
        self.rules().write_position(self.record.position())
    }

    pub fn set_position(&mut self, text: &str) -> Result<(), SessionError> {
        let position = self.rules().read_position(text)?;
        self.restart(position);
        Ok(())
    }

    pub fn set_up(&mut self, set_up: &SetUp) -> Result<(), SessionError> {
        let position = self.rules().set_up(&set_up.stones, set_up.turn)?;
        self.restart(position);
        Ok(())
    }

    /// What can lie on places, see [`Notation::pieces`].
    pub fn pieces(&self) -> Vec<Piece> {
        self.rules().pieces()
    }

    /// The text of the position with what lies on these places, see [`Notation::arrange`]; changes nothing.
    pub fn arrange(&self, spots: &[Spot], turn: Player) -> Result<String, SessionError> {
        let position = self.rules().arrange(spots, turn)?;
        let text = self.rules().write_position(&position);
        // What is written must be read again, with all its checks.
        self.rules().read_position(&text)?;
        Ok(text)
    }

    pub fn clear(&mut self) {
        self.restart(self.rules().start());
    }

    pub fn play(&mut self, player: Player, text: &str) -> Result<(), SessionError> {
        self.check_length()?;
        let mut mark = self.mark();
        match self.try_play(player, text) {
            Ok(adjusted) => {
                mark.adjustment = adjusted.then(|| (player, text.to_lowercase()));
                self.marks.push(mark);
                Ok(())
            }
            Err(error) => {
                self.back_to(&mark);
                Err(error)
            }
        }
    }

    /// Takes back what the last `play` or `search` did; false at the start.
    pub fn undo(&mut self) -> bool {
        match self.marks.pop() {
            Some(mark) => {
                self.back_to(&mark);
                true
            }
            None => false,
        }
    }

    /// The moves since the position that the game began with, with their players.
    pub fn moves_so_far(&self) -> Vec<(Player, String)> {
        (0..self.marks.len())
            .flat_map(|i| self.played_at(i))
            .collect()
    }

    /// What the last `play` did: a move, and the pass that it implied.
    pub fn last_played(&self) -> Vec<(Player, String)> {
        let last = self.marks.len().checked_sub(1);
        last.map_or_else(Vec::new, |last| self.played_at(last))
    }

    fn played_at(&self, number: usize) -> Vec<(Player, String)> {
        let (rules, steps, mark) = (self.rules(), self.record.steps(), &self.marks[number]);
        let next = self.marks.get(number + 1);
        let end = next.map_or(steps.len(), |next| next.steps);
        let moves = steps[mark.steps..end].iter().map(|step| {
            let played = rules.write_move(&step.before, step.played);
            (rules.turn(&step.before), played)
        });
        mark.adjustment.clone().into_iter().chain(moves).collect()
    }

    /// Whether the side to move can do nothing else.
    pub fn must_pass(&self) -> bool {
        let position = self.record.position();
        self.record.outcome().is_none() && self.rules().forced_pass(position).is_some()
    }

    /// The position that the game began with, where that is not the game's initial one.
    pub fn special_start(&self) -> Option<String> {
        let start = self.record.start();
        (*start != self.rules().start()).then(|| self.rules().write_position(start))
    }

    /// Whether `player` could be asked for a move now; changes nothing.
    pub fn check_turn(&mut self, player: Player) -> Result<(), SessionError> {
        let mark = self.mark();
        let checked = match self.record.outcome() {
            Some(_) => Err(SessionError::Finished),
            None => self.hand_over(player),
        };
        self.back_to(&mark);
        checked
    }

    /// Whether a network judges positions in searches.
    pub fn judges_by_network(&self) -> bool {
        self.searcher.judges_by_network()
    }

    pub fn perft(&self, plies: u32, is_over: &dyn Fn() -> bool) -> Option<u64> {
        self.rules().perft(self.record.position(), plies, is_over)
    }

    pub fn forget(&mut self) {
        self.searcher.clear();
        self.prover = None;
    }
}
