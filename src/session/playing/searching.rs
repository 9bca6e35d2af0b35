//! A game's searcher and solver at work.

use super::game::Game;
use super::player::Absent;
use crate::game::{Cell, Notation, Player, Rules};
use crate::games::{AnyGame, AnyMove};
use crate::memory;
use crate::search::proof::{self, Prover, Question, seen_by};
use crate::search::{self, Control, Found};
use crate::session::SessionError;
use crate::session::report::{Analysis, LastSearch, RootMove, Standing, Verdict};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

impl Game {
    /// Searches for `player`, who gets the turn as in `play`. With `play` the move is played, otherwise nothing changes.
    pub(in crate::session) fn search(
        &mut self,
        player: Player,
        control: &Control,
        play: bool,
        report: &mut dyn FnMut(&Analysis),
    ) -> Result<LastSearch, SessionError> {
        if self.record.outcome().is_some() {
            return Err(SessionError::Finished);
        }
        if play {
            self.check_length()?;
        }
        let mark = self.mark();
        self.hand_over(player)?;
        let mut searcher = std::mem::replace(&mut self.searcher, Box::new(Absent));
        let mut tell = |so_far: &Found<AnyGame>| {
            let moves = so_far
                .candidates
                .iter()
                .map(|c| self.root_move(c, player))
                .collect();
            report(&Analysis {
                moves,
                calibrated: self.is_calibrated(),
                stats: so_far.stats,
            });
        };
        let _cores = memory::searching(self.threads);
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
            deputy: self.searcher.deputy().map(String::from),
            network: self
                .network
                .as_ref()
                .filter(|_| self.searcher.judges_by_network())
                .map(|judge| judge.named.name.clone()),
            played: self.rules().write_move(self.record.position(), found.best),
            cell: self.rules().placed_at(self.record.position(), found.best),
            turn: player,
            value: found.value.map(|value| value.0),
            expected: found
                .value
                .map(|value| self.calibration.expected(value.0, found.proven, player)),
            calibrated: self.is_calibrated(),
            proven: found.proven,
            pv: self.texts(&found.pv),
            moves: found
                .candidates
                .iter()
                .map(|c| self.root_move(c, player))
                .collect(),
            stats: found.stats,
        };
        if play && self.record.play(found.best).is_ok() {
            self.marks.push(mark);
        } else {
            self.back_to(&mark);
        }
        Ok(last)
    }

    /// Proves the value of the position within `memory` bytes. The position stays; the solver stays warm until the next
    /// `set_player`.
    pub(in crate::session) fn solve(
        &mut self,
        question: Question<'_>,
        memory: usize,
        control: &Control,
        report: &mut dyn FnMut(&Standing),
    ) -> Result<Verdict, SessionError> {
        let turn = self.record.turn();
        if let Some(outcome) = self.record.outcome() {
            return Ok(Verdict::finished(turn, outcome));
        }
        let mut prover = self.prover.take().unwrap_or_else(|| Prover::new(memory));
        let mut tell = |standing: proof::Standing<AnyMove>| {
            report(&Standing {
                stats: standing.stats,
                numbers: standing.numbers[turn.index()],
                line: self.texts(&standing.line),
            });
        };
        let solution = {
            let _core = memory::searching(1);
            let network = self.network.as_ref().map(|judge| &*judge.evaluator);
            prover.solve(&self.record, question, network, control, &mut tell)
        };
        self.prover = Some(prover);
        let solution = solution?;
        Ok(Verdict {
            turn,
            outcome: solution.outcome,
            margin: solution.margin,
            pv: self.texts(&solution.pv),
            stats: solution.stats,
        })
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

    fn root_move(&self, candidate: &search::Candidate<AnyGame>, turn: Player) -> RootMove {
        RootMove {
            visits: candidate.visits,
            value: candidate.value.0,
            expected: self
                .calibration
                .expected(candidate.value.0, candidate.proven, turn),
            bound: candidate.bound,
            proven: candidate.proven.map(|outcome| seen_by(outcome, turn)),
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
