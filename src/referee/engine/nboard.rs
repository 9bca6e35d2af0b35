//! Othello programs that speak NBoard, such as Edax.

use super::super::spelling::ReadError;
use super::{Engine, GameState, Reply, Stats, after, end, no_line, no_start};
use crate::game::{Grid, Player};
use crate::referee::clock::Budget;
use crate::referee::config::{EngineSetup, Patience};
use crate::referee::lines::Lines;
use crate::referee::process::{Input, Log, Process, Program};
use crate::referee::spelling::Spelling;
use crate::referee::trouble::{Cause, Phase, Trouble};
use std::io::Write;
use std::time::{Duration, Instant};

/// A running engine.
pub struct Nboard {
    lines: Lines,
    input: Input,
    process: Process,
    spelling: Spelling,
    patience: Patience,
    identity: String,
    known: usize,
    pings: u32,
}

impl Nboard {
    pub fn start(
        setup: &EngineSetup,
        program: &Program,
        patience: Patience,
        log: Log,
    ) -> Result<Self, Trouble> {
        let started = Process::start(program, log)
            .and_then(|(process, output, input)| Ok((process, Lines::new(output)?, input)));
        let (process, lines, input) = started.map_err(|error| no_start(program, &error))?;
        let mut engine = Nboard {
            lines,
            input,
            process,
            spelling: Spelling::new(&setup.moves, &setup.colours),
            patience,
            identity: String::new(),
            known: 0,
            pings: 0,
        };
        for command in &setup.start {
            engine.send(command, Phase::Start)?;
        }
        // An engine that is told its depth answers with its name. Edax must be asked so: a ping that comes before it is ready
        // blocks it for ever.
        if setup
            .start
            .iter()
            .any(|command| command.starts_with("set depth"))
        {
            let deadline = after(patience.start);
            while engine.identity.is_empty() {
                engine.hear(Phase::Start, deadline)?;
            }
        } else {
            engine.ping(Phase::Start, patience.start)?;
        }
        Ok(engine)
    }

    fn send(&mut self, line: &str, phase: Phase) -> Result<(), Trouble> {
        self.process.log.say('>', line);
        let sent = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        sent.map_err(|error| Trouble::new(Cause::Crash, phase, error.to_string()))
    }

    /// The next line, split into its first word and the rest.
    fn hear(&mut self, phase: Phase, deadline: Instant) -> Result<(String, String), Trouble> {
        let line = self.lines.next(deadline);
        let line = line.map_err(|error| no_line(error, phase, &self.process))?;
        self.process.log.say('<', &line);
        let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
        if first == "set" && rest.starts_with("myname") {
            let name = rest.trim_start_matches("myname").trim();
            self.identity = name.chars().take(100).collect();
        }
        // The protocol has no errors and lets engines show what they like, but in words it knows.
        match KNOWN.contains(&first) || phase == Phase::Start {
            true => Ok((first.into(), rest.trim().into())),
            false => Err(Trouble::new(Cause::Garbage, phase, line)),
        }
    }

    /// Waits until everything sent has been read and done.
    fn ping(&mut self, phase: Phase, seconds: f64) -> Result<(), Trouble> {
        self.pings += 1;
        let number = self.pings.to_string();
        self.send(&format!("ping {number}"), phase)?;
        let deadline = after(seconds);
        while self.hear(phase, deadline)? != ("pong".into(), number.clone()) {}
        Ok(())
    }

    fn tell(&mut self, state: &GameState, text: &str, phase: Phase) -> Result<(), Trouble> {
        let text = self.spelling.write(&state.board, text);
        self.send(&format!("move {text}"), phase)
    }
}

const KNOWN: &[&str] = &[
    "set",
    "status",
    "===",
    "search",
    "nodestats",
    "pong",
    "learn",
    "book",
];

impl Engine for Nboard {
    fn identity(&self) -> String {
        self.identity.clone()
    }

    fn new_game(&mut self, state: &GameState, _: &Budget) -> Result<(), Trouble> {
        let other = || {
            Trouble::new(
                Cause::Refusal,
                Phase::Setup,
                "NBoard is a protocol for Othello",
            )
        };
        if state.variant.entry.name != "othello" {
            return Err(other());
        }
        self.known = 0;
        let mut fresh = state.variant.open().map_err(|_| other())?;
        if let Some(start) = &state.start {
            fresh.set_position(start).map_err(|_| other())?;
        }
        let grid = fresh.grid().ok_or_else(other)?;
        self.send(
            &format!("set game {}", game(&grid, fresh.turn())),
            Phase::Setup,
        )?;
        self.ping(Phase::Setup, self.patience.reply)
    }

    fn catch_up(&mut self, state: &GameState) -> Result<(), Trouble> {
        while let Some(ply) = state.plies.get(self.known) {
            self.tell(state, &ply.text, Phase::Play)?;
            self.known += 1;
        }
        self.ping(Phase::Play, self.patience.reply)
    }

    fn think(&mut self, state: &GameState, budget: &Budget) -> Result<Reply, Trouble> {
        let deadline = Instant::now() + budget.wait;
        self.send("go", Phase::Genmove)?;
        let answer = loop {
            let (word, rest) = self.hear(Phase::Genmove, deadline)?;
            if word == "===" {
                break rest;
            }
        };
        let text = answer.split(['/', ' ']).next().unwrap_or_default();
        let read = match text.to_ascii_lowercase().as_str() {
            "pa" | "pass" | "--" | "ps" => state.board.read("pass").map_err(ReadError::from),
            _ => self.spelling.read(&state.board, text),
        };
        read.map(Reply::Move)
            .map_err(|why| Trouble::new(Cause::IllegalMove, Phase::Genmove, why.to_string()))
    }

    fn stats(&mut self) -> Result<Option<Stats>, Trouble> {
        Ok(None)
    }

    fn quit(&mut self) -> Result<(), Trouble> {
        self.send("quit", Phase::Quit)?;
        end(
            &mut self.process,
            Duration::from_secs_f64(self.patience.quit),
        )
    }
}

/// A position as a game in GGF without moves: rows from the top, which is row 1, `*` for black.
fn game(grid: &Grid, turn: Player) -> String {
    let letter = |player: Player| match player {
        Player::One => '*',
        Player::Two => 'O',
    };
    let stones: String = grid
        .stones
        .iter()
        .map(|stone| stone.map_or('-', letter))
        .collect();
    format!(
        "(;GM[Othello]PC[Treeline]PB[b]PW[w]RE[?]TI[0]TY[{0}]BO[{0} {stones} {1}];)",
        grid.columns,
        letter(turn)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::board::Variant;

    #[test]
    fn the_initial_position_as_ggf() {
        let board = Variant::read("othello").unwrap().open().unwrap();
        let text = game(&board.grid().unwrap(), board.turn());
        let row = "-".repeat(24);
        let expected = format!("BO[8 {row}---O*------*O---{row} *]");
        assert!(text.contains(&expected), "{text}");
    }
}
