//! Random games. A step is picked from the target sets at once; captures are listed first, since only the greatest count.

use super::rules::{Draughts, Position};
use treeline_game::random::{below, word};
use treeline_game::{Moves, Outcome, Player, Playout, Playouts, Rng};

impl Draughts {
    /// Plays one random move of the player that `ONE` says, unless the game is over.
    #[inline(always)]
    fn random_ply<const ONE: bool>(&self, position: &mut Position, random: u32) -> Option<Outcome> {
        let view = position.view::<ONE>();
        let m = if let Some(steps) = view.steps() {
            let count = steps.count();
            if count == 0 {
                return Some(Outcome::Win(if ONE { Player::Two } else { Player::One }));
            }
            steps.select(below(random, count), view.empty)
        } else {
            let mut captures = Moves::new();
            view.captures(&mut captures);
            // Never empty: without a capture there are steps.
            captures[below(random, captures.len() as u32) as usize]
        };
        if self.is_drawn(position) {
            return Some(Outcome::Draw);
        }
        self.play::<ONE, false>(position, m);
        None
    }
}

impl Playouts for Draughts {
    fn playout(&self, mut position: Position, rng: &mut Rng) -> Playout {
        let mut plies = 0;
        if position.turn == Player::Two {
            if let Some(outcome) = self.random_ply::<false>(&mut position, word(rng) as u32) {
                return Playout { outcome, plies };
            }
            plies += 1;
        }
        loop {
            let random = word(rng);
            if let Some(outcome) = self.random_ply::<true>(&mut position, random as u32) {
                return Playout { outcome, plies };
            }
            plies += 1;
            if let Some(outcome) = self.random_ply::<false>(&mut position, (random >> 32) as u32) {
                return Playout { outcome, plies };
            }
            plies += 1;
        }
    }
}
