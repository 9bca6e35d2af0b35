//! Static evaluation: the difference of the stores (IM §4.1).

use super::rules::{Kalah, Position, margin};
use super::side::Side;
use crate::game::{ForOne, Heuristic, fine, from_fine};

impl<S: Side, const N: u32> Kalah<S, N> {
    pub(super) const HEURISTICS: &'static [Heuristic<Self>] = &[Heuristic {
        name: "stores",
        help: "own store minus the opponent's, against a quarter of all seeds",
        points: |game, position| fine(Self::stores(game, position)),
        scale: from_fine,
        last_ply: None,
    }];

    fn stores(&self, position: &Position<S>) -> ForOne {
        let seeds = position.sides[0].sum() + position.sides[1].sum();
        ForOne((4.0 * margin(position) as f32 / seeds as f32).tanh() * 0.99)
    }
}
