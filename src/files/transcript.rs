//! Games of Othello as people pass them on: the squares in order, `f5d6c3…`, a game a line. Passes are left out, since the rules
//! say them. On the usual board of 8 by 8 from its start.

use super::{FileError, Sheet, ggf};
use crate::options::shorten;

/// Columns and rows.
pub const SIZE: u32 = 8;
/// The first moves that the start allows.
const FIRST: [&str; 4] = ["c4", "d3", "e6", "f5"];

/// Whether every line is such a game.
pub fn is_one(content: &str) -> bool {
    let lines = split(content);
    !lines.is_empty() && lines.into_iter().all(is_game)
}

/// Without this, the moves of other games that name two squares would look the same.
fn is_game(line: &str) -> bool {
    let Some(squares) = squares(line) else {
        return false;
    };
    let begins = squares
        .first()
        .is_some_and(|first| FIRST.contains(&first.as_str()));
    let twice = |(i, square)| squares[..i].contains(square);
    begins && squares.len() > 1 && !squares.iter().enumerate().any(twice)
}

/// The texts of the games.
pub fn split(content: &str) -> Vec<&str> {
    let lines = content
        .trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim);
    lines.filter(|line| !line.is_empty()).collect()
}

pub fn read(line: &str) -> Result<Sheet, FileError> {
    let found = squares(line.trim()).ok_or_else(|| {
        let line = shorten(line);
        FileError(format!("no transcript: {line}"))
    })?;
    Ok(Sheet {
        game: Some((ggf::GAME.into(), Vec::new())),
        moves: found.into_iter().map(|square| (None, square)).collect(),
        ..Sheet::default()
    })
}

/// The squares of a line, without the passes that some write as `--` or `pa`.
fn squares(line: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let line = line.to_ascii_lowercase();
    for pair in line.as_bytes().chunks(2) {
        match pair {
            b"--" | b"pa" | b"ps" => {}
            [column @ b'a'..=b'h', row @ b'1'..=b'8'] => {
                found.push([char::from(*column), char::from(*row)].iter().collect());
            }
            _ => return None,
        }
    }
    Some(found)
}

/// Writes one game.
pub fn write<'a>(moves: impl IntoIterator<Item = &'a str>) -> String {
    let squares = moves.into_iter().filter(|played| *played != "pass");
    squares.collect::<String>() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let text = write(["f5", "d6", "pass", "c3"]);
        assert!(text == "f5d6c3\n" && is_one(&text));
        let sheet = read("F5D6--c3").unwrap();
        assert_eq!(sheet.moves[2], (None, "c3".into()));
        assert_eq!(split("f5d6\n\n d3c3\r\n"), ["f5d6", "d3c3"]);
        for other in ["f5", "f5d6 c3", "a2a3", "f5d6f5", "f5d", "f5d9", "f5é", ""] {
            assert!(!is_one(other), "{other}");
        }
        assert!(read("f5x").is_err());
    }
}
