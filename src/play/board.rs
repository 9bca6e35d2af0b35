//! Boards in a terminal's colours, for every game from its drawing: a row of characters a row of places.

use crate::game::Player;
use crate::game::drawing::{Drawing, Label, Look, Spot};

/// Terminal codes of one kind of board; colours of the 256 that terminals share.
struct Paint {
    /// Characters between neighbours.
    step: f32,
    /// Of player one and player two.
    pieces: [&'static str; 2],
    /// Behind a dark place, a light place, and one of the last move.
    ground: [&'static str; 3],
}

const RESET: &str = "\x1b[0m";
const LABEL: &str = "\x1b[2m";

fn paint(look: Look) -> Paint {
    match look {
        Look::Square => Paint {
            step: 3.0,
            pieces: ["\x1b[38;5;16m", "\x1b[38;5;231m"],
            ground: ["\x1b[48;5;137m", "\x1b[48;5;180m", "\x1b[48;5;208m"],
        },
        Look::Hole => Paint {
            step: 3.0,
            pieces: ["\x1b[1;38;5;203m", "\x1b[1;38;5;227m"],
            ground: ["\x1b[48;5;24m", "\x1b[48;5;24m", "\x1b[48;5;60m"],
        },
        Look::Hexagon => Paint {
            step: 2.0,
            pieces: ["\x1b[1;31m", "\x1b[1;36m"],
            ground: ["", "", "\x1b[7m"],
        },
        Look::Pit => Paint {
            step: 5.0,
            pieces: ["\x1b[1;31m", "\x1b[1;36m"],
            ground: ["", "", "\x1b[7m"],
        },
    }
}

/// Some characters at a column of a line.
struct Piece {
    column: i32,
    /// Characters that a reader sees.
    width: i32,
    text: String,
}

/// The board in several lines; the places named in `last` stand out.
pub fn coloured(drawing: &Drawing, last: &[String]) -> String {
    let paint = paint(drawing.look);
    let mut heights: Vec<f32> = drawing.spots.iter().map(|spot| spot.y).collect();
    heights.extend(drawing.labels.iter().map(|label| label.y));
    heights.sort_by(f32::total_cmp);
    heights.dedup_by(|a, b| (*a - *b).abs() < 1e-3);
    let mut lines: Vec<Vec<Piece>> = heights.iter().map(|_| Vec::new()).collect();
    let line = |y: f32| heights.partition_point(|height| *height < y - 1e-3);
    // How far the places of each line reach.
    let mut reach = vec![None; lines.len()];
    for spot in &drawing.spots {
        let (low, high) = reach[line(spot.y)].unwrap_or((spot.x, spot.x));
        reach[line(spot.y)] = Some((spot.x.min(low), spot.x.max(high)));
        lines[line(spot.y)].push(place(spot, &paint, last.contains(&spot.name)));
    }
    for label in &drawing.labels {
        let piece = beside(label, &paint, reach[line(label.y)], drawing);
        lines[line(label.y)].push(piece);
    }
    lines.into_iter().map(joined).collect::<Vec<_>>().join("\n")
}

fn place(spot: &Spot, paint: &Paint, last: bool) -> Piece {
    let ground = match (last, spot.dark) {
        (true, _) => paint.ground[2],
        (false, true) => paint.ground[0],
        (false, false) => paint.ground[1],
    };
    let colour = |owner: Option<Player>| owner.map_or("", |owner| paint.pieces[owner.index()]);
    let (colour, mark) = match (spot.seeds, spot.piece) {
        (Some(seeds), _) => (colour(spot.owner), format!("{seeds:^3}")),
        (None, Some(piece)) if piece.crowned => (colour(Some(piece.owner)), "◆".into()),
        (None, Some(piece)) => (colour(Some(piece.owner)), "●".into()),
        (None, None) => (LABEL, "·".into()),
    };
    let gap = if paint.step == 3.0 { " " } else { "" };
    let width = (mark.chars().count() + 2 * gap.len()) as i32;
    Piece {
        column: (spot.x * paint.step).round() as i32 - width / 2,
        width,
        text: format!("{ground}{colour}{gap}{mark}{gap}{RESET}"),
    }
}

/// A label, in the colour of the edge that it stands at. `reach` is that of the places in its line.
fn beside(label: &Label, paint: &Paint, reach: Option<(f32, f32)>, drawing: &Drawing) -> Piece {
    let width = label.text.chars().count() as i32;
    let at = label.x * paint.step;
    let column = match reach {
        Some((left, _)) if label.x < left => at.floor() as i32 - width,
        Some((_, right)) if label.x > right => at.ceil() as i32 + 1,
        _ => at.round() as i32 - width / 2,
    };
    let above = label.y < 0.0;
    let is_near = |from: (f32, f32), to: (f32, f32)| (from.1 == to.1) == above;
    let edge = drawing.borders.iter().find(|b| is_near(b.from, b.to));
    let colour = edge.map_or(LABEL, |border| paint.pieces[border.owner.index()]);
    Piece {
        column,
        width,
        text: format!("{colour}{}{RESET}", label.text),
    }
}

/// Columns to the left of the first place, for labels.
const MARGIN: i32 = 6;

fn joined(mut pieces: Vec<Piece>) -> String {
    pieces.sort_by_key(|piece| piece.column);
    let (mut out, mut at) = (String::new(), -MARGIN);
    for piece in pieces {
        let gap = (piece.column - at).max(0);
        out.push_str(&" ".repeat(gap as usize));
        out.push_str(&piece.text);
        at += gap + piece.width;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a reader sees, without colours.
    fn plain(text: &str) -> String {
        let mut parts = text.split("\x1b[");
        let mut out = parts.next().unwrap_or_default().to_string();
        for part in parts {
            out += part.split_once('m').map_or("", |(_, rest)| rest);
        }
        out
    }

    fn board(game: &str, words: &str) -> (String, String) {
        let game = crate::games::find(game).unwrap();
        let game = game.open_variant(words).unwrap();
        let start = crate::game::Rules::start(&game);
        let drawing = crate::game::Notation::drawing(&game, &start);
        let text = coloured(&drawing, &[drawing.spots[0].name.clone()]);
        (plain(&text), text)
    }

    #[test]
    fn boards_of_all_kinds_stand_in_rows() {
        let (seen, text) = board("breakthrough", "size=4x5");
        let lines: Vec<&str> = seen.lines().map(str::trim_end).collect();
        assert_eq!(lines[0], "  5   ●  ●  ●  ●");
        assert_eq!(lines[2], "  3   ·  ·  ·  ·");
        assert_eq!(lines[5], "      a  b  c  d");
        assert!(text.contains("\x1b[48;5;208m"), "the last move: {text:?}");
        let (seen, _) = board("hex", "size=3");
        let lines: Vec<&str> = seen.lines().map(str::trim_end).collect();
        assert_eq!(
            lines,
            [
                "      a b c",
                "   1  · · ·",
                "    2  · · ·",
                "     3  · · ·"
            ]
        );
        let (seen, _) = board("kalah", "houses=3 seeds=4");
        let lines: Vec<&str> = seen.lines().map(str::trim_end).collect();
        assert_eq!(lines.len(), 5, "{seen}");
        assert_eq!(lines[1].split_whitespace().count(), 3, "{seen}");
        assert_eq!(lines[2].split_whitespace().collect::<Vec<_>>(), ["0", "0"]);
        let (seen, _) = board("draughts", "");
        assert!(
            seen.lines()
                .all(|line| line.trim_end().chars().count() <= 42),
            "{seen}"
        );
    }
}
