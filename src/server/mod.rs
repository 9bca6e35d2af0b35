//! Serving sessions: reader thread, dispatcher, command table, on stdin/stdout and TCP.

pub mod commands;
mod inbox;
mod input;
mod log;
mod places;
mod promptly;
mod signals;
mod tcp;

pub use input::{Input, Source};
pub use log::DialogueLog;
pub use signals::end_on_signals;
pub use tcp::listen;

use crate::options::Values;
use crate::search::Stop;
use crate::session::{Caps, DEFAULT_GAME, DEFAULT_SEARCHER, Selection, Session, SessionError};
use crate::threads::Panicked;
use commands::{Context, FrontEnd, Reply};
use inbox::{Idle, Inbox, Message};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use treeline_protocol::{Line, MAX_LINE, Response, clean, parse};

/// What every session of this server begins with.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// The session's options, [`crate::session::options::SPECS`].
    pub options: Values,
    /// `None`: the default game.
    pub game: Option<Selection>,
    /// `None`: the default searcher.
    pub searcher: Option<Selection>,
    /// Where the dialogue goes.
    pub log: Option<Arc<DialogueLog>>,
    /// The most that a session may ask for.
    pub caps: Caps,
    /// Whether commands may read and write files of this machine.
    pub files: bool,
}

impl ServerConfig {
    /// A session that begins so.
    pub fn open(&self) -> Result<Session, SessionError> {
        let selected = |own: &Option<Selection>, default| match own {
            Some(selection) => selection.clone(),
            None => Selection::plain(default),
        };
        let game = selected(&self.game, DEFAULT_GAME);
        let searcher = selected(&self.searcher, DEFAULT_SEARCHER);
        let mut session = Session::new(self.options.clone(), self.caps, &game, &searcher)?;
        if !self.files {
            session.shut_files();
        }
        Ok(session)
    }
}

/// A dialogue that begins later than this has a session then.
const SILENCE: Duration = Duration::from_millis(20);

/// Serves the process's stdin and stdout until `quit` or the end of input. Returns quietly when the other side is gone.
pub fn serve_stdio(settings: &ServerConfig) -> Result<(), ServeError> {
    let source = input::stdin_source();
    converse(
        io::stdin(),
        io::stdout(),
        settings,
        source,
        Idle::default(),
        |inbox, stop| {
            let (stop, sender) = (stop.clone(), inbox.sender());
            // A front end that died may have left its end of stdin open in another process.
            input::when_stdout_closes(move || {
                stop.terminate();
                let _ = sender.send(Message::End);
            })
        },
    )
}

/// Why serving ended early.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Panicked(#[from] Panicked),
}

/// Serves one dialogue.
pub fn serve(
    input: impl Input,
    output: impl Write,
    settings: &ServerConfig,
    source: Source,
) -> Result<(), ServeError> {
    converse(input, output, settings, source, Idle::default(), |_, _| {
        Ok(())
    })
}

/// The same; `idle` tells whether it waits for a line, and `watch` may arrange for an earlier end.
fn converse(
    input: impl Input,
    output: impl Write,
    settings: &ServerConfig,
    source: Source,
    idle: Idle,
    watch: impl FnOnce(&Inbox, &Stop) -> io::Result<()>,
) -> Result<(), ServeError> {
    let stop = Stop::default();
    let inbox = Inbox::open(input, stop.clone(), source, idle)?;
    watch(&inbox, &stop)?;
    let _registered = signals::register(&stop, &inbox);
    let mut dispatcher = Dispatcher {
        session: Lazy {
            settings,
            session: None,
        },
        output,
        stop,
        log: settings.log.clone(),
        source,
        front_end: FrontEnd::Other,
        moved: false,
    };
    // Whoever is silent at first will have a searcher with its memory ready once there is a clock. A connection has to ask.
    if source == Source::Pipe && !inbox.comes_within(SILENCE) {
        // What is wrong with the settings is told to the first command that needs them.
        let _ = dispatcher.session.get();
    }
    loop {
        match inbox.next() {
            Message::Line(number, line) => {
                if !dispatcher.answer(number, &line)? {
                    return Ok(());
                }
                inbox.idly(|| dispatcher.ponder(number));
            }
            Message::End => return Ok(()),
            Message::Broken(panicked) => return Err(panicked.into()),
        }
    }
}

