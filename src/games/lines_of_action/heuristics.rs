//! Static evaluation.

use super::geometry::Word;
use super::rules::{LinesOfAction, Position};
use crate::game::{ForOne, Heuristic};

impl<B: Word, const S: u32> LinesOfAction<B, S> {
    pub(super) const HEURISTICS: &'static [Heuristic<Self>] = &[Heuristic {
        name: "centre",
        help: "average closeness of the pieces to the centre of the board",
        value: Self::centre,
    }];

    fn centre(&self, position: &Position<B>) -> ForOne {
        let [one, two] = position.stones.map(|stones| self.closeness(stones));
        ForOne((2.0 * (one - two)).tanh() * 0.99)
    }

    /// The average over `stones` of 0 at the edge to 1 at the centre.
    fn closeness(&self, stones: B) -> f32 {
        let steps = (self.size() - 1) / 2;
        let levels = self.geometry.levels.iter().enumerate();
        let sum: u32 = levels
            .map(|(k, level)| k as u32 * (stones & *level).count())
            .sum();
        sum as f32 / (steps * stones.count().max(1)) as f32
    }
}
