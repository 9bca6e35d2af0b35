//! A review as SGF: a comment at each move, better lines as variations, and SGF's marks for doubtful and bad moves.

use super::judge::{Mark, Ply};
use super::text::{remark, shown};
use super::{Review, ReviewError};
use crate::analysis::Opening;
use crate::files;
use crate::game::Player;
use crate::game::sgf::{Node, write_annotated};
use crate::session::Session;

pub fn sgf(review: &Review) -> Result<String, ReviewError> {
    let mut session = Opening::plain(&review.place.game)?;
    review.place.go(&mut session, 0)?;
    let mut root = session.sgf_root();
    let sheet = &review.sheet;
    for (name, value) in ["PB", "PW"].into_iter().zip(&sheet.names) {
        root.extend(value.clone().map(|value| (name, value)));
    }
    root.extend(sheet.event.clone().map(|event| ("EV", event)));
    root.extend(
        sheet
            .result
            .map(|outcome| ("RE", files::sgf::result_word(outcome))),
    );
    root.push(("GC", summary(review)));
    let mut nodes = Vec::new();
    for ply in &review.plies {
        nodes.push(node(ply, &mut session)?);
        session.game.play(ply.player, &ply.text)?;
    }
    Ok(write_annotated(root, nodes))
}

fn node(ply: &Ply, session: &mut Session) -> Result<Node, ReviewError> {
    let after = shown(ply.after, ply.proven[1], ply.player);
    let before = shown(ply.before, ply.proven[0], ply.player);
    let said = remark(ply);
    let gap = if said.is_empty() { "" } else { "\n" };
    let mut remarks = vec![(
        "C",
        format!("{}: {before} before, {after} after{gap}{said}", ply.player),
    )];
    match ply.mark {
        Some(Mark::GaveAway) => remarks.push(("BM", "2".into())),
        Some(Mark::Mistake) => remarks.push(("BM", "1".into())),
        Some(Mark::Inaccuracy) => remarks.push(("DO", String::new())),
        None => {}
    }
    let line = ply.better.as_ref().filter(|_| ply.mark.is_some());
    Ok(Node {
        player: ply.player,
        played: ply.text.clone(),
        remarks,
        instead: match line {
            Some(better) => with_players(session, &better.line),
            None => Vec::new(),
        },
    })
}

/// The moves of a line with those who make them, as far as they can be played. The session stays where it is.
fn with_players(session: &mut Session, line: &[String]) -> Vec<(Player, String)> {
    let mut moves = Vec::new();
    for text in line {
        let player = session.game.turn();
        if session.game.play(player, text).is_err() {
            break;
        }
        moves.push((player, text.clone()));
    }
    for _ in &moves {
        session.game.undo();
    }
    moves
}

fn summary(review: &Review) -> String {
    let side = |player: Player| {
        let side = &review.sides[player.index()];
        let percent = |value: Option<f32>| value.map_or("-".into(), |value| format!("{value:.1}"));
        let (accuracy, loss) = (percent(side.accuracy), percent(side.loss));
        format!("{player}: accuracy {accuracy}, average loss {loss}")
    };
    let [one, two] = Player::BOTH.map(side);
    format!("{one}; {two}; searched by {}", review.how)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_played_as_far_as_it_goes() {
        let game = crate::session::Selection::plain("kalah");
        let mut session = Opening::plain(&game).unwrap();
        let line = ["3", "6", "1", "9"].map(String::from);
        let before = session.game.position();
        let moves = with_players(&mut session, &line);
        // The last seed of house 3 falls into the store: player one moves again.
        let players: Vec<_> = moves.iter().map(|(player, _)| *player).collect();
        assert_eq!(players, [Player::One, Player::One, Player::Two]);
        assert_eq!(session.game.position(), before);
    }
}
