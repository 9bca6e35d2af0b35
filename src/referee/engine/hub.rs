//! Draughts programs that speak Hub, version 2, such as Scan 3.1. They keep no game: every search is told the position.

use super::{Engine, GameState, Ply, Reply, Stats, after, end, no_line, no_start};
use crate::referee::clock::{Budget, Time};
use crate::referee::config::{EngineSetup, Patience};
use crate::referee::lines::Lines;
use crate::referee::process::{Input, Log, Process, Program};
use crate::referee::trouble::{Cause, Phase, Trouble};
use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

/// Moves without a capture or a man's move that are told for the sake of repetition; the rest cannot come again.
const MOST_MOVES: usize = 100;

/// A running engine.
pub struct Hub {
    lines: Lines,
    input: Input,
    process: Process,
    patience: Patience,
    identity: String,
    /// Nothing where it says nothing of its search.
    stats: Option<Stats>,
}

impl Hub {
    pub fn start(
        setup: &EngineSetup,
        program: &Program,
        patience: Patience,
        log: Log,
    ) -> Result<Self, Trouble> {
        let started = Process::start(program, log)
            .and_then(|(process, output, input)| Ok((process, Lines::new(output)?, input)));
        let (process, lines, input) = started.map_err(|error| no_start(program, &error))?;
        let mut engine = Hub {
            lines,
            input,
            process,
            patience,
            identity: String::new(),
            stats: None,
        };
        let deadline = after(patience.start);
        engine.send("hub", Phase::Start)?;
        loop {
            let message = engine.hear(Phase::Start, deadline)?;
            match message.name.as_str() {
                "id" => engine.identity = message.words(&["name", "version"]),
                "wait" => break,
                _ => {}
            }
        }
        for command in &setup.start {
            engine.send(command, Phase::Start)?;
        }
        engine.send("init", Phase::Start)?;
        while engine.hear(Phase::Start, deadline)?.name != "ready" {}
        Ok(engine)
    }

    fn send(&mut self, line: &str, phase: Phase) -> Result<(), Trouble> {
        self.process.log.say('>', line);
        let sent = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        sent.map_err(|error| Trouble::new(Cause::Crash, phase, error.to_string()))
    }

    /// The next message; one that is none, and an error, are trouble.
    fn hear(&mut self, phase: Phase, deadline: Instant) -> Result<Message, Trouble> {
        let line = self.lines.next(deadline);
        let line = line.map_err(|error| no_line(error, phase, &self.process))?;
        self.process.log.say('<', &line);
        let message = Message::read(&line)
            .ok_or_else(|| Trouble::new(Cause::Garbage, phase, line.clone()))?;
        match message.name.as_str() {
            "error" => Err(Trouble::new(Cause::Refusal, phase, line)),
            name if KNOWN.contains(&name) => Ok(message),
            // During the start anything may be shown that the other side is to ignore.
            _ if phase == Phase::Start => Ok(message),
            _ => Err(Trouble::new(Cause::Garbage, phase, line)),
        }
    }

    fn position(&mut self, state: &GameState) -> Result<(), Trouble> {
        let plies = quiet_tail(state);
        let from = match plies.first() {
            Some(ply) => ply.before.clone(),
            None => state.board.position(),
        };
        let position = hub_position(&from).ok_or_else(|| not_draughts(Phase::Genmove))?;
        let moves: Vec<&str> = plies.iter().map(|ply| ply.text.as_str()).collect();
        let moves = match moves.is_empty() {
            true => String::new(),
            false => format!(" moves=\"{}\"", moves.join(" ")),
        };
        self.send(&format!("pos pos={position}{moves}"), Phase::Genmove)
    }

    fn level(&mut self, budget: &Budget) -> Result<(), Trouble> {
        let line = match budget.time {
            Time::Unlimited => "level infinite".to_string(),
            Time::Move(seconds) => format!("level move-time={seconds}"),
            // The increment is added after a move here and before it there.
            Time::Clock { increment, .. } => {
                let left = (budget.left[0] - increment).max(0.0);
                format!("level time={left:.3} inc={increment}")
            }
        };
        self.send(&line, Phase::Genmove)
    }
}

const KNOWN: &[&str] = &["id", "param", "wait", "ready", "info", "done", "pong"];

impl Engine for Hub {
    fn identity(&self) -> String {
        self.identity.clone()
    }

    fn new_game(&mut self, state: &GameState, _: &Budget) -> Result<(), Trouble> {
        if state.variant.entry.name != "draughts" {
            return Err(not_draughts(Phase::Setup));
        }
        self.send("new-game", Phase::Setup)?;
        self.send("ping", Phase::Setup)?;
        let deadline = after(self.patience.reply);
        while self.hear(Phase::Setup, deadline)?.name != "pong" {}
        Ok(())
    }

    fn catch_up(&mut self, _: &GameState) -> Result<(), Trouble> {
        Ok(())
    }

    fn think(&mut self, state: &GameState, budget: &Budget) -> Result<Reply, Trouble> {
        let deadline = Instant::now() + budget.wait;
        self.position(state)?;
        self.level(budget)?;
        self.send("go think", Phase::Genmove)?;
        self.stats = None;
        loop {
            let message = self.hear(Phase::Genmove, deadline)?;
            match message.name.as_str() {
                "info" => {
                    let read = |name: &str| message.values.get(name)?.parse().ok();
                    let (nodes, depth) = (read("nodes"), read("depth"));
                    if nodes.is_some() || depth.is_some() {
                        let stats = self.stats.get_or_insert_default();
                        stats.nodes = nodes.unwrap_or(stats.nodes);
                        stats.depth = depth.or(stats.depth);
                    }
                }
                "done" => {
                    let text = message.values.get("move").map_or("", String::as_str);
                    let read = state.board.read(text).map_err(|e| e.to_string());
                    let illegal = |why| Trouble::new(Cause::IllegalMove, Phase::Genmove, why);
                    return read.map(Reply::Move).map_err(illegal);
                }
                _ => {}
            }
        }
    }

