//! The half turn, and the mirrors in the diagonals, which exchange the players.

use super::rules::{Hex, Place, Position};
use treeline_game::{Symmetric, Symmetry};

const HALF_TURN: Symmetry = Symmetry {
    name: "half turn",
    swaps_players: false,
};
const SYMMETRIES: &[Symmetry] = &[
    HALF_TURN,
    Symmetry {
        name: "a1 diagonal",
        swaps_players: true,
    },
    Symmetry {
        name: "other diagonal",
        swaps_players: true,
    },
];

impl<const N: usize, const L: u32, const R: usize> Symmetric for Hex<N, L, R> {
    /// Reflections exchange the players, so none where the board is not square or one player alone may swap.
    fn symmetries(&self) -> &'static [Symmetry] {
        if self.columns() == self.rows() && !self.has_swap() {
            SYMMETRIES
        } else {
            &[HALF_TURN]
        }
    }

    fn image(&self, s: usize, position: &Position<N, L, R>) -> Position<N, L, R> {
        let [one, two] = position.stones.map(|stones| self.image_of_cells(s, stones));
        let image = match s {
            0 => self.assemble([one, two], position.turn),
            _ => self.assemble([two, one], position.turn.other()),
        };
        match position.sides_swapped {
            true => self.with_sides_swapped(&image),
            false => image,
        }
    }

    fn image_of_move(&self, s: usize, _position: &Position<N, L, R>, m: Place) -> Place {
        match m {
            Place::SWAP => m,
            Place(square) => Place(self.image_of_square(s, u32::from(square)) as u16),
        }
    }
}
