//! Giving a game another player: a searcher and the network that it evaluates with.

use super::Setup;
use super::game::Game;
use super::player::Judge;
use crate::game::Calibration;
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
        self.calibration = self.calibration(setup);
        // The former searcher's memory is the system's again.
        if setup.resources.memory > 0 {
            memory::get_ready();
        }
        Ok(())
    }

    /// Whether expected scores rest on matches.
    pub(super) fn is_calibrated(&self) -> bool {
        self.calibration != Calibration::PLAIN
    }

    /// The game's row for the family of this searcher, which has searched nothing yet, and the network that judges in it. Without a
    /// network a row is for the game's usual variant.
    fn calibration(&self, setup: &Setup) -> Calibration {
        let family = match self.searcher.deputy() {
            None => search::family(setup.searcher, &setup.options),
            Some(words) => {
                let mut words = words.split_whitespace();
                let entry = words.next().and_then(search::find);
                entry.and_then(|entry| {
                    let mut values = entry.values();
                    values.set_pairs(words).ok()?;
                    search::family(entry.name, &values)
                })
            }
        };
        let judge = self.network.as_ref();
        let judge = judge.filter(|_| self.searcher.judges_by_network());
        let network = judge.map(|judge| judge.named.name.as_str());
        let usual = || self.variant.rows().all(|(_, value, usual)| value == usual);
        let mut rows = self.entry.tuning.calibrations.iter();
        let row = rows.find(|row| Some(row.searcher) == family && row.network == network);
        row.filter(|_| network.is_some() || usual())
            .copied()
            .unwrap_or(Calibration::PLAIN)
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
