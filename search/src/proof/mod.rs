//! `proof-number` and `solve`: df-pn, which proves results instead of estimating them.
//!
//! Nagai's depth-first proof-number search (2002) with a transposition table. A value has three cases and a proof two, so two
//! questions are asked: does player one win, does player two win? A draw is a no to both. Entries keep bounds on the value,
//! so one question's answers serve the other, and a game without draws needs only one. Numbers are for the player the
//! question is about, whoever moves: turns need not alternate. Heuristics order the work and are never part of a proof;
//! what a game foresees ([`Knowledge::foresee`](treeline_game::Knowledge::foresee)) is.
//!
//! **Paths.** A proof of a win is built from positions proven earlier, so following it never comes back to a state, and it
//! holds however the position was reached. A disproof may rest on a line that comes back to where it was, which helps no
//! hunter; it holds only while that position is on the path (the graph-history interaction problem). Such a disproof is
//! stored under a key that includes the whole path, as the twins of Kishimoto and Müller (2004), with the position it
//! comes back to, and becomes an unconditional one where that position itself is disproven. Games with a greatest length
//! have counters in their state keys and no cycles.
//!
//! **Repetition** changes no win: whoever can win can do so as quickly as possible, which never brings a placement back, as
//! counters only ever end games in draws and more time is never worse for the winner. What history does change are
//! placements which one more occurrence would draw: they count as draws, and all keys depend on them, so nothing that was
//! proven with another history is taken for true. Where neither repetition nor length ends a game, endless play has no
//! result: what would be a draw by it stays unknown.

mod children;
mod descent;
mod numbers;
mod path;
mod prover;
mod setup;
mod solver;
mod standing;
mod summary;
mod table;
#[cfg(test)]
mod tests;

pub use prover::{MARGIN, METHOD, Prover, Question};
pub use solver::{Solution, seen_by};
pub use standing::Standing;

use super::{
    Candidate, Control, Entry, Equipment, Found, HEURISTIC, Report, Searcher, Stats, heuristic,
};
use crate::certain::{self, CERTAIN};
use numbers::Numbers;
use setup::{Setup, SolverSettings};
use solver::{Solver, stats};
use treeline_game::options::{Kind, OptionError, Spec, Values};
use treeline_game::{ForMover, Game, Record};

pub const ENTRIES: &[Entry] = &[Entry {
    name: "proof-number",
    help: "df-pn: proves the result and plays it, else the move that looks most likely to win",
    options: &[
        HEURISTIC,
        Spec {
            name: "guidance",
            kind: Kind::Real {
                min: 0.0,
                max: 10.0,
                off: false,
            },
            default: "2",
            help: "how far the heuristic moves the first numbers of a position; 0 is not at all",
        },
        Spec {
            name: "epsilon",
            kind: Kind::Real {
                min: 0.0,
                max: 2.0,
                off: false,
            },
            default: "0.25",
            help: "how far a line is followed beyond the second-best, in parts of its number",
        },
        certain::option(
            "study",
            "what the game is asked for certain about every position: nothing, what is seen at a glance, or what a longer look says (Hex: virtual connections)",
        ),
    ],
    preset: &[],
    parallel: false,
}];

pub fn build<G: Game>(
    game: &G,
    values: &Values,
    equipment: Equipment<'_, G>,
) -> Result<Box<dyn Searcher<G>>, OptionError> {
    let resources = equipment.resources;
    let settings = SolverSettings {
        guidance: values.real("guidance").unwrap_or(0.0) as f32,
        epsilon: values.real("epsilon").unwrap_or(0.0) as f32,
        certain: CERTAIN.read(values, certain::NAME),
    };
    let heuristic = heuristic(game, values)?;
    let solver = Solver::new(heuristic, settings, resources.memory);
    Ok(Box::new(ProofNumber { solver }))
}

struct ProofNumber<G: Game> {
    solver: Solver<G>,
}

impl<G: Game> Searcher<G> for ProofNumber<G> {
    fn search(
        &mut self,
        record: &Record<G>,
        control: &Control,
        report: &mut Report<'_, G>,
    ) -> Found<G> {
        let mut reporter = super::control::Reporter::new(control);
        let setup = self.solver.setup(record, control);
        let (solution, tally) = self.solver.solve(record, control, &mut |solver, tally| {
            if reporter.is_due() {
                let candidates = candidates(solver, &setup, record);
                report(&found(record, candidates, None, stats(tally, control)));
            }
        });
        let mut candidates = candidates(&self.solver, &setup, record);
        let mut stats = Stats {
            evaluations: tally.evaluations,
            ..solution.stats
        };
        if control.is_for_every_move() && solution.outcome.is_some() {
            let told = solution.clone();
            let tell = &mut |candidates: &[Candidate<G>], stats: Stats| {
                if reporter.is_due() {
                    report(&found(
                        record,
                        candidates.to_vec(),
                        Some(told.clone()),
                        stats,
                    ));
                }
            };
            self.judge_others(record, control, &mut candidates, &mut stats, tell);
        }
        found(record, candidates, Some(solution), stats)
    }

