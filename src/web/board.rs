//! A position as the page draws it, and what can be done there.

use crate::analysis::Field;
use crate::game::Player;
use crate::game::drawing::{Drawing, Look, Piece, Spot};
use crate::options::shorten;
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
        "pieces": game.pieces().into_iter().map(piece).collect::<Vec<_>>(),
        "last": game.last_way(),
        "moves": moves.iter().map(|(player, text)| json!([word(*player), text])).collect::<Vec<_>>(),
    })
}

/// The position with what a page lays on places: `places` has for each place that is not empty `b`, `w`, `b crowned`, `w crowned` or a
/// number of seeds.
pub fn arrange(session: &mut Session, object: &Map<String, Value>) -> Result<Value, Field> {
    let turn = match object.get("turn").and_then(Value::as_str) {
        Some("b") => Player::One,
        Some("w") => Player::Two,
        _ => return Err(Field::new("turn", "expected b or w")),
    };
    let Some(Value::Object(places)) = object.get("places") else {
        return Err(Field::new("places", "expected an object of places"));
    };
    let mut spots = session.game.drawing().spots;
    for spot in &mut spots {
        (spot.piece, spot.seeds) = (None, spot.seeds.map(|_| 0));
    }
    for (name, lies) in places {
        let spot = spots.iter_mut().find(|spot| spot.name == *name);
        let refuse = |text: &str| Field::new("places", format!("{}: {text}", shorten(name)));
        let spot = spot.ok_or_else(|| refuse("there is no such place"))?;
        let owner = |word: &str| match word {
            "b" => Some(Player::One),
            "w" => Some(Player::Two),
            _ => None,
        };
        match lies {
            Value::Number(count) if spot.seeds.is_some() => {
                let count = count.as_u64().and_then(|count| u32::try_from(count).ok());
                spot.seeds = Some(count.ok_or_else(|| refuse("expected a number of seeds"))?);
            }
            Value::String(text) if spot.seeds.is_none() => {
                let (word, crowned) = match text.strip_suffix(" crowned") {
                    Some(word) => (word, true),
                    None => (text.as_str(), false),
                };
                let owner = owner(word).ok_or_else(|| refuse("expected a piece"))?;
                spot.piece = Some(Piece { owner, crowned });
            }
            _ => return Err(refuse("nothing of this kind can lie there")),
        }
    }
    let position = session.game.arrange(&spots, turn);
    let position = position.map_err(|error| Field::new("places", error))?;
    Ok(json!({ "position": position }))
}

fn piece(piece: Piece) -> Value {
    json!({"piece": word(piece.owner), "crowned": piece.crowned})
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
