//! Games of draughts as PDN, version 3: `W` is player one, game type 20 is the international game.

use crate::referee::record::{GameRecord, Side};
use std::fmt::Write;

pub fn is_draughts(game: &str) -> bool {
    game.split_whitespace().next() == Some("draughts")
}

/// All games in one text.
pub fn database(title: &str, games: &[&GameRecord]) -> String {
    let mut out = String::new();
    for game in games {
        write(&mut out, title, game);
    }
    out
}

fn write(out: &mut String, title: &str, game: &GameRecord) {
    let (white, black) = match game.a_first {
        true => (&game.a, &game.b),
        false => (&game.b, &game.a),
    };
    let result = match game.winner {
        None => "1-1",
        Some(winner) if (winner == Side::A) == game.a_first => "2-0",
        Some(_) => "0-2",
    };
    let round = (game.number + 1).to_string();
    let mut tag = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(out, "[{name} \"{value}\"]");
    };
    tag("Event", title);
    tag("Round", &round);
    tag("White", white);
    tag("Black", black);
    tag("Result", result);
    tag("GameType", "20");
    tag("Termination", &game.end.cause.to_string());
    if let Some(start) = &game.start {
        tag("FEN", start);
    }
    let mut words = Vec::new();
    let mut number = 0;
    for (i, (text, mover)) in game.moves.iter().zip(game.movers.chars()).enumerate() {
        if mover == 'b' || i == 0 {
            number += 1;
            words.push(format!(
                "{number}{}",
                if mover == 'b' { "." } else { "..." }
            ));
        }
        words.push(text.clone());
    }
    words.push(result.into());
    let mut length = 0;
    for word in words {
        let gap = match length {
            0 => "",
            length if length + word.len() > 78 => "\n",
            _ => " ",
        };
        length = if gap == "\n" { 0 } else { length + gap.len() } + word.len();
        let _ = write!(out, "{gap}{word}");
    }
    let _ = writeln!(out, "\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::record::{End, Work};
    use crate::referee::trouble::Cause;

    #[test]
    fn a_game_reads_as_pdn() {
        let game = GameRecord {
            game: "draughts".into(),
            a: "first".into(),
            b: "the \"second\"".into(),
            number: 1,
            a_first: false,
            winner: Some(Side::A),
            end: End {
                cause: Cause::Rules,
                by: None,
                phase: None,
                detail: String::new(),
            },
            margin: None,
            start: None,
            opening: 2,
            moves: ["32-28", "19-23", "28x19"].map(String::from).to_vec(),
            movers: "bwb".into(),
            searches: Vec::new(),
            work: [Work::default(); 2],
            identities: Default::default(),
            finished: 0,
        };
        let text = database("A match", &[&game]);
        assert!(
            text.contains("[White \"the \\\"second\\\"\"]\n[Black \"first\"]\n[Result \"0-2\"]"),
            "{text}"
        );
        assert!(
            text.ends_with("\n1. 32-28 19-23 2. 28x19 0-2\n\n"),
            "{text}"
        );
    }
}
