//! One game of one type with its searcher.

use super::Setup;
use crate::eval::network::{self, Backend, Place};
use crate::eval::{Asked, Evaluator};
use crate::game::{Cell, Grid, Knowledge, Notation, Outcome, Player, Record, Rules};
use crate::games::{self, AnyGame, AnyMove, AnyPosition};
use crate::options::Values;
use crate::search::proof::Prover;
use crate::search::{self, Control, Equipment, Found, Resources, Searcher};
use crate::session::networks::Brought;
use crate::session::report::{Analysis, Evaluation, LastSearch, Line, Verdict, probabilities};
use crate::session::{SessionError, SetUp};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

pub struct Game {
    entry: &'static games::Entry,
    variant: Values,
    record: Record<AnyGame>,
    /// The state before each `play`, since one play may imply a pass or a turn.
    marks: Vec<Mark>,
    searcher: Box<dyn Searcher<AnyGame>>,
    searcher_name: &'static str,
    network: Option<Judge>,
    prover: Option<Prover>,
}

/// A network that is ready, and what it was made of.
struct Judge {
    brought: Arc<Brought>,
    backend: Backend,
    evaluator: Box<dyn Evaluator<AnyGame>>,
}

/// What one `play` is taken back to.
struct Mark {
    steps: usize,
    position: AnyPosition,
    /// The text of a play that was no move of the game, with its player.
    adjustment: Option<(Player, String)>,
}

impl Game {
    /// `entry` and `variant` are those of `game`.
    pub fn new(
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
            network: None,
            prover: None,
        };
        playing.set_player(setup)?;
        Ok(playing)
    }

    /// The network of a setup, made ready for this game.
    fn judge(&self, setup: &Setup) -> Result<Option<Judge>, SessionError> {
        let Some(brought) = &setup.network else {
            return Ok(None);
        };
        let variant = brought.variant_text(self.entry, &self.variant);
        let place = Place {
            game: self.entry.name,
            variant: &variant,
        };
        let loaded = network::load(self.rules(), place, &brought.network, setup.backend);
        let loaded = loaded.map_err(|e| SessionError::Network(format!("{}: {e}", brought.name)))?;
        if let Some(notice) = loaded.notice {
            log::warn!("{}: {notice}", brought.name);
        }
        Ok(Some(Judge {
            brought: brought.clone(),
            backend: setup.backend,
            evaluator: loaded.evaluator,
        }))
    }

    fn rules(&self) -> &AnyGame {
        self.record.game()
    }

    fn mark(&self) -> Mark {
        Mark {
            steps: self.record.steps().len(),
            position: *self.record.position(),
            adjustment: None,
        }
    }

    fn back_to(&mut self, mark: &Mark) {
        self.record.rewind(mark.steps, mark.position);
    }

    fn restart(&mut self, position: AnyPosition) {
        self.record = Record::from_position(self.rules().clone(), position);
        self.marks.clear();
    }

    /// Makes it `player`'s turn or fails without a change.
    fn hand_over(&mut self, player: Player) -> Result<(), SessionError> {
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

    /// Plays `text` or leaves a half-made change behind; whether it was an adjustment instead of a move.
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

    fn texts(&self, moves: &[AnyMove]) -> Vec<String> {
        let mut position = *self.record.position();
        let mut texts = Vec::new();
        for m in moves {
            texts.push(self.rules().write_move(&position, *m));
            self.rules().apply(&mut position, *m);
        }
        texts
    }

    fn line(&self, candidate: &search::Candidate<AnyGame>) -> Line {
        Line {
            visits: candidate.visits,
            value: candidate.value.0,
            pv: self.texts(&candidate.pv),
            stones: self.stones(&candidate.pv),
        }
    }

    fn stones(&self, moves: &[AnyMove]) -> Vec<(Player, Cell)> {
        let rules = self.rules();
        let mut position = *self.record.position();
        let mut stones = Vec::new();
        for m in moves {
            let Some(cell) = rules.placed_at(&position, *m) else {
                break;
            };
            stones.push((rules.turn(&position), cell));
            rules.apply(&mut position, *m);
        }
        stones
    }
}

