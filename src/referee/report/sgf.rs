//! Games as SGF. Where SGF has no number for a game (property GM), or a variant or start needs more, the private properties
//! XG (game and variant) and XP (a position) say it, as the server's `loadsgf` reads them.

use crate::game::Player;
use crate::referee::board::Variant;
use crate::referee::record::{GameRecord, Side};
use sgf_parse::unknown_game::Prop;
use sgf_parse::{GameTree, SgfNode, SgfProp};
use std::fmt::Write;

/// All games in one text, a line or more each.
pub fn collection(title: &str, games: &[&GameRecord]) -> Result<String, String> {
    let mut out = String::new();
    for game in games {
        let tree = tree(title, game)?;
        let text = sgf_parse::serialize([&tree]);
        // The library writes two numbers always; SGF wants one for a square board.
        let variant = Variant::read(&game.game)?;
        let square = variant
            .open()?
            .grid()
            .filter(|grid| grid.columns == grid.rows);
        let text = match square {
            Some(grid) => {
                let n = grid.columns;
                text.replacen(&format!("SZ[{n}:{n}]"), &format!("SZ[{n}]"), 1)
            }
            None => text,
        };
        let _ = writeln!(out, "{text}");
    }
    Ok(out)
}

fn tree(title: &str, game: &GameRecord) -> Result<GameTree, String> {
    let variant = Variant::read(&game.game)?;
    let simple = |name: &str, value: String| {
        // The library escapes what it knows, and leaves private properties as they are.
        let value = if name.starts_with('X') {
            escaped(&value)
        } else {
            value
        };
        Prop::new(name.to_string(), vec![value])
    };
    let (black, white) = match game.a_first {
        true => (&game.a, &game.b),
        false => (&game.b, &game.a),
    };
    let mut root = vec![
        simple("FF", "4".into()),
        simple("CA", "UTF-8".into()),
        simple("AP", format!("Treeline:{}", env!("CARGO_PKG_VERSION"))),
        simple("GM", variant.entry.sgf.unwrap_or(0).to_string()),
        simple("XG", game.game.clone()),
        simple("EV", title.to_string()),
        simple("RO", (game.number + 1).to_string()),
        simple("PB", black.clone()),
        simple("PW", white.clone()),
        simple("RE", result(game)),
    ];
    if let Some(grid) = variant.open()?.grid() {
        root.push(simple("SZ", format!("{}:{}", grid.columns, grid.rows)));
    }
    if let Some(start) = &game.start {
        root.push(simple("XP", start.clone()));
    }
    let end = &game.end;
    let what = format!("{} {}", end.cause, end.detail);
    root.push(simple(
        "GC",
        format!("{} random or given plies; {}", game.opening, what.trim()),
    ));
    let mut child: Vec<SgfNode<Prop>> = Vec::new();
    for (text, mover) in game.moves.iter().rev().zip(game.movers.chars().rev()) {
        let name = if mover == 'b' { "B" } else { "W" };
        child = vec![SgfNode::new(vec![simple(name, text.clone())], child, false)];
    }
    Ok(GameTree::Unknown(SgfNode::new(root, child, true)))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace(']', "\\]")
        .replace(':', "\\:")
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
