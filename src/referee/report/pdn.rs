//! Games of draughts as PDN.

use crate::files::pdn;
use crate::game::{Outcome, Player};
use crate::referee::record::{GameRecord, Side};

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
    let seat = |side: Side| match (side == Side::A) == game.a_first {
        true => Player::One,
        false => Player::Two,
    };
    let (white, black) = match game.a_first {
        true => (&game.a, &game.b),
        false => (&game.b, &game.a),
    };
    // Here nobody is left without a result.
    let result = match game.winner {
        None => Outcome::Draw,
        Some(winner) => Outcome::Win(seat(winner)),
    };
    let mut tags = vec![
        ("Event", title.to_string()),
        ("Round", (game.number + 1).to_string()),
        ("White", white.clone()),
        ("Black", black.clone()),
        ("Result", pdn::result_word(Some(result)).into()),
        ("GameType", "20".into()),
        ("Termination", game.end.cause.to_string()),
    ];
    if let Some(start) = &game.start {
        tags.push(("FEN", start.clone()));
    }
    let movers = game.movers.chars().map(|mover| match mover {
        'b' => Player::One,
        _ => Player::Two,
    });
    out.push_str(&pdn::write(tags, movers.zip(&game.moves), Some(result)));
    out.push('\n');
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
