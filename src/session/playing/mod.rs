//! A game in progress with its searcher, its network and its solver.

mod booked;
mod game;
mod judgement;
mod player;
mod searching;
mod seating;

pub use game::Game;
#[cfg(test)]
pub use seating::BUILDS;

use super::networks::NamedNetwork;
use crate::eval::network::Backend;
use crate::options::Values;
use crate::search::Resources;
use std::sync::Arc;

/// A player: a searcher with its options, the network that it evaluates with, and the resources of both.
#[derive(Debug, Clone)]
pub struct Setup {
    pub searcher: &'static str,
    pub options: Values,
    pub network: Option<Arc<NamedNetwork>>,
    pub backend: Backend,
    pub resources: Resources,
}

impl Setup {
    /// The same with next to no memory for the searcher.
    pub fn small(mut self) -> Setup {
        self.resources.memory = 0;
        self
    }
}
