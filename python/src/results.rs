//! What searches, evaluations and proofs tell.

use crate::errors::Refusal;
use crate::opened::{Opened, Progress};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::HashMap;
use treeline::game::{Notation, Outcome, Player};
use treeline::search::{self, Stats};
use treeline::session;

/// The numbers of the legal moves by their texts.
struct Actions(HashMap<String, u32>);

impl Actions {
    fn new(game: &Opened, progress: &Progress) -> Self {
        let text = |m| game.rules.write_move(&progress.position, m);
        let legal = progress.legal(game).into_iter();
        Actions(legal.map(|(number, m)| (text(m), number)).collect())
    }

    fn of(&self, text: &str) -> Result<u32, Refusal> {
        let number = self.0.get(text).copied();
        number.ok_or_else(|| {
            Refusal::Other(format!(
                "the engine's move {text} is not legal; this is a defect"
            ))
        })
    }
}

/// 1, 0 or -1 as `turn` sees an outcome.
fn seen_by(outcome: Outcome, turn: Player) -> i32 {
    outcome.value().seen_by(turn).0 as i32
}

/// One move of a search's root. Values are in [-1, 1] for the player to move there.
#[pyclass(frozen, get_all, module = "treeline")]
#[derive(Clone)]
pub struct Candidate {
    /// The move's number.
    action: u32,
    /// Its text.
    r#move: String,
    /// How often the search went there.
    visits: u64,
    /// What the search thinks of it.
    value: f32,
    /// "exact", or "upper" or "lower" where the value is only a bound.
    bound: &'static str,
    /// 1, 0 or -1 for the player to move where the result after it is certain, else None.
    proven: Option<i32>,
    /// The expected continuation as text, beginning with the move.
    pv: Vec<String>,
}

#[pymethods]
impl Candidate {
    fn __repr__(&self) -> String {
        format!(
            "<Candidate {}: value {:.4}, visits {}>",
            self.r#move, self.value, self.visits
        )
    }
}

/// What a search found out. Values are in [-1, 1] for the player to move.
#[pyclass(frozen, get_all, module = "treeline")]
pub struct SearchResult {
    /// The best move's number.
    action: u32,
    /// Its text.
    r#move: String,
    /// None where the searcher has no opinion.
    value: Option<f32>,
    /// 1, 0 or -1 for the player to move where the result is certain, else None.
    proven: Option<i32>,
    /// The moves that were looked at, best first.
    candidates: Vec<Candidate>,
    /// The principal variation as text, beginning with the best move.
    pv: Vec<String>,
    /// The searcher's name.
    searcher: String,
    /// Whom the searcher left the search to, with its options.
    deputy: Option<String>,
    /// The network that judged.
    network: Option<String>,
    /// Of wall time.
    seconds: f64,
    /// Threads that searched.
    threads: u32,
    /// Descents from the root.
    simulations: u64,
    /// Positions entered for the first time.
    nodes: u64,
    /// Static evaluations.
    evaluations: u64,
    /// Random games to the end.
    playouts: u64,
    /// Plies of the longest line.
    depth: u32,
    /// Visits that the root brought along from earlier searches.
    reused_nodes: u64,
}

impl SearchResult {
    pub fn new(
        game: &Opened,
        progress: &Progress,
        last: &session::LastSearch,
    ) -> Result<Self, Refusal> {
        let actions = Actions::new(game, progress);
        let Stats {
            seconds,
            threads,
            simulations,
            nodes,
            evaluations,
            playouts,
            depth,
            reused_nodes,
        } = last.stats;
        let candidate = |m: &session::RootMove| {
            let text = m.pv.first().cloned().unwrap_or_default();
            Ok(Candidate {
                action: actions.of(&text)?,
                r#move: text,
                visits: m.visits,
                value: m.value,
                bound: match m.bound {
                    search::Bound::Exact => "exact",
                    search::Bound::Lower => "lower",
                    search::Bound::Upper => "upper",
                },
                proven: m.proven.map(|result| match result {
                    "win" => 1,
                    "loss" => -1,
                    _ => 0,
                }),
                pv: m.pv.clone(),
            })
        };
        Ok(SearchResult {
            action: actions.of(&last.played)?,
            r#move: last.played.clone(),
            value: last.value,
            proven: last.proven.map(|outcome| seen_by(outcome, last.turn)),
            candidates: last
                .moves
                .iter()
                .map(candidate)
                .collect::<Result<_, Refusal>>()?,
            pv: last.pv.clone(),
            searcher: last.searcher.into(),
            deputy: last.deputy.clone(),
            network: last.network.clone(),
            seconds,
            threads,
            simulations,
            nodes,
            evaluations,
            playouts,
            depth,
            reused_nodes,
        })
    }
}

