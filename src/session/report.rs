//! What a search tells, in text and numbers without the game's types.

use crate::game::{Cell, Outcome, Player};
use crate::search::proof::seen_by;
use crate::search::{Bound, Stats};

/// A move of the root position, with what the search found out about it.
#[derive(Debug, Clone)]
pub struct RootMove {
    pub visits: u64,
    /// In [-1, 1] for the side to move at the root.
    pub value: f32,
    /// What that is worth: the score in [0, 1] that the side to move may expect, a draw counting half, by the game's
    /// [`Calibration`](crate::game::Calibration).
    pub expected: f32,
    /// Whether that is what the search thinks, or only a bound of it.
    pub bound: Bound,
    /// `win`, `draw` or `loss` for the side to move at the root, where that is certain.
    pub proven: Option<&'static str>,
    /// The move and what is expected to follow.
    pub pv: Vec<String>,
    /// Where the line puts its stones, up to the first move that places none; in games that place stones.
    pub stones: Vec<(Player, Cell)>,
}

/// A search in progress.
#[derive(Debug, Clone)]
pub struct Analysis {
    /// Best first.
    pub moves: Vec<RootMove>,
    /// As of a finished search.
    pub calibrated: bool,
    pub stats: Stats,
}

/// A finished search.
#[derive(Debug, Clone)]
pub struct LastSearch {
    pub searcher: &'static str,
    /// Whom it left the search to, with the options.
    pub deputy: Option<String>,
    /// The network that judged.
    pub network: Option<String>,
    pub played: String,
    /// Where that puts its stone, in games that place stones.
    pub cell: Option<Cell>,
    /// The side to move at the root.
    pub turn: Player,
    /// In [-1, 1] for `turn`.
    pub value: Option<f32>,
    /// The score in [0, 1] that `turn` may expect.
    pub expected: Option<f32>,
    /// Whether expected scores rest on matches: the game has a row for this searcher and network.
    pub calibrated: bool,
    pub proven: Option<Outcome>,
    pub pv: Vec<String>,
    pub moves: Vec<RootMove>,
    pub stats: Stats,
}

/// A solver at work.
#[derive(Debug, Clone)]
pub struct Standing {
    pub stats: Stats,
    /// Proof and disproof number of the question whether the side to move wins.
    pub numbers: Option<[u32; 2]>,
    /// The moves with the most work behind them.
    pub line: Vec<String>,
}

/// What a solver found out.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// The side to move.
    pub turn: Player,
    /// `None` where nothing is certain.
    pub outcome: Option<Outcome>,
    /// Player one's points minus player two's, where they were asked for.
    pub margin: Option<i32>,
    /// Best play, one move at least where the value is known and the game is not over.
    pub pv: Vec<String>,
    pub stats: Stats,
}

/// A position without a search.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// The side to move; all values are in [-1, 1] for it.
    pub turn: Player,
    /// The network with its architecture.
    pub network: Option<String>,
    /// What the network says.
    pub value: Option<f32>,
    /// Its moves with their probabilities, likeliest first; none without a policy.
    pub policy: Vec<(String, f32)>,
    pub heuristics: Vec<(&'static str, f32)>,
}

impl Evaluation {
    /// The reply to `evaluate`: a number or a move a line, the network's where there is one.
    pub fn text(&self) -> String {
        let turn = self.turn;
        let Some(network) = &self.network else {
            let mut lines = vec!["network none".to_string()];
            let named = self.heuristics.iter();
            lines.extend(
                named.map(|(name, value)| format!("{name} {value:.4} for {turn}, to move")),
            );
            return lines.join("\n");
        };
        let mut lines = vec![format!("network {network}")];
        let value = self.value.iter();
        lines.extend(value.map(|value| format!("value {value:.4} for {turn}, to move")));
        let moves = self.policy.iter();
        lines.extend(moves.map(|(text, p)| format!("policy {text} {p:.4}")));
        if self.policy.is_empty() {
            lines.push("policy none".into());
        }
        lines.join("\n")
    }
}

/// The softmax of logits.
pub fn probabilities(logits: &[f32]) -> Vec<f32> {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weights: Vec<f32> = logits.iter().map(|logit| (logit - most).exp()).collect();
    let sum: f32 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

impl RootMove {
    /// What `search_stats` says of a move.
    fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "move": self.pv.first(),
            "visits": self.visits,
            "value": self.value,
            "expected": self.expected,
            "bound": self.bound_word(),
            "proven": self.proven,
        })
    }

    /// `lower` where the move is worth at least its value, `upper` where it is at most, else nothing.
    pub fn bound_word(&self) -> Option<&'static str> {
        match self.bound {
            Bound::Exact => None,
            Bound::Lower => Some("lower"),
            Bound::Upper => Some("upper"),
        }
    }

    /// Where the move puts its stone.
    pub fn cell(&self) -> Option<Cell> {
        self.stones.first().map(|(_, cell)| *cell)
    }
}

impl Verdict {
    /// The verdict on a game that is over.
    pub fn finished(turn: Player, outcome: Outcome) -> Self {
        Verdict {
            turn,
            outcome: Some(outcome),
            margin: None,
            pv: Vec::new(),
            stats: Stats::default(),
        }
    }

    /// `win`, `loss`, `draw` or `unknown` for the side to move, by how many points where that was asked for, and the moves behind it.
    pub fn text(&self) -> String {
        let word = self.outcome.map_or("unknown", |o| seen_by(o, self.turn));
        let margin = self
            .margin
            .map(|margin| format!("{:+}", margin * self.turn.sign()));
        let words = std::iter::once(word).chain(margin.as_deref());
        let words = words.chain(self.pv.iter().map(String::as_str));
        words.collect::<Vec<_>>().join(" ")
    }
}

impl LastSearch {
    /// The reply to `search_stats`: one JSON object on one line.
    pub fn json(&self) -> String {
        let proven = self.proven.map(|outcome| seen_by(outcome, self.turn));
        let stats = &self.stats;
        let moves = self.moves.iter().map(RootMove::json);
        let moves: Vec<_> = moves.collect();
        serde_json::json!({
            "searcher": self.searcher,
            "deputy": self.deputy,
            "network": self.network,
            "seconds": stats.seconds,
            "threads": stats.threads,
            "simulations": stats.simulations,
            "nodes": stats.nodes,
            "evaluations": stats.evaluations,
            "playouts": stats.playouts,
            "depth": stats.depth,
            "value": self.value,
            "expected": self.expected,
            "calibrated": self.calibrated,
            "proven": proven,
            "pv": self.pv,
            "moves": moves,
            "reused_nodes": stats.reused_nodes,
        })
        .to_string()
    }
}
