//! Random games. The k-th move is found among the three sets of target squares without a branch; a batch plays several
//! games side by side, since one game alone mostly waits for its own last move.
//!
//! Games run in rounds of two plies and are looked at after each: what wins a round's first ply, a piece on the far rank
//! or the opponent's last piece taken, cannot be undone by the second.

use super::pick::Board;
use super::rules::{Breakthrough, Position};
use treeline_game::random::word;
use treeline_game::{Outcome, Player, Playout, Playouts, Rng, Rules, Tally};

/// Games side by side.
const LANES: usize = 8;

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
    fn first_ply<const FIRST: bool>(&self, lane: &mut Lane<B>, random: u32) {
        let [one, two] = &mut lane.pieces;
        match FIRST {
            true => self.random_ply::<true>(one, two, random),
            false => self.random_ply::<false>(two, one, random),
        }
    }

    #[inline(always)]
    fn second_ply<const FIRST: bool>(&self, lane: &mut Lane<B>, random: u32) {
        let [one, two] = &mut lane.pieces;
        match FIRST {
            true => self.random_ply::<false>(two, one, random),
            false => self.random_ply::<true>(one, two, random),
        }
        lane.rounds += 1;
    }

    #[inline(always)]
    fn game_from<const FIRST: bool>(&self, pieces: [B; 2], rng: &mut Rng) -> Playout {
        let mut lane = Lane { pieces, rounds: 0 };
        loop {
            let random = word(rng);
            self.first_ply::<FIRST>(&mut lane, random as u32);
            self.second_ply::<FIRST>(&mut lane, (random >> 32) as u32);
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
            // One ply of each game in turn: two of the same would wait for each other.
            // A word serves two games.
            for pair in lanes[..live].chunks_mut(2) {
                let random = word(rng);
                for (lane, random) in pair.iter_mut().zip([random as u32, (random >> 32) as u32]) {
                    self.first_ply::<FIRST>(lane, random);
                }
            }
            let (mut i, mut random) = (0, 0);
            while i < live {
                random = if i % 2 == 0 { word(rng) } else { random >> 32 };
                let lane = &mut lanes[i];
                self.second_ply::<FIRST>(lane, random as u32);
                match self.ended::<FIRST>(lane) {
                    None => i += 1,
                    Some(playout) => {
                        tally.add(playout);
                        if to_start > 0 {
                            to_start -= 1;
                            *lane = fresh;
                            i += 1;
                        } else {
                            // The last game moves here and plays its second ply next, with bits of its own.
                            live -= 1;
                            lanes[i] = lanes[live];
                            random = word(rng);
                        }
                    }
                }
            }
        }
        tally
    }
}

impl<B: Board, const W: u32, const H: u32> Playouts for Breakthrough<B, W, H> {
    #[inline]
    fn playout(&self, position: Position<B>, rng: &mut Rng) -> Playout {
        if let Some(outcome) = self.outcome(&position) {
            return Playout { outcome, plies: 0 };
        }
        match position.turn {
            Player::One => self.game_from::<true>(position.pieces, rng),
            Player::Two => self.game_from::<false>(position.pieces, rng),
        }
    }

    fn playouts(&self, position: Position<B>, count: u64, rng: &mut Rng) -> Tally {
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

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::Notation;
    use treeline_game::random::seeded;

    /// Positions all of whose games have the same winner and length: batches of every size must count them exactly.
    #[test]
    fn batches_count_every_game_and_ply() {
        let game = Breakthrough::<u64, 8, 8>::new(8, 8);
        for (text, winner, plies) in [
            ("7w/8/b7/8/8/8/8/8 b", Player::One, 3),
            ("7w/8/b7/8/8/8/8/8 w", Player::One, 4),
            ("8/8/8/8/b7/7w/8/8 w", Player::Two, 3),
            ("8/8/8/8/b7/7w/8/8 b", Player::Two, 4),
            // Both could arrive in the same round: who began it wins.
            ("8/b7/8/8/8/8/7w/8 b", Player::One, 1),
            ("8/b7/8/8/8/8/7w/8 w", Player::Two, 1),
            // Finished.
            ("b7/8/8/8/8/8/7w/8 w", Player::One, 0),
        ] {
            let position = game.read_position(text).unwrap();
            let mut rng = seeded(1);
            for count in 0..40 {
                let tally = game.playouts(position, count, &mut rng);
                assert_eq!(
                    (tally.wins[winner.index()], tally.plies),
                    (count, count * plies),
                    "{text}"
                );
                assert_eq!(tally.games(), count, "{text}");
            }
            let single = game.playout(position, &mut rng);
            assert_eq!(
                single,
                Playout {
                    outcome: Outcome::Win(winner),
                    plies: plies as u32
                }
            );
        }
    }
}