/// A session that is made when a command first needs it, so that the others answer at once.
pub struct Lazy<'a> {
    settings: &'a ServerConfig,
    session: Option<Session>,
}

impl Lazy<'_> {
    pub fn get(&mut self) -> Result<&mut Session, SessionError> {
        let session = match self.session.take() {
            Some(session) => session,
            None => self.settings.open()?,
        };
        Ok(self.session.insert(session))
    }
}

struct Dispatcher<'a, W> {
    session: Lazy<'a>,
    output: W,
    stop: Stop,
    log: Option<Arc<DialogueLog>>,
    source: Source,
    front_end: FrontEnd,
    /// Whether the last command played a move of the engine.
    moved: bool,
}

impl<W: Write> Dispatcher<'_, W> {
    /// Answers one line; whether to go on. An error means that the other side is gone or the session cannot begin.
    fn answer(&mut self, number: u64, line: &Line) -> io::Result<bool> {
        let raw = match line {
            Line::Text(raw) => raw,
            Line::TooLong { bytes } => {
                if let Some(log) = &self.log {
                    log.received(format!("(a line of {bytes} bytes)").as_bytes(), false);
                }
                let text = format!("line of {bytes} bytes; the longest allowed has {MAX_LINE}");
                return self.send(&Response::error(None, text)).map(|()| true);
            }
        };
        if let Some(log) = &self.log {
            log.received(raw, self.source == Source::Connection);
        }
        let text = clean(raw);
        let command = match parse(&text) {
            Ok(Some(command)) => command,
            Ok(None) => return Ok(true),
            Err(error) => {
                let response = Response::error(error.id(), error.to_string());
                return self.send(&response).map(|()| true);
            }
        };
        let Some(row) = commands::find(&command.name) else {
            return self
                .send(&Response::error(
                    command.id,
                    commands::unknown(&command.name),
                ))
                .map(|()| true);
        };
        let mut context = Context {
            session: &mut self.session,
            front_end: &mut self.front_end,
            stop: &self.stop,
            number,
            id: command.id,
            output: &mut self.output,
            log: self.log.as_deref(),
        };
        // The last line of defence: a defect in one command must not end the session.
        let run = || commands::run(row, &mut context, &command.args);
        let response = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(Reply::Text(text))) => {
                self.moved = row.name == "genmove";
                Response::ok(command.id, text)
            }
            Ok(Ok(Reply::Quit)) => {
                self.send(&Response::ok(command.id, ""))?;
                return Ok(false);
            }
            Ok(Ok(Reply::Streamed(sent))) => return sent.map(|()| true),
            Ok(Err(refusal)) => Response::error(command.id, refusal.0),
            Err(_) => {
                ::log::error!("command {} failed inside; this is a defect", command.name);
                Response::error(command.id, "internal error; please report the dialogue")
            }
        };
        self.send(&response).map(|()| true)
    }

    /// Thinks on the opponent's time, where the options ask for that, until something comes behind line `number`. Connections share
    /// the machine, so they only think when asked.
    fn ponder(&mut self, number: u64) {
        let moved = std::mem::take(&mut self.moved);
        if let Some(session) = self.session.session.as_mut()
            && moved
            && self.source == Source::Pipe
            && session.ponders()
        {
            let stop = &self.stop;
            let think = || session.ponder(stop, number);
            if catch_unwind(AssertUnwindSafe(think)).is_err() {
                ::log::error!("pondering failed inside; this is a defect");
            }
        }
    }

    fn send(&mut self, response: &Response) -> io::Result<()> {
        if let Some(log) = &self.log {
            log.sent(&response.to_string());
        }
        response.write_to(&mut self.output)
    }
}
