//! Commands that search, and the clocks.

use super::graphics::{LIVE_EVERY, Live};
use super::{Command, Context, Outcome, Refusal, Reply, done, player, text};
use crate::server::DialogueLog;
use crate::session::{Analysis, Answer, Timing};
use std::io::{self, Write};
use std::time::Duration;
use treeline_protocol::{Args, ArgumentError};

pub const COMMANDS: &[Command] = &[
    Command {
        name: "genmove",
        arguments: "COLOUR",
        help: "thinks, plays and answers the move; resign or pass when the game is over",
        run: |context, args| genmove(context, args, true),
    },
    Command {
        name: "reg_genmove",
        arguments: "COLOUR",
        help: "thinks and answers the move without playing it",
        run: |context, args| genmove(context, args, false),
    },
    Command {
        name: "solve",
        arguments: "[SECONDS]",
        help: "proves win, loss or draw for the side to move, or says unknown; then a principal variation",
        run: solve,
    },
    Command {
        name: "search_stats",
        arguments: "",
        help: "a JSON object about the last search",
        run: search_stats,
    },
    Command {
        name: "time_settings",
        arguments: "MAIN PERIOD STONES",
        help: "Canadian clocks in seconds; a period without stones is no limit",
        run: time_settings,
    },
    Command {
        name: "kgs-time_settings",
        arguments: "none | absolute MAIN | canadian MAIN PERIOD STONES | byoyomi MAIN PERIOD PERIODS",
        help: "clocks in seconds",
        run: kgs_time_settings,
    },
    Command {
        name: "time_left",
        arguments: "COLOUR SECONDS STONES",
        help: "what a player's clock shows; 0 stones is main time",
        run: time_left,
    },
    Command {
        name: "analyze",
        arguments: "[COLOUR] [CENTISECONDS]",
        help: "thinks until a further line arrives, whatever the limits, and reports now and then",
        run: analyze,
    },
    Command {
        name: "lz-analyze",
        arguments: "[COLOUR] [CENTISECONDS]",
        help: "the same",
        run: analyze,
    },
];

fn genmove(context: &mut Context<'_, '_>, args: &mut Args<'_>, play: bool) -> Outcome {
    if args.is_empty() {
        return Err(without_colour(context, play));
    }
    let player = player(args.next_colour()?);
    done(args)?;
    let (stop, number) = (context.stop.clone(), context.number);
    let front_end = *context.front_end;
    let live = Live::new(context)?;
    let session = context.session.get()?;
    let every = live.as_ref().map(|_| LIVE_EVERY);
    let mut draw = |analysis: &Analysis| {
        if let Some(live) = &live {
            live.draw(player, analysis, context.output);
        }
    };
    let answer = session.genmove_reporting(player, play, &stop, number, every, &mut draw)?;
    if play {
        front_end.played(session, player, &answer)?;
    }
    match answer {
        Answer::Move(played) => text(front_end.write_move(session, &played)),
        Answer::Resign => text("resign"),
        Answer::Pass => text("pass"),
    }
}

/// Tells whoever types by hand what to type.
fn without_colour(context: &mut Context<'_, '_>, play: bool) -> Refusal {
    let refusal = Refusal::from(ArgumentError::new("a colour (b or w)", None));
    let Ok(session) = context.session() else {
        return refusal;
    };
    let Refusal(text) = refusal;
    let name = if play { "genmove" } else { "reg_genmove" };
    Refusal(match session.game.outcome() {
        None => format!("{text}; to move: {name} {}", session.game.turn()),
        Some(_) => format!("{text}; the game is over"),
    })
}

fn solve(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let seconds = match args.is_empty() {
        true => None,
        false => Some(args.next_float(SECONDS)?),
    };
    done(args)?;
    let (stop, number) = (context.stop.clone(), context.number);
    text(context.session()?.solve(seconds, &stop, number)?.text())
}

fn search_stats(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    let last = context.session()?.last_search();
    last.map_or_else(
        || Err("nothing has been searched yet".into()),
        |last| text(last.json()),
    )
}

/// Longer than any game; keeps sums finite.
const SECONDS: std::ops::RangeInclusive<f64> = 0.0..=1e7;

