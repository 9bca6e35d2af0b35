//! Features: own men, own kings, the other's men, the other's kings, by the number of the square, from 1; player two sees
//! the board turned by a half turn.

use super::rules::{Draughts, Position};
use treeline_game::features::{Writer, exchanged, packed, write_turned};
use treeline_game::pattern::Patterns;
use treeline_game::{Features, Player};

/// Squares.
const SQUARES: usize = 50;
/// Own men and kings, the other's men and kings.
const FEATURES: usize = 4 * SQUARES;

impl Draughts {
    /// As player one sees them.
    #[inline(always)]
    fn write_pieces(position: &Position, out: &mut [u64]) {
        let mut writer = Writer::new(out);
        for pieces in position.pieces {
            for set in [pieces & !position.kings, pieces & position.kings] {
                // Ten squares, then a bit that is none.
                writer.put(packed(u128::from(set), 11, 10, 5), SQUARES as u32);
            }
        }
    }
}

impl Features for Draughts {
    fn features(&self) -> usize {
        FEATURES
    }

    #[inline]
    fn write_features(&self, position: &Position, player: Player, out: &mut [u64]) {
        match player {
            Player::One => Self::write_pieces(position, out),
            Player::Two => write_turned(self, position, out),
        }
    }

    /// The other player's piece of the same kind on the opposite square.
    fn turned_feature(&self, feature: usize) -> usize {
        let (kind, square) = (feature / SQUARES, feature % SQUARES);
        exchanged(kind * SQUARES + SQUARES - 1 - square, 2 * SQUARES)
    }

    fn patterns(&self) -> Option<Patterns> {
        Some(super::patterns::patterns())
    }
}
