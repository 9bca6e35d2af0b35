//! The command table: name, arguments, help, function. `list_commands`, `help` and the protocol reference come from it.

mod admin;
mod board;
mod drawing;
mod front_end;
mod gogui;
mod graphics;
mod network;
mod search;
pub mod sgf;

pub use front_end::FrontEnd;

use super::{DialogueLog, Lazy};
use crate::game::{MoveError, Player};
use crate::search::Stop;
use crate::session::{Session, SessionError};
use std::io::{self, Write};
use treeline_protocol::{Args, ArgumentError, Colour};

/// One row.
pub struct Command {
    pub name: &'static str,
    /// What follows the name, as a usage line shows it.
    pub arguments: &'static str,
    /// One line.
    pub help: &'static str,
    run: fn(&mut Context<'_, '_>, &mut Args<'_>) -> Result<Reply, Refusal>,
}

/// What a command works with.
pub struct Context<'a, 's> {
    pub(super) session: &'a mut Lazy<'s>,
    /// Who is on the other side.
    pub(super) front_end: &'a mut FrontEnd,
    pub(super) stop: &'a Stop,
    /// The number of this command's line, for interrupts.
    pub(super) number: u64,
    pub(super) id: Option<u32>,
    /// For replies that are written while they grow, and their copy.
    pub(super) output: &'a mut dyn Write,
    pub(super) log: Option<&'a DialogueLog>,
}

impl Context<'_, '_> {
    fn session(&mut self) -> Result<&mut Session, Refusal> {
        Ok(self.session.get()?)
    }
}

/// How a command was answered.
pub enum Reply {
    Text(String),
    /// The reply has been written already, or could not be.
    Streamed(io::Result<()>),
    /// An empty reply, and the dialogue ends.
    Quit,
}

/// Why a command failed: the text after `?`.
#[derive(Debug)]
pub struct Refusal(pub String);

impl From<&str> for Refusal {
    fn from(text: &str) -> Self {
        Refusal(text.into())
    }
}

impl From<ArgumentError> for Refusal {
    fn from(error: ArgumentError) -> Self {
        Refusal(format!("syntax error: {error}"))
    }
}

impl From<SessionError> for Refusal {
    fn from(error: SessionError) -> Self {
        // GTP's own words for a refused move come first.
        Refusal(match error {
            SessionError::Move(MoveError::Illegal { .. }) => error.to_string(),
            SessionError::Move(_) | SessionError::WrongTurn { .. } | SessionError::Finished => {
                format!("illegal move: {error}")
            }
            _ => error.to_string(),
        })
    }
}

impl From<crate::options::OptionError> for Refusal {
    fn from(error: crate::options::OptionError) -> Self {
        Refusal(error.to_string())
    }
}

type Outcome = Result<Reply, Refusal>;

fn text(text: impl Into<String>) -> Outcome {
    Ok(Reply::Text(text.into()))
}

/// Every command, in the order `list_commands` shows them.
pub fn all() -> impl Iterator<Item = &'static Command> {
    [
        admin::COMMANDS,
        board::COMMANDS,
        search::COMMANDS,
        network::COMMANDS,
        sgf::COMMANDS,
        gogui::COMMANDS,
        graphics::COMMANDS,
    ]
    .into_iter()
    .flatten()
}

pub fn find(name: &str) -> Option<&'static Command> {
    all().find(|command| command.name == name)
}

/// What people type who know other programs, and the command here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("d", "showboard"),
    ("board", "showboard"),
    ("show", "showboard"),
    ("print", "showboard"),
    ("go", "genmove"),
    ("move", "play"),
    ("moves", "legal_moves"),
    ("new", "clear_board"),
    ("newgame", "clear_board"),
    ("game", "set_game"),
    ("eval", "evaluate"),
    ("exit", "quit"),
    ("uci", "list_commands"),
    ("hub", "list_commands"),
    ("setoption", "set_option"),
    ("games", "list_games"),
    ("options", "list_options"),
    ("?", "help"),
];

/// The answer to a command that there is not. GTP's own words come first.
pub fn unknown(name: &str) -> String {
    let named = |(word, _): &&(&str, &str)| *word == name;
    match ELSEWHERE
        .iter()
        .find(named)
        .and_then(|(_, here)| find(here))
    {
        Some(here) => {
            let usage = format!("{} {}", here.name, here.arguments);
            format!("unknown command; here: {} - {}", usage.trim(), here.help)
        }
        None => "unknown command".into(),
    }
}

/// Runs a command and refuses arguments that it leaves over.
pub fn run(command: &Command, context: &mut Context<'_, '_>, args: &[String]) -> Outcome {
    let mut args = Args::new(args);
    context.front_end.notice(command.name);
    (command.run)(context, &mut args)
}

fn player(colour: Colour) -> Player {
    match colour {
        Colour::Black => Player::One,
        Colour::White => Player::Two,
    }
}

/// The rest of the arguments must be none. Called before a command changes anything.
fn done(args: &mut Args<'_>) -> Result<(), Refusal> {
    match args.peek() {
        None => Ok(()),
        Some(extra) => Err(ArgumentError::new("no further argument", Some(extra)).into()),
    }
}

/// Joins the remaining words with one space; at least one.
fn sentence(args: &mut Args<'_>, what: &str) -> Result<String, Refusal> {
    match args.rest() {
        [] => Err(ArgumentError::new(what, None).into()),
        words => Ok(words.join(" ")),
    }
}