fn time_settings(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let main = args.next_float(SECONDS)?;
    let period = args.next_float(SECONDS)?;
    let stones = args.next_int(0..=100_000)?;
    done(args)?;
    let timing = match (main, period, stones) {
        // GTP: overtime in which no stone need be played is no limit at all.
        (_, period, 0) if period > 0.0 => Timing::None,
        _ => Timing::Canadian {
            main,
            period,
            stones,
        },
    };
    context.session()?.clock.set(timing);
    text("")
}

fn kgs_time_settings(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let kind = args.next_word("none, absolute, canadian or byoyomi")?;
    let timing = match kind.to_ascii_lowercase().as_str() {
        "none" => Timing::None,
        "absolute" => Timing::Canadian {
            main: args.next_float(SECONDS)?,
            period: 0.0,
            stones: 0,
        },
        "canadian" => Timing::Canadian {
            main: args.next_float(SECONDS)?,
            period: args.next_float(SECONDS)?,
            stones: args.next_int(1..=100_000)?,
        },
        "byoyomi" => Timing::Byoyomi {
            main: args.next_float(SECONDS)?,
            period: args.next_float(SECONDS)?,
            periods: args.next_int(1..=100_000)?,
        },
        _ => {
            return Err(
                ArgumentError::new("none, absolute, canadian or byoyomi", Some(kind)).into(),
            );
        }
    };
    done(args)?;
    context.session()?.clock.set(timing);
    text("")
}

fn time_left(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let player = player(args.next_colour()?);
    let seconds = args.next_float(SECONDS)?;
    let stones = args.next_int(0..=100_000)?;
    done(args)?;
    context.session()?.clock.tell(player, seconds, stones);
    text("")
}

fn analyze(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let first_is_colour = args.peek().is_some_and(|word| word.parse::<u32>().is_err());
    let colour = if first_is_colour {
        Some(args.next_colour()?)
    } else {
        None
    };
    let interval: u64 = if args.is_empty() {
        50
    } else {
        args.next_int(1..=100_000)?
    };
    done(args)?;
    let (stop, number, id) = (context.stop.clone(), context.number, context.id);
    let session = context.session.get()?;
    let player = colour.map_or_else(|| session.game.turn(), player);
    // Everything that can be refused must be refused before the reply begins.
    session.game.check_turn(player).map_err(Refusal::from)?;
    let mut stream = Stream {
        output: &mut *context.output,
        log: context.log,
        sent: Ok(()),
    };
    // The space that every reply has after its status.
    stream.line(&format!(
        "={} ",
        id.map_or(String::new(), |id| id.to_string())
    ));
    let every = Duration::from_millis(10 * interval);
    let searched = session.analyse(player, every, &stop, number, &mut |analysis| {
        // An empty line would end the reply.
        if !analysis.moves.is_empty() {
            stream.line(&info(analysis));
        }
        if stream.sent.is_err() {
            stop.interrupt();
        }
    });
    if let Err(error) = searched {
        log::error!("an analysis failed that had begun: {error}");
    }
    stream.line("");
    Ok(Reply::Streamed(stream.sent))
}

/// A reply that is written while it grows.
struct Stream<'a> {
    output: &'a mut dyn Write,
    log: Option<&'a DialogueLog>,
    sent: io::Result<()>,
}

impl Stream<'_> {
    /// Writes a line; does nothing once writing has failed.
    fn line(&mut self, line: &str) {
        if self.sent.is_ok() {
            self.sent = self
                .output
                .write_all(format!("{line}\n").as_bytes())
                .and_then(|()| self.output.flush());
            if let Some(log) = self.log {
                log.sent(line);
            }
        }
    }
}

/// One line in the manner of Leela Zero: win rates in hundredths of a percent for the side to move; `bound` where the search knows no
/// more than that, `proven` where the result is certain.
fn info(analysis: &Analysis) -> String {
    let moves = analysis.moves.iter().enumerate().map(|(order, line)| {
        let rate = (line.expected * 10000.0).round();
        let played = line.pv.first().map_or("", String::as_str);
        let pv = line.pv.join(" ");
        let proven = line.proven.map(|result| format!(" proven {result}"));
        let bound = line.bound_word().map(|word| format!(" bound {word}"));
        let bound = bound.unwrap_or_default();
        format!(
            "info move {played} visits {} winrate {rate}{bound}{} order {order} pv {pv}",
            line.visits,
            proven.unwrap_or_default()
        )
    });
    moves.collect::<Vec<_>>().join(" ")
}
