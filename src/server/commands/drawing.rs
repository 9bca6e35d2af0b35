//! Searches and heuristics as front ends draw them: text from values, without a session.
//!
//! GoGui gives influence in [-1, 1] for Black; HexGui wants it in [0, 1], and a search in a form of its own that begins with
//! `uct`. Sources: GoGui's manual (chapter "Analyze Commands") and both programs as they run.

use super::gogui::Squares;
use crate::game::{Calibration, Cell, Player, text as notation};
use crate::search::Stats;
use crate::session::{LastSearch, RootMove};

/// The moves drawn at most; more would not be read.
const DRAWN: usize = 30;

/// How a front end names a cell.
pub(super) type Name<'a> = &'a dyn Fn(Cell) -> String;

/// Games that GoGui cannot show have no squares to draw on.
pub(super) fn to_gogui(squares: Option<Squares>) -> impl Fn(Cell) -> String {
    move |cell| squares.map_or_else(|| to_hexgui(cell), |squares| squares.write(cell))
}

pub(super) fn to_hexgui(cell: Cell) -> String {
    notation::square_name(cell)
}

/// A search, finished or not, as it is drawn.
pub(super) struct Drawn<'a> {
    pub(super) turn: Player,
    pub(super) lines: &'a [RootMove],
    /// Whether expected scores rest on matches.
    pub(super) calibrated: bool,
    pub(super) stats: Stats,
}

impl<'a> Drawn<'a> {
    pub(super) fn last(last: &'a LastSearch) -> Self {
        Drawn {
            turn: last.turn,
            lines: &last.moves,
            calibrated: last.calibrated,
            stats: last.stats,
        }
    }