#[pymethods]
impl SearchResult {
    /// The counts as a dictionary: seconds, threads, simulations, nodes, evaluations, playouts, depth, reused_nodes.
    #[getter]
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        all.set_item("seconds", self.seconds)?;
        all.set_item("threads", self.threads)?;
        all.set_item("simulations", self.simulations)?;
        all.set_item("nodes", self.nodes)?;
        all.set_item("evaluations", self.evaluations)?;
        all.set_item("playouts", self.playouts)?;
        all.set_item("depth", self.depth)?;
        all.set_item("reused_nodes", self.reused_nodes)?;
        Ok(all)
    }

    fn __repr__(&self) -> String {
        let value = self
            .value
            .map_or("no value".into(), |value| format!("value {value:.4}"));
        format!(
            "<SearchResult {}: {value}, {} simulations>",
            self.r#move, self.simulations
        )
    }
}

/// A state without a search. Values are in [-1, 1] for the player to move.
#[pyclass(frozen, get_all, module = "treeline")]
pub struct Evaluation {
    /// The network with its architecture.
    network: Option<String>,
    /// What the network says; None without one.
    value: Option<f32>,
    /// The network's probability of each legal action; empty without a policy.
    policy: HashMap<u32, f32>,
    /// The game's heuristics by name.
    heuristics: HashMap<&'static str, f32>,
}

impl Evaluation {
    pub fn new(
        game: &Opened,
        progress: &Progress,
        said: session::Evaluation,
    ) -> Result<Self, Refusal> {
        let actions = Actions::new(game, progress);
        let policy = said
            .policy
            .iter()
            .map(|(text, p)| Ok((actions.of(text)?, *p)));
        Ok(Evaluation {
            network: said.network,
            value: said.value,
            policy: policy.collect::<Result<_, Refusal>>()?,
            heuristics: said.heuristics.into_iter().collect(),
        })
    }
}

#[pymethods]
impl Evaluation {
    fn __repr__(&self) -> String {
        format!("<Evaluation {:?}, network {:?}>", self.value, self.network)
    }
}

/// What a proof came to.
#[pyclass(frozen, get_all, module = "treeline")]
pub struct Solution {
    /// 1, 0 or -1 for the player to move with best play; None where nothing is certain yet.
    value: Option<i32>,
    /// A best move's number, where one is known.
    action: Option<u32>,
    /// Best play as text.
    pv: Vec<String>,
    /// Of wall time.
    seconds: f64,
    /// Positions looked at.
    nodes: u64,
}

impl Solution {
    pub fn new(
        game: &Opened,
        progress: &Progress,
        verdict: session::Verdict,
    ) -> Result<Self, Refusal> {
        let actions = Actions::new(game, progress);
        let first = verdict.pv.first().map(|text| actions.of(text));
        Ok(Solution {
            value: verdict
                .outcome
                .map(|outcome| seen_by(outcome, verdict.turn)),
            action: first.transpose()?,
            pv: verdict.pv,
            seconds: verdict.stats.seconds,
            nodes: verdict.stats.nodes,
        })
    }
}

#[pymethods]
impl Solution {
    fn __repr__(&self) -> String {
        format!("<Solution {:?}: {}>", self.value, self.pv.join(" "))
    }
}
