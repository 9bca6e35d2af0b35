//! The half turn, which exchanges the players.

use super::rules::{Kalah, Position};
use super::side::Side;
use treeline_game::{Symmetric, Symmetry};

impl<S: Side, const N: u32> Symmetric for Kalah<S, N> {
    fn symmetries(&self) -> &'static [Symmetry] {
        &[Symmetry {
            name: "half-turn",
            swaps_players: true,
        }]
    }

    fn image(&self, _s: usize, position: &Position<S>) -> Position<S> {
        let [one, two] = position.sides;
        Position {
            sides: [two, one],
            turn: position.turn.other(),
        }
    }
}
