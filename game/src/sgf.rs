//! A game as SGF text: the properties of its root and its moves, in one line or as a tree, written, and found in the text of others.

use super::player::Player;
use sgf_parse::unknown_game::Prop;
use sgf_parse::{GameTree, SgfNode, SgfProp};

/// A move with what is said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub player: Player,
    /// As on the wire.
    pub played: String,
    /// Names and values of further properties.
    pub remarks: Vec<(&'static str, String)>,
    /// Moves that could have been played instead of this one.
    pub instead: Vec<(Player, String)>,
}

/// One game. `root` has names and values, as the library takes them; the moves are as on the wire.
///
/// The library writes trees by recursion, a level a move; so it has the root only, and the one variation that we have is
/// appended, however long it is.
pub fn write<'a>(
    root: impl IntoIterator<Item = (&'a str, String)>,
    moves: impl IntoIterator<Item = (Player, impl AsRef<str>)>,
) -> String {
    let mut text = open(root);
    for (player, played) in moves {
        push(&mut text, player, played.as_ref());
    }
    text + ")"
}

/// One game with remarks and variations, of which the game itself is always the first.
pub fn write_annotated<'a>(
    root: impl IntoIterator<Item = (&'a str, String)>,
    nodes: impl IntoIterator<Item = Node>,
) -> String {
    let mut text = open(root);
    let mut variations = Vec::new();
    for node in nodes {
        if !node.instead.is_empty() {
            text.push('(');
            let mut variation = String::from("(");
            for (player, played) in &node.instead {
                push(&mut variation, *player, played);
            }
            variations.push(variation + ")");
        }
        push(&mut text, node.player, &node.played);
        for (name, value) in node.remarks {
            text += &format!("{name}[{}]", bracketed(&value));
        }
    }
    while let Some(variation) = variations.pop() {
        text.push(')');
        text += &variation;
    }
    text + ")"
}

/// A move of a tree of moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The number of the move before it: they count from 1, and 0 is the start.
    pub after: usize,
    pub player: Player,
    /// As on the wire.
    pub played: String,
}

/// One game with variations. Of several moves after the same one the first is the game's.
pub fn write_tree<'a>(root: impl IntoIterator<Item = (&'a str, String)>, steps: &[Step]) -> String {
    enum Todo {
        Write(usize),
        Open(usize),
        Close,
    }
    let mut text = open(root);
    let mut following = vec![Vec::new(); steps.len() + 1];
    for (i, step) in steps.iter().enumerate() {
        if let Some(list) = following.get_mut(step.after) {
            list.push(i + 1);
        }
    }
    // By hand, not by recursion: games are long.
    let mut todo = vec![Todo::Write(0)];
    while let Some(next) = todo.pop() {
        let number = match next {
            Todo::Close => {
                text.push(')');
                continue;
            }
            Todo::Open(number) => {
                text.push('(');
                number
            }
            Todo::Write(number) => number,
        };
        if number > 0 {
            let step = &steps[number - 1];
            push(&mut text, step.player, &step.played);
        }
        match following[number].as_slice() {
            [only] => todo.push(Todo::Write(*only)),
            several => {
                for number in several.iter().rev() {
                    todo.extend([Todo::Close, Todo::Open(*number)]);
                }
            }
        }
    }
    text + ")"
}

/// The text of the root, without its closing parenthesis.
fn open<'a>(root: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let mut square = None;
    let mut properties = Vec::new();
    for (name, value) in root {
        if name == "SZ" && !value.contains(':') {
            square = Some(value.clone());
        }
        properties.push(Prop::new(name.to_string(), vec![value]));
    }
    let node = SgfNode::new(properties, Vec::new(), true);
    let mut text = sgf_parse::serialize([&GameTree::Unknown(node)]);
    // The library writes two numbers always; SGF wants one for a square board.
    if let Some(n) = square {
        text = text.replacen(&format!("SZ[{n}:{n}]"), &format!("SZ[{n}]"), 1);
    }
    text.pop();
    text
}

fn push(text: &mut String, player: Player, played: &str) {
    let name = match player {
        Player::One => 'B',
        Player::Two => 'W',
    };
    text.push_str(&format!(";{name}[{}]", bracketed(played)));
}

/// A text between brackets.
fn bracketed(value: &str) -> String {
    value.replace('\\', "\\\\").replace(']', "\\]")
}

/// A value of a property that the library does not know, and so does not escape.
pub fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace(']', "\\]")
        .replace(':', "\\:")
}

/// Why a text is no game record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SgfError {
    /// It has no node.
    #[error("no game in it")]
    NoGame,
    /// A variation or a value has no end.
    #[error("the record is cut off")]
    CutOff,
    /// It has more nodes than were asked for.
    #[error("the game has more than {0} nodes")]
    TooLong(usize),
}

/// A node of a game's tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found<'a> {
    /// The number of the node before it; `None` for the root, 0.
    pub parent: Option<usize>,
    /// Without its semicolon.
    pub text: &'a str,
}

