//! A review as one page of HTML that needs nothing else: board, value graph, list of moves.

use super::board::{self, escaped};
use super::judge::{Ply, seen_by};
use super::text::{remark, shown};
use super::{Mark, Review, ReviewError, graph};
use crate::analysis::Opening;
use crate::game::Player;
use crate::session::Session;
use serde_json::{Value, json};
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Moves of a better line that can be looked at.
const LINE: usize = 10;

pub fn html(review: &Review) -> Result<String, ReviewError> {
    let mut session = Opening::plain(&review.place.game)?;
    review.place.go(&mut session, 0)?;
    let drawing = session.game.drawing();
    let picture = match drawing.spots.is_empty() {
        true => format!("<pre id=\"board\">{}</pre>", escaped(&session.game.board())),
        false => board::svg(&drawing),
    };
    let data = data(review, &mut session)?;
    let title = escaped(&format!(
        "{} – {} ({})",
        review.called(Player::One),
        review.called(Player::Two),
        review.game()
    ));
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>{title}</h1>\n<p>{}</p></header>\n\
         <main>\n<section id=\"look\">\n{picture}\n<p id=\"says\" aria-live=\"polite\"></p>\n{BUTTONS}\n</section>\n\
         <section id=\"list\">\n{}\n<p class=\"hint\">Expected score of {} in percent. Keys: ← → Home End; n next mistake; \
         ↓ ↑ along the better line.</p>\n{}{}</section>\n</main>\n\
         <script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escaped(&headline(review)),
        graph::svg(review),
        escaped(&review.called(Player::One)),
        sides(review),
        moves(review),
        // No text in it can end the element.
        data.to_string().replace('<', "\\u003c"),
    ))
}

const BUTTONS: &str = "\
<p id=\"buttons\"><button id=\"first\" title=\"Home\">« start</button> <button id=\"back\" title=\"left arrow\">‹ back</button> \
<button id=\"next\" title=\"right arrow\">next ›</button> <button id=\"last\" title=\"End\">end »</button> \
<button id=\"flaw\" title=\"n\">next mistake</button> <button id=\"better\" title=\"down arrow, up arrow\">better line</button></p>";

fn headline(review: &Review) -> String {
    let event = review.sheet.event.as_deref().unwrap_or("");
    let event = if event.is_empty() {
        String::new()
    } else {
        format!("{event}; ")
    };
    let count = review.plies.len();
    format!(
        "{event}{count} moves, {}; searched by {}",
        review.ending(),
        review.how
    )
}

/// What the script shows: places, and for each position what lies on the board and what is said of the move before it.
fn data(review: &Review, session: &mut Session) -> Result<Value, ReviewError> {
    let drawing = session.game.drawing();
    let mut positions =
        vec![json!({"state": board::state(&drawing), "last": [], "says": start(review)})];
    for (i, ply) in review.plies.iter().enumerate() {
        let better = better(session, ply)?;
        session.game.play(ply.player, &ply.text)?;
        let way = session.game.last_way().unwrap_or_default();
        let drawing = session.game.drawing();
        positions.push(json!({
            "state": board::state(&drawing),
            "last": board::indexes(&drawing, &way),
            "says": says(i, ply),
            "flaw": ply.mark.is_some(),
            "better": better,
        }));
    }
    let text = drawing.spots.is_empty();
    Ok(json!({
        "centres": board::centres(&drawing),
        "text": text,
        "positions": positions,
    }))
}

/// The positions along the better line, with their moves. The session stays where it is.
fn better(session: &mut Session, ply: &Ply) -> Result<Vec<Value>, ReviewError> {
    let Some(better) = &ply.better else {
        return Ok(Vec::new());
    };
    let mut steps = Vec::new();
    for text in better.line.iter().take(LINE) {
        let player = session.game.turn();
        if session.game.play(player, text).is_err() {
            break;
        }
        let way = session.game.last_way().unwrap_or_default();
        let drawing = session.game.drawing();
        steps.push(json!({
            "state": board::state(&drawing),
            "last": board::indexes(&drawing, &way),
            "says": format!("better: {player} {text}"),
        }));
    }
    for _ in &steps {
        session.game.undo();
    }
    Ok(steps)
}

fn start(review: &Review) -> String {
    let first = &review.points[0];
    match first.proven {
        Some(outcome) => format!("start: {} {}", first.turn, seen_by(outcome, first.turn)),
        None => "start".into(),
    }
}

fn says(i: usize, ply: &Ply) -> String {
    let before = shown(ply.before, ply.proven[0], ply.player);
    let after = shown(ply.after, ply.proven[1], ply.player);
    let mut text = format!("{}. {} {}: {before} → {after}", i + 1, ply.player, ply.text);
    let said = remark(ply);
    if !said.is_empty() {
        text += &format!(" – {said}");
    }
    text
}

fn sides(review: &Review) -> String {
    let mut out = String::from(
        "<table id=\"sides\"><tr><th>player</th><th>moves</th><th>accuracy</th><th>average loss</th><th>gave away</th>\
         <th>proven</th><th>mistakes</th><th>inaccuracies</th></tr>\n",
    );
    let percent = |value: Option<f32>| value.map_or("–".into(), |value| format!("{value:.1}"));
    for player in Player::BOTH {
        let side = &review.sides[player.index()];
        let _ = writeln!(
            out,
            "<tr><th>{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escaped(&review.called(player)),
            side.moves,
            percent(side.accuracy),
            percent(side.loss),
            side.gave_away,
            side.proven,
            side.mistakes,
            side.inaccuracies
        );
    }
    out + "</table>\n"
}

fn moves(review: &Review) -> String {
    let mut out = String::from(
        "<table id=\"moves\"><tr><th></th><th></th><th>move</th><th>before</th><th>after</th><th>loss</th><th></th></tr>\n",
    );
    for (i, ply) in review.plies.iter().enumerate() {
        let class = match (ply.is_proven(), ply.mark) {
            (true, _) => "proven",
            (false, Some(Mark::GaveAway)) => "gave-away",
            (false, Some(Mark::Mistake)) => "mistake",
            (false, Some(Mark::Inaccuracy)) => "inaccuracy",
            (false, None) => "",
        };
        let _ = writeln!(
            out,
            "<tr class=\"{class}\" data-i=\"{n}\"><td>{n}</td><td>{}</td><td><button>{}</button></td><td>{}</td><td>{}</td>\
             <td>{:.1}</td><td>{}</td></tr>",
            ply.player,
            escaped(&ply.text),
            shown(ply.before, ply.proven[0], ply.player),
            shown(ply.after, ply.proven[1], ply.player),
            ply.loss,
            escaped(&remark(ply)),
            n = i + 1,
        );
    }
    out + "</table>\n"
}
