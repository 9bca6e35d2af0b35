//! Engines that speak GTP.

use super::{Engine, GameState, Reply, Stats, end, late, no_start};
use crate::game::Player;
use crate::referee::clock::{Budget, Time};
use crate::referee::config::{EngineSetup, Patience, Tell};
use crate::referee::process::{Input, Log, Process, Program};
use crate::referee::spelling::Spelling;
use crate::referee::template::{Fill, number};
use crate::referee::trouble::{Cause, Phase, Trouble};
use std::process::ChildStdout;
use std::time::Duration;
use treeline_protocol::{Client, ClientError};

/// A running engine.
pub struct Gtp {
    client: Client<ChildStdout, Input>,
    process: Process,
    setup: EngineSetup,
    spelling: Spelling,
    patience: Patience,
    identity: String,
    /// Plies of the game that it has heard of.
    known: usize,
}

impl Gtp {
    pub fn start(
        setup: &EngineSetup,
        program: &Program,
        patience: Patience,
        log: Log,
    ) -> Result<Self, Trouble> {
        let started = Process::start(program, log)
            .and_then(|(process, output, input)| Ok((process, Client::new(output, input)?)));
        let (process, client) = started.map_err(|error| no_start(program, &error))?;
        let mut engine = Gtp {
            client,
            process,
            setup: setup.clone(),
            spelling: Spelling::new(&setup.moves, &setup.colours),
            patience,
            identity: String::new(),
            known: 0,
        };
        // The first command also finds out whether anybody is there. Not every engine has a name.
        let mut words = Vec::new();
        for command in ["name", "version"] {
            match engine.call(command, Phase::Start, patience.start) {
                Ok(text) => words.push(text.lines().next().unwrap_or_default().to_string()),
                Err(trouble) if trouble.cause == Cause::Refusal => {}
                Err(trouble) => return Err(trouble),
            }
        }
        engine.identity = words.join(" ").trim().chars().take(100).collect();
        for command in &setup.start {
            engine.call(command, Phase::Start, patience.start)?;
        }
        Ok(engine)
    }

    /// Sends a command and waits for its reply's text, both for the log.
    fn call(&mut self, line: &str, phase: Phase, seconds: f64) -> Result<String, Trouble> {
        self.process.log.say('>', line);
        let wait = Duration::from_secs_f64(seconds.clamp(0.0, 1e7));
        match self.client.call(line, wait) {
            Ok(text) => {
                self.process.log.say('<', &format!("= {text}"));
                Ok(text)
            }
            Err(error) => {
                let mut trouble = trouble(error, phase);
                if trouble.cause == Cause::Crash {
                    trouble.with_last_words(&self.process.last_words());
                }
                self.process.log.say('<', &format!("? {trouble}"));
                Err(trouble)
            }
        }
    }

    fn call_filled(&mut self, template: &str, fill: &Fill, phase: Phase) -> Result<(), Trouble> {
        // The configuration was checked: a gap that cannot be filled is time that has no limit.
        let Ok(line) = fill.fill(template) else {
            return Ok(());
        };
        self.call(&line, phase, self.patience.reply).map(|_| ())
    }

    /// Tells the time, at the beginning of a game or before a move.
    fn say_time(&mut self, state: &GameState, budget: &Budget, first: bool) -> Result<(), Trouble> {
        let phase = if first { Phase::Setup } else { Phase::Genmove };
        let on_clock = matches!(budget.time, Time::Clock { .. });
        match self.setup.time.clone() {
            Tell::Nothing => Ok(()),
            Tell::Commands(commands) => {
                // What is the same for every move is said once.
                if first == on_clock {
                    return Ok(());
                }
                let fill = Fill::of_game(&state.variant).with_time(budget);
                commands
                    .iter()
                    .try_for_each(|c| self.call_filled(c, &fill, phase))
            }
            Tell::TimeSettings | Tell::SetOption => {
                let commands = match (budget.time, first) {
                    (Time::Move(seconds), true) if self.setup.time == Tell::SetOption => {
                        vec![format!("set_option seconds {seconds}")]
                    }
                    (Time::Unlimited, true) if self.setup.time == Tell::SetOption => {
                        vec!["set_option seconds off".into()]
                    }
                    (Time::Move(seconds), true) => {
                        vec![format!("time_settings 0 {} 1", number(seconds))]
                    }
                    (Time::Clock { main, .. }, true) => {
                        vec![format!("time_settings {} 0 0", number(main))]
                    }
                    (Time::Clock { .. }, false) => {
                        let turn = state.board.turn();
                        let left = |engine: &Self, player: Player, seconds: f64| {
                            let colour = engine.spelling.colour(player);
                            format!("time_left {colour} {} 0", number(seconds))
                        };
                        vec![
                            left(self, turn, budget.left[0]),
                            left(self, turn.other(), budget.left[1]),
                        ]
                    }
                    _ => Vec::new(),
                };
                let wait = self.patience.reply;
                commands
                    .iter()
                    .try_for_each(|c| self.call(c, phase, wait).map(|_| ()))
            }
        }
    }
}