/// The nodes of the first game with all its variations, in the order of the text; at most `most`. The nodes of the main variation
/// come first: each follows the one before it.
///
/// The library takes trees by recursion, a level a node, and a hundred bytes for each; so it is given one node at a time.
pub fn nodes(text: &str, most: usize) -> Result<Vec<Found<'_>>, SgfError> {
    let mut nodes: Vec<Found> = Vec::new();
    // The node that the next one follows, and those to return to at the end of each variation.
    let (mut here, mut back) = (None, Vec::new());
    let mut begin = None;
    let (mut in_value, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        if in_value {
            in_value = escaped || c != ']';
            escaped = !escaped && c == '\\';
            continue;
        }
        if matches!(c, ';' | '(' | ')')
            && let Some(begin) = begin.take()
        {
            nodes.push(Found {
                parent: here,
                text: &text[begin..at],
            });
            here = Some(nodes.len() - 1);
        }
        match c {
            '[' => in_value = true,
            '(' => back.push(here),
            ')' if nodes.is_empty() => return Err(SgfError::NoGame),
            ')' => {
                here = back.pop().flatten();
                if back.is_empty() {
                    return Ok(nodes);
                }
            }
            ';' if nodes.len() == most => return Err(SgfError::TooLong(most)),
            ';' if !back.is_empty() => begin = Some(at + 1),
            _ => {}
        }
    }
    match begin {
        None if nodes.is_empty() => Err(SgfError::NoGame),
        _ => Err(SgfError::CutOff),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_written_and_read_again() {
        let root = |size: &str| [("FF", "4".to_string()), ("SZ", size.to_string())];
        let moves = [(Player::One, "a1"), (Player::Two, "b\\]2")];
        let text = write(root("5"), moves);
        assert_eq!(text, "(;FF[4]SZ[5];B[a1];W[b\\\\\\]2])");
        assert!(write(root("5:6"), moves).contains("SZ[5:6]"));
        assert_eq!(sgf_parse::parse(&text).unwrap().len(), 1);
        assert_eq!(
            write([("FF", "4".into())], [] as [(Player, &str); 0]),
            "(;FF[4])"
        );
    }

    #[test]
    fn variations_stand_behind_the_game() {
        let node = |played: &str, instead: &[&str]| Node {
            player: Player::One,
            played: played.into(),
            remarks: vec![("C", "a ] b".into())],
            instead: instead
                .iter()
                .map(|text| (Player::Two, text.to_string()))
                .collect(),
        };
        let nodes = [
            node("a1", &[]),
            node("b2", &["c3", "d4"]),
            node("e5", &["f6"]),
        ];
        let text = write_annotated([("FF", "4".to_string())], nodes);
        let remark = "C[a \\] b]";
        let expected =
            format!("(;FF[4];B[a1]{remark}(;B[b2]{remark}(;B[e5]{remark})(;W[f6]))(;W[c3];W[d4]))");
        assert_eq!(text, expected);
        let found = super::nodes(&text, 9).unwrap();
        let parents: Vec<_> = found.iter().map(|node| node.parent).collect();
        let of = [None, Some(0), Some(1), Some(2), Some(2), Some(1), Some(5)];
        assert_eq!(parents, of);
        assert!(found[3].text.starts_with("B[e5]"));
        assert_eq!(found[6].text, "W[d4]");
    }

    #[test]
    fn a_tree_is_written_and_found_again() {
        let step = |after, played: &str| Step {
            after,
            player: Player::One,
            played: played.into(),
        };
        let steps = [
            step(0, "a1"),
            step(1, "b2"),
            step(1, "c3"),
            step(0, "d4"),
            step(3, "e5"),
        ];
        let text = write_tree([("FF", "4".to_string())], &steps);
        assert_eq!(text, "(;FF[4](;B[a1](;B[b2])(;B[c3];B[e5]))(;B[d4]))");
        let found = nodes(&text, 6).unwrap();
        let parents: Vec<_> = found.iter().map(|node| node.parent).collect();
        let of = [None, Some(0), Some(1), Some(1), Some(3), Some(0)];
        assert_eq!(parents, of);
        assert_eq!(write_tree([("FF", "4".to_string())], &[]), "(;FF[4])");
    }

    #[test]
    fn nodes_are_found_in_the_text_of_others() {
        let text = "junk;(;GM[2]C[a ) \\] ; ( b];B[a1](;W[b2];B[c3])(;W[d4]))(;GM[1])";
        let found = nodes(text, 5).unwrap();
        let texts: Vec<_> = found.iter().map(|node| node.text).collect();
        let expected = ["GM[2]C[a ) \\] ; ( b]", "B[a1]", "W[b2]", "B[c3]", "W[d4]"];
        assert_eq!(texts, expected);
        assert_eq!(found[4].parent, Some(1));
        assert_eq!(nodes(text, 4), Err(SgfError::TooLong(4)));
        for none in ["", "()", "GM[2]", ")", ";B[a1]"] {
            assert_eq!(nodes(none, 4), Err(SgfError::NoGame), "{none}");
        }
        for cut in [
            "(;",
            "(;GM[2",
            "(;GM[2];B[a1]",
            "(;GM[2];B[a1\\])",
            "(;GM[2](;B[a1])",
        ] {
            assert_eq!(nodes(cut, 4), Err(SgfError::CutOff), "{cut}");
        }
    }

    #[test]
    fn no_game_is_too_long() {
        let moves = (0..200_000).map(|_| (Player::One, "a1"));
        let step = |after| Step {
            after,
            player: Player::One,
            played: "a1".into(),
        };
        let written = std::thread::Builder::new()
            .stack_size(64 << 10)
            .spawn(move || {
                let root = [("FF", "4".to_string())];
                let line = write(root.clone(), moves);
                let tree: Vec<_> = (0..200_000).map(step).collect();
                assert_eq!(nodes(&line, 300_000).unwrap().len(), 200_001);
                assert_eq!(line, write_tree(root, &tree));
                line.len()
            });
        assert_eq!(written.unwrap().join().unwrap(), 9 + 200_000 * 6 - 1);
    }
}