    fn clear(&mut self) {
        self.solver.clear();
    }
}

impl<G: Game> ProofNumber<G> {
    /// Proves the moves of which nothing is certain yet, one after the other, with what is left of the limits.
    fn judge_others(
        &mut self,
        record: &Record<G>,
        control: &Control,
        candidates: &mut [Candidate<G>],
        stats: &mut Stats,
        tell: &mut dyn FnMut(&[Candidate<G>], Stats),
    ) {
        let most = control.nodes().min(control.simulations());
        for at in 0..candidates.len() {
            let left = most.saturating_sub(stats.simulations);
            if candidates[at].proven.is_some() || left == 0 || control.is_over() {
                continue;
            }
            let mut after = record.clone();
            if after.play(candidates[at].played).is_err() {
                continue;
            }
            let control = control.within_nodes(left);
            let (solution, tally) = self.solver.solve(&after, &control, &mut |_, _| ());
            stats.simulations += solution.stats.simulations;
            stats.nodes += solution.stats.nodes;
            stats.evaluations += tally.evaluations;
            stats.seconds = solution.stats.seconds;
            if let Some(outcome) = solution.outcome {
                let candidate = &mut candidates[at];
                candidate.value = outcome.value().seen_by(record.turn());
                candidate.proven = Some(outcome);
                candidate.pv.truncate(1);
                candidate.pv.extend(solution.pv);
            }
            tell(candidates, *stats);
        }
        candidates.sort_by(|a, b| b.value.0.total_cmp(&a.value.0));
    }
}

/// The result of a search from what is known of the root's moves, best first, and of the root.
fn found<G: Game>(
    record: &Record<G>,
    mut candidates: Vec<Candidate<G>>,
    solution: Option<Solution<G>>,
    stats: Stats,
) -> Found<G> {
    let proven = solution.as_ref().and_then(|s| s.outcome);
    let mut pv = solution.map_or_else(Vec::new, |s| s.pv);
    if pv.is_empty() {
        pv = candidates[0].pv.clone();
    }
    let at = candidates
        .iter()
        .position(|c| c.played == pv[0])
        .unwrap_or(0);
    let value = match proven {
        Some(outcome) => outcome.value().seen_by(record.turn()),
        None => candidates[at].value,
    };
    let mut best = candidates.remove(at);
    (best.pv, best.value) = (pv.clone(), value);
    best.proven = proven.or(best.proven);
    candidates.insert(0, best);
    Found {
        best: pv[0],
        value: Some(value),
        proven,
        pv,
        candidates,
        stats,
    }
}

/// The root's moves by what is known of them. While nothing is certain, numbers say who has less left to prove.
fn candidates<G: Game>(
    solver: &Solver<G>,
    setup: &Setup<'_, G>,
    record: &Record<G>,
) -> Vec<Candidate<G>> {
    let (game, mover) = (record.game(), record.turn());
    let root = record.line();
    let rate = |played: G::Move| {
        let mut line = root.clone();
        line.apply(played);
        if let Some(outcome) = line.outcome() {
            return (outcome.value().seen_by(mover).0, 0, Some(outcome));
        }
        let known = solver.table().find(setup.key(line.position(), 1));
        let known = known.unwrap_or(table::Entry::NEW);
        if let Some(outcome) = known.bounds.outcome() {
            return (outcome.value().seen_by(mover).0, known.work, Some(outcome));
        }
        let guess = solver
            .heuristic()
            .value(game, line.position())
            .seen_by(mover)
            .0;
        let chance = |numbers: Option<Numbers>| {
            let n = numbers?;
            let (proof, disproof) = (f64::from(n.proof), f64::from(n.disproof));
            Some(((disproof - proof) / (disproof + proof)) as f32)
        };
        let wins = chance(known.numbers[mover.index()]);
        let loses = chance(known.numbers[mover.other().index()]);
        let value = match (wins, loses) {
            (Some(wins), Some(loses)) => (wins - loses) / 2.0,
            (Some(wins), None) => wins,
            (None, Some(loses)) => -loses,
            (None, None) => guess,
        };
        // Short of certainty, and ties go by the heuristic.
        (
            (value * 0.99 + guess * 0.001).clamp(-0.999, 0.999),
            known.work,
            None,
        )
    };
    let mut candidates: Vec<Candidate<G>> = record
        .moves()
        .into_iter()
        .map(|played| {
            let (value, visits, proven) = rate(played);
            Candidate {
                played,
                visits: u64::from(visits),
                value: ForMover(value),
                bound: crate::Bound::Exact,
                proven,
                pv: vec![played],
            }
        })
        .collect();
    candidates.sort_by(|a, b| b.value.0.total_cmp(&a.value.0));
    candidates
}
