//! Commands about the engine itself: names, commands, options.

use super::{Command, Context, Outcome, Refusal, Reply, done, sentence, text};
use crate::games;
use crate::options::shorten;
use crate::search;
use std::time::Duration;
use treeline_protocol::Args;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "protocol_version",
        arguments: "",
        help: "the version of GTP: 2",
        run: |_, args| done(args).and_then(|()| text("2")),
    },
    Command {
        name: "name",
        arguments: "",
        help: "the engine's name",
        run: |_, args| done(args).and_then(|()| text("Treeline")),
    },
    Command {
        name: "version",
        arguments: "",
        help: "the engine's version",
        run: |_, args| done(args).and_then(|()| text(env!("CARGO_PKG_VERSION"))),
    },
    Command {
        name: "known_command",
        arguments: "NAME",
        help: "true or false",
        run: known_command,
    },
    Command {
        name: "list_commands",
        arguments: "",
        help: "every command, one a line",
        run: |_, args| done(args).and_then(|()| lines(super::all().map(|c| c.name))),
    },
    Command {
        name: "help",
        arguments: "[COMMAND]",
        help: "what a command takes and does, or all of them, one a line",
        run: help,
    },
    Command {
        name: "quit",
        arguments: "",
        help: "ends the session",
        run: |_, args| done(args).map(|()| Reply::Quit),
    },
    Command {
        name: "cputime",
        arguments: "",
        help: "CPU seconds that the process has used",
        run: cputime,
    },
    Command {
        name: "list_games",
        arguments: "",
        help: "the games, one a line",
        run: |_, args| done(args).and_then(|()| lines(games::ENTRIES.iter().map(|e| e.name))),
    },
    Command {
        name: "list_searchers",
        arguments: "",
        help: "the searchers, one a line",
        run: |_, args| done(args).and_then(|()| lines(search::entries().map(|e| e.name))),
    },
    Command {
        name: "list_options",
        arguments: "",
        help: "a line each, tab-separated: name, value, default, range, help",
        run: list_options,
    },
    Command {
        name: "set_option",
        arguments: "NAME VALUE",
        help: "changes an option of the session or of the searcher",
        run: set_option,
    },
    Command {
        name: "get_option",
        arguments: "NAME",
        help: "an option's value",
        run: get_option,
    },
    Command {
        name: "set_searcher",
        arguments: "NAME [option=value …]",
        help: "selects the searcher",
        run: set_searcher,
    },
    Command {
        name: "clear_cache",
        arguments: "",
        help: "forgets tree and tables",
        run: clear_cache,
    },
    Command {
        name: "get_ready",
        arguments: "",
        help: "waits until the memory for tree and tables is there, at most 10 seconds: before a clock starts",
        run: get_ready,
    },
];

fn lines<'a>(names: impl Iterator<Item = &'a str>) -> Outcome {
    text(names.collect::<Vec<_>>().join("\n"))
}

fn known_command(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let name = args.next_word("a command's name")?;
    done(args)?;
    text(if super::find(name).is_some() {
        "true"
    } else {
        "false"
    })
}

fn help(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let line = |c: &Command| format!("{} {} - {}", c.name, c.arguments, c.help).replace("  ", " ");
    if args.is_empty() {
        return text(super::all().map(line).collect::<Vec<_>>().join("\n"));
    }
    let name = args.next_word("a command's name")?;
    done(args)?;
    super::find(name)
        .map(line)
        .map_or(Err(Refusal("unknown command".into())), text)
}

fn cputime(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        text(format!(
            "{:.6}",
            time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
        ))
    }
    #[cfg(not(unix))]
    Err("the CPU time cannot be had on this system".into())
}

fn list_options(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    let rows = context.session()?.options().map(|(spec, value, default)| {
        format!(
            "{}\t{value}\t{default}\t{}\t{}",
            spec.name, spec.kind, spec.help
        )
    });
    text(rows.collect::<Vec<_>>().join("\n"))
}

fn set_option(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let name = args.next_word("an option's name")?;
    // A file's path may have spaces.
    let value = sentence(args, "a value")?;
    context.session()?.set_option(name, &value)?;
    text("")
}

fn get_option(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let name = args.next_word("an option's name")?;
    done(args)?;
    let value = context.session()?.option(name);
    let unknown = || {
        format!(
            "unknown option '{}'; list_options names them",
            shorten(name)
        )
    };
    value.map_or_else(|| Err(Refusal(unknown())), text)
}

fn set_searcher(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let name = args.next_word("a searcher's name")?;
    context.session()?.set_searcher(name, args.rest())?;
    text("")
}

fn clear_cache(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    context.session()?.game.forget();
    text("")
}

/// How long a machine may take over its memory before a game begins without.
const LONGEST: Duration = Duration::from_secs(10);

fn get_ready(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    context.session()?.get_ready(LONGEST);
    text("")
}
