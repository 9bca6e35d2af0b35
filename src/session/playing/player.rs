//! What plays: the searcher and the network of a game.

use crate::eval::Evaluator;
use crate::eval::network::Backend;
use crate::game::Record;
use crate::games::AnyGame;
use crate::search::{self, Control, Found, Searcher};
use crate::session::networks::NamedNetwork;
use std::sync::Arc;

/// A network that is ready, and what it was made of.
pub struct Judge {
    pub named: Arc<NamedNetwork>,
    pub backend: Backend,
    pub evaluator: Box<dyn Evaluator<AnyGame>>,
}

/// Stands in for the searcher while that one works.
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