    fn stats(&mut self) -> Result<Option<Stats>, Trouble> {
        Ok(self.stats)
    }

    fn quit(&mut self) -> Result<(), Trouble> {
        self.send("quit", Phase::Quit)?;
        end(
            &mut self.process,
            Duration::from_secs_f64(self.patience.quit),
        )
    }
}

fn not_draughts(phase: Phase) -> Trouble {
    Trouble::new(Cause::Refusal, phase, "Hub is a protocol for draughts")
}

/// The last plies that can be part of a repetition: kings' moves that take nothing.
fn quiet_tail(state: &GameState) -> &[Ply] {
    let reversible = |ply: &&Ply| {
        let from = ply.text.split(['-', 'x']).next().unwrap_or_default();
        ply.text.contains('-')
            && pieces(&ply.before).is_some_and(|board| {
                let square = from.parse::<usize>().unwrap_or(0);
                matches!(board.get(square.wrapping_sub(1)), Some('W' | 'B'))
            })
    };
    let count = state
        .plies
        .iter()
        .rev()
        .take(MOST_MOVES)
        .take_while(reversible)
        .count();
    &state.plies[state.plies.len() - count..]
}

/// A FEN as Hub writes positions: the side to move and a letter for each of the fifty squares.
fn hub_position(fen: &str) -> Option<String> {
    let turn = fen.chars().next().filter(|c| "WB".contains(*c))?;
    Some(
        pieces(fen)?
            .into_iter()
            .fold(turn.to_string(), |mut text, c| {
                text.push(c);
                text
            }),
    )
}

/// What stands on the squares from 1: `w`, `b`, capitals for kings, `e` for nothing.
fn pieces(fen: &str) -> Option<[char; 50]> {
    let mut squares = ['e'; 50];
    for field in fen.split(':').skip(1) {
        let (side, list) = field.split_at_checked(1)?;
        let (man, king) = match side {
            "W" => ('w', 'W'),
            "B" => ('b', 'B'),
            _ => continue,
        };
        for item in list.split(',').filter(|item| !item.is_empty()) {
            let (piece, number) = match item.strip_prefix('K') {
                Some(number) => (king, number),
                None => (man, item),
            };
            *squares.get_mut(number.parse::<usize>().ok()?.checked_sub(1)?)? = piece;
        }
    }
    Some(squares)
}

/// One line: a name, and `key=value` behind it, where a value with blanks stands in quotes.
#[derive(Debug, PartialEq, Eq)]
struct Message {
    name: String,
    values: BTreeMap<String, String>,
}

impl Message {
    fn read(line: &str) -> Option<Self> {
        let line = line.trim();
        let (name, mut rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let is_name = |text: &str| {
            !text.is_empty()
                && text
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
        };
        if !is_name(name) {
            return None;
        }
        let mut values = BTreeMap::new();
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                break;
            }
            let end = rest
                .find(|c: char| c == '=' || c.is_whitespace())
                .unwrap_or(rest.len());
            let (key, behind) = rest.split_at(end);
            let (value, behind) = match behind.strip_prefix('=') {
                None => ("", behind),
                Some(quoted) if quoted.starts_with('"') => {
                    quoted[1..].split_once('"').unwrap_or((&quoted[1..], ""))
                }
                Some(plain) => {
                    plain.split_at(plain.find(char::is_whitespace).unwrap_or(plain.len()))
                }
            };
            values.insert(key.to_string(), value.to_string());
            rest = behind;
        }
        Some(Message {
            name: name.into(),
            values,
        })
    }

    /// The values of some keys, space-separated.
    fn words(&self, keys: &[&str]) -> String {
        let found: Vec<&str> = keys
            .iter()
            .filter_map(|key| Some(self.values.get(*key)?.as_str()))
            .collect();
        found.join(" ").chars().take(100).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::board::Variant;

    #[test]
    fn positions_are_told_from_the_last_move_that_cannot_be_taken_back() {
        let variant = Variant::read("draughts").unwrap();
        let state = GameState::new(&variant, None).unwrap();
        let start = hub_position(&state.board.position()).unwrap();
        assert_eq!(
            start,
            format!("W{}{}{}", "b".repeat(20), "e".repeat(10), "w".repeat(20))
        );
        let mut state = GameState::new(&variant, Some("W:W31,K38:B7,K5")).unwrap();
        for text in ["31-26", "7-11", "38-15", "5-41", "15-38"] {
            state.play(text).unwrap();
        }
        let tail: Vec<&str> = quiet_tail(&state)
            .iter()
            .map(|ply| ply.text.as_str())
            .collect();
        assert_eq!(tail, ["38-15", "5-41", "15-38"]);
        let at = hub_position(&quiet_tail(&state)[0].before).unwrap();
        assert_eq!(at.chars().next(), Some('W'));
        assert_eq!(
            (at.chars().nth(38), at.chars().nth(11)),
            (Some('W'), Some('b'))
        );
    }

    #[test]
    fn messages() {
        let message =
            Message::read("id name=Scan version=3.1 author=\"Fabien Letouzey\" flag").unwrap();
        assert_eq!(message.words(&["name", "version"]), "Scan 3.1");
        assert_eq!(message.values["author"], "Fabien Letouzey");
        assert_eq!(message.values["flag"], "");
        assert_eq!(Message::read("%% hello"), None);
    }
}
