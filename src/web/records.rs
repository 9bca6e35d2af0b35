//! Games as files: read for a page and written for it. The page holds the text; no file of the machine is touched.

use crate::analysis::{Field, Opening, Place};
use crate::files::{self, Form, Sheet};
use crate::game::{Outcome, Player};
use crate::session::Selection;
use serde_json::{Map, Value, json};

type Object = Map<String, Value>;

/// The first game of a file's text, with its variations: `tree` has `[number of the move before, player, move]` for each move, the
/// game's first. A record that does not say its game is of the one that the page has.
pub fn open(object: &Object) -> Result<Value, Field> {
    let text = object.get("text").and_then(Value::as_str);
    let text = text.ok_or_else(|| Field::new("text", "expected the text of a file"))?;
    let (form, games) = files::games(text).map_err(|error| Field::new("text", error))?;
    let sheet = form
        .read(games[0])
        .map_err(|error| Field::new("text", error))?;
    let present = Place::read(object)?.game;
    let mut session = Opening::plain(&present).map_err(|error| Field::new("game", error))?;
    let loaded = session.load_tree(&sheet);
    let (steps, left_out) = loaded.map_err(|error| Field::new("text", error))?;
    let own = session.sheet();
    let (name, pairs) = own.game.unwrap_or_default();
    let steps = steps.iter();
    let steps = steps.map(|step| json!([step.after, step.player.to_string(), step.played]));
    Ok(json!({
        "form": form.ending(),
        "games": games.len(),
        "game": name,
        "variant": pairs.join(" "),
        "position": own.position,
        "length": own.moves.len(),
        "tree": steps.collect::<Vec<_>>(),
        "leftOut": left_out,
        "names": sheet.names,
        "event": sheet.event,
        "result": own.result.or(sheet.result).map(|outcome| outcome.to_string()),
    }))
}

/// The text of a file with the game of a page: its `moves`, and its `variations`, which are numbered after them.
pub fn write(object: &Object) -> Result<Value, Field> {
    let form = form(object)?;
    let place = Place::read(object)?;
    let Selection { name, pairs } = place.game.clone();
    let sheet = Sheet {
        game: Some((name, pairs)),
        position: place.position,
        moves: place.moves,
        variations: variations(object)?,
        names: ["b", "w"].map(|player| text_at(object, "names", player)),
        event: object
            .get("event")
            .and_then(Value::as_str)
            .map(String::from),
        result: match object.get("result").and_then(Value::as_str) {
            Some("b") => Some(Outcome::Win(Player::One)),
            Some("w") => Some(Outcome::Win(Player::Two)),
            Some("draw") => Some(Outcome::Draw),
            _ => None,
        },
        ..Sheet::default()
    };
    let sheet = sheet
        .checked()
        .map_err(|error| Field::new("moves", error))?;
    let mut session = Opening::plain(&place.game).map_err(|error| Field::new("game", error))?;
    let (steps, _) = session
        .load_tree(&sheet)
        .map_err(|error| Field::new("moves", error))?;
    let text = session
        .record(form, &sheet, &steps)
        .map_err(|error| Field::new("form", error))?;
    let name = format!("{}.{}", session.game_entry().name, form.ending());
    Ok(json!({"name": name, "text": text}))
}

fn text_at(object: &Object, field: &str, name: &str) -> Option<String> {
    object.get(field)?.get(name)?.as_str().map(String::from)
}

fn form(object: &Object) -> Result<Form, Field> {
    let wanted = object.get("form").and_then(Value::as_str);
    let mut forms = Form::WRITTEN.into_iter();
    let found = forms.find(|form| Some(form.ending()) == wanted);
    found.ok_or_else(|| {
        let known = Form::WRITTEN.map(Form::ending).join(", ");
        Field::new("form", format!("expected one of {known}"))
    })
}

type Variations = Vec<(usize, Option<Player>, String)>;

fn variations(object: &Object) -> Result<Variations, Field> {
    let one = |value: &Value| {
        let player = match value[1].as_str()? {
            "b" => Player::One,
            "w" => Player::Two,
            _ => return None,
        };
        let after = usize::try_from(value[0].as_u64()?).ok()?;
        Some((after, Some(player), value[2].as_str()?.to_string()))
    };
    let list = match object.get("variations") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(list)) => list.iter().map(one).collect(),
        Some(_) => None,
    };
    list.ok_or_else(|| {
        Field::new(
            "variations",
            "expected a list of [number of the move before, b or w, move]",
        )
    })
}
