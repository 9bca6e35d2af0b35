//! Games as SGF, with their variations; moves are written as on the wire.
//!
//! Where SGF has no number for a game (property GM), or a variant or start needs more, the private properties XG (game
//! and variant as `set_game` takes them) and XP (a position as `set_position` takes it) say it.

use super::{FileError, Sheet};
use crate::game::{Outcome, Player, sgf};
use crate::options::shorten;
use sgf_parse::unknown_game::Prop;
use sgf_parse::{GameTree, SgfNode};

/// Nodes of a game; longer ones are none.
const MOST: usize = 20_001;

/// The texts of the games of a collection.
pub fn split(content: &str) -> Vec<&str> {
    let (mut games, mut begin, mut depth) = (Vec::new(), 0, 0u32);
    let (mut in_value, mut escaped) = (false, false);
    for (at, c) in content.char_indices() {
        if in_value {
            in_value = escaped || c != ']';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            '[' if depth > 0 => in_value = true,
            '(' => {
                if depth == 0 {
                    begin = at;
                }
                depth += 1;
            }
            ')' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    games.push(&content[begin..=at]);
                }
            }
            _ => {}
        }
    }
    // A game that is cut off is told from none when it is read.
    if depth > 0 {
        games.push(&content[begin..]);
    }
    games
}

pub fn read(content: &str) -> Result<Sheet, FileError> {
    let found = sgf::nodes(content, MOST).map_err(FileError::new)?;
    let (root, others) = found
        .split_first()
        .ok_or_else(|| FileError::new("no game in it"))?;
    let (root, names_game) = root_of(root.text)?;
    let mut sheet = about(&root, names_game)?;
    // The number of the last move up to each node, where the game was not given up before.
    let mut tips = vec![Some(0)];
    let mut numbers = Numbers::default();
    tips[0] = numbers.push(&root, Some(0), &mut sheet);
    for (i, found) in others.iter().enumerate() {
        let parent = found.parent.unwrap_or_default();
        let before = tips.get(parent).copied().flatten();
        // The game itself comes first, each node after the one before it.
        numbers.aside |= parent != i;
        tips.push(match unknown_node(&format!("(;GM[0]{})", found.text))? {
            Some(node) => numbers.push(&node, before, &mut sheet),
            None => before,
        });
    }
    if !names_game {
        as_little_golem(&mut sheet);
    }
    Ok(sheet)
}

/// Gives moves their numbers.
#[derive(Default)]
struct Numbers {
    last: usize,
    /// Whether the game itself is through and variations follow.
    aside: bool,
}

impl Numbers {
    /// Takes the moves of a node that follows move number `before`, and returns the number of the last one; `None` where somebody
    /// gave up: a resignation is no move, and nothing comes after it.
    fn push(
        &mut self,
        node: &SgfNode<Prop>,
        before: Option<usize>,
        sheet: &mut Sheet,
    ) -> Option<usize> {
        let mut before = before?;
        for (name, player) in [("B", Player::One), ("W", Player::Two)] {
            for text in values(node, name) {
                if text.eq_ignore_ascii_case("resign") {
                    return None;
                }
                match self.aside {
                    false => sheet.moves.push((Some(player), text)),
                    true => sheet.variations.push((before, Some(player), text)),
                }
                self.last += 1;
                before = self.last;
            }
        }
        Some(before)
    }
}

/// A node of a game that the library does not know; `None` for one of Go.
fn unknown_node(tree: &str) -> Result<Option<SgfNode<Prop>>, FileError> {
    let mut trees = sgf_parse::parse(tree).map_err(FileError::new)?;
    match trees.pop() {
        Some(GameTree::Unknown(node)) => Ok(Some(node)),
        _ => Ok(None),
    }
}

/// The root, and whether it has the game's number.
fn root_of(text: &str) -> Result<(SgfNode<Prop>, bool), FileError> {
    if let Some(node) = unknown_node(&format!("(;{text})"))? {
        return Ok((node, true));
    }
    // The library takes a game without a number for one of Go, too.
    let go = || FileError::new("a game of Go (property GM)");
    let node = unknown_node(&format!("(;GM[0]{text})"));
    let node = node.ok().flatten().ok_or_else(go)?;
    let numbers = node.properties().filter(|p| name_of(p) == "GM").count();
    match numbers {
        1 => Ok((node, false)),
        _ => Err(go()),
    }
}

fn name_of(property: &Prop) -> String {
    let written = property.to_string();
    written.split('[').next().unwrap_or_default().to_string()
}

/// What the root says of the game.
fn about(root: &SgfNode<Prop>, names_game: bool) -> Result<Sheet, FileError> {
    let mut sheet = Sheet::default();
    let first = |name: &str| values(root, name).into_iter().next();
    if let Some(variant) = first("XG") {
        let mut words = variant.split_whitespace().map(String::from);
        sheet.game = words.next().map(|name| (name, words.collect()));
    } else {
        if names_game {
            sheet.game = Some((game(&first("GM").unwrap_or_default())?, Vec::new()));
        }
        sheet.size = first("SZ").map(|text| read_size(&text)).transpose()?;
    }
    sheet.position = first("XP");
    for (name, player) in [("AB", Player::One), ("AW", Player::Two)] {
        let squares = values(root, name).into_iter();
        sheet.stones.extend(squares.map(|square| (player, square)));
    }
    sheet.turn = first("PL").and_then(|text| match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Player::One),
        "w" | "white" => Some(Player::Two),
        _ => None,
    });
    sheet.names = ["PB", "PW"].map(&first);
    sheet.event = first("EV");
    sheet.result = first("RE").and_then(|text| result(&text));
    Ok(sheet)
}

