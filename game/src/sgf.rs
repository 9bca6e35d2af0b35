//! A game as SGF text: the properties of its root and one line of moves.

use super::player::Player;
use sgf_parse::unknown_game::Prop;
use sgf_parse::{GameTree, SgfNode, SgfProp};

/// One game. `root` has names and values, as the library takes them; the moves are as on the wire.
///
/// The library writes trees by recursion, a level a move; so it has the root only, and the one variation that we have is
/// appended, however long it is.
pub fn write<'a>(
    root: impl IntoIterator<Item = (&'a str, String)>,
    moves: impl IntoIterator<Item = (Player, impl AsRef<str>)>,
) -> String {
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
    for (player, played) in moves {
        let name = match player {
            Player::One => 'B',
            Player::Two => 'W',
        };
        let played = played.as_ref().replace('\\', "\\\\").replace(']', "\\]");
        text += &format!(";{name}[{played}]");
    }
    text + ")"
}

/// A value of a property that the library does not know, and so does not escape.
pub fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace(']', "\\]")
        .replace(':', "\\:")
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
    fn no_game_is_too_long() {
        let moves = (0..200_000).map(|_| (Player::One, "a1"));
        let written = std::thread::Builder::new()
            .stack_size(64 << 10)
            .spawn(|| write([("FF", "4".to_string())], moves).len());
        assert_eq!(written.unwrap().join().unwrap(), 9 + 200_000 * 6 - 1);
    }
}
