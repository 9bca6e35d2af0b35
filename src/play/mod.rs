//! A game against the engine in a terminal or over a pipe: lines in, boards and moves out. Knows sessions; neither GTP nor the
//! command line.

mod board;
mod commands;

use crate::game::{Outcome, Player};
use crate::search::Stop;
use crate::search::proof::seen_by;
use crate::session::{self, Answer, LastSearch, Session, SessionError};
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whom the person plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seat {
    Player(Player),
    Both,
    Nobody,
}

impl Seat {
    fn has(self, player: Player) -> bool {
        match self {
            Seat::Player(own) => own == player,
            Seat::Both => true,
            Seat::Nobody => false,
        }
    }

    /// `b`, `w`, `both` or `none`.
    pub fn read(text: &str) -> Option<Seat> {
        Some(match text.to_ascii_lowercase().as_str() {
            "b" | "black" => Seat::Player(Player::One),
            "w" | "white" => Seat::Player(Player::Two),
            "both" => Seat::Both,
            "none" => Seat::Nobody,
            _ => return None,
        })
    }
}

/// How the program shows things.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Boards in colours.
    pub colours: bool,
    /// A person types: there are prompts, and a line while the engine thinks.
    pub terminal: bool,
}

/// What stops a search: an interrupt while one is in progress.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    pub stop: Stop,
    thinking: std::sync::Arc<AtomicBool>,
}

impl Interrupt {
    /// Ends the search in progress, so that its move is played; false where there is none.
    pub fn raise(&self) -> bool {
        let thinks = self.thinking.load(Ordering::SeqCst);
        if thinks {
            self.stop.interrupt();
        }
        thinks
    }
}

/// A game in progress with its two sides.
struct Table<'a, W> {
    session: &'a mut Session,
    seat: Seat,
    style: Style,
    interrupt: &'a Interrupt,
    output: W,
}

/// What to do next.
enum Next {
    /// The position is another one.
    Show,
    /// Ask again.
    Ask,
    Quit,
}

/// The game of a file, in any form that is known.
pub fn load(session: &mut Session, path: &str) -> Result<(), SessionError> {
    session.load(&session::read_file(path)?, usize::MAX)
}

/// Plays until the input ends or the person quits. An error means that the other side is gone.
pub fn play(
    session: &mut Session,
    seat: Seat,
    style: Style,
    interrupt: &Interrupt,
    input: impl BufRead,
    output: impl Write,
) -> io::Result<()> {
    let mut table = Table {
        session,
        seat,
        style,
        interrupt,
        output,
    };
    table.greet()?;
    let mut lines = input.split(b'\n');
    loop {
        table.show()?;
        table.reply()?;
        loop {
            table.prompt()?;
            let Some(line) = lines.next().transpose()? else {
                return Ok(());
            };
            let line = String::from_utf8_lossy(&line);
            match table.obey(line.trim())? {
                Next::Show => break,
                Next::Ask => {}
                Next::Quit => return Ok(()),
            }
        }
    }
}

impl<W: Write> Table<'_, W> {
    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{text}")
    }

    fn greet(&mut self) -> io::Result<()> {
        let name = self.session.game_entry().name;
        let variant = self.session.variant().changed();
        let game = format!("{name} {variant}");
        let searcher = self.session.searcher_name();
        let who = match self.seat {
            Seat::Player(own) => format!("You play {own} against {searcher}."),
            Seat::Both => "You play both sides.".into(),
            Seat::Nobody => format!("{searcher} plays both sides."),
        };
        let example = self.session.game.legal_moves().into_iter().next();
        let example = example.map_or(String::new(), |text| format!(" such as {text},"));
        self.say(&format!(
            "{}: b moves first. {who} Type a move,{example} or help.",
            game.trim()
        ))
    }

    /// The board, and whose turn it is.
    fn show(&mut self) -> io::Result<()> {
        let drawing = self.session.game.drawing();
        let text = match self.style.colours && !drawing.spots.is_empty() {
            true => board::coloured(&drawing, &self.session.game.last_way().unwrap_or_default()),
            false => self.session.game.board(),
        };
        self.say("")?;
        self.say(&text)?;
        let turn = self.session.game.turn();
        let state = match self.session.game.outcome() {
            None => format!("{turn} to move"),
            Some(Outcome::Draw) => "The game is drawn.".into(),
            Some(Outcome::Win(winner)) => format!("{winner} has won."),
        };
        self.say(&state)
    }

    fn prompt(&mut self) -> io::Result<()> {
        if self.style.terminal {
            write!(self.output, "> ")?;
        }
        self.output.flush()
    }

    /// Moves of the engine, and passes that nobody has a choice about, until it is the person's turn.
    fn reply(&mut self) -> io::Result<()> {
        while self.session.game.outcome().is_none() {
            let turn = self.session.game.turn();
            if self.seat.has(turn) {
                match self.forced_pass() {
                    Some(pass) => self.pass(turn, &pass)?,
                    None => return Ok(()),
                }
            } else if !self.think(turn)? {
                return Ok(());
            }
            self.show()?;
        }
        Ok(())
    }

    /// The only legal move, where it has no place on the board.
    fn forced_pass(&self) -> Option<String> {
        match self.session.game.ways().as_slice() {
            [(text, ways)] if ways.is_empty() => Some(text.clone()),
            _ => None,
        }
    }

    fn pass(&mut self, turn: Player, pass: &str) -> io::Result<()> {
        match self.session.game.play(turn, pass) {
            Ok(()) => self.say(&format!("{turn} has no other move than {pass}.")),
            Err(error) => self.say(&error.to_string()),
        }
    }

    /// Lets the engine move; false if it cannot.
    fn think(&mut self, turn: Player) -> io::Result<bool> {
        match self.search(turn, true)? {
            Ok(Answer::Move(text)) => {
                let last = self.session.last_search();
                let thinks = last.map_or(String::new(), opinion);
                self.say(&format!("{turn} plays {text}{thinks}"))?;
                Ok(true)
            }
            Ok(_) => Ok(false),
            Err(error) => {
                self.say(&error.to_string())?;
                // Nobody else would move, and it would be asked again for ever.
                self.seat = Seat::Both;
                self.say("You play both sides now.")?;
                Ok(false)
            }
        }
    }

    fn search(&mut self, turn: Player, play: bool) -> io::Result<Result<Answer, SessionError>> {
        if self.style.terminal {
            write!(self.output, "{turn} thinks …")?;
            self.output.flush()?;
        }
        let stop = &self.interrupt.stop;
        let number = stop.announce();
        self.interrupt.thinking.store(true, Ordering::SeqCst);
        let answer = self.session.genmove(turn, play, stop, number);
        self.interrupt.thinking.store(false, Ordering::SeqCst);
        if self.style.terminal {
            write!(self.output, "\r\x1b[K")?;
        }
        Ok(answer)
    }
}

/// What the engine thinks of its search, for the side that moves.
fn opinion(last: &LastSearch) -> String {
    match (last.proven, last.expected) {
        (Some(outcome), _) => format!(" ({} for {})", seen_by(outcome, last.turn), last.turn),
        (None, Some(expected)) => {
            let basis = if last.calibrated {
                ""
            } else {
                ", not calibrated"
            };
            format!(" ({:.0} % for {}{basis})", 100.0 * expected, last.turn)
        }
        (None, None) => String::new(),
    }
}
