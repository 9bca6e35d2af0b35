//! A network instead of the heuristic: its values as points.

use super::material::Experience;
use crate::eval::Evaluator;
use treeline_game::{ForOne, Game, Heuristic, fine, from_fine};

/// A thread's network, with room for a batch.
pub struct Network<G: Game> {
    pub(super) evaluator: Box<dyn Evaluator<G>>,
    pub(super) children: Vec<G::Position>,
    /// Children whose captures are searched on.
    pub(super) restless: Vec<G::Position>,
    pub(super) values: Vec<ForOne>,
    /// What it said of positions by their material.
    pub(super) experience: Experience,
    /// Positions that this might have spared it.
    pub(super) spared: u32,
}

impl<G: Game> Network<G> {
    /// What stands for the game's heuristic beside a network: the scale of its points. It judges nothing.
    pub const SCALE: &'static Heuristic<G> = &Heuristic {
        name: "network",
        help: "",
        points: |_, _| 0,
        scale: from_fine,
        last_ply: None,
    };

    pub fn new(evaluator: Box<dyn Evaluator<G>>) -> Self {
        Network {
            evaluator,
            children: Vec::new(),
            restless: Vec::new(),
            values: Vec::new(),
            experience: Experience::new(),
            spared: 0,
        }
    }

    /// Points for player one.
    pub fn points(&mut self, position: &G::Position) -> i32 {
        let position = std::slice::from_ref(position);
        self.evaluator.evaluate(position, &mut self.values);
        self.values.first().map_or(0, |value| fine(*value))
    }
}