/// What a session asks of a game, in text.
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

    pub fn clear(&mut self) {
        self.restart(self.rules().start());
    }

    pub fn play(&mut self, player: Player, text: &str) -> Result<(), SessionError> {
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
        let rules = self.rules();
        let mut moves = Vec::new();
        let steps = self.record.steps();
        let ends = self
            .marks
            .iter()
            .skip(1)
            .map(|mark| mark.steps)
            .chain([steps.len()]);
        for (mark, end) in self.marks.iter().zip(ends) {
            moves.extend(mark.adjustment.clone());
            for step in &steps[mark.steps..end] {
                moves.push((
                    rules.turn(&step.before),
                    rules.write_move(&step.before, step.played),
                ));
            }
        }
        moves
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

    /// Searches for `player`, who gets the turn as in `play`. With `play` the move is played, otherwise nothing changes.
    pub fn search(
        &mut self,
        player: Player,
        control: &Control,
        play: bool,
        report: &mut dyn FnMut(&Analysis),
    ) -> Result<LastSearch, SessionError> {
        if self.record.outcome().is_some() {
            return Err(SessionError::Finished);
        }
        let mark = self.mark();
        self.hand_over(player)?;
        let mut searcher = std::mem::replace(&mut self.searcher, Box::new(Absent));
        let mut tell = |so_far: &Found<AnyGame>| {
            let lines = so_far.candidates.iter().map(|c| self.line(c)).collect();
            report(&Analysis {
                lines,
                stats: so_far.stats,
            });
        };
        let search = || searcher.search(&self.record, control, &mut tell);
        let found = match catch_unwind(AssertUnwindSafe(search)) {
            Ok(found) => found,
            // A defect, of which the dialogue hears; the turn is whose it was, and the searcher goes.
            Err(panic) => {
                self.back_to(&mark);
                resume_unwind(panic);
            }
        };
        self.searcher = searcher;
        let last = LastSearch {
            searcher: self.searcher_name,
            network: self
                .network
                .as_ref()
                .filter(|_| self.searcher.judges_by_network())
                .map(|judge| judge.brought.name.clone()),
            played: self.rules().write_move(self.record.position(), found.best),
            cell: self.rules().placed_at(self.record.position(), found.best),
            turn: player,
            value: found.value.map(|value| value.0),
            proven: found.proven,
            pv: self.texts(&found.pv),
            lines: found.candidates.iter().map(|c| self.line(c)).collect(),
            stats: found.stats,
        };
        if play && self.record.play(found.best).is_ok() {
            self.marks.push(mark);
        } else {
            self.back_to(&mark);
        }
        Ok(last)
    }

    /// The value of the position, proven within `memory` bytes; nothing changes but the solver, which stays warm until the
    /// next `set_player`.
    pub fn solve(
        &mut self,
        method: &str,
        memory: usize,
        control: &Control,
    ) -> Result<Verdict, SessionError> {
        let turn = self.record.turn();
        if let Some(outcome) = self.record.outcome() {
            return Ok(Verdict::finished(turn, outcome));
        }
        let mut prover = self.prover.take().unwrap_or_else(|| Prover::new(memory));
        let solution = prover.solve(&self.record, method, control);
        self.prover = Some(prover);
        let solution = solution?;
        Ok(Verdict {
            turn,
            outcome: solution.outcome,
            pv: self.texts(&solution.pv),
            stats: solution.stats,
        })
    }

    pub fn perft(&self, plies: u32, is_over: &dyn Fn() -> bool) -> Option<u64> {
        self.rules().perft(self.record.position(), plies, is_over)
    }

    /// Values of the game's heuristics for player one, by name.
    pub fn heuristics(&self) -> Vec<(&'static str, f32)> {
        let position = self.record.position();
        let rules = self.rules();
        rules
            .heuristics()
            .iter()
            .map(|h| (h.name, h.value(rules, position).0))
            .collect()
    }

    /// The name of the game's first heuristic, and its value for player one after each legal move that places a stone.
    pub fn heuristic_by_cell(&self) -> (&'static str, Vec<(Cell, f32)>) {
        let (rules, position) = (self.rules(), self.record.position());
        let Some(heuristic) = rules.heuristics().first() else {
            return ("", Vec::new());
        };
        let values = self.record.moves().into_iter().filter_map(|m| {
            let cell = rules.placed_at(position, m)?;
            let mut after = *position;
            rules.apply(&mut after, m);
            let value = match rules.outcome(&after) {
                Some(outcome) => outcome.value().0,
                None => heuristic.value(rules, &after).0,
            };
            Some((cell, value))
        });
        (heuristic.name, values.collect())
    }

    /// What the network says of the position, and the heuristics; for a position that is not finished.
    pub fn evaluate(&mut self) -> Evaluation {
        let heuristics = self.heuristics();
        let moves = self.record.moves();
        let (rules, position) = (self.record.game(), self.record.position());
        let turn = rules.turn(position);
        let seen = |value: crate::game::ForOne| value.seen_by(turn).0;
        let (mut values, mut logits) = (Vec::new(), Vec::new());
        if let Some(judge) = &mut self.network {
            let moves = &moves;
            judge
                .evaluator
                .judge(&[Asked { position, moves }], &mut values, &mut logits);
        }
        let mut policy: Vec<(String, f32)> = moves
            .iter()
            .zip(probabilities(&logits))
            .map(|(m, p)| (rules.write_move(position, *m), p))
            .collect();
        policy.sort_by(|a, b| b.1.total_cmp(&a.1));
        Evaluation {
            turn,
            network: self.network.as_ref().map(|judge| judge.brought.title()),
            value: values.first().copied().map(seen),
            policy,
            heuristics: heuristics
                .into_iter()
                .map(|(name, value)| (name, seen(crate::game::ForOne(value))))
                .collect(),
        }
    }

    /// Another player of the same game, or nothing changes.
    pub fn set_player(&mut self, setup: &Setup) -> Result<(), SessionError> {
        let same = match (&self.network, &setup.network) {
            (Some(judge), Some(brought)) => {
                judge.backend == setup.backend && Arc::ptr_eq(&judge.brought, brought)
            }
            (judge, brought) => judge.is_none() && brought.is_none(),
        };
        let fresh = if same { None } else { Some(self.judge(setup)?) };
        let judge = fresh.as_ref().unwrap_or(&self.network);
        let build = |resources| {
            let equipment = Equipment {
                network: judge.as_ref().map(|judge| &*judge.evaluator),
                ..Equipment::from(resources)
            };
            search::build(
                setup.searcher,
                self.record.game(),
                &setup.options,
                equipment,
            )
        };
        // The old searcher's memory goes before the new one's comes, once it is certain that there is a new one.
        build(Resources {
            memory: 0,
            ..setup.resources
        })?;
        self.searcher = Box::new(Absent);
        self.prover = None;
        self.searcher = build(setup.resources)?;
        self.searcher_name = setup.searcher;
        if let Some(fresh) = fresh {
            self.network = fresh;
        }
        Ok(())
    }

    pub fn forget(&mut self) {
        self.searcher.clear();
        self.prover = None;
    }
}

/// Stands in for the searcher while that one works.
struct Absent;

impl Searcher<AnyGame> for Absent {
    fn search(
        &mut self,
        record: &Record<AnyGame>,
        _: &Control,
        _: &mut search::Report<'_, AnyGame>,
    ) -> Found<AnyGame> {
        let best = record.moves()[0];
        let stats = search::Stats::default();
        Found {
            best,
            value: None,
            proven: None,
            pv: vec![best],
            candidates: Vec::new(),
            stats,
        }
    }

    fn clear(&mut self) {}
}
