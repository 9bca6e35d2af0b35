//! Games as SGF. Where SGF has no number for a game (property GM), or a variant or start needs more, the private properties
//! XG (game and variant) and XP (a position) say it, as the server's `loadsgf` reads them.

use crate::game::{Player, sgf};
use crate::referee::board::Variant;
use crate::referee::record::{GameRecord, Side};
use anyhow::Result;
use std::fmt::Write;

/// All games in one text, a line or more each.
pub fn collection(title: &str, games: &[&GameRecord]) -> Result<String> {
    let mut out = String::new();
    for game in games {
        let _ = writeln!(out, "{}", written(title, game)?);
    }
    Ok(out)
}

fn written(title: &str, game: &GameRecord) -> Result<String> {
    let variant = Variant::read(&game.game)?;
    let (black, white) = match game.a_first {
        true => (&game.a, &game.b),
        false => (&game.b, &game.a),
    };
    let mut root = vec![
        ("FF", "4".into()),
        ("CA", "UTF-8".into()),
        ("AP", format!("Treeline:{}", env!("CARGO_PKG_VERSION"))),
        ("GM", variant.entry.sgf.unwrap_or(0).to_string()),
        ("XG", sgf::escaped(&game.game)),
        ("EV", title.to_string()),
        ("RO", (game.number + 1).to_string()),
        ("PB", black.clone()),
        ("PW", white.clone()),
        ("RE", result(game)),
    ];
    if let Some(grid) = variant.open()?.grid() {
        let size = match grid.columns == grid.rows {
            true => grid.columns.to_string(),
            false => format!("{}:{}", grid.columns, grid.rows),
        };
        root.push(("SZ", size));
    }
    if let Some(start) = &game.start {
        root.push(("XP", sgf::escaped(start)));
    }
    let end = &game.end;
    let what = format!("{} {}", end.cause, end.detail);
    root.push((
        "GC",
        format!("{} random or given plies; {}", game.opening, what.trim()),
    ));
    let movers = game.movers.chars().map(|mover| match mover {
        'b' => Player::One,
        _ => Player::Two,
    });
    Ok(sgf::write(root, movers.zip(&game.moves)))
}

/// SGF's result: the winner with the margin, or with how it came.
fn result(game: &GameRecord) -> String {
    use crate::referee::trouble::Cause;
    let Some(winner) = game.winner else {
        return "0".into();
    };
    let player = match (winner == Side::A) == game.a_first {
        true => Player::One,
        false => Player::Two,
    };
    let letter = player.to_string().to_uppercase();
    match (game.end.cause, game.margin) {
        (Cause::Resignation, _) => format!("{letter}+R"),
        (Cause::Time, _) => format!("{letter}+T"),
        (Cause::Rules, Some(margin)) => format!("{letter}+{}", margin.abs()),
        (Cause::Rules | Cause::Adjudication, _) => format!("{letter}+"),
        _ => format!("{letter}+F"),
    }
}
