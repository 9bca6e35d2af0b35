//! A position as the page draws it, and what can be done there.

use crate::game::Player;
use crate::game::drawing::{Drawing, Look, Piece, Spot};
use crate::session::Session;
use serde_json::{Map, Value, json};

/// Everything that the page shows of a session's position.
pub fn position(session: &Session) -> Value {
    let game = &session.game;
    let outcome = game.outcome();
    let ways = match outcome {
        Some(_) => Vec::new(),
        None => game.ways(),
    };
    let moves = game.moves_so_far();
    json!({
        "board": drawing(&game.drawing()),
        "text": game.board(),
        "position": game.position(),
        "turn": word(game.turn()),
        "outcome": outcome.map(|outcome| outcome.to_string()),
        "margin": outcome.and_then(|_| game.margin()),
        "ways": ways,
        "last": game.last_way(),
        "moves": moves.iter().map(|(player, text)| json!([word(*player), text])).collect::<Vec<_>>(),
    })
}

fn word(player: Player) -> String {
    player.to_string()
}

fn drawing(drawing: &Drawing) -> Value {
    let borders = drawing.borders.iter();
    let borders = borders.map(|b| json!({"owner": word(b.owner), "from": b.from, "to": b.to}));
    let labels = drawing.labels.iter();
    let labels = labels.map(|l| json!({"x": l.x, "y": l.y, "text": l.text}));
    json!({
        "look": look(drawing.look),
        "spots": drawing.spots.iter().map(spot).collect::<Vec<_>>(),
        "borders": borders.collect::<Vec<_>>(),
        "labels": labels.collect::<Vec<_>>(),
    })
}

fn look(look: Look) -> &'static str {
    match look {
        Look::Square => "square",
        Look::Hexagon => "hexagon",
        Look::Hole => "hole",
        Look::Pit => "pit",
    }
}

/// Without what is as usual.
fn spot(spot: &Spot) -> Value {
    let mut told = Map::new();
    told.insert("name".into(), json!(spot.name));
    told.insert("x".into(), json!(spot.x));
    told.insert("y".into(), json!(spot.y));
    if spot.height != 1.0 {
        told.insert("height".into(), json!(spot.height));
    }
    if spot.dark {
        told.insert("dark".into(), json!(true));
    }
    if let Some(Piece { owner, crowned }) = spot.piece {
        told.insert("piece".into(), json!(word(owner)));
        if crowned {
            told.insert("crowned".into(), json!(true));
        }
    }
    if let Some(seeds) = spot.seeds {
        told.insert("seeds".into(), json!(seeds));
    }
    if let Some(owner) = spot.owner {
        told.insert("owner".into(), json!(word(owner)));
    }
    Value::Object(told)
}
