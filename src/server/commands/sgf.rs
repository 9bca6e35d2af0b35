//! Games from files and into files: `loadsgf`, `printsgf`, `load`, `save`.

use super::{Command, Context, Outcome, Refusal, done, text};
use crate::session::{self, Session};
use treeline_protocol::Args;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "loadsgf",
        arguments: "FILE [MOVE]",
        help: "the game of a file (SGF, PDN, GGF, transcript or text), up to before move number MOVE",
        run: load_file,
    },
    Command {
        name: "printsgf",
        arguments: "[FILE]",
        help: "the game so far as SGF, or into a new file",
        run: printsgf,
    },
    Command {
        name: "load",
        arguments: "FILE [MOVE]",
        help: "the same as loadsgf",
        run: load_file,
    },
    Command {
        name: "save",
        arguments: "FILE",
        help: "the game so far into a new file: FILE.sgf as SGF, FILE.pdn as PDN (draughts), FILE.ggf or FILE.transcript (Othello), others as text",
        run: save,
    },
];

fn cannot(error: impl std::fmt::Display) -> Refusal {
    Refusal(format!("cannot load file: {error}"))
}

fn load_file(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let path = args.next_word("a file")?;
    let before: usize = if args.is_empty() {
        usize::MAX
    } else {
        args.next_int(1..=usize::MAX)?
    };
    done(args)?;
    if !context.session.settings.files {
        return Err("files cannot be reached over this connection".into());
    }
    let sheet = session::read_file(path).map_err(cannot)?;
    context
        .session()?
        .load(&sheet, before - 1)
        .map_err(cannot)?;
    text("")
}

/// The game of a text, for those who have it from elsewhere than a file. A text that does not fit changes nothing.
pub fn load(session: &mut Session, content: &str) -> Result<(), Refusal> {
    session.load_text(content).map_err(cannot)
}

fn printsgf(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let path = if args.is_empty() {
        None
    } else {
        Some(args.next_word("a file")?)
    };
    done(args)?;
    let files = context.session.settings.files;
    let record = write(context.session()?);
    match path {
        None => text(record),
        Some(_) if !files => Err("files cannot be reached over this connection".into()),
        Some(path) => {
            session::write_new(path, &record)?;
            text("")
        }
    }
}

fn save(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let path = args.next_word("a file")?;
    done(args)?;
    if !context.session.settings.files {
        return Err("files cannot be reached over this connection".into());
    }
    context.session()?.save(path)?;
    text("")
}

/// The game so far.
pub fn write(session: &Session) -> String {
    session.as_sgf()
}
