//! What a search found, as JSON. Values are for the side to move at the root.

use crate::game::{Calibration, Outcome};
use crate::search::Stats;
use crate::search::proof::seen_by;
use crate::session::{Analysis, Evaluation, LastSearch, RootMove, Session};
use serde_json::{Map, Value, json};

/// More decimals say nothing.
fn rounded(value: f32) -> f64 {
    (f64::from(value) * 1e5).round() / 1e5
}

/// The candidates, best first; `policy` has the network's priors.
fn moves(moves: &[RootMove], policy: &[(String, f32)]) -> Vec<Value> {
    let one = |(order, line): (usize, &RootMove)| {
        let played = line.pv.first().map_or("", String::as_str);
        let mut found = json!({
            "move": played,
            "order": order,
            "visits": line.visits,
            "value": rounded(line.value),
            "winrate": rounded(line.expected),
            "pv": line.pv,
        });
        if let Some((_, prior)) = policy.iter().find(|(text, _)| text == played) {
            found["prior"] = json!(rounded(*prior));
        }
        if let Some(bound) = line.bound_word() {
            found["bound"] = json!(bound);
        }
        if let Some(result) = line.proven {
            found["proven"] = json!(result);
        }
        found
    };
    moves.iter().enumerate().map(one).collect()
}

fn work(stats: &Stats) -> Map<String, Value> {
    let per_second = stats.nodes as f64 / stats.seconds.max(1e-9);
    let Value::Object(object) = json!({
        "visits": stats.simulations.max(stats.nodes),
        "simulations": stats.simulations,
        "nodes": stats.nodes,
        "depth": stats.depth,
        "seconds": stats.seconds,
        "nodesPerSecond": per_second.round(),
    }) else {
        return Map::new();
    };
    object
}

/// A search in progress.
pub fn during(session_turn: &str, analysis: &Analysis, policy: &[(String, f32)]) -> Value {
    let mut root = work(&analysis.stats);
    root.insert("currentPlayer".into(), json!(session_turn));
    if let Some(best) = analysis.moves.first() {
        root.insert("value".into(), json!(rounded(best.value)));
        root.insert("winrate".into(), json!(rounded(best.expected)));
    }
    json!({
        "isDuringSearch": true,
        "moveInfos": moves(&analysis.moves, policy),
        "rootInfo": root,
    })
}

/// A search that has ended.
pub fn searched(last: &LastSearch, evaluation: Option<&Evaluation>, with_policy: bool) -> Value {
    let policy = evaluation.map_or(&[][..], |evaluation| &evaluation.policy);
    let mut root = work(&last.stats);
    root.insert("currentPlayer".into(), json!(last.turn.to_string()));
    root.insert("searcher".into(), json!(last.searcher));
    root.insert("deputy".into(), json!(last.deputy));
    root.insert("network".into(), json!(last.network));
    root.insert("value".into(), json!(last.value.map(rounded)));
    root.insert("winrate".into(), json!(last.expected.map(rounded)));
    root.insert("calibrated".into(), json!(last.calibrated));
    let proven = last.proven.map(|outcome| seen_by(outcome, last.turn));
    root.insert("proven".into(), json!(proven));
    root.insert("pv".into(), json!(last.pv));
    if let Some(raw) = evaluation.and_then(|evaluation| evaluation.value) {
        root.insert("rawValue".into(), json!(rounded(raw)));
    }
    let mut answer = json!({
        "isDuringSearch": false,
        "move": last.played,
        "moveInfos": moves(&last.moves, policy),
        "rootInfo": root,
    });
    if with_policy {
        let pairs = policy.iter();
        let pairs = pairs.map(|(text, p)| (text.clone(), json!(rounded(*p))));
        answer["policy"] = match policy.is_empty() {
            true => Value::Null,
            false => Value::Object(pairs.collect()),
        };
    }
    answer
}

/// A position that ends the game.
pub fn finished(session: &Session, outcome: Outcome) -> Value {
    let turn = session.game.turn();
    let value = outcome.value().seen_by(turn).0;
    json!({
        "isDuringSearch": false,
        "moveInfos": [],
        "rootInfo": {
            "currentPlayer": null,
            "result": outcome.to_string(),
            "value": rounded(value),
            "winrate": rounded(Calibration::PLAIN.expected(value, Some(outcome), turn)),
            "proven": seen_by(outcome, turn),
        },
    })
}
