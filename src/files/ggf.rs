//! Games of Othello as GGF, the form of the Generic Game Server and of NBoard: `(;GM[Othello]PB[A]PW[B]TY[8]BO[8 … *]B[d3]W[c3];)`.
//! <https://skatgame.net/mburo/ggsa/ggf>

use super::{FileError, Sheet};
use crate::game::{Cell, Grid, Outcome, Player, text};
use crate::options::shorten;

/// The game that is written so.
pub const GAME: &str = "othello";

/// Whether a text begins with such a game.
pub fn is_one(content: &str) -> bool {
    let Some((_, rest)) = content.split_once("(;") else {
        return false;
    };
    let value = rest.split_once("GM[").map_or("", |(_, rest)| rest);
    value
        .split(']')
        .next()
        .is_some_and(|v| v.eq_ignore_ascii_case(GAME))
}

/// The texts of the games.
pub fn split(content: &str) -> Vec<&str> {
    let (mut games, mut begin, mut in_value) = (Vec::new(), None, false);
    for (at, c) in content.char_indices() {
        match c {
            '[' if begin.is_some() => in_value = true,
            ']' => in_value = false,
            _ if in_value => {}
            '(' if begin.is_none() && content[at..].starts_with("(;") => begin = Some(at),
            ')' => games.extend(begin.take().map(|begin| &content[begin..=at])),
            _ => {}
        }
    }
    // A game that is cut off is told from none when it is read.
    games.extend(begin.map(|begin| &content[begin..]));
    games
}

pub fn read(content: &str) -> Result<Sheet, FileError> {
    let mut sheet = Sheet {
        game: Some((GAME.into(), Vec::new())),
        ..Sheet::default()
    };
    let mut rest = content.split_once("(;").map_or("", |(_, rest)| rest);
    loop {
        let end = rest.find([';', '[']);
        let (name, after) = match end {
            Some(end) if rest[end..].starts_with('[') => (rest[..end].trim(), &rest[end + 1..]),
            Some(end) if rest[end + 1..].trim_start().starts_with(')') => return Ok(sheet),
            _ => return Err(FileError::new("the record is cut off")),
        };
        let cut = || FileError::new("the record is cut off");
        let (value, after) = after.split_once(']').ok_or_else(cut)?;
        property(name, value.trim(), &mut sheet)?;
        rest = after;
    }
}

fn property(name: &str, value: &str, sheet: &mut Sheet) -> Result<(), FileError> {
    match name {
        "GM" if !value.eq_ignore_ascii_case(GAME) => {
            let text = format!("the game {} is not Othello", shorten(value));
            return Err(FileError(text));
        }
        "PB" => sheet.names[0] = Some(value.into()),
        "PW" => sheet.names[1] = Some(value.into()),
        // `s8r20`: a match of two games, on 8 by 8, with a random start of 20 discs, which BO has. Rules of its own: `a`.
        "TY" if value.contains('a') => {
            let text = format!("type {} has other rules than Othello", shorten(value));
            return Err(FileError(text));
        }
        "BO" => board(value, sheet)?,
        "RE" => sheet.result = result(value),
        "B" | "W" => {
            let player = if name == "B" {
                Player::One
            } else {
                Player::Two
            };
            // Behind the move come its value and its time.
            let played = value.split('/').next().unwrap_or_default().trim();
            let played = played.to_ascii_lowercase();
            let played = if played.starts_with("pa") {
                "pass".into()
            } else {
                played
            };
            sheet.moves.push((Some(player), played));
        }
        _ => {}
    }
    Ok(())
}

/// `8 -------- … *`: the size, the squares from a1 by rows, the side to move.
fn board(value: &str, sheet: &mut Sheet) -> Result<(), FileError> {
    let refuse = || FileError(format!("no board: BO[{}]", shorten(value)));
    let (size, cells) = value.split_once(char::is_whitespace).ok_or_else(refuse)?;
    let size: u32 = size.parse().map_err(|_| refuse())?;
    let mut cells: Vec<char> = cells.chars().filter(|c| !c.is_whitespace()).collect();
    let turn = cells.pop().and_then(disc).flatten().ok_or_else(refuse)?;
    if size > 26 || cells.len() != (size * size) as usize {
        return Err(refuse());
    }
    for (i, c) in (0..size * size).zip(cells) {
        let (column, row) = (i % size, i / size);
        let player = disc(c).ok_or_else(refuse)?;
        let square = text::square_name(Cell { column, row });
        sheet.stones.extend(player.map(|player| (player, square)));
    }
    sheet.size = Some((size, size));
    sheet.turn = Some(turn);
    Ok(())
}