impl Engine for Gtp {
    fn identity(&self) -> String {
        self.identity.clone()
    }

    fn new_game(&mut self, state: &GameState, budget: &Budget) -> Result<(), Trouble> {
        self.known = 0;
        self.spelling.reset();
        let mut fill = Fill::of_game(&state.variant);
        for command in self.setup.new_game.clone() {
            self.call_filled(&command, &fill, Phase::Setup)?;
        }
        if let (Some(start), Some(command)) = (&state.start, self.setup.position.clone()) {
            fill.set("position", start.clone());
            self.call_filled(&command, &fill, Phase::Setup)?;
        }
        self.say_time(state, budget, true)
    }

    fn catch_up(&mut self, state: &GameState) -> Result<(), Trouble> {
        while let Some(ply) = state.plies.get(self.known) {
            let text = self.spelling.write(&state.board, &ply.text);
            let colour = self.spelling.colour(ply.player);
            self.call(
                &format!("play {colour} {text}"),
                Phase::Play,
                self.patience.reply,
            )?;
            self.spelling.played(&ply.text);
            self.known += 1;
        }
        Ok(())
    }

    fn tell_time(&mut self, state: &GameState, budget: &Budget) -> Result<(), Trouble> {
        self.say_time(state, budget, false)
    }

    fn think(&mut self, state: &GameState, budget: &Budget) -> Result<Reply, Trouble> {
        self.say_time(state, budget, false)?;
        let colour = self.spelling.colour(state.board.turn());
        let fill = Fill::of_game(&state.variant).with_time(budget);
        // What cannot be filled was refused before the match.
        let genmove = fill.fill(&self.setup.genmove).unwrap_or_default();
        let line = format!("{genmove} {colour}");
        let answer = self.call(&line, Phase::Genmove, budget.wait.as_secs_f64())?;
        let text = answer.trim();
        if text.eq_ignore_ascii_case("resign") {
            return Ok(Reply::Resign);
        }
        let read = self.spelling.read(&state.board, text);
        let text =
            read.map_err(|why| Trouble::new(Cause::IllegalMove, Phase::Genmove, why.to_string()))?;
        self.spelling.played(&text);
        self.known = state.plies.len() + 1;
        Ok(Reply::Move(text))
    }

    fn stats(&mut self) -> Result<Option<Stats>, Trouble> {
        let Some(command) = self.setup.stats.clone() else {
            return Ok(None);
        };
        let text = self.call(&command, Phase::Genmove, self.patience.reply)?;
        Ok(serde_json::from_str(&text).ok())
    }

    fn quit(&mut self) -> Result<(), Trouble> {
        // An engine may end before it answers.
        match self.call("quit", Phase::Quit, self.patience.quit) {
            Err(trouble) if trouble.cause != Cause::Crash => Err(trouble),
            _ => end(
                &mut self.process,
                Duration::from_secs_f64(self.patience.quit),
            ),
        }
    }
}

fn trouble(error: ClientError, phase: Phase) -> Trouble {
    let cause = match &error {
        ClientError::Timeout => return late(phase),
        ClientError::Closed => Cause::Crash,
        ClientError::Refused { .. } => Cause::Refusal,
        ClientError::WrongId { .. } | ClientError::Garbage { .. } => Cause::Garbage,
        ClientError::TooLong => Cause::Flood,
        ClientError::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => Cause::Hang,
        ClientError::Io(_) => Cause::Crash,
    };
    Trouble::new(cause, phase, error.to_string())
}
