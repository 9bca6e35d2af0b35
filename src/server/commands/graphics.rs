//! Commands that draw on a front end's board: the last search, a search in progress, the heuristic; and its settings.
//!
//! Of a search in progress GoGui reads `gogui-gfx:` blocks on standard error, HexGui on standard output in front of the reply.
//! Sources: GoGui's manual (chapters "Analyze Commands", "Live Graphics") and both programs as they run.

use super::drawing::{
    Drawn, Judged, Name, gogui_heuristic, gogui_search, hexgui_heuristic, hexgui_search, pairs,
    percent, shared, to_gogui, to_hexgui, variation, visits, words,
};
use super::gogui::Squares;
use super::{Command, Context, Outcome, Refusal, done, text};
use crate::game::{Cell, Player};
use crate::options::Kind;
use crate::server::DialogueLog;
use crate::session::options::LIVE;
use crate::session::{Analysis, LastSearch, Session};
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
        run: |context, args| text(gogui_heuristic(&Judged::all(context, args)?)),
    },
    Command {
        name: "gogui-policy",
        arguments: "",
        help: "squares with the network's shares of the moves to them, in percent",
        run: |context, args| judged(context, args, policy),
    },
    Command {
        name: "gogui-inferior",
        arguments: "",
        help: "squares that nobody needs: dead, or counted as b's or w's own",
        run: |context, args| judged(context, args, inferior),
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
        run: |context, args| text(hexgui_heuristic(&Judged::all(context, args)?)),
    },
    Command {
        name: "hexgui-policy",
        arguments: "",
        help: "gogui-policy with HexGui's names of cells",
        run: |context, args| judged(context, args, |session, _| policy(session, &to_hexgui)),
    },
    Command {
        name: "hexgui-inferior",
        arguments: "",
        help: "gogui-inferior with HexGui's names of cells",
        run: |context, args| judged(context, args, |session, _| inferior(session, &to_hexgui)),
    },
];

/// How often a search in progress is drawn.
pub const LIVE_EVERY: Duration = Duration::from_millis(250);

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

/// What is known of the position without a search.
fn judged(
    context: &mut Context<'_, '_>,
    args: &mut Args<'_>,
    show: impl Fn(&mut Session, Name<'_>) -> Outcome,
) -> Outcome {
    done(args)?;
    let session = context.session()?;
    let name = to_gogui(Squares::of(session));
    show(session, &name)
}

fn policy(session: &mut Session, name: Name<'_>) -> Outcome {
    let shares = session.game.policy_by_cell();
    if shares.is_empty() {
        return Err("no network with a policy here, or no move that places a stone".into());
    }
    text(shared(shares, name))
}

fn inferior(session: &mut Session, name: Name<'_>) -> Outcome {
    let found = session.game.inferior_by_cell();
    let [one, two] = found.captured;
    let kinds = [(found.dead, "dead"), (one, "b"), (two, "w")];
    text(words(kinds.into_iter().flat_map(|(cells, kind)| {
        let cells = cells.into_iter();
        cells.map(move |cell| format!("{} {kind}", name(cell)))
    })))
}

/// What of the expected line is still to come: without the stones that lie on the board by now.
fn to_come(session: &Session) -> Result<Vec<(Player, Cell)>, Refusal> {
    let last = session.last_search();
    let last = last.ok_or("nothing has been searched yet")?;
    let Some((line, grid)) = last.moves.first().zip(session.game.grid()) else {
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
        .is_some_and(|(player, _)| *player != session.game.turn())
    {
        stones.clear();
    }
    text(words(stones.iter().map(|(_, cell)| to_hexgui(*cell))))
}

impl Judged {
    fn all(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Result<Self, Refusal> {
        done(args)?;
        let session = context.session()?;
        let (heuristic, values) = session.game.heuristic_by_cell();
        if values.is_empty() {
            return Err("no move places a stone here".into());
        }
        Ok(Judged {
            heuristic,
            turn: session.game.turn(),
            values,
            squares: Squares::of(session),
        })
    }
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
            lines: &analysis.moves,
            calibrated: analysis.calibrated,
            stats: analysis.stats,
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
