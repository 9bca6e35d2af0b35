//! Games of draughts as PDN, version 3: `W` is player one, game type 20 is the international game.
//! <https://pdn.fmjd.org/>

use super::{FileError, Sheet, cut, is_number};
use crate::game::{Outcome, Player};
use crate::options::shorten;
use std::fmt::Write;

/// The game that is written so here, and its game type.
pub const GAME: &str = "draughts";
pub const INTERNATIONAL: &str = "20";

/// The texts of the games; tags behind moves begin another one.
pub fn split(content: &str) -> Vec<&str> {
    let mut moves = false;
    cut(content, |line| {
        let tag = line.starts_with('[');
        let begins = moves && tag;
        moves = !begins && (moves || !tag && !line.is_empty());
        begins
    })
}

pub fn read(content: &str) -> Result<Sheet, FileError> {
    let mut sheet = Sheet {
        game: Some((GAME.into(), Vec::new())),
        ..Sheet::default()
    };
    let mut moves = String::new();
    for line in content.trim_start_matches('\u{feff}').lines() {
        match tag(line.trim()) {
            Some((name, value)) => match name {
                "GameType" if value.split(',').next() != Some(INTERNATIONAL) => {
                    let value = shorten(&value);
                    let text = format!("game type {value} is not international draughts, 20");
                    return Err(FileError(text));
                }
                "White" => sheet.names[0] = Some(value),
                "Black" => sheet.names[1] = Some(value),
                "Event" => sheet.event = Some(value),
                "FEN" => sheet.position = Some(value),
                "Result" => sheet.result = result(&value).flatten(),
                _ => {}
            },
            None => {
                moves.push_str(line);
                moves.push('\n');
            }
        }
    }
    let plain = without_remarks(&moves)?;
    for word in plain.split_whitespace() {
        if let Some(found) = result(word) {
            sheet.result = sheet.result.or(found);
            break;
        }
        if is_number(word) || word.starts_with('$') {
            continue;
        }
        // `1.32-28` is a number and a move.
        let word = word.rsplit('.').next().unwrap_or(word);
        let word = word.trim_end_matches(['!', '?']);
        if !word.is_empty() {
            sheet.moves.push((None, word.into()));
        }
    }
    Ok(sheet)
}

/// Name and value of `[Name "value"]`.
fn tag(line: &str) -> Option<(&str, String)> {
    let inside = line.strip_prefix('[')?.strip_suffix(']')?;
    let (name, value) = inside.trim().split_once(char::is_whitespace)?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    Some((name, value.replace("\\\"", "\"").replace("\\\\", "\\")))
}

/// What a word says of the result: `Some(None)` for a game that has none.
fn result(word: &str) -> Option<Option<Outcome>> {
    match word {
        "2-0" | "1-0" => Some(Some(Outcome::Win(Player::One))),
        "0-2" | "0-1" => Some(Some(Outcome::Win(Player::Two))),
        "1-1" | "1/2-1/2" => Some(Some(Outcome::Draw)),
        "*" | "0-0" => Some(None),
        _ => None,
    }
}

/// The main line, without comments in braces and variations in parentheses.
fn without_remarks(moves: &str) -> Result<String, FileError> {
    let (mut plain, mut depth, mut comment) = (String::new(), 0u32, false);
    for c in moves.chars() {
        match c {
            '}' if comment => comment = false,
            _ if comment => {}
            '{' => comment = true,
            '(' => depth += 1,
            ')' if depth == 0 => return Err(FileError::new("a ')' without its '('")),
            ')' => depth -= 1,
            _ if depth > 0 => {}
            _ => plain.push(c),
        }
        if matches!(c, '}' | ')' | '{' | '(') {
            plain.push(' ');
        }
    }
    match comment || depth > 0 {
        true => Err(FileError::new("the record is cut off")),
        false => Ok(plain),
    }
}

/// Writes one game: its tags, and its moves with their players, of whom player one has the numbers.
pub fn write<'a>(
    tags: impl IntoIterator<Item = (&'a str, String)>,
    moves: impl IntoIterator<Item = (Player, impl AsRef<str>)>,
    result: Option<Outcome>,
) -> String {
    let mut out = String::new();
    for (name, value) in tags {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(out, "[{name} \"{value}\"]");
    }
    let mut words = Vec::new();
    let mut number = 0;
    for (i, (player, text)) in moves.into_iter().enumerate() {
        let first = player == Player::One;
        if first || i == 0 {
            number += 1;
            words.push(format!("{number}{}", if first { "." } else { "..." }));
        }
        words.push(text.as_ref().to_string());
    }
    words.push(result_word(result).into());
    let mut length = 0;
    for word in words {
        let gap = match length {
            0 => "",
            length if length + word.len() > 78 => "\n",
            _ => " ",
        };
        length = if gap == "\n" { 0 } else { length + gap.len() } + word.len();
        let _ = write!(out, "{gap}{word}");
    }
    out.push('\n');
    out
}

/// A result as PDN writes it.
pub fn result_word(result: Option<Outcome>) -> &'static str {
    match result {
        None => "*",
        Some(Outcome::Draw) => "1-1",
        Some(Outcome::Win(Player::One)) => "2-0",
        Some(Outcome::Win(Player::Two)) => "0-2",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(sheet: &Sheet) -> Vec<&str> {
        sheet.moves.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let tags = [
            ("White", "the \"first\"".to_string()),
            ("GameType", "20".into()),
            ("FEN", "B:W31:B20".into()),
        ];
        let moves = [(Player::Two, "20-24"), (Player::One, "31-27")];
        let text = write(tags, moves, Some(Outcome::Draw));
        assert!(text.ends_with("\n1... 20-24 2. 31-27 1-1\n"), "{text}");
        let sheet = read(&text).unwrap();
        assert_eq!(sheet.names[0].as_deref(), Some("the \"first\""));
        assert_eq!(sheet.position.as_deref(), Some("B:W31:B20"));
        assert_eq!(words(&sheet), ["20-24", "31-27"]);
        assert_eq!(sheet.result, Some(Outcome::Draw));
    }

    #[test]
    fn remarks_and_variations_are_passed_over() {
        let text = "[Event \"x\"]\n\n1.32-28! {a (good) move} 19-23 $1 (1... 20-24 2. 28-23 (2. 1-1)) 2. 28x19 *\n";
        assert_eq!(words(&read(text).unwrap()), ["32-28", "19-23", "28x19"]);
        let two = format!("{text}\n[Event \"y\"]\n1. 31-27 2-0\n");
        assert_eq!(split(&two).len(), 2);
        assert_eq!(words(&read(split(&two)[1]).unwrap()), ["31-27"]);
        for bad in ["1. 32-28 (", "1. 32-28 {", ")", "[GameType \"25\"]"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