fn disc(c: char) -> Option<Option<Player>> {
    match c {
        '*' => Some(Some(Player::One)),
        'O' | 'o' => Some(Some(Player::Two)),
        '-' => Some(None),
        _ => None,
    }
}

/// Black's margin, `+12.00`; behind a colon how the game ended.
fn result(value: &str) -> Option<Outcome> {
    let margin: f64 = value.split(':').next()?.trim().parse().ok()?;
    match margin {
        margin if margin > 0.0 => Some(Outcome::Win(Player::One)),
        margin if margin < 0.0 => Some(Outcome::Win(Player::Two)),
        _ => Some(Outcome::Draw),
    }
}

/// Writes one game, from its start, a square board, to its end, where there is one, with Black's margin.
pub fn write<'a>(
    names: &[Option<String>; 2],
    (start, turn): (&Grid, Player),
    moves: impl IntoIterator<Item = (Player, &'a str)>,
    margin: Option<i32>,
) -> String {
    let mut out = format!("(;GM[Othello]PC[Treeline {}]", env!("CARGO_PKG_VERSION"));
    for (property, name) in ["PB", "PW"].into_iter().zip(names) {
        let name = name.as_deref().unwrap_or_default();
        // The form has no way to write a bracket in a value.
        out += &format!("{property}[{}]", name.replace(['[', ']'], "_"));
    }
    if let Some(margin) = margin {
        out += &format!("RE[{margin:+}]");
    }
    let letter = |player| if player == Player::One { '*' } else { 'O' };
    let size = start.columns;
    out += &format!("TY[{size}]BO[{size} ");
    for row in start.stones.chunks(size.max(1) as usize) {
        out.extend(row.iter().map(|stone| stone.map_or('-', letter)));
        out.push(' ');
    }
    out += &format!("{}]", letter(turn));
    for (player, played) in moves {
        let name = if player == Player::One { 'B' } else { 'W' };
        let played = if played == "pass" { "pa" } else { played };
        out += &format!("{name}[{played}]");
    }
    out + ";)\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_of_the_server_is_read() {
        let text = "2 (;GM[Othello]PC[GGS/os]DT[1999.09.16_05:22:26.PDT]PB[lynx]PW[kitty]RB[1668.91]RW[1670.14]TI[05:00//02:00]TY[8]\
                    RE[-12.000]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]\
                    B[d3]W[c5/-2.5]B[D6//3.05]W[PA];)(;GM[Othello]TY[8];)";
        let games = split(text);
        assert_eq!(games.len(), 2, "{games:?}");
        let sheet = read(games[0]).unwrap();
        let moves: Vec<_> = sheet.moves.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(moves, ["d3", "c5", "d6", "pass"]);
        assert_eq!((sheet.size, sheet.turn), (Some((8, 8)), Some(Player::One)));
        assert_eq!(sheet.stones[0], (Player::Two, "d4".into()));
        assert_eq!(sheet.names[1].as_deref(), Some("kitty"));
        assert_eq!(sheet.result, Some(Outcome::Win(Player::Two)));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let stone = |cell: Cell| (cell.column == cell.row).then_some(Player::Two);
        let names = [Some("a]b".into()), None];
        let moves = [(Player::Two, "d3"), (Player::One, "pass")];
        let text = write(
            &names,
            (&Grid::new(4, 4, stone), Player::Two),
            moves,
            Some(-3),
        );
        assert!(
            is_one(&text) && text.contains("BO[4 O--- -O-- --O- ---O O]"),
            "{text}"
        );
        let sheet = read(&text).unwrap();
        assert_eq!(sheet.stones.len(), 4);
        assert_eq!(sheet.names[0].as_deref(), Some("a_b"));
        assert_eq!(sheet.moves[1], (Some(Player::One), "pass".into()));
        assert_eq!(sheet.result, Some(Outcome::Win(Player::Two)));
    }

    #[test]
    fn other_games_and_boards_are_refused() {
        for bad in [
            "(;GM[Othello]TY[8a];)",
            "(;GM[Amazons];)",
            "(;GM[Othello]BO[8 *];)",
            "(;GM[Othello]BO[4294967295 - *];)",
            "(;GM[Othello]BO[2 --?- *];)",
            "(;GM[Othello]BO[2 ---- -];)",
            "(;GM[Othello]B[d3]",
            "(;GM[Othello]B[d3",
            "(;GM[Othello])",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
