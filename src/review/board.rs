//! Boards of all games as SVG: the places once, each with every piece that may lie on it, and for each position a word a place
//! that says what lies there.

use crate::game::drawing::{Drawing, Label, Look, Piece, Spot};
use std::fmt::Write;

/// Pixels between neighbours.
const STEP: f32 = 40.0;
/// From a hexagon's centre to its corners, where rows are half the square root of three apart.
const CORNER: f32 = 0.577_35;

/// A text for HTML and SVG.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// What lies on each place, in the order of the places: `b` or `w`, upper case for kings, `.` for nothing; or the seeds.
pub fn state(drawing: &Drawing) -> Vec<String> {
    drawing.spots.iter().map(word).collect()
}

fn word(spot: &Spot) -> String {
    if let Some(seeds) = spot.seeds {
        return seeds.to_string();
    }
    match spot.piece {
        None => ".".into(),
        Some(Piece { owner, crowned }) if crowned => owner.to_string().to_uppercase(),
        Some(Piece { owner, .. }) => owner.to_string(),
    }
}

/// The board of a drawing. Place `i` is the group `s{i}`; its class says what lies on it.
pub fn svg(drawing: &Drawing) -> String {
    let Extent {
        left,
        top,
        width,
        height,
    } = extent(drawing);
    let mut out = format!(
        "<svg id=\"board\" viewBox=\"{left:.0} {top:.0} {width:.0} {height:.0}\" role=\"img\" aria-label=\"board\">\n"
    );
    for border in &drawing.borders {
        let _ = writeln!(
            out,
            "<line class=\"edge {}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
            border.owner,
            border.from.0 * STEP,
            border.from.1 * STEP,
            border.to.0 * STEP,
            border.to.1 * STEP,
        );
    }
    for (i, spot) in drawing.spots.iter().enumerate() {
        place(&mut out, i, spot, drawing.look);
    }
    for label in &drawing.labels {
        write_label(&mut out, label);
    }
    out + "<polyline id=\"arrow\" points=\"\"/>\n</svg>"
}

/// Pixels that the board takes.
struct Extent {
    left: f32,
    top: f32,
    width: f32,
    height: f32,
}

fn extent(drawing: &Drawing) -> Extent {
    let (mut low, mut high) = ((f32::MAX, f32::MAX), (f32::MIN, f32::MIN));
    let mut take = |x: f32, y: f32, half: (f32, f32)| {
        low = (low.0.min(x - half.0), low.1.min(y - half.1));
        high = (high.0.max(x + half.0), high.1.max(y + half.1));
    };
    for spot in &drawing.spots {
        take(spot.x, spot.y, (0.6, 0.1 + spot.height / 2.0));
    }
    for label in &drawing.labels {
        take(label.x, label.y, (0.35, 0.3));
    }
    for border in &drawing.borders {
        for (x, y) in [border.from, border.to] {
            take(x, y, (0.1, 0.1));
        }
    }
    Extent {
        left: low.0 * STEP,
        top: low.1 * STEP,
        width: (high.0 - low.0) * STEP,
        height: (high.1 - low.1) * STEP,
    }
}

fn place(out: &mut String, i: usize, spot: &Spot, look: Look) {
    let (x, y) = (spot.x * STEP, spot.y * STEP);
    let dark = if spot.dark { " dark" } else { "" };
    let name = escaped(&spot.name);
    let _ = write!(
        out,
        "<g id=\"s{i}\" data-is=\"{}\"><title>{name}</title>",
        word(spot)
    );
    let half = STEP / 2.0;
    let _ = match look {
        Look::Square => write!(
            out,
            "<rect class=\"place{dark}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{STEP}\" height=\"{STEP}\"/>",
            x - half,
            y - half
        ),
        Look::Hole => write!(
            out,
            "<rect class=\"frame\" x=\"{:.1}\" y=\"{:.1}\" width=\"{STEP}\" height=\"{STEP}\"/>\
             <circle class=\"hole\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\"/>",
            x - half,
            y - half,
            0.42 * STEP
        ),
        Look::Hexagon => write!(
            out,
            "<polygon class=\"place\" points=\"{}\"/>",
            hexagon(x, y)
        ),
        Look::Pit => {
            let high = 0.9 * STEP * spot.height;
            write!(
                out,
                "<rect class=\"pit\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{high:.1}\" rx=\"{:.1}\"/>",
                x - 0.45 * STEP,
                y - high / 2.0,
                0.9 * STEP,
                0.45 * STEP
            )
        }
    };
    match spot.seeds {
        Some(seeds) => {
            let _ = write!(
                out,
                "<text class=\"seeds\" x=\"{x:.1}\" y=\"{y:.1}\">{seeds}</text>"
            );
        }
        None => {
            let _ = write!(
                out,
                "<circle class=\"piece\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\"/>\
                 <circle class=\"crown\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\"/>",
                0.38 * STEP,
                0.18 * STEP
            );
        }
    }
    out.push_str("</g>\n");
}

/// The corners of a hexagon that stands on one of them.
fn hexagon(x: f32, y: f32) -> String {
    let (half, short, long) = (STEP / 2.0, STEP * CORNER / 2.0, STEP * CORNER);
    let corners = [
        (0.0, -long),
        (half, -short),
        (half, short),
        (0.0, long),
        (-half, short),
        (-half, -short),
    ];
    let corner = |(dx, dy): (f32, f32)| format!("{:.1},{:.1}", x + dx, y + dy);
    corners.map(corner).join(" ")
}

fn write_label(out: &mut String, label: &Label) {
    let (x, y) = (label.x * STEP, label.y * STEP);
    let text = escaped(&label.text);
    let _ = writeln!(
        out,
        "<text class=\"label\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"
    );
}

/// The numbers of the places with these names, in order.
pub fn indexes(drawing: &Drawing, names: &[String]) -> Vec<usize> {
    let of = |name: &String| drawing.spots.iter().position(|spot| spot.name == *name);
    names.iter().filter_map(of).collect()
}

/// The centre of each place, in pixels.
pub fn centres(drawing: &Drawing) -> Vec<[f32; 2]> {
    let centre = |spot: &Spot| [spot.x * STEP, spot.y * STEP].map(|at| (at * 10.0).round() / 10.0);
    drawing.spots.iter().map(centre).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Player;

    #[test]
    fn every_look_is_drawn_with_what_lies_on_it() {
        for (look, mark) in [
            (Look::Square, "class=\"place dark\""),
            (Look::Hole, "class=\"hole\""),
            (Look::Hexagon, "<polygon class=\"place\""),
            (Look::Pit, "class=\"pit\""),
        ] {
            let mut drawing = Drawing::none();
            drawing.look = look;
            drawing.spots.push(Spot {
                dark: true,
                piece: Some(Piece {
                    owner: Player::Two,
                    crowned: true,
                }),
                ..Spot::new("a<1>", 0.0, 0.0)
            });
            drawing.spots.push(Spot {
                seeds: Some(12),
                ..Spot::new("b", 1.0, 0.0)
            });
            let text = svg(&drawing);
            assert!(text.contains(mark) && text.contains("a&lt;1&gt;"), "{text}");
            assert!(text.contains("id=\"s0\" data-is=\"W\"") && text.contains(">12</text>"));
            assert_eq!(state(&drawing), ["W", "12"]);
            assert_eq!(indexes(&drawing, &["b".into(), "none".into()]), [1]);
        }
    }
}
