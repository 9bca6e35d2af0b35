//! A line of JSON for every row of the table.

use crate::referee::config::Config;
use crate::referee::run::Played;
use crate::referee::tally::{self, Row};
use serde_json::{Value, json};

/// All rows, a line each.
pub fn json_lines(config: &Config, played: &Played) -> String {
    let rows = tally::rows(config, &played.games);
    rows.iter().map(|row| format!("{}\n", line(row))).collect()
}

fn line(row: &Row) -> Value {
    let (low, high) = row.score.interval();
    json!({
        "game": row.game,
        "a": row.a,
        "b": row.b,
        "games": row.games(),
        "counted": row.score.games(),
        "discarded_pairs": row.discarded,
        "a_wins": row.score.wins,
        "draws": row.score.draws,
        "b_wins": row.score.losses,
        "a_percent": row.score.percent(),
        "interval_95": (row.score.games() > 0).then_some([low, high]),
        "a_percent_as_player_one": row.seats[0].percent(),
        "a_percent_as_player_two": row.seats[1].percent(),
        "player_one_percent": (row.games() > 0).then(|| row.player_one_percent()),
        "mean_plies": (row.games() > 0).then(|| row.mean_plies()),
        "mean_seconds": row.mean(|work| work.seconds),
        "slowest_move": row.work.map(|work| work.slowest),
        "mean_simulations": row.mean_told(|work| work.simulations),
        "mean_nodes": row.mean_told(|work| work.nodes),
        "mean_depth": row.mean_told(|work| work.depth),
        "a_faults": row.faults[0],
        "b_faults": row.faults[1],
    })
}
