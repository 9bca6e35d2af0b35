//! A review as one JSON object.

use super::Review;
use super::judge::{Mark, Ply, Side, seen_by};
use crate::game::Player;
use serde_json::{Value, json};

fn rounded(value: f32) -> f64 {
    (f64::from(value) * 100.0).round() / 100.0
}

/// The fields are those of docs/review.md; scores in percent for the player who moves.
pub fn json(review: &Review) -> Value {
    let moves: Vec<Value> = review.plies.iter().enumerate().map(ply).collect();
    let side = |player: Player| side(review.name(player), &review.sides[player.index()]);
    json!({
        "game": review.game(),
        "position": review.sheet.position,
        "event": review.sheet.event,
        "result": review.sheet.result.map(|outcome| outcome.to_string()),
        "searched": review.how,
        "moves": moves,
        "b": side(Player::One),
        "w": side(Player::Two),
    })
}

fn ply((i, ply): (usize, &Ply)) -> Value {
    let proven = ply
        .proven
        .map(|found| found.map(|outcome| seen_by(outcome, ply.player)));
    let mark = ply.mark.map(|mark| match mark {
        Mark::GaveAway => "gave-away",
        Mark::Mistake => "mistake",
        Mark::Inaccuracy => "inaccuracy",
    });
    json!({
        "number": i + 1,
        "player": ply.player.to_string(),
        "move": ply.text,
        "before": rounded(ply.before),
        "after": rounded(ply.after),
        "provenBefore": proven[0],
        "provenAfter": proven[1],
        "loss": rounded(ply.loss),
        "accuracy": ply.accuracy.map(rounded),
        "mark": mark,
        "proven": ply.is_proven(),
        "better": ply.better.as_ref().map(|better| &better.line),
    })
}

fn side(name: &str, side: &Side) -> Value {
    json!({
        "name": name,
        "moves": side.moves,
        "accuracy": side.accuracy.map(rounded),
        "averageLoss": side.loss.map(rounded),
        "gaveAway": side.gave_away,
        "gaveAwayProven": side.proven,
        "mistakes": side.mistakes,
        "inaccuracies": side.inaccuracies,
    })
}
