//! The player of a game is exchanged.

use super::Setup;
use super::game::Game;
use super::player::Judge;
use crate::eval::network::{self, Place};
use crate::search::{self, Equipment};
use crate::session::SessionError;
use std::sync::Arc;

impl Game {
    /// Another player of the same game, or nothing changes.
    pub fn set_player(&mut self, setup: &Setup) -> Result<(), SessionError> {
        let same = match (&self.network, &setup.network) {
            (Some(judge), Some(brought)) => {
                judge.backend == setup.backend && Arc::ptr_eq(&judge.brought, brought)
            }
            (judge, brought) => judge.is_none() && brought.is_none(),
        };
        let fresh = if same { None } else { Some(self.judge(setup)?) };
        let judge = fresh.as_ref().unwrap_or(&self.network);
        let equipment = Equipment {
            network: judge.as_ref().map(|judge| &*judge.evaluator),
            ..Equipment::from(setup.resources)
        };
        // The new searcher's memory is not touched before it searches, so both may be there for a moment.
        self.searcher = search::build(
            setup.searcher,
            self.record.game(),
            &setup.options,
            equipment,
        )?;
        self.prover = None;
        self.searcher_name = setup.searcher;
        if let Some(fresh) = fresh {
            self.network = fresh;
        }
        Ok(())
    }

    /// The network of a setup, made ready for this game.
    fn judge(&self, setup: &Setup) -> Result<Option<Judge>, SessionError> {
        let Some(brought) = &setup.network else {
            return Ok(None);
        };
        let variant = brought.variant_text(self.entry, &self.variant);
        let place = Place {
            game: self.entry.name,
            variant: &variant,
        };
        let loaded = network::load(self.rules(), place, &brought.network, setup.backend);
        let loaded = loaded.map_err(|e| SessionError::Network(format!("{}: {e}", brought.name)))?;
        if let Some(notice) = loaded.notice {
            log::warn!("{}: {notice}", brought.name);
        }
        Ok(Some(Judge {
            brought: brought.clone(),
            backend: setup.backend,
            evaluator: loaded.evaluator,
        }))
    }
}
