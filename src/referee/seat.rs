//! One engine at one of the tables: started when it is needed, kept from game to game, replaced after trouble.

use super::clock::Budget;
use super::config::{Config, EngineSetup, Restart};
use super::engine::{self, Engine, GameState};
use super::process::{Log, Program};
use super::trouble::{Cause, Phase, Trouble};
use std::path::PathBuf;

/// A place for one engine.
pub struct Seat {
    pub setup: EngineSetup,
    log: Option<PathBuf>,
    running: Option<(Program, Box<dyn Engine>)>,
    identity: String,
}

impl Seat {
    pub fn new(setup: &EngineSetup, log: Option<PathBuf>) -> Self {
        Seat {
            setup: setup.clone(),
            log,
            running: None,
            identity: String::new(),
        }
    }

    /// Name and version of the engine that played here last.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Starts the engine if need be, and a game with it.
    pub fn new_game(
        &mut self,
        config: &Config,
        state: &GameState,
        budget: &Budget,
    ) -> Result<(), Trouble> {
        let program = self.setup.program(&state.variant, config.time);
        let fits = self
            .running
            .as_ref()
            .is_some_and(|(running, _)| *running == program);
        if !fits || self.setup.restart == Restart::Game {
            self.quit();
        }
        let fresh = self.running.is_none();
        let first = self.try_new_game(config, state, budget, &program);
        match first {
            // A process that died since its last game has cost nobody a move: another takes its place.
            Err(trouble) if !fresh && trouble.cause == Cause::Crash => {
                self.dismiss();
                self.try_new_game(config, state, budget, &program)
            }
            other => other,
        }
    }

    fn try_new_game(
        &mut self,
        config: &Config,
        state: &GameState,
        budget: &Budget,
        program: &Program,
    ) -> Result<(), Trouble> {
        if self.running.is_none() {
            let log = Log::open(self.log.as_deref())
                .map_err(|e| Trouble::of_the_referee(format!("its log: {e}")))?;
            let (variant, patience) = (&state.variant, &config.patience);
            let engine = engine::start(&self.setup, variant, config.time, patience, log)?;
            self.identity = engine.identity();
            self.running = Some((program.clone(), engine));
        }
        let engine = self.engine()?;
        engine.new_game(state, budget)?;
        engine.catch_up(state)
    }

    /// The engine that a game was begun with.
    pub fn engine(&mut self) -> Result<&mut dyn Engine, Trouble> {
        match &mut self.running {
            Some((_, engine)) => Ok(&mut **engine),
            None => Err(Trouble::new(
                Cause::Crash,
                Phase::Play,
                "the engine is gone",
            )),
        }
    }

    /// Ends the engine without a word.
    pub fn dismiss(&mut self) {
        self.running = None;
    }

    /// Asks the engine to end. One that does not is ended: its games are over, so that costs nobody anything.
    pub fn quit(&mut self) {
        if let Some((_, mut engine)) = self.running.take()
            && let Err(trouble) = engine.quit()
        {
            log::warn!("{}: {trouble}", self.setup.name);
        }
    }
}
