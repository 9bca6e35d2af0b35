//! The order of moves far from the end, by what a network says of the positions that they lead to: a small search, whose last
//! ply is asked for at once.

use super::super::board::Board;
use super::super::rules::{Othello, Position};
use super::children::{Child, Children};
use super::last::Last;
use treeline_game::{Advice, ForOne, Player, certainty};

/// From so many empty squares on a network is asked.
pub const FROM: u32 = 12;
/// From so many empty squares on so many plies behind each move are searched; the most first.
const PLIES: [(u32, u32); 3] = [(24, 3), (20, 2), (16, 1)];
/// What a unit of [`certainty`] is worth beside the other promises of a move.
const WEIGHT: f32 = 200.0;
/// More than any certainty.
const MOST: f32 = 20.0;
/// A disc of the margin where the game is over, as a certainty.
const DISC: f32 = 0.1;

/// A network.
pub struct Adviser<B: Board<N>, const N: u32> {
    advice: Box<Advice<Othello<B, N>>>,
    /// What is asked, and the answers.
    positions: Vec<Position<B>>,
    values: Vec<ForOne>,
}

impl<B: Board<N>, const N: u32> Adviser<B, N> {
    pub fn new(advice: Box<Advice<Othello<B, N>>>) -> Self {
        Adviser {
            advice,
            positions: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Adds to the promises of the moves of a position with `count` empty squares, except that of `hint`, which comes first.
    pub fn judge(&mut self, children: &mut Children<B>, count: u32, hint: u8, last: &Last<B, N>) {
        let enough = |(from, plies): &(u32, u32)| (count >= *from).then_some(*plies);
        let plies = PLIES.iter().find_map(enough).unwrap_or(0);
        if plies == 0 {
            self.ask(children);
        }
        for at in 0..children.len() {
            let child = &mut children[at];
            if child.square == hint {
                continue;
            }
            let value = match plies {
                0 => certainty(self.values[at].0),
                _ => self.search((child.own, child.other), plies, -MOST, MOST, last),
            };
            child.score -= (WEIGHT * value) as i32;
        }
    }

    /// Fills `values` with what the children are worth to their movers.
    fn ask(&mut self, children: &[Child<B>]) {
        self.positions.clear();
        self.positions.extend(children.iter().map(|child| {
            let moves = Othello::<B, N>::legal(child.own, child.other);
            // Player one's values are the mover's.
            Othello::<B, N>::with_moves(child.own, child.other, moves, Player::One)
        }));
        (self.advice)(&self.positions, &mut self.values);
        // Whoever answers less says nothing of the rest.
        self.values.resize(children.len(), ForOne(0.0));
    }

    /// The mover's certainty after so many plies, one at least.
    fn search(
        &mut self,
        (own, other): (B, B),
        plies: u32,
        low: f32,
        high: f32,
        last: &Last<B, N>,
    ) -> f32 {
        let moves = Othello::<B, N>::legal(own, other);
        if moves.is_empty() {
            return match Othello::<B, N>::legal(other, own).is_empty() {
                true => DISC * last.over(own, other) as f32,
                false => -self.search((other, own), plies, -high, -low, last),
            };
        }
        let mut children = Children::new();
        for square in moves.squares() {
            let turned = B::turned(own, other, square);
            children.push(Child {
                own: other & !turned,
                other: own | turned | B::single(square as u8),
                square: square as u8,
                score: 0,
            });
        }
        self.ask(&children);
        let values = self.values.iter().map(|value| -certainty(value.0));
        if plies == 1 {
            return values.fold(-MOST, f32::max);
        }
        for (child, value) in children.iter_mut().zip(values) {
            child.score = (WEIGHT * value) as i32;
        }
        children.sort_by_key(|child| -child.score);
        let mut best = -MOST;
        for child in &children {
            let next = (child.own, child.other);
            let value = -self.search(next, plies - 1, -high, -low.max(best), last);
            best = best.max(value);
            if best >= high {
                break;
            }
        }
        best
    }
}
