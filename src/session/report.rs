//! What a search tells, in text and numbers without the game's types.

use crate::game::{Cell, Outcome, Player};
use crate::search::Stats;

/// One move of the root with its expected continuation.
#[derive(Debug, Clone)]
pub struct Line {
    pub visits: u64,
    /// In [-1, 1] for the side to move at the root.
    pub value: f32,
    /// Where the move puts its stone, in games that place stones.
    pub cell: Option<Cell>,
    /// The move and what is expected to follow.
    pub pv: Vec<String>,
}

/// A search in progress.
#[derive(Debug, Clone)]
pub struct Analysis {
    /// Best first.
    pub lines: Vec<Line>,
    pub stats: Stats,
}

/// A finished search.
#[derive(Debug, Clone)]
pub struct LastSearch {
    pub searcher: &'static str,
    pub played: String,
    /// The side to move at the root.
    pub turn: Player,
    /// In [-1, 1] for `turn`.
    pub value: Option<f32>,
    pub proven: Option<Outcome>,
    pub pv: Vec<String>,
    pub lines: Vec<Line>,
    pub stats: Stats,
}

impl LastSearch {
    /// The reply to `search_stats`: one JSON object on one line.
    pub fn json(&self) -> String {
        let proven = self.proven.map(|outcome| match outcome {
            Outcome::Draw => "draw",
            Outcome::Win(player) if player == self.turn => "win",
            Outcome::Win(_) => "loss",
        });
        let stats = &self.stats;
        serde_json::json!({
            "searcher": self.searcher,
            "seconds": stats.seconds,
            "threads": stats.threads,
            "simulations": stats.simulations,
            "nodes": stats.nodes,
            "evaluations": stats.evaluations,
            "playouts": stats.playouts,
            "depth": stats.depth,
            "value": self.value,
            "proven": proven,
            "pv": self.pv,
            "reused_nodes": stats.reused_nodes,
        })
        .to_string()
    }
}
