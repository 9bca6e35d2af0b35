//! What a person can say besides moves.

use super::{Next, Seat, Table, load, opinion};
use crate::session::Answer;
use std::io::{self, Write};

const HELP: &str = "\
A line is a move or one of these:
  hint                  the move that the engine would play, and what it expects
  undo                  takes your last move back, and the answer to it
  go                    lets the engine move for you
  side b|w|both|none    whom you play
  moves                 the legal moves
  board                 shows the board
  new                   begins again
  game NAME key=value   another game: game hex size=7
  level N               how well the engine plays, 1 to 10
  seconds N             time for a move of the engine
  searcher NAME         who thinks, with options
  set NAME VALUE        another option, as set_option takes it
  save FILE             keeps the game as FILE.sgf, FILE.pdn (draughts) or text
  load FILE             goes on with a game from a file
  quit";

impl<W: Write> Table<'_, W> {
    /// Does what a line says.
    pub(super) fn obey(&mut self, line: &str) -> io::Result<Next> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match (word.to_lowercase().as_str(), rest) {
            ("", _) => Ok(Next::Ask),
            ("help" | "?", _) => self.told(HELP),
            ("quit" | "exit", "") => Ok(Next::Quit),
            ("hint", "") => self.hint(),
            ("undo", "") => self.undo(),
            ("go", "") => self.go(),
            ("moves", "") => {
                let moves = self.session.game.legal_moves().join(" ");
                self.told(if moves.is_empty() {
                    "none: the game is over"
                } else {
                    &moves
                })
            }
            ("board", "") => Ok(Next::Show),
            ("new", "") => {
                self.session.new_game();
                Ok(Next::Show)
            }
            ("side", seat) => match Seat::read(seat) {
                Some(seat) => {
                    self.seat = seat;
                    Ok(Next::Show)
                }
                None => self.told("side takes b, w, both or none"),
            },
            ("game", words) if !words.is_empty() => {
                let (name, pairs) = named(words);
                let set = self.session.set_game(&name, &pairs);
                self.after(set.map_err(|error| error.to_string()), Next::Show)
            }
            ("searcher", words) if !words.is_empty() => {
                let (name, pairs) = named(words);
                let set = self.session.set_searcher(&name, &pairs);
                self.after(set.map_err(|error| error.to_string()), Next::Ask)
            }
            (name @ ("level" | "seconds"), value) => self.set(name, value),
            ("set", pair) => {
                let (name, value) = pair.split_once([' ', '=']).unwrap_or((pair, ""));
                self.set(name, value.trim())
            }
            ("save", path) if !path.is_empty() => {
                let saved = self.session.save(path);
                self.after(saved.map_err(|error| error.to_string()), Next::Ask)
            }
            ("load", path) if !path.is_empty() => {
                let loaded = load(self.session, path);
                self.after(loaded.map_err(|error| error.to_string()), Next::Show)
            }
            _ => self.play(line),
        }
    }

    fn told(&mut self, text: &str) -> io::Result<Next> {
        self.say(text)?;
        Ok(Next::Ask)
    }

    /// Goes on with `next`, or says why not.
    fn after(&mut self, done: Result<(), String>, next: Next) -> io::Result<Next> {
        match done {
            Ok(()) => Ok(next),
            Err(text) => self.told(&text),
        }
    }

    fn set(&mut self, name: &str, value: &str) -> io::Result<Next> {
        let set = self.session.set_option(name, value);
        self.after(set.map_err(|error| error.to_string()), Next::Ask)
    }

    fn play(&mut self, text: &str) -> io::Result<Next> {
        let turn = self.session.game.turn();
        match self.session.game.play(turn, text) {
            Ok(()) => Ok(Next::Show),
            Err(error) => self.told(&format!(
                "{error}. 'moves' lists the legal ones, 'help' the commands."
            )),
        }
    }

    fn hint(&mut self) -> io::Result<Next> {
        let turn = self.session.game.turn();
        let text = match self.search(turn, false)? {
            Ok(Answer::Move(text)) => {
                let last = self.session.last_search();
                let line = last.map_or(String::new(), |last| {
                    let line = last.pv.iter().skip(1).take(6);
                    let line = line.map(String::as_str).collect::<Vec<_>>().join(" ");
                    let then = if line.is_empty() { "" } else { ", then " };
                    format!("{}{then}{line}", opinion(last))
                });
                format!("hint: {text}{line}")
            }
            Ok(_) => "the game is over".into(),
            Err(error) => error.to_string(),
        };
        self.told(&text)
    }

    /// Back to before the person's last move.
    fn undo(&mut self) -> io::Result<Next> {
        let mut undone = false;
        while self.session.game.undo() {
            undone = true;
            // A pass without a choice would be played again at once.
            if self.seat.has(self.session.game.turn()) && self.forced_pass().is_none() {
                return Ok(Next::Show);
            }
        }
        match undone {
            true => Ok(Next::Show),
            false => self.told("nothing to take back"),
        }
    }

    fn go(&mut self) -> io::Result<Next> {
        if self.session.game.outcome().is_some() {
            return self.told("the game is over");
        }
        let turn = self.session.game.turn();
        self.think(turn)?;
        Ok(Next::Show)
    }
}

/// A name and the words behind it.
fn named(words: &str) -> (String, Vec<String>) {
    let mut words = words.split_whitespace().map(String::from);
    (words.next().unwrap_or_default(), words.collect())
}
