//! One position for all that turn or mirror into each other.

use crate::game::{Rules, Symmetric};
use crate::games::{AnyGame, AnyMove, AnyPosition};

/// A position as the book has it, and how it became that.
#[derive(Debug, Clone, Copy)]
pub struct Canon {
    pub position: AnyPosition,
    pub key: u64,
    /// The symmetry that leads from the original there.
    by: Option<usize>,
}

impl Canon {
    /// Of the images that leave the players theirs, that with the least key. A mirror that exchanges the players is not used: where a
    /// swap may still come, it leads to positions that cannot be.
    pub fn of(game: &AnyGame, position: &AnyPosition) -> Self {
        let mut best = Canon {
            position: *position,
            key: game.key(position),
            by: None,
        };
        for (s, symmetry) in game.symmetries().iter().enumerate() {
            if symmetry.swaps_players {
                continue;
            }
            let image = game.image(s, position);
            let key = game.key(&image);
            if key < best.key {
                best = Canon {
                    position: image,
                    key,
                    by: Some(s),
                };
            }
        }
        best
    }

    /// The image of a move of the original.
    pub fn image(&self, game: &AnyGame, original: &AnyPosition, m: AnyMove) -> AnyMove {
        match self.by {
            Some(s) => game.image_of_move(s, original, m),
            None => m,
        }
    }

    /// The move of the original whose image `m` is.
    pub fn original(&self, game: &AnyGame, original: &AnyPosition, m: AnyMove) -> Option<AnyMove> {
        let moves = game.moves(original);
        let mut moves = moves.into_iter();
        moves.find(|own| self.image(game, original, *own) == m)
    }
}
