//! The games of a match, as its file `games.jsonl` keeps them: a line of JSON each, the conditions in the first.

use super::{FileError, Sheet};
use crate::game::{Outcome, Player};
use serde_json::Value;

/// The lines that are games.
pub fn split(content: &str) -> Vec<&str> {
    let is_game = |line: &&str| !line.trim().is_empty() && !line.contains("\"treeline-match\":");
    content.lines().filter(is_game).collect()
}

pub fn read(line: &str) -> Result<Sheet, FileError> {
    let value: Value = serde_json::from_str(line).map_err(FileError::new)?;
    let lacks = |name: &str| FileError(format!("no game of a match: '{name}' is missing"));
    let text = |name: &str| value[name].as_str();
    let mut words = text("game")
        .ok_or_else(|| lacks("game"))?
        .split_whitespace();
    let name = words.next().unwrap_or_default().to_string();
    let moves = value["moves"].as_array().ok_or_else(|| lacks("moves"))?;
    let movers = text("movers").unwrap_or_default().chars();
    let players = movers.map(|c| match c {
        'w' => Some(Player::Two),
        _ => Some(Player::One),
    });
    let moves = moves.iter().map(|m| m.as_str().unwrap_or_default().into());
    let a_first = value["a_first"].as_bool().unwrap_or(true);
    let seat = |name: &str| match (name == "a") == a_first {
        true => Player::One,
        false => Player::Two,
    };
    let mut sheet = Sheet {
        game: Some((name, words.map(String::from).collect())),
        position: text("start").map(String::from),
        moves: players.chain(std::iter::repeat(None)).zip(moves).collect(),
        result: match &value["winner"] {
            Value::String(winner) => Some(Outcome::Win(seat(winner))),
            Value::Null if value.get("winner").is_some() => Some(Outcome::Draw),
            _ => None,
        },
        ..Sheet::default()
    };
    for name in ["a", "b"] {
        sheet.names[seat(name).index()] = text(name).map(String::from);
    }
    Ok(sheet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_and_movers_are_those_of_the_match() {
        let line = r#"{"game":"kalah houses=4","a":"one","b":"two","a_first":false,"winner":"a","moves":["3","2"],"movers":"bb"}"#;
        let content = format!("{{\"treeline-match\":1,\"conditions\":{{}}}}\n{line}\n");
        assert_eq!(split(&content), [line]);
        let sheet = read(line).unwrap();
        assert_eq!(sheet.names, [Some("two".into()), Some("one".into())]);
        assert_eq!(sheet.result, Some(Outcome::Win(Player::Two)));
        assert_eq!(sheet.moves[1], (Some(Player::One), "2".into()));
        for bad in ["{}", "{\"game\":\"hex\"}", "{", "[]"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
