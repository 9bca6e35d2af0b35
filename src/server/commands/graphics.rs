//! What front ends draw on the board: the last search, a search in progress, the heuristic.
//!
//! GoGui reads `gogui-gfx:` blocks on standard error and gives influence in [-1, 1] for Black. HexGui reads such blocks on
//! standard output, in front of the reply, in a form of its own that begins with `uct`, and wants influence in [0, 1].
//! Sources: GoGui's manual (chapters "Analyze Commands", "Live Graphics") and both programs as they run.

use super::gogui::Squares;
use super::{Command, Context, Outcome, Refusal, done, text};
use crate::game::{Cell, Player, text as notation};
use crate::options::Kind;
use crate::server::DialogueLog;
use crate::session::options::LIVE;
use crate::session::{Analysis, LastSearch, Line, Session};
use std::io::Write;
use std::time::Duration;
use treeline_protocol::Args;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "gogui-search",
        arguments: "",
        help: "draws the last search for GoGui: visits, values and the expected line",
        run: |context, args| {
            of_last(context, args, |last, name| {
                gogui_search(&Drawn::last(last), name)
            })
        },
    },
    Command {
        name: "gogui-visits",
        arguments: "",
        help: "squares with the visits that the last search gave them",
        run: |context, args| of_last(context, args, |last, name| pairs(last, name, visits)),
    },
    Command {
        name: "gogui-values",
        arguments: "",
        help: "squares with the last search's win rates in percent for the side that moved",
        run: |context, args| of_last(context, args, |last, name| pairs(last, name, percent)),
    },
    Command {
        name: "gogui-variation",
        arguments: "",
        help: "draws the line of play that the last search expects",
        run: expected_line,
    },
    Command {
        name: "gogui-heuristic",
        arguments: "",
        help: "draws what the heuristic says of each move, next to the average move",
        run: |context, args| heuristic(context, args, gogui_heuristic),
    },
    Command {
        name: "gogui-options",
        arguments: "[NAME VALUE]",
        help: "the options as GoGui and HexGui edit them, or changes one",
        run: edit_options,
    },
    Command {
        name: "hexgui-visits",
        arguments: "",
        help: "gogui-visits with HexGui's names of cells",
        run: |context, args| of_last(context, args, |last, _| pairs(last, &to_hexgui, visits)),
    },
    Command {
        name: "hexgui-values",
        arguments: "",
        help: "gogui-values with HexGui's names of cells",
        run: |context, args| of_last(context, args, |last, _| pairs(last, &to_hexgui, percent)),
    },
    Command {
        name: "hexgui-variation",
        arguments: "",
        help: "the cells of the line of play that the last search expects",
        run: expected_cells,
    },
    Command {
        name: "hexgui-heuristic",
        arguments: "",
        help: "draws what the heuristic says of each cell, from the worst (0) to the best (1)",
        run: |context, args| heuristic(context, args, hexgui_heuristic),
    },
];

/// How often a search in progress is drawn.
pub const LIVE_EVERY: Duration = Duration::from_millis(250);

/// The moves drawn at most; more would not be read.
const DRAWN: usize = 30;

/// How a front end names a cell.
type Name<'a> = &'a dyn Fn(Cell) -> String;

/// Games that GoGui cannot show have no squares to draw on.
fn to_gogui(squares: Option<Squares>) -> impl Fn(Cell) -> String {
    move |cell| squares.map_or_else(|| to_hexgui(cell), |squares| squares.write(cell))
}

fn to_hexgui(cell: Cell) -> String {
    notation::square_name(cell)
}

/// A search, finished or not, as it is drawn.
struct Drawn<'a> {
    turn: Player,
    lines: &'a [Line],
    simulations: u64,
    seconds: f64,
}

impl<'a> Drawn<'a> {
    fn last(last: &'a LastSearch) -> Self {
        Drawn {
            turn: last.turn,
            lines: &last.lines,
            simulations: last.stats.simulations,
            seconds: last.stats.seconds,
        }
    }

