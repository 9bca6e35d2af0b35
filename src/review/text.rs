//! A review as text: a line a move, then both players.

use super::Review;
use super::judge::{Ply, seen_by};
use crate::game::{Outcome, Player};
use std::fmt::Write;

/// Moves of a better line that are shown.
const SHOWN: usize = 8;

pub fn text(review: &Review) -> String {
    let plies = &review.plies;
    let widest = plies.iter().map(|ply| ply.text.chars().count()).max();
    let width = widest.unwrap_or(0).max(4);
    let mut out = format!("{}: ", review.game());
    let names = Player::BOTH.map(|player| review.called(player)).join(", ");
    let _ = writeln!(out, "{names}; {} moves, {}", plies.len(), review.ending());
    let _ = writeln!(out, "searched by {}\n", review.how);
    let (move_, before, after, loss) = ("move", "before", "after", "loss");
    let _ = writeln!(
        out,
        "       {move_:width$} {before:>7} {after:>7} {loss:>6}"
    );
    for (i, ply) in plies.iter().enumerate() {
        let line = format!(
            "{:>4} {}  {:width$} {:>7} {:>7} {:>6.1}  {}",
            i + 1,
            ply.player,
            ply.text,
            shown(ply.before, ply.proven[0], ply.player),
            shown(ply.after, ply.proven[1], ply.player),
            ply.loss,
            remark(ply)
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.push('\n');
    out + &table(review)
}

/// An expected score, or the result where it is certain.
pub fn shown(score: f32, proven: Option<Outcome>, player: Player) -> String {
    match proven {
        Some(outcome) => seen_by(outcome, player).into(),
        None => format!("{score:.1}"),
    }
}

/// What is wrong with a move and what was better.
pub fn remark(ply: &Ply) -> String {
    let Some(words) = ply.words() else {
        return String::new();
    };
    match &ply.better {
        Some(better) => {
            let shown = &better.line[..better.line.len().min(SHOWN)];
            format!("{words}; better {}", shown.join(" "))
        }
        None => words.into(),
    }
}

fn table(review: &Review) -> String {
    let names = Player::BOTH.map(|player| review.called(player));
    let width = names.iter().map(|name| name.chars().count()).max();
    let width = width.unwrap_or(0).max(6);
    let mut out = format!(
        "{:width$}  moves  accuracy  average loss  gave away  proven  mistakes  inaccuracies\n",
        "player"
    );
    let percent = |value: Option<f32>| value.map_or("-".into(), |value| format!("{value:.1}"));
    for (name, side) in names.iter().zip(&review.sides) {
        let _ = writeln!(
            out,
            "{name:width$}  {:>5}  {:>8}  {:>12}  {:>9}  {:>6}  {:>8}  {:>12}",
            side.moves,
            percent(side.accuracy),
            percent(side.loss),
            side.gave_away,
            side.proven,
            side.mistakes,
            side.inaccuracies
        );
    }
    out
}
