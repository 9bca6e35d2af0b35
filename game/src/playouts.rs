//! Random games to the end.

use super::player::Outcome;
use super::random::{self, Rng};
use super::rules::Rules;

/// Random games. A game overrides them where it plays them faster.
pub trait Playouts: Rules {
    /// Whether random games are played on after they are decided, until no move is left. Only for games where that
    /// never changes the winner (Hex: a full board has one); the plies of a play-out then count every stone placed.
    fn plays_on(&self) -> bool {
        false
    }

    /// One game of uniformly random legal moves from `position`, repetition ignored.
    fn playout(&self, mut position: Self::Position, rng: &mut Rng) -> Playout {
        let mut plies = 0;
        loop {
            if let Some(outcome) = self.outcome(&position) {
                return Playout { outcome, plies };
            }
            let moves = self.moves(&position);
            let m = moves[random::pick(rng, moves.len() as u32) as usize];
            self.apply(&mut position, m);
            plies += 1;
        }
    }

    /// `count` independent play-outs from `position`. Games whose moves wait for one another's results override this
    /// with several games side by side.
    fn playouts(&self, position: Self::Position, count: u64, rng: &mut Rng) -> Tally {
        let mut tally = Tally::default();
        for _ in 0..count {
            tally.add(self.playout(position, rng));
        }
        tally
    }
}

/// How a random game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Playout {
    pub outcome: Outcome,
    /// Moves played, those after the decision included where [`Playouts::plays_on`].
    pub plies: u32,
}

/// The sum of many play-outs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Wins of player one and of player two.
    pub wins: [u64; 2],
    pub draws: u64,
    pub plies: u64,
}

impl Tally {
    #[inline]
    pub fn add(&mut self, playout: Playout) {
        match playout.outcome {
            Outcome::Win(player) => self.wins[player.index()] += 1,
            Outcome::Draw => self.draws += 1,
        }
        self.plies += u64::from(playout.plies);
    }

    /// Games counted.
    pub fn games(&self) -> u64 {
        self.wins[0] + self.wins[1] + self.draws
    }
}
