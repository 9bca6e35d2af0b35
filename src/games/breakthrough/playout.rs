//! Random games. The k-th move is found among the three sets of target squares without a branch; a batch plays several
//! games side by side, since one game alone mostly waits for its own last move.
//!
//! Games run in rounds of two plies and are looked at after each: what wins a round's first ply, a piece on the far rank
//! or the opponent's last piece taken, cannot be undone by the second.

use super::pick::Board;
use super::rules::{Breakthrough, Position};
use crate::game::random::word;
use crate::game::{Game, Outcome, Player, Playout, Rng, Tally};

/// Games side by side.
const LANES: usize = 4;

/// One game of a batch.
#[derive(Clone, Copy)]
struct Lane<B> {
    pieces: [B; 2],
    rounds: u32,
}

impl<B: Board, const W: u32, const H: u32> Breakthrough<B, W, H> {
    /// No side has 64 moves: at most three by each of 2w pieces.
    const FEW: bool = W != 0 && 6 * W < 64;

    /// Plays one random move; nothing if there is none.
    #[inline(always)]
    fn random_ply<const UP: bool>(&self, mover: &mut B, other: &mut B, random: u32) {
        let sets = self.targets::<UP>(*mover, *other);
        let [low, straight, high] = B::choose(sets, random, Self::FEW);
        // Back to where the one chosen piece came from.
        let w = self.width();
        let from = match UP {
            true => (low >> (w - 1)) | (straight >> w) | (high >> (w + 1)),
            false => (low << (w + 1)) | (straight << w) | (high << (w - 1)),
        };
        *mover ^= low | straight | high | from;
        *other &= !(low | high);
    }

    /// The winner and the plies played, if the game ended in the round just played. `FIRST`: player one began the round.
    #[inline(always)]
    fn ended<const FIRST: bool>(&self, lane: &Lane<B>) -> Option<Playout> {
        let [one, two] = lane.pieces;
        let arrived = (one & self.goal[0]) | (two & self.goal[1]);
        if arrived.is_empty() & !one.is_empty() & !two.is_empty() {
            return None;
        }
        // If both sides won in one round, whoever began it did so first.
        let one_won = !(one & self.goal[0]).is_empty() | two.is_empty();
        let two_won = !(two & self.goal[1]).is_empty() | one.is_empty();
        let began = if FIRST { one_won } else { two_won };
        let winner = match began == FIRST {
            true => Player::One,
            false => Player::Two,
        };
        Some(Playout {
            outcome: Outcome::Win(winner),
            plies: 2 * lane.rounds - u32::from(began),
        })
    }

    #[inline(always)]
    fn round<const FIRST: bool>(&self, lane: &mut Lane<B>, random: u64) {
        let [one, two] = &mut lane.pieces;
        if FIRST {
            self.random_ply::<true>(one, two, random as u32);
            self.random_ply::<false>(two, one, (random >> 32) as u32);
        } else {
            self.random_ply::<false>(two, one, random as u32);
            self.random_ply::<true>(one, two, (random >> 32) as u32);
        }
        lane.rounds += 1;
    }

    #[inline(always)]
    fn game_from<const FIRST: bool>(&self, pieces: [B; 2], rng: &mut Rng) -> Playout {
        let mut lane = Lane { pieces, rounds: 0 };
        loop {
            self.round::<FIRST>(&mut lane, word(rng));
            if let Some(playout) = self.ended::<FIRST>(&lane) {
                return playout;
            }
        }
    }

    #[inline(never)]
    fn games_from<const FIRST: bool>(&self, pieces: [B; 2], count: u64, rng: &mut Rng) -> Tally {
        let mut tally = Tally::default();
        let fresh = Lane { pieces, rounds: 0 };
        let mut lanes = [fresh; LANES];
        let mut live = count.min(LANES as u64) as usize;
        let mut to_start = count - live as u64;
        while live > 0 {
            let mut i = 0;
            while i < live {
                let lane = &mut lanes[i];
                self.round::<FIRST>(lane, word(rng));
                if let Some(playout) = self.ended::<FIRST>(lane) {
                    tally.add(playout);
                    if to_start > 0 {
                        to_start -= 1;
                        *lane = fresh;
                    } else {
                        live -= 1;
                        lanes[i] = lanes[live];
                    }
                }
                i += 1;
            }
        }
        tally
    }

    #[inline]
    pub(super) fn random_game(&self, position: Position<B>, rng: &mut Rng) -> Playout {
        if let Some(outcome) = self.outcome(&position) {
            return Playout { outcome, plies: 0 };
        }
        match position.turn {
            Player::One => self.game_from::<true>(position.pieces, rng),
            Player::Two => self.game_from::<false>(position.pieces, rng),
        }
    }

    pub(super) fn random_games(&self, position: Position<B>, count: u64, rng: &mut Rng) -> Tally {
        if let Some(outcome) = self.outcome(&position) {
            let mut tally = Tally::default();
            (0..count).for_each(|_| tally.add(Playout { outcome, plies: 0 }));
            return tally;
        }
        match position.turn {
            Player::One => self.games_from::<true>(position.pieces, count, rng),
            Player::Two => self.games_from::<false>(position.pieces, count, rng),
        }
    }
}
