//! The project's own form, for every game: lines `key: value`, then the moves as they are played, with or without numbers.
//!
//! ```text
//! game: hex size=5 swap=on
//! black: Ann
//! 1. c3 swap-pieces 2. b4
//! ```
//!
//! `#` begins a comment. A line `game:` behind moves begins another game.

use super::{FileError, Sheet, cut, is_number};
use crate::game::{Outcome, Player};
use crate::options::shorten;

const KEYS: [&str; 7] = [
    "game", "variant", "position", "black", "white", "event", "result",
];

/// Key and value of a line that has one.
fn header(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_key = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphabetic());
    is_key.then(|| (key, value.trim()))
}

fn uncommented(line: &str) -> &str {
    line.split('#').next().unwrap_or("").trim()
}

pub fn split(content: &str) -> Vec<&str> {
    let mut moves = false;
    let mut games = cut(content, |line| {
        let line = uncommented(line);
        let begins = moves && matches!(header(line), Some(("game", _)));
        moves = !begins && (moves || !line.is_empty() && header(line).is_none());
        begins
    });
    games.retain(|game| game.lines().any(|line| !uncommented(line).is_empty()));
    games
}

pub fn read(content: &str) -> Result<Sheet, FileError> {
    let mut sheet = Sheet::default();
    let mut variant = Vec::new();
    for line in content.trim_start_matches('\u{feff}').lines() {
        let line = uncommented(line);
        let Some((key, value)) = header(line) else {
            let words = line.split_whitespace().filter(|word| !is_number(word));
            // `1.d4` is a number and a move.
            let bare = |word: &str| match word.split_once('.') {
                Some((head, rest)) if is_number(&format!("{head}.")) && !head.is_empty() => {
                    rest.trim_start_matches('.').to_string()
                }
                _ => word.to_string(),
            };
            sheet.moves.extend(words.map(|word| (None, bare(word))));
            continue;
        };
        let words = || value.split_whitespace().map(String::from);
        match key.to_ascii_lowercase().as_str() {
            "game" => {
                let mut words = words();
                sheet.game = words.next().map(|name| (name, words.collect()));
            }
            "variant" => variant = words().collect(),
            "position" => sheet.position = Some(value.into()),
            "black" => sheet.names[0] = Some(value.into()),
            "white" => sheet.names[1] = Some(value.into()),
            "event" => sheet.event = Some(value.into()),
            "result" => sheet.result = read_result(value)?,
            _ => {
                let key = shorten(key);
                let known = KEYS.join(", ");
                return Err(FileError(format!(
                    "unknown word '{key}:'; known: {known}; then the moves"
                )));
            }
        }
    }
    match &mut sheet.game {
        Some((_, pairs)) => pairs.extend(variant),
        None if variant.is_empty() => {}
        None => return Err(FileError::new("a variant without a game")),
    }
    Ok(sheet)
}

fn read_result(text: &str) -> Result<Option<Outcome>, FileError> {
    match text.to_ascii_lowercase().as_str() {
        "b" => Ok(Some(Outcome::Win(Player::One))),
        "w" => Ok(Some(Outcome::Win(Player::Two))),
        "draw" => Ok(Some(Outcome::Draw)),
        "none" | "" => Ok(None),
        _ => {
            let text = shorten(text);
            let text = format!("the result is b, w, draw or none, not '{text}'");
            Err(FileError(text))
        }
    }
}

/// Moves on a line.
const A_LINE: usize = 10;

/// Writes a game; [`read`] reads it again. Moves need no players: whose turn it is the rules say.
pub fn write(sheet: &Sheet) -> String {
    let mut out = String::new();
    let mut line = |key: &str, value: &str| {
        let value = value.replace(['\n', '\r', '#'], " ");
        out.push_str(format!("{key}: {value}").trim());
        out.push('\n');
    };
    if let Some((name, pairs)) = &sheet.game {
        line("game", &format!("{name} {}", pairs.join(" ")));
    }
    let said = [
        ("position", &sheet.position),
        ("black", &sheet.names[0]),
        ("white", &sheet.names[1]),
        ("event", &sheet.event),
    ];
    for (key, value) in said {
        if let Some(value) = value {
            line(key, value);
        }
    }
    if let Some(result) = sheet.result {
        line("result", &result.to_string());
    }
    for (number, moves) in sheet.moves.chunks(A_LINE).enumerate() {
        let words: Vec<&str> = moves.iter().map(|(_, text)| text.as_str()).collect();
        out.push_str(&format!("{}. {}\n", number * A_LINE + 1, words.join(" ")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(sheet: &Sheet) -> Vec<&str> {
        sheet.moves.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let sheet = Sheet {
            game: Some(("hex".into(), vec!["size=5".into()])),
            position: Some("5/5/5/5/4b w".into()),
            names: [Some("Ann: the first".into()), None],
            result: Some(Outcome::Draw),
            moves: (0..23).map(|i| (None, format!("a{i}"))).collect(),
            ..Sheet::default()
        };
        let text = write(&sheet);
        assert_eq!(read(&text), Ok(sheet), "{text}");
        assert_eq!(split(&text).len(), 1);
    }

    #[test]
    fn people_write_as_they_like() {
        let sheet =
            read("Game: kalah houses=4 # small\nvariant: seeds=3\n1. 3 2\n2...1\n3.4 1").unwrap();
        let (name, pairs) = sheet.game.clone().unwrap();
        assert_eq!((name.as_str(), pairs.len()), ("kalah", 2));
        assert_eq!(words(&sheet), ["3", "2", "1", "4", "1"]);
        assert_eq!(
            words(&read("32-28\n19-23 # b\n").unwrap()),
            ["32-28", "19-23"]
        );
        for bad in ["moves: a1", "variant: size=5", "result: 1-0"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn games_follow_each_other() {
        let two = "# all\ngame: hex\nblack: A\na1\n\ngame: othello\nd3 c3\n";
        let games = split(two);
        assert_eq!(games.len(), 2, "{games:?}");
        assert_eq!(words(&read(games[1]).unwrap()), ["d3", "c3"]);
        assert!(split("# nothing\n").is_empty());
    }
}
