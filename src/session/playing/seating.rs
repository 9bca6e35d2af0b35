//! Giving a game another player: a searcher and the network that it evaluates with.

use super::Setup;
use super::game::Game;
use super::player::Judge;
use crate::memory;
use crate::search::{self, Equipment};
use crate::session::SessionError;
use std::sync::Arc;

#[cfg(test)]
thread_local! {
    /// The searchers that this thread tried to build.
    pub static BUILDS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl Game {
    /// Another player of the same game. After an error nothing has changed.
    pub(in crate::session) fn set_player(&mut self, setup: &Setup) -> Result<(), SessionError> {
        let same = match (&self.network, &setup.network) {
            (Some(judge), Some(named)) => {
                judge.backend == setup.backend && Arc::ptr_eq(&judge.named, named)
            }
            (judge, named) => judge.is_none() && named.is_none(),
        };
        let fresh = if same { None } else { Some(self.judge(setup)?) };
        let judge = fresh.as_ref().unwrap_or(&self.network);
        let equipment = Equipment {
            network: judge.as_ref().map(|judge| &*judge.evaluator),
            ..Equipment::from(setup.resources)
        };
        #[cfg(test)]
        BUILDS.set(BUILDS.get() + 1);
        let built = search::build(
            setup.searcher,
            self.record.game(),
            &setup.options,
            equipment,
        )?;
        // Two searchers for a moment, but not their memory twice: the system gives pages as they are first written.
        self.searcher = built;
        self.prover = None;
        self.searcher_name = setup.searcher;
        let parallel = search::find(setup.searcher).is_some_and(|entry| entry.parallel);
        self.threads = if parallel { setup.resources.threads } else { 1 };
        if let Some(fresh) = fresh {
            self.network = fresh;
        }
        // The former searcher's memory is the system's again.
        if setup.resources.memory > 0 {
            memory::get_ready();
        }
        Ok(())
    }

    /// The network of a setup, made ready for this game.
    fn judge(&self, setup: &Setup) -> Result<Option<Judge>, SessionError> {
        let Some(named) = &setup.network else {
            return Ok(None);
        };
        let evaluator = named.evaluator(self.rules(), self.entry, &self.variant, setup.backend)?;
        Ok(Some(Judge {
            named: named.clone(),
            backend: setup.backend,
            evaluator,
        }))
    }
}
