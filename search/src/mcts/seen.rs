//! The moves of a descent, each once.

use super::averages::Played;

/// A set of moves in the order they came.
pub struct Seen {
    pub moves: Vec<Played>,
    slots: usize,
    /// By player and row: the round in which the move was last noted.
    rounds: Vec<u32>,
    round: u32,
}

impl Seen {
    pub fn new(slots: usize) -> Self {
        Seen {
            moves: Vec::new(),
            slots,
            rounds: vec![0; 2 * slots],
            round: 0,
        }
    }

    pub fn clear(&mut self) {
        self.moves.clear();
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.rounds.fill(0);
            self.round = 1;
        }
    }

    pub fn note(&mut self, played: Played) {
        let row = &mut self.rounds[played.player.index() * self.slots + played.slot as usize];
        if *row != self.round {
            *row = self.round;
            self.moves.push(played);
        }
    }
}
