//! `solve`: the game's own solver where it brings one, proof-number search otherwise.

use super::path::Tally;
use super::setup::SolverSettings;
use super::solver::{Solution, Solver};
use super::standing::{Standing, standing};
use crate::control::Reporter;
use crate::eval::Evaluator;
use crate::exact::advised;
use crate::{Control, Stats};
use treeline_game::options::{Kind, OptionError, Spec};
use treeline_game::{Exact, Game, Record};

/// The option by which users choose.
pub const METHOD: Spec = Spec {
    name: "solve-method",
    kind: Kind::Choice(&["auto", "df-pn", "exact"]),
    default: "auto",
    help: "how solve works: proof-number search, the game's own solver, or that one where there is one",
};

/// Whether margins are asked for.
pub const MARGIN: Spec = Spec {
    name: "solve-margin",
    kind: Kind::Flag,
    default: "off",
    help: "whether solve says by how many points the winner wins with best play, which takes longer; by the game's own solver",
};

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// One of [`METHOD`].
    pub method: &'a str,
    /// By how much, and not just who wins.
    pub margin: bool,
}

impl<'a> Question<'a> {
    /// Who wins.
    pub const fn by(method: &'a str) -> Self {
        let margin = false;
        Question { method, margin }
    }
}

/// Solvers within one share of memory, made when first needed and warm after that.
pub struct Prover<G: Game> {
    memory: usize,
    exact: Option<Box<dyn Exact<G>>>,
    general: Option<Solver<G>>,
}

impl<G: Game> Prover<G> {
    /// At most `memory` bytes for tables.
    pub fn new(memory: usize) -> Self {
        Prover {
            memory,
            exact: None,
            general: None,
        }
    }

    /// Solves the record's position, which is not finished, unless `control` ends it first. `report` is called now and then if
    /// `control` asks for that. A network advises the game's own solver from when that is made.
    pub fn solve(
        &mut self,
        record: &Record<G>,
        Question { method, margin }: Question<'_>,
        network: Option<&dyn Evaluator<G>>,
        control: &Control,
        report: &mut dyn FnMut(Standing<G::Move>),
    ) -> Result<Solution<G>, OptionError> {
        let game = record.game();
        if margin && game.margin(record.position()).is_none() {
            return Err(OptionError::Unfit(
                "nobody counts points in this game: solve-margin off".into(),
            ));
        }
        // Such solvers look at positions, not at what led there.
        let knows_all = game.repetition().is_none();
        if method != "df-pn" && knows_all && self.exact.is_none() {
            let memory = self.memory;
            if self.general.is_none() || method == "exact" {
                self.general = None;
                self.exact = advised(game, memory, network);
            }
        }
        if method != "df-pn"
            && let Some(exact) = &mut self.exact
        {
            return Ok(by_exact(exact.as_mut(), record, margin, control, report));
        }
        if margin {
            return Err(OptionError::Unfit(
                "only the game's own solver counts points: solve-margin off, or solve-method exact"
                    .into(),
            ));
        }
        if method == "exact" {
            return Err(OptionError::Unfit(
                "this game and variant has no solver of its own; solve-method df-pn works for all"
                    .into(),
            ));
        }
        self.exact = None;
        let memory = self.memory;
        let general = self.general.get_or_insert_with(|| {
            Solver::new(&game.heuristics()[0], SolverSettings::default(), memory)
        });
        let mut reporter = Reporter::new(control);
        let mut tell = |solver: &mut Solver<G>, tally: &Tally| {
            if reporter.is_due() {
                report(standing(solver, tally, record, control));
            }
        };
        Ok(general.solve(record, control, &mut tell).0)
    }
}

fn by_exact<G: Game>(
    exact: &mut dyn Exact<G>,
    record: &Record<G>,
    margin: bool,
    control: &Control,
    report: &mut dyn FnMut(Standing<G::Move>),
) -> Solution<G> {
    let before = exact.nodes();
    let mut reporter = Reporter::new(control);
    let solved = exact.solve(record.position(), margin, &mut || {
        if reporter.is_due() {
            report(Standing::of_time(control));
        }
        control.is_over()
    });
    let stats = Stats {
        seconds: control.seconds(),
        nodes: exact.nodes() - before,
        ..Stats::default()
    };
    match solved {
        Some(solved) => Solution {
            outcome: Some(solved.outcome),
            margin: solved.margin,
            pv: solved.pv,
            stats,
        },
        None => Solution {
            outcome: None,
            margin: None,
            pv: Vec::new(),
            stats,
        },
    }
}
