//! Games from files and into files: `loadsgf`, `printsgf`, `load`, `save`.

use super::{Command, Context, Outcome, Refusal, board, done, text};
use crate::files::{self, Sheet, pdn};
use crate::game::sgf;
use crate::session::Session;
use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use treeline_protocol::Args;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "loadsgf",
        arguments: "FILE [MOVE]",
        help: "the game of a file (SGF, PDN or text), up to before move number MOVE",
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
        help: "the game so far into a new file: FILE.sgf as SGF, FILE.pdn as PDN (draughts), others as text",
        run: save,
    },
];

/// Larger files are no game records.
const LARGEST: u64 = 1 << 18;

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
    let sheet = read(path)?;
    context
        .session()?
        .load(&sheet, before - 1)
        .map_err(cannot)?;
    text("")
}

/// The game of a text, for those who have it from elsewhere than a file. A text that does not fit changes nothing.
pub fn load(session: &mut Session, content: &str) -> Result<(), Refusal> {
    if content.len() as u64 > LARGEST {
        return Err(cannot(format!("longer than {LARGEST} bytes")));
    }
    let sheet = files::first(content).map_err(cannot)?;
    session.load(&sheet, usize::MAX).map_err(cannot)
}

/// The first game of a file.
pub fn read(path: &str) -> Result<Sheet, Refusal> {
    let no_record = || cannot(format!("not a regular file of 1 to {LARGEST} bytes"));
    // Of what is empty nothing is read: /proc has files that are regular and empty and keep readers waiting.
    let fits = |data: &fs::Metadata| data.is_file() && (1..=LARGEST).contains(&data.len());
    // Asked first, since opening a device can have effects; and of the open file, since the name may change hands.
    if !fits(&fs::metadata(path).map_err(cannot)?) {
        return Err(no_record());
    }
    let file = fs::File::open(path).map_err(cannot)?;
    let data = file.metadata().map_err(cannot)?;
    if !fits(&data) {
        return Err(no_record());
    }
    let mut bytes = Vec::new();
    file.take(data.len())
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    files::first(&String::from_utf8_lossy(&bytes)).map_err(cannot)
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
        Some(path) => keep(path, &record),
    }
}

fn save(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let path = args.next_word("a file")?;
    done(args)?;
    if !context.session.settings.files {
        return Err("files cannot be reached over this connection".into());
    }
    keep(path, &written_for(context.session()?, path)?)
}

fn keep(path: &str, record: &str) -> Outcome {
    let written = write_new(path, record);
    written.map_err(|error| Refusal(format!("cannot write {path}: {error}")))?;
    text("")
}

/// The game so far in the form that a file's name asks for.
pub fn written_for(session: &Session, path: &str) -> Result<String, Refusal> {
    let ending = Path::new(path).extension().and_then(|e| e.to_str());
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("sgf") => Ok(write(session)),
        Some("pdn") => as_pdn(session),
        _ => Ok(files::text::write(&session.sheet())),
    }
}

fn as_pdn(session: &Session) -> Result<String, Refusal> {
    if session.game_entry().name != pdn::GAME {
        let name = session.game_entry().name;
        return Err(Refusal(format!(
            "PDN is for {}; save {name} as FILE.sgf or FILE.txt",
            pdn::GAME
        )));
    }
    let result = session.game.outcome();
    let mut tags = vec![
        ("Result", pdn::result_word(result).into()),
        ("GameType", pdn::INTERNATIONAL.into()),
    ];
    if let Some(position) = session.game.special_start() {
        tags.push(("FEN", position));
    }
    Ok(pdn::write(tags, session.game.moves_so_far(), result))
}

/// A new file, whole or not at all.
pub fn write_new(path: &str, record: &str) -> io::Result<()> {
    let mut file = fs::File::create_new(path)?;
    let written = file
        .write_all(record.as_bytes())
        .and_then(|()| file.sync_all());
    if written.is_err() {
        // Half a record would be in the way of the next attempt.
        let _ = fs::remove_file(path);
    }
    written
}

/// The game so far.
pub fn write(session: &Session) -> String {
    let mut root = session.sgf_root();
    if let Some(score) = board::score(session) {
        root.push(("RE", score));
    }
    sgf::write(root, session.game.moves_so_far())
}
