//! `minimax`: fixed depth, no pruning, no table (NIM Alg. 1). The reference that other searchers are tested against.
//!
//! Values are player one's throughout, so that turns need not alternate. A result closer to the root is not preferred
//! to a later one: the value is the game's, not the path's.

use super::{
    Candidate, Control, Entry, Equipment, Found, HEURISTIC, Report, Searcher, Stats, evaluator,
};
use crate::eval::Evaluator;
use treeline_game::options::{Kind, OptionError, Spec, Values};
use treeline_game::{ForMover, ForOne, Game, Line, Outcome, Player, Record};

pub const ENTRIES: &[Entry] = &[Entry {
    name: "minimax",
    help: "minimax to a fixed depth without pruning: the reference for tests",
    options: &[
        HEURISTIC,
        Spec {
            name: "plies",
            kind: Kind::Int {
                min: 1,
                max: 100,
                off: false,
            },
            default: "3",
            help: "depth of the search; the limit depth lowers it",
        },
    ],
    preset: &[("heuristic", "benchmark")],
    parallel: false,
}];

pub fn build<G: Game>(
    game: &G,
    values: &Values,
    equipment: Equipment<'_, G>,
) -> Result<Box<dyn Searcher<G>>, OptionError> {
    Ok(Box::new(Minimax {
        evaluator: evaluator(game, values, equipment)?,
        plies: values.int("plies").unwrap_or(1) as u32,
    }))
}

struct Minimax<G: Game> {
    evaluator: Box<dyn Evaluator<G>>,
    plies: u32,
}

/// A backed-up value, and whether only results went into it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Backed {
    value: ForOne,
    proven: bool,
}

/// One running search.
struct Pass<'a, G: Game> {
    evaluator: &'a mut dyn Evaluator<G>,
    values: Vec<ForOne>,
    control: &'a Control,
    /// Depth of the whole search.
    plies: u32,
    stats: Stats,
    over: bool,
}

impl<G: Game> Searcher<G> for Minimax<G> {
    fn judges_by_network(&self) -> bool {
        self.evaluator.is_network()
    }

    /// If time runs out, the moves not looked at in full count as worst.
    fn search(
        &mut self,
        record: &Record<G>,
        control: &Control,
        report: &mut Report<'_, G>,
    ) -> Found<G> {
        let plies = self.plies.min(control.depth()).max(1);
        let mut pass = Pass {
            evaluator: self.evaluator.as_mut(),
            values: Vec::new(),
            control,
            plies,
            stats: Stats::default(),
            over: false,
        };
        let turn = record.turn();
        let moves = record.moves();
        let mut reporter = super::control::Reporter::new(control);
        let mut root = record.line();
        let mut done: Vec<(Candidate<G>, bool)> = Vec::new();
        for &played in &moves {
            let mut pv = Vec::new();
            let backed = pass.child(&mut root, played, plies, &mut pv);
            if pass.over && !done.is_empty() {
                break;
            }
            let value = backed.value.seen_by(turn);
            done.push((
                Candidate {
                    played,
                    visits: 1,
                    value,
                    bound: crate::Bound::Exact,
                    proven: backed.proven.then(|| outcome(value, turn)),
                    pv,
                },
                backed.proven,
            ));
            if reporter.is_due() {
                report(&found(done.clone(), false, turn, &pass));
            }
        }
        let complete = !pass.over && done.len() == moves.len();
        found(done, complete, turn, &pass)
    }

    fn clear(&mut self) {}
}

/// The result from the moves searched so far; `complete` when that is all of them.
fn found<G: Game>(
    mut done: Vec<(Candidate<G>, bool)>,
    complete: bool,
    turn: Player,
    pass: &Pass<'_, G>,
) -> Found<G> {
    done.sort_by(|a, b| b.0.value.0.total_cmp(&a.0.value.0));
    let (best, best_proven) = (done[0].0.clone(), done[0].1);
    let wins = best_proven && best.value.0 == 1.0;
    let all_proven = complete && done.iter().all(|(_, proven)| *proven);
    let proven = (wins || all_proven).then(|| outcome(best.value, turn));
    Found {
        best: best.played,
        value: Some(best.value),
        proven,
        pv: best.pv,
        candidates: done.into_iter().map(|(candidate, _)| candidate).collect(),
        stats: Stats {
            seconds: pass.control.seconds(),
            ..pass.stats
        },
    }
}

/// The result that a proven value stands for.
fn outcome(value: ForMover, mover: Player) -> Outcome {
    match value.0 {
        v if v > 0.0 => Outcome::Win(mover),
        v if v < 0.0 => Outcome::Win(mover.other()),
        _ => Outcome::Draw,
    }
}

impl<G: Game> Pass<'_, G> {
    /// The value of playing `m`, searched `plies` deep counting `m` itself; `pv` receives the line from `m` on.
    fn child(
        &mut self,
        line: &mut Line<'_, G>,
        m: G::Move,
        plies: u32,
        pv: &mut Vec<G::Move>,
    ) -> Backed {
        let mut next = line.clone();
        next.apply(m);
        self.stats.nodes += 1;
        pv.clear();
        pv.push(m);
        self.value(&mut next, plies - 1, pv)
    }

    fn value(&mut self, line: &mut Line<'_, G>, plies: u32, pv: &mut Vec<G::Move>) -> Backed {
        self.stats.depth = self.stats.depth.max(self.plies - plies);
        if let Some(outcome) = line.outcome() {
            return Backed {
                value: outcome.value(),
                proven: true,
            };
        }
        if self.stats.nodes >= self.control.nodes()
            || (self.stats.nodes.is_multiple_of(256) && self.control.is_over())
        {
            self.over = true;
        }
        if plies == 0 || self.over {
            self.stats.evaluations += 1;
            let position = std::slice::from_ref(line.position());
            self.evaluator.evaluate(position, &mut self.values);
            let value = self.values.first().copied().unwrap_or(ForOne(0.0));
            return Backed {
                value,
                proven: false,
            };
        }
        let mover = line.game().turn(line.position());
        let mut best: Option<Backed> = None;
        let mut best_pv = Vec::new();
        let mut all_proven = true;
        for m in line.game().moves(line.position()) {
            let mut below = Vec::new();
            let backed = self.child(line, m, plies, &mut below);
            all_proven &= backed.proven;
            let better = best.is_none_or(|b| backed.value.seen_by(mover) > b.value.seen_by(mover));
            if better {
                best = Some(backed);
                best_pv = below;
            }
        }
        pv.extend(best_pv);
        match best {
            Some(b) => {
                let wins = b.proven && b.value.seen_by(mover).0 == 1.0;
                Backed {
                    value: b.value,
                    proven: wins || all_proven,
                }
            }
            None => Backed {
                value: Outcome::Draw.value(),
                proven: false,
            },
        }
    }
}