/// Little Golem's records of Hex say no game, and call the moves of the player who begins, whose name is in PB, `W`.
fn as_little_golem(sheet: &mut Sheet) {
    let begins = sheet.moves.first().map(|(player, _)| *player);
    if begins == Some(Some(Player::Two)) && sheet.stones.is_empty() && sheet.turn.is_none() {
        let variations = sheet.variations.iter_mut().map(|(_, player, _)| player);
        let moves = sheet.moves.iter_mut().map(|(player, _)| player);
        for player in moves.chain(variations) {
            *player = player.map(Player::other);
        }
    }
}

/// The name of the game with an SGF number.
fn game(number: &str) -> Result<String, FileError> {
    let mut entries = crate::games::ENTRIES.iter();
    let entry = entries.find(|entry| entry.sgf.is_some_and(|own| own.to_string() == number));
    match entry {
        Some(entry) => Ok(entry.name.into()),
        None => {
            let number = shorten(number);
            let text = format!("no game here has the number GM[{number}]");
            Err(FileError(text))
        }
    }
}

fn result(text: &str) -> Option<Outcome> {
    match text.as_bytes().first() {
        Some(b'B') => Some(Outcome::Win(Player::One)),
        Some(b'W') => Some(Outcome::Win(Player::Two)),
        Some(b'0' | b'D') => Some(Outcome::Draw),
        _ => None,
    }
}

/// A result as SGF writes it.
pub fn result_word(outcome: Outcome) -> String {
    match outcome {
        Outcome::Win(Player::One) => "B+".into(),
        Outcome::Win(Player::Two) => "W+".into(),
        Outcome::Draw => "0".into(),
    }
}

/// Columns and rows of the property SZ.
fn read_size(text: &str) -> Result<(u32, u32), FileError> {
    let (columns, rows) = text.split_once(':').unwrap_or((text, text));
    let read = |number: &str| number.trim().parse::<u32>();
    match (read(columns), read(rows)) {
        (Ok(columns), Ok(rows)) => Ok((columns, rows)),
        _ => {
            let text = shorten(text);
            Err(FileError(format!("no board has the size SZ[{text}]")))
        }
    }
}

fn values(node: &SgfNode<Prop>, name: &str) -> Vec<String> {
    match node.get_property(name) {
        Some(Prop::Unknown(_, values)) => values.iter().map(|v| v.trim().to_string()).collect(),
        Some(other) => property_texts(other),
        None => Vec::new(),
    }
}

/// The values of a property that the library gives as typed.
fn property_texts(property: &Prop) -> Vec<String> {
    // Written form: `AB[aa][bb]`.
    let written = property.to_string();
    let inside = written.split_once('[').map_or("", |(_, rest)| rest);
    let inside = inside.strip_suffix(']').unwrap_or(inside);
    inside.split("][").map(|v| unescaped(v.trim())).collect()
}

/// The text of a value as it is written.
fn unescaped(value: &str) -> String {
    let (mut out, mut escaped) = (String::new(), false);
    for c in value.chars() {
        escaped = !escaped && c == '\\';
        if !escaped {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_little_golem_begins_with_player_one() {
        let text = "(;FF[4]EV[hex.ld.DEFAULT]PB[Ann]PW[Bob]SZ[13]RE[B]GC[ game #1];W[am];B[swap];W[de];B[resign])";
        let sheet = read(text).unwrap();
        assert_eq!((&sheet.game, sheet.size), (&None, Some((13, 13))));
        let players: Vec<_> = sheet.moves.iter().map(|(p, _)| p.unwrap()).collect();
        assert_eq!(players, [Player::One, Player::Two, Player::One]);
        assert_eq!(sheet.names[0].as_deref(), Some("Ann"));
        let named = read("(;FF[4]GM[2]PB[A \\] b\\\\];B[d3])").unwrap();
        assert_eq!(named.names[0].as_deref(), Some("A ] b\\"));
        assert_eq!(sheet.result, Some(Outcome::Win(Player::One)));
    }

    #[test]
    fn go_is_told_from_a_record_without_a_number() {
        assert!(read("(;GM[1]SZ[9];B[aa])").unwrap_err().0.contains("Go"));
        assert_eq!(read("(;SZ[9];B[aa])").unwrap().game, None);
        let hex = read("(;FF[4]GM[11]SZ[5];B[a1])").unwrap();
        assert_eq!(hex.game, Some(("hex".into(), vec![])));
    }

    #[test]
    fn variations_are_numbered_behind_the_game() {
        let text = "(;GM[11](;B[a1](;W[b2];B[c3])(;W[d4];B[resign];W[e5]))(;B[b1]C[)];W[c1]))";
        let sheet = read(text).unwrap();
        let moves: Vec<_> = sheet.moves.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(moves, ["a1", "b2", "c3"]);
        let aside = |after, player, text: &str| (after, Some(player), text.to_string());
        let expected = [
            aside(1, Player::Two, "d4"),
            aside(0, Player::One, "b1"),
            aside(5, Player::Two, "c1"),
        ];
        assert_eq!(sheet.variations, expected);
    }

    #[test]
    fn a_collection_is_split() {
        let text = "x(;GM[11]C[a ) \\] (;];B[a1](;W[b2])(;W[c3]))\n(;GM[2])(;GM[11]";
        let games = split(text);
        assert_eq!(games.len(), 3, "{games:?}");
        assert_eq!(games[1], "(;GM[2])");
        assert!(read(games[2]).is_err());
    }
}
