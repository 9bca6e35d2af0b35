//! The parts of a player: its network, and what stands in for its searcher.

use crate::eval::Evaluator;
use crate::eval::network::Backend;
use crate::game::Record;
use crate::games::AnyGame;
use crate::search::{self, Control, Found, Searcher};
use crate::session::networks::NamedNetwork;
use std::sync::Arc;

/// An evaluator and the network that it was made of.
pub struct Judge {
    pub named: Arc<NamedNetwork>,
    pub backend: Backend,
    pub evaluator: Box<dyn Evaluator<AnyGame>>,
}

/// The searcher of a game whose own one is searching at the moment.
pub struct Absent;

impl Searcher<AnyGame> for Absent {
    fn search(
        &mut self,
        record: &Record<AnyGame>,
        _: &Control,
        _: &mut search::Report<'_, AnyGame>,
    ) -> Found<AnyGame> {
        let best = record.moves()[0];
        let stats = search::Stats::default();
        Found {
            best,
            value: None,
            proven: None,
            pv: vec![best],
            candidates: Vec::new(),
            stats,
        }
    }

    fn clear(&mut self) {}
}
