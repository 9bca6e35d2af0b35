//! What a game of self-play begins with.

use crate::game::{Notation, Record};
use crate::games::{AnyGame, AnyMove};

/// A game as far as it has begun.
pub struct Begun {
    pub record: Record<AnyGame>,
    pub moves: Vec<String>,
    /// Positions that were judged for it, those of beginnings that were not taken among them.
    pub evaluations: u64,
}

impl Begun {
    /// Nothing has been played.
    pub fn new(game: &AnyGame) -> Begun {
        Begun {
            record: Record::new(game.clone()),
            moves: Vec::new(),
            evaluations: 0,
        }
    }

    pub fn play(&mut self, game: &AnyGame, m: AnyMove) {
        self.moves.push(game.write_move(self.record.position(), m));
        self.record.play_on(m);
    }
}
