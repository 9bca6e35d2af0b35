//! Commands about the game: which one, the position, moves, results.

use super::{Command, Context, Outcome, Refusal, done, player, sentence, text};
use crate::game::{self, Player};
use treeline_protocol::Args;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "set_game",
        arguments: "NAME [key=value …]",
        help: "selects a game and a variant, and clears the board",
        run: set_game,
    },
    Command {
        name: "boardsize",
        arguments: "N | WIDTH HEIGHT",
        help: "another board of the same game, cleared",
        run: boardsize,
    },
    Command {
        name: "clear_board",
        arguments: "",
        help: "begins a new game; what was searched is kept",
        run: clear_board,
    },
    Command {
        name: "komi",
        arguments: "NUMBER",
        help: "accepted and without effect, since GTP requires it",
        run: komi,
    },
    Command {
        name: "play",
        arguments: "COLOUR MOVE",
        help: "plays a move",
        run: play,
    },
    Command {
        name: "undo",
        arguments: "",
        help: "takes the last play or genmove back",
        run: undo,
    },
    Command {
        name: "showboard",
        arguments: "",
        help: "the board for people",
        run: showboard,
    },
    Command {
        name: "legal_moves",
        arguments: "",
        help: "the legal moves, space-separated; empty when the game is over",
        run: legal_moves,
    },
    Command {
        name: "perft",
        arguments: "N",
        help: "the number of move paths of exactly N plies",
        run: perft,
    },
    Command {
        name: "position",
        arguments: "",
        help: "the position on one line",
        run: position,
    },
    Command {
        name: "set_position",
        arguments: "TEXT",
        help: "begins a game at a position as the command position writes it",
        run: set_position,
    },
    Command {
        name: "side_to_move",
        arguments: "",
        help: "b, w, or none when the game is over",
        run: side_to_move,
    },
    Command {
        name: "game_result",
        arguments: "",
        help: "b, w, draw, or none while the game goes on",
        run: game_result,
    },
    Command {
        name: "final_score",
        arguments: "",
        help: "the result with its margin, such as B+12, W+ or 0",
        run: final_score,
    },
];

fn set_game(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let name = args.next_word("a game's name")?;
    context.session()?.set_game(name, args.rest())?;
    text("")
}

fn boardsize(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let columns: u32 = args.next_int(1..=1000)?;
    let rows: u32 = if args.is_empty() {
        columns
    } else {
        args.next_int(1..=1000)?
    };
    done(args)?;
    let front_end = *context.front_end;
    let session = context.session()?;
    let (columns, rows) = front_end.read_size(session, columns, rows);
    let resized = session.resize(columns, rows);
    resized.map_err(|error| Refusal(format!("unacceptable size: {error}")))?;
    text("")
}

fn clear_board(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    context.session()?.new_game();
    text("")
}

fn komi(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.next_float(-1e6..=1e6)?;
    done(args)?;
    text("")
}

fn play(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let colour = args.next_colour()?;
    let move_text = args.next_word("a move")?;
    done(args)?;
    let front_end = *context.front_end;
    let session = context.session()?;
    let move_text = front_end.read_move(session, move_text)?;
    session.game.play(player(colour), &move_text)?;
    text("")
}

fn undo(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    match context.session()?.game.undo() {
        true => text(""),
        false => Err("cannot undo".into()),
    }
}

fn showboard(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    let session = context.session()?;
    let state = match session.game.outcome() {
        None => format!("{} to move", side(session.game.turn())),
        Some(game::Outcome::Draw) => "drawn".into(),
        Some(game::Outcome::Win(winner)) => format!("{} has won", side(winner)),
    };
    let game = session.game_entry().name;
    let variant = session.variant().changed();
    text(format!("\n{}\n{game} {variant}: {state}", session.game.board()).replace(" :", ":"))
}

/// How boards show a player, with the name on the wire.
fn side(player: Player) -> String {
    format!("{player} ({})", game::text::stone_symbol(Some(player)))
}

fn legal_moves(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    text(context.session()?.game.legal_moves().join(" "))
}

fn perft(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let plies: u32 = args.next_int(0..=1000)?;
    done(args)?;
    let (stop, number) = (context.stop.clone(), context.number);
    let raised = || stop.is_raised(number, false);
    let paths = context.session()?.game.perft(plies, &raised);
    paths.map_or_else(
        || Err("interrupted".into()),
        |paths| text(paths.to_string()),
    )
}

fn position(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    text(context.session()?.game.position())
}

fn set_position(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let line = sentence(args, "a position")?;
    let session = context.session()?;
    session
        .game
        .set_position(&line)
        .map_err(|error| Refusal(format!("invalid position: {error}")))?;
    text("")
}

fn side_to_move(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    let session = context.session()?;
    match session.game.outcome() {
        None => text(session.game.turn().to_string()),
        Some(_) => text("none"),
    }
}

fn game_result(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    let outcome = context.session()?.game.outcome();
    text(outcome.map_or_else(|| "none".to_string(), |outcome| outcome.to_string()))
}

fn final_score(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    let score = context.session()?.score();
    score.map_or_else(|| Err("cannot score".into()), text)
}
