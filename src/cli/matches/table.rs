//! Results as JSON and as Markdown.

use super::score::Tally;
use serde_json::{Value, json};
use std::fmt::Write;

/// All that is known of one pair.
pub fn json(a: &str, b: &str, tally: &Tally) -> Value {
    let (low, high) = tally.interval();
    json!({
        "a": a,
        "b": b,
        "games": tally.games(),
        "a_wins": tally.wins,
        "draws": tally.draws,
        "b_wins": tally.losses,
        "a_percent": tally.percent(),
        "interval_95": [low, high],
        "player_one_percent": tally.player_one_percent(),
        "mean_plies": tally.mean_plies(),
        "mean_simulations": tally.mean(|side| side.simulations),
        "mean_nodes": tally.mean(|side| side.nodes),
        "mean_depth": tally.mean(|side| side.depth),
        "slowest_move": tally.slowest(),
    })
}

/// A row a pair; percentages are the first player's, a draw counted as half, with Wilson's 95 % interval.
pub fn pairs(tallies: &[(&str, &str, Tally)]) -> String {
    let mut out = String::from(
        "| first | second | games | won | drawn | lost | % of the first | 95 % | player one % | plies | simulations or nodes a move | depth |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (a, b, tally) in tallies {
        let (low, high) = tally.interval();
        let work = tally.mean(|side| match side.simulations {
            0 => side.nodes,
            simulations => simulations,
        });
        let depth = tally.mean(|side| side.depth);
        let _ = writeln!(
            out,
            "| {a} | {b} | {} | {} | {} | {} | {:.1} | {low:.1} to {high:.1} | {:.1} | {:.1} | {:.0} / {:.0} | {:.1} / {:.1} |",
            tally.games(),
            tally.wins,
            tally.draws,
            tally.losses,
            tally.percent(),
            tally.player_one_percent(),
            tally.mean_plies(),
            work[0],
            work[1],
            depth[0],
            depth[1],
        );
    }
    out
}

/// Everybody's points over all their games, best first.
pub fn standings(tallies: &[(&str, &str, Tally)]) -> String {
    let mut players: Vec<(&str, f64, u32)> = Vec::new();
    let mut add = |name, points: f64, games| match players.iter_mut().find(|p| p.0 == name) {
        Some(player) => {
            player.1 += points;
            player.2 += games;
        }
        None => players.push((name, points, games)),
    };
    for (a, b, tally) in tallies {
        let games = tally.games();
        let points = tally.percent() / 100.0 * f64::from(games);
        add(*a, points, games);
        add(*b, f64::from(games) - points, games);
    }
    let percent = |player: &(&str, f64, u32)| 100.0 * player.1 / f64::from(player.2.max(1));
    players.sort_by(|a, b| percent(b).total_cmp(&percent(a)));
    let mut out = String::from("\n| player | games | % |\n|---|---|---|\n");
    for player in &players {
        let _ = writeln!(
            out,
            "| {} | {} | {:.1} |",
            player.0,
            player.2,
            percent(player)
        );
    }
    out
}