    /// The moves that put a stone on the board, with its cell, best first.
    fn placed(&self) -> impl Iterator<Item = (Cell, &'a RootMove)> + use<'a> {
        let lines = self.lines.iter();
        lines
            .filter_map(|line| Some((line.cell()?, line)))
            .take(DRAWN)
    }

    /// One sentence, with the expected line in the front end's names where it places stones.
    pub(super) fn summary(&self, name: Name<'_>) -> String {
        let work = match self.stats.simulations {
            0 => format!("{} nodes", self.stats.nodes),
            simulations => format!("{simulations} simulations"),
        };
        let Some(best) = self.lines.first() else {
            return work;
        };
        format!(
            "{} to move: {} %{}, {work} in {:.1} s, expecting {}",
            self.turn,
            percent(best),
            match self.calibrated || best.proven.is_some() {
                true => "",
                false => " (not calibrated)",
            },
            self.stats.seconds,
            match best.stones.len() == best.pv.len() {
                true => words(best.stones.iter().map(|(_, cell)| name(*cell))),
                false => best.pv.join(" "),
            }
        )
    }
}

pub(super) fn visits(line: &RootMove) -> String {
    match line.visits {
        n @ 0..1_000 => n.to_string(),
        n @ 1_000..10_000 => format!("{:.1}k", n as f64 / 1e3),
        n @ 10_000..1_000_000 => format!("{}k", n / 1_000),
        n => format!("{:.1}M", n as f64 / 1e6),
    }
}

pub(super) fn percent(line: &RootMove) -> String {
    format!("{:.0}", line.expected * 100.0)
}

/// Words in one string, each line's pieces joined by spaces.
pub(super) fn words(pieces: impl Iterator<Item = String>) -> String {
    pieces.collect::<Vec<_>>().join(" ")
}

pub(super) fn pairs(last: &LastSearch, name: Name<'_>, label: fn(&RootMove) -> String) -> String {
    words(
        Drawn::last(last)
            .placed()
            .map(|(cell, line)| format!("{} {}", name(cell), label(line))),
    )
}

/// Shares in percent, the greatest first; none below one.
pub(super) fn shared(mut shares: Vec<(Cell, f32)>, name: Name<'_>) -> String {
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    let percents = shares
        .into_iter()
        .map(|(cell, share)| (cell, (share * 100.0).round()));
    words(
        percents
            .take_while(|(_, percent)| *percent >= 1.0)
            .map(|(cell, percent)| format!("{} {percent:.0}", name(cell))),
    )
}

/// Stones to come as numbered ghosts.
pub(super) fn variation(stones: &[(Player, Cell)], name: Name<'_>) -> String {
    let stones = stones
        .iter()
        .map(|(player, cell)| format!("{player} {}", name(*cell)));
    format!("VAR {}", words(stones))
}

pub(super) fn gogui_search(drawn: &Drawn<'_>, name: Name<'_>) -> String {
    let sign = if drawn.turn == Player::One { 1.0 } else { -1.0 };
    let influence = drawn
        .placed()
        .map(|(cell, line)| format!("{} {:.2}", name(cell), sign * (2.0 * line.expected - 1.0)));
    let labels = drawn
        .placed()
        .map(|(cell, line)| format!("{} {}", name(cell), visits(line)));
    // More of the expected line would hide the moves beside it. Its numbers come last, over the visits.
    let stones = drawn.lines.first().map_or(&[][..], |line| &line.stones);
    let stones = &stones[..stones.len().min(4)];
    format!(
        "INFLUENCE {}\nLABEL {}\n{}\nTEXT {}",
        words(influence),
        words(labels),
        variation(stones, name),
        drawn.summary(name)
    )
}

/// HexGui's drawing of a search by simulations; it needs a first move that places a stone.
pub(super) fn hexgui_search(drawn: &Drawn<'_>) -> Option<String> {
    let best = drawn.lines.first().filter(|line| line.cell().is_some())?;
    let stones = best.stones.iter().map(|(player, cell)| {
        let colour = if *player == Player::One { "B" } else { "W" };
        format!("{colour} {}", to_hexgui(*cell))
    });
    let influence = drawn
        .placed()
        .map(|(cell, line)| format!("{} {:.2}", to_hexgui(cell), line.expected));
    let labels = drawn
        .placed()
        .map(|(cell, line)| format!("{} {}", to_hexgui(cell), visits(line)));
    Some(format!(
        "uct\nVAR {}\nINFLUENCE {}\nLABEL {}\nTEXT {}",
        words(stones),
        words(influence),
        words(labels),
        drawn.summary(&to_hexgui)
    ))
}

/// What the heuristic says of every move that places a stone.
pub(super) struct Judged {
    pub(super) heuristic: &'static str,
    pub(super) turn: Player,
    /// For player one.
    pub(super) values: Vec<(Cell, f32)>,
    pub(super) squares: Option<Squares>,
}

/// Labels are percent for Black; the influence is the difference from the average move, the greatest being 1.
pub(super) fn gogui_heuristic(judged: &Judged) -> String {
    let (values, name) = (&judged.values, to_gogui(judged.squares));
    let mean = values.iter().map(|(_, value)| value).sum::<f32>() / values.len() as f32;
    let most = values.iter().map(|(_, value)| (value - mean).abs());
    let most = most.fold(f32::MIN_POSITIVE, f32::max);
    let expected = |value| Calibration::PLAIN.expected(value, None, Player::One);
    let influence = values
        .iter()
        .map(|(cell, value)| format!("{} {:.2}", name(*cell), (value - mean) / most));
    let labels = values
        .iter()
        .map(|(cell, value)| format!("{} {:.0}", name(*cell), 100.0 * expected(*value)));
    format!(
        "INFLUENCE {}\nLABEL {}\nTEXT heuristic {}: percent for Black after each move",
        words(influence),
        words(labels),
        judged.heuristic
    )
}

pub(super) fn hexgui_heuristic(judged: &Judged) -> String {
    let sign = match judged.turn {
        Player::One => 1.0,
        Player::Two => -1.0,
    };
    let mine = |value: f32| sign * value;
    let values = &judged.values;
    let low = values.iter().map(|(_, v)| mine(*v)).fold(1.0, f32::min);
    let high = values.iter().map(|(_, v)| mine(*v)).fold(-1.0, f32::max);
    let span = (high - low).max(f32::MIN_POSITIVE);
    let influence = values.iter().map(|(cell, value)| {
        let shade = ((mine(*value) - low) / span).clamp(0.0, 1.0);
        format!("{} {shade:.2}", to_hexgui(*cell))
    });
    format!(
        "INFLUENCE {} TEXT heuristic {}: best cells green, worst blue",
        words(influence),
        judged.heuristic
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(visits: u64, value: f32, column: u32) -> RootMove {
        let cell = Cell { column, row: 0 };
        let stones = vec![(Player::Two, cell)];
        RootMove {
            visits,
            value,
            expected: Calibration::PLAIN.expected(value, None, Player::Two),
            bound: crate::search::Bound::Exact,
            proven: None,
            pv: vec![notation::square_name(cell)],
            stones,
        }
    }

    #[test]
    fn labels_are_short() {
        let labels = [999, 1_234, 123_456, 12_345_678].map(|n| visits(&line(n, 0.0, 0)));
        assert_eq!(labels, ["999", "1.2k", "123k", "12.3M"]);
    }

    #[test]
    fn each_front_end_gets_its_own_squares_and_signs() {
        let lines = [line(30, 0.5, 8), line(10, -1.0, 0)];
        let drawn = Drawn {
            turn: Player::Two,
            lines: &lines,
            calibrated: false,
            stats: Stats {
                simulations: 40,
                seconds: 0.25,
                ..Stats::default()
            },
        };
        let text = "w to move: 75 % (not calibrated), 40 simulations in 0.2 s, expecting";
        assert_eq!(
            gogui_search(&drawn, &|cell| to_hexgui(cell).to_uppercase()),
            format!("INFLUENCE I1 -0.50 A1 1.00\nLABEL I1 30 A1 10\nVAR w I1\nTEXT {text} I1")
        );
        assert_eq!(
            hexgui_search(&drawn).unwrap(),
            format!("uct\nVAR W i1\nINFLUENCE i1 0.75 a1 0.00\nLABEL i1 30 a1 10\nTEXT {text} i1")
        );
    }

    #[test]
    fn hexgui_gets_nothing_where_it_could_draw_nothing() {
        let mut swap = line(1, 0.0, 0);
        swap.stones.clear();
        let drawn = Drawn {
            turn: Player::Two,
            lines: &[swap],
            calibrated: true,
            stats: Stats::default(),
        };
        assert_eq!(hexgui_search(&drawn), None);
    }

    #[test]
    fn heuristics_are_shown_next_to_each_other() {
        let values = vec![
            (Cell { column: 0, row: 0 }, 0.1),
            (Cell { column: 1, row: 0 }, 0.3),
        ];
        let judged = Judged {
            heuristic: "h",
            turn: Player::Two,
            values,
            squares: None,
        };
        let drawn = gogui_heuristic(&judged);
        assert!(
            drawn.starts_with("INFLUENCE a1 -1.00 b1 1.00\nLABEL a1 55 b1 65\n"),
            "{drawn}"
        );
        let drawn = hexgui_heuristic(&judged);
        assert!(
            drawn.starts_with("INFLUENCE a1 1.00 b1 0.00 TEXT "),
            "{drawn}"
        );
    }
}