    /// The moves that put a stone on the board, with its cell, best first.
    fn placed(&self) -> impl Iterator<Item = (Cell, &'a Line)> + use<'a> {
        let lines = self.lines.iter();
        lines
            .filter_map(|line| Some((line.cell()?, line)))
            .take(DRAWN)
    }

    /// One sentence, with the expected line in the front end's names where it places stones.
    fn summary(&self, name: Name<'_>) -> String {
        let Some(best) = self.lines.first() else {
            return format!("{} simulations", self.simulations);
        };
        format!(
            "{} to move: {} %, {} simulations in {:.1} s, expecting {}",
            self.turn,
            percent(best),
            self.simulations,
            self.seconds,
            match best.stones.len() == best.pv.len() {
                true => words(best.stones.iter().map(|(_, cell)| name(*cell))),
                false => best.pv.join(" "),
            }
        )
    }
}

fn visits(line: &Line) -> String {
    match line.visits {
        n @ 0..1_000 => n.to_string(),
        n @ 1_000..10_000 => format!("{:.1}k", n as f64 / 1e3),
        n @ 10_000..1_000_000 => format!("{}k", n / 1_000),
        n => format!("{:.1}M", n as f64 / 1e6),
    }
}

/// The chance that the side to move wins, a draw counting half.
fn chance(line: &Line) -> f32 {
    (line.value.clamp(-1.0, 1.0) + 1.0) / 2.0
}

fn percent(line: &Line) -> String {
    format!("{:.0}", chance(line) * 100.0)
}

/// Words in one string, each line's pieces joined by spaces.
fn words(pieces: impl Iterator<Item = String>) -> String {
    pieces.collect::<Vec<_>>().join(" ")
}

fn of_last(
    context: &mut Context<'_, '_>,
    args: &mut Args<'_>,
    show: impl Fn(&LastSearch, Name<'_>) -> String,
) -> Outcome {
    done(args)?;
    let session = context.session()?;
    let name = to_gogui(Squares::of(session));
    match session.last_search() {
        None => Err("nothing has been searched yet".into()),
        Some(last) => text(show(last, &name)),
    }
}

fn pairs(last: &LastSearch, name: Name<'_>, label: fn(&Line) -> String) -> String {
    words(
        Drawn::last(last)
            .placed()
            .map(|(cell, line)| format!("{} {}", name(cell), label(line))),
    )
}

/// Stones to come as numbered ghosts.
fn variation(stones: &[(Player, Cell)], name: Name<'_>) -> String {
    let stones = stones
        .iter()
        .map(|(player, cell)| format!("{player} {}", name(*cell)));
    format!("VAR {}", words(stones))
}

fn gogui_search(drawn: &Drawn<'_>, name: Name<'_>) -> String {
    let sign = if drawn.turn == Player::One { 1.0 } else { -1.0 };
    let influence = drawn
        .placed()
        .map(|(cell, line)| format!("{} {:.2}", name(cell), sign * line.value));
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

/// What of the expected line is still to come: without the stones that lie on the board by now.
fn to_come(session: &Session) -> Result<Vec<(Player, Cell)>, Refusal> {
    let last = session.last_search();
    let last = last.ok_or("nothing has been searched yet")?;
    let Some((line, grid)) = last.lines.first().zip(session.grid()) else {
        return Ok(Vec::new());
    };
    let lies = |(player, cell): &(Player, Cell)| {
        let at = cell.row * grid.columns + cell.column;
        grid.stones.get(at as usize).copied().flatten() == Some(*player)
    };
    Ok(line.stones.iter().copied().skip_while(lies).collect())
}

fn expected_line(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    let session = context.session()?;
    let stones = to_come(session)?;
    let name = to_gogui(Squares::of(session));
    let summary = session
        .last_search()
        .map_or(String::new(), |last| Drawn::last(last).summary(&name));
    text(format!("{}\nTEXT {summary}", variation(&stones, &name)))
}

/// HexGui gives the first stone to the side to move, so a line of the other side is none.
fn expected_cells(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    let session = context.session()?;
    let mut stones = to_come(session)?;
    if stones
        .first()
        .is_some_and(|(player, _)| *player != session.turn())
    {
        stones.clear();
    }
    text(words(stones.iter().map(|(_, cell)| to_hexgui(*cell))))
}

/// HexGui's drawing of a search by simulations; it needs a first move that places a stone.
fn hexgui_search(drawn: &Drawn<'_>) -> Option<String> {
    let best = drawn.lines.first().filter(|line| line.cell().is_some())?;
    let stones = best.stones.iter().map(|(player, cell)| {
        let colour = if *player == Player::One { "B" } else { "W" };
        format!("{colour} {}", to_hexgui(*cell))
    });
    let influence = drawn
        .placed()
        .map(|(cell, line)| format!("{} {:.2}", to_hexgui(cell), chance(line)));
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

fn heuristic(
    context: &mut Context<'_, '_>,
    args: &mut Args<'_>,
    show: fn(&str, Player, &[(Cell, f32)], Name<'_>) -> String,
) -> Outcome {
    done(args)?;
    let session = context.session()?;
    let (name, values) = session.heuristic_by_cell();
    if values.is_empty() {
        return Err("no move places a stone here".into());
    }
    let squares = to_gogui(Squares::of(session));
    text(show(name, session.turn(), &values, &squares))
}

/// Labels are percent for Black; the influence is the difference from the average move, the greatest being 1.
fn gogui_heuristic(heuristic: &str, _: Player, values: &[(Cell, f32)], name: Name<'_>) -> String {
    let mean = values.iter().map(|(_, value)| value).sum::<f32>() / values.len() as f32;
    let most = values.iter().map(|(_, value)| (value - mean).abs());
    let most = most.fold(f32::MIN_POSITIVE, f32::max);
    let influence = values
        .iter()
        .map(|(cell, value)| format!("{} {:.2}", name(*cell), (value - mean) / most));
    let labels = values
        .iter()
        .map(|(cell, value)| format!("{} {:.0}", name(*cell), (value + 1.0) * 50.0));
    format!(
        "INFLUENCE {}\nLABEL {}\nTEXT heuristic {heuristic}: percent for Black after each move",
        words(influence),
        words(labels)
    )
}

fn hexgui_heuristic(heuristic: &str, turn: Player, values: &[(Cell, f32)], _: Name<'_>) -> String {
    let sign = if turn == Player::One { 1.0 } else { -1.0 };
    let mine = |value: f32| sign * value;
    let low = values.iter().map(|(_, v)| mine(*v)).fold(1.0, f32::min);
    let high = values.iter().map(|(_, v)| mine(*v)).fold(-1.0, f32::max);
    let span = (high - low).max(f32::MIN_POSITIVE);
    let influence = values.iter().map(|(cell, value)| {
        let shade = ((mine(*value) - low) / span).clamp(0.0, 1.0);
        format!("{} {shade:.2}", to_hexgui(*cell))
    });
    format!(
        "INFLUENCE {} TEXT heuristic {heuristic}: best cells green, worst blue",
        words(influence)
    )
}

/// `[type] NAME VALUE` a line, as type `param` of the analyze commands wants it.
fn edit_options(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let session = context.session()?;
    if !args.is_empty() {
        let name = args.next_word("an option's name")?;
        let value = args.next_word("a value")?;
        done(args)?;
        session.set_option(name, boolean(session, name, value))?;
        return text("");
    }
    let rows = session.options().map(|(spec, value, _)| match spec.kind {
        Kind::Flag => format!("[bool] {} {}", spec.name, u8::from(value == "on")),
        Kind::Choice(words) => format!("[list/{}] {} {value}", words.join("/"), spec.name),
        _ => format!("[string] {} {value}", spec.name),
    });
    // GoGui takes an empty first line for one more option.
    text(rows.collect::<Vec<_>>().join("\n"))
}

/// Front ends write switches as 0 and 1.
fn boolean<'a>(session: &Session, name: &str, value: &'a str) -> &'a str {
    let flag = session
        .options()
        .any(|(spec, ..)| spec.name == name && matches!(spec.kind, Kind::Flag));
    match value {
        "0" if flag => "off",
        "1" if flag => "on",
        _ => value,
    }
}

/// Draws a search in progress where the option `live` says.
pub(super) struct Live<'a> {
    on_stdout: bool,
    squares: Option<Squares>,
    log: Option<&'a DialogueLog>,
}

impl<'a> Live<'a> {
    /// `None` where nothing is to be drawn.
    pub(super) fn new(context: &mut Context<'a, '_>) -> Result<Option<Self>, Refusal> {
        let log = context.log;
        // A server's standard error is not the standard error of those who are connected to it.
        let local = context.session.settings.files;
        let session = context.session()?;
        let on_stdout = match session.option(LIVE).as_deref() {
            Some("stdout") => true,
            Some("stderr") if local => false,
            _ => return Ok(None),
        };
        Ok(Some(Live {
            on_stdout,
            squares: Squares::of(session),
            log,
        }))
    }

    /// Writes one block. Where that fails nobody looks, and the reply will find it out.
    pub(super) fn draw(&self, turn: Player, analysis: &Analysis, output: &mut dyn Write) {
        let drawn = Drawn {
            turn,
            lines: &analysis.lines,
            simulations: analysis.stats.simulations,
            seconds: analysis.stats.seconds,
        };
        if !self.on_stdout {
            let block = format!(
                "gogui-gfx:\nCLEAR\n{}\n\n",
                gogui_search(&drawn, &to_gogui(self.squares))
            );
            let _ = std::io::stderr().lock().write_all(block.as_bytes());
        } else if let Some(graphics) = hexgui_search(&drawn) {
            let block = format!("gogui-gfx:\n{graphics}\n\n");
            let _ = output
                .write_all(block.as_bytes())
                .and_then(|()| output.flush());
            if let Some(log) = self.log {
                log.sent(block.trim_end());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(visits: u64, value: f32, column: u32) -> Line {
        let cell = Cell { column, row: 0 };
        let stones = vec![(Player::Two, cell)];
        Line {
            visits,
            value,
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
            simulations: 40,
            seconds: 0.25,
        };
        let text = "w to move: 75 %, 40 simulations in 0.2 s, expecting";
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
            simulations: 1,
            seconds: 0.0,
        };
        assert_eq!(hexgui_search(&drawn), None);
    }

    #[test]
    fn heuristics_are_shown_next_to_each_other() {
        let values = [
            (Cell { column: 0, row: 0 }, 0.1),
            (Cell { column: 1, row: 0 }, 0.3),
        ];
        let drawn = gogui_heuristic("h", Player::One, &values, &to_hexgui);
        assert!(
            drawn.starts_with("INFLUENCE a1 -1.00 b1 1.00\nLABEL a1 55 b1 65\n"),
            "{drawn}"
        );
        let drawn = hexgui_heuristic("h", Player::Two, &values, &to_hexgui);
        assert!(
            drawn.starts_with("INFLUENCE a1 1.00 b1 0.00 TEXT "),
            "{drawn}"
        );
    }
}
