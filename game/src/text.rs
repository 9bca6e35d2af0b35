//! Helpers for notation: square names, rows of a position text, boards for people.

use super::cell::Cell;
use super::player::Player;
use super::refusal::PositionError;
use crate::options::shorten;

/// `a1` for the cell (0, 0): letter = column, number = row, no letter skipped.
pub fn square_name(cell: Cell) -> String {
    format!("{}{}", column_name(cell.column), cell.row + 1)
}

/// `a` for column 0; boards have at most 26 columns.
pub fn column_name(column: u32) -> char {
    char::from(b'a' + (column % 26) as u8)
}

/// Reads one square of a `columns` x `rows` board.
pub fn read_square(text: &str, columns: u32, rows: u32) -> Option<Cell> {
    let (cell, rest) = take_square(text, columns, rows)?;
    rest.is_empty().then_some(cell)
}

/// Reads a square at the head of `text`; returns it with what follows.
pub fn take_square(text: &str, columns: u32, rows: u32) -> Option<(Cell, &str)> {
    let letter = text.chars().next()?;
    if !letter.is_ascii_alphabetic() {
        return None;
    }
    let column = u32::from(letter.to_ascii_lowercase() as u8 - b'a');
    let rest = &text[1..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number: u32 = rest[..digits].parse().ok()?;
    if rest.starts_with('0') || column >= columns || number == 0 || number > rows {
        return None;
    }
    let cell = Cell {
        column,
        row: number - 1,
    };
    Some((cell, &rest[digits..]))
}

/// Rows from the highest number down to 1, separated by `/`, runs of empty squares as numbers, as in FEN.
/// `symbol` gives the letter of a cell, `None` for an empty one.
pub fn write_rows(columns: u32, rows: u32, symbol: impl Fn(Cell) -> Option<char>) -> String {
    let mut out = String::new();
    for row in (0..rows).rev() {
        let mut empty = 0;
        for column in 0..columns {
            match symbol(Cell { column, row }) {
                None => empty += 1,
                Some(letter) => {
                    if empty > 0 {
                        out.push_str(&empty.to_string());
                        empty = 0;
                    }
                    out.push(letter);
                }
            }
        }
        if empty > 0 {
            out.push_str(&empty.to_string());
        }
        if row > 0 {
            out.push('/');
        }
    }
    out
}

/// Reads what [`write_rows`] wrote: calls `place` with each letter and its cell.
pub fn read_rows(
    text: &str,
    columns: u32,
    rows: u32,
    mut place: impl FnMut(Cell, char) -> Result<(), PositionError>,
) -> Result<(), PositionError> {
    let lines: Vec<&str> = text.split('/').collect();
    if lines.len() != rows as usize {
        return Err(PositionError::new(format!(
            "expected {rows} rows separated by '/', found {}",
            lines.len()
        )));
    }
    for (i, line) in lines.iter().enumerate() {
        let row = rows - 1 - i as u32;
        let mut column = 0;
        let mut run: u32 = 0;
        for c in line.chars() {
            if let Some(digit) = c.to_digit(10) {
                run = (run * 10 + digit).min(1000);
                continue;
            }
            column += run;
            run = 0;
            if column >= columns {
                return Err(width_error(line, row, columns));
            }
            place(Cell { column, row }, c)?;
            column += 1;
        }
        if column + run != columns {
            return Err(width_error(line, row, columns));
        }
    }
    Ok(())
}

fn width_error(line: &str, row: u32, columns: u32) -> PositionError {
    PositionError::new(format!(
        "row {} '{}' does not have {columns} squares",
        row + 1,
        shorten(line)
    ))
}

/// The error for a letter that stands for nothing.
pub fn unknown_letter(c: char) -> PositionError {
    PositionError::new(format!("'{}' is no piece", c.escape_default()))
}

/// A rectangular board: highest row on top, row numbers on both sides, column letters below and above.
pub fn draw_board(columns: u32, rows: u32, symbol: impl Fn(Cell) -> char) -> String {
    let letters: Vec<String> = (0..columns).map(|c| column_name(c).to_string()).collect();
    let header = format!("    {}", letters.join(" "));
    let mut lines = vec![header.clone()];
    for row in (0..rows).rev() {
        let cells: Vec<String> = (0..columns)
            .map(|column| symbol(Cell { column, row }).to_string())
            .collect();
        lines.push(format!("{:>3} {} {}", row + 1, cells.join(" "), row + 1));
    }
    lines.push(header);
    lines.join("\n")
}

/// Exactly `N` blank-separated fields of a position text.
pub fn fields<const N: usize>(line: &str) -> Result<[&str; N], PositionError> {
    let found: Vec<&str> = line.split_whitespace().collect();
    let count = found.len();
    found.try_into().map_err(|_| {
        PositionError::new(format!(
            "a position has {N} fields separated by blanks, not {count}"
        ))
    })
}

/// `b` or `w`.
pub fn read_player(text: &str) -> Result<Player, PositionError> {
    match text {
        "b" => Ok(Player::One),
        "w" => Ok(Player::Two),
        _ => Err(PositionError::new(format!(
            "the side to move is b or w, not '{}'",
            shorten(text)
        ))),
    }
}

/// The player whose stone a letter is: `b` or `w`.
pub fn read_stone(c: char) -> Result<Player, PositionError> {
    match c {
        'b' => Ok(Player::One),
        'w' => Ok(Player::Two),
        _ => Err(unknown_letter(c)),
    }
}

/// `X` for player one, `O` for player two, `.` for nothing: how boards show stones.
pub fn stone_symbol(stone: Option<Player>) -> char {
    match stone {
        Some(Player::One) => 'X',
        Some(Player::Two) => 'O',
        None => '.',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_round_trip() {
        let text = "3b/4/w2b/12w".replace("12w", "3w");
        let mut cells = [None; 16];
        read_rows(&text, 4, 4, |cell, c| {
            cells[(cell.row * 4 + cell.column) as usize] = Some(c);
            Ok(())
        })
        .unwrap();
        assert_eq!(cells[3], Some('w'));
        assert_eq!(cells[15], Some('b'));
        let written = write_rows(4, 4, |cell| cells[(cell.row * 4 + cell.column) as usize]);
        assert_eq!(written, text);
    }

    #[test]
    fn wrong_rows_are_errors() {
        for text in [
            "",
            "4/4/4",
            "4/4/4/5",
            "4/4/4/bbbbb",
            "4/4/4/99999999999999999999",
            "4/4/4/3",
        ] {
            assert!(read_rows(text, 4, 4, |_, _| Ok(())).is_err(), "{text}");
        }
    }

    #[test]
    fn squares() {
        assert_eq!(read_square("J10", 10, 10), Some(Cell { column: 9, row: 9 }));
        for text in [
            "",
            "a",
            "a0",
            "a01",
            "a11",
            "k1",
            "1a",
            "a1a",
            "é1",
            "a99999999999",
        ] {
            assert_eq!(read_square(text, 10, 10), None, "{text}");
        }
    }
}
