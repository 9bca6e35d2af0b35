//! The order of moves far from the tables of endings, by what a network says of the positions that they lead to.

use super::super::rules::{Kalah, Position};
use super::super::side::Side;
use super::board::Child;
use super::opens::Opens;
use treeline_game::{Advice, ForOne, Player, certainty};

/// With so many seeds more than the largest table of endings, and more, a network is asked.
pub const BEYOND_TABLES: i32 = 8;
/// What a unit of [`certainty`] is worth beside the other promises of a move.
const WEIGHT: f32 = 50.0;

/// A network.
pub struct Adviser<S: Side, const N: u32> {
    advice: Box<Advice<Kalah<S, N>>>,
    /// Seeds that houses and stores have together.
    seeds: i32,
    /// What is asked, and the answers.
    positions: Vec<Position<S>>,
    values: Vec<ForOne>,
}

impl<S: Side, const N: u32> Adviser<S, N> {
    pub fn new(game: &Kalah<S, N>, advice: Box<Advice<Kalah<S, N>>>) -> Self {
        Adviser {
            advice,
            seeds: (2 * game.houses() * game.seeds()) as i32,
            positions: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Adds to the promises of the moves, except that of `hint`, which comes first, how certainly each brings more than `alpha`.
    pub fn judge(&mut self, opens: &mut Opens<S>, alpha: i32, hint: u8) {
        self.positions.clear();
        for open in opens.iter() {
            self.positions.push(self.at_stake(&open.child, alpha));
        }
        (self.advice)(&self.positions, &mut self.values);
        // Whoever answers less says nothing of the rest.
        self.values.resize(opens.len(), ForOne(0.0));
        for (open, value) in opens.iter_mut().zip(&self.values) {
            if open.child.house == hint {
                continue;
            }
            let value = (WEIGHT * certainty(value.0)) as i32;
            open.score += if open.child.again { value } else { -value };
        }
    }

    /// The position after a move with stores that let whoever moves there win just where the move's value for him is above
    /// [`Child::alpha`]: as the network learned it, by who wins.
    fn at_stake(&self, child: &Child<S>, alpha: i32) -> Position<S> {
        let board = child.board;
        let needed = child.alpha(alpha);
        // A value has the parity of the seeds.
        let lead = ((needed ^ board.seeds) & 1) - needed;
        let stores = (self.seeds - board.seeds).max(0);
        let own = ((stores + lead) / 2).clamp(0, stores);
        let with = |houses: S, store: i32| houses | S::seeds(store as u32, S::STORE);
        Position {
            // Player one's values are the mover's.
            sides: [with(board.mine, own), with(board.theirs, stores - own)],
            turn: Player::One,
        }
    }
}
