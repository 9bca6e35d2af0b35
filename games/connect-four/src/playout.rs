//! Random games: the k-th landing square is picked at once; a batch plays eight games side by side, since one game
//! alone mostly waits for its own last move.

use super::rules::{ConnectFour, Position};
use treeline_game::bits::Bits;
use treeline_game::random::{below, word};
use treeline_game::{Outcome, Player, Playout, Playouts, Rng, Rules, Tally};

const LANES: usize = 8;

/// One game of a batch: stones of the player to move and of the other.
#[derive(Clone, Copy)]
struct Lane<B> {
    mover: B,
    other: B,
    plies: u32,
    live: bool,
}

impl<B: Bits, const W: u32, const H: u32, const K: u32> ConnectFour<B, W, H, K> {
    /// Plays one random move; the game's end for the one who made it, if it ends: `Some(true)` won, `Some(false)` drawn.
    #[inline(always)]
    fn random_ply(&self, lane: &mut Lane<B>, random: u32) -> Option<bool> {
        let landing = self.landing(lane.mover | lane.other);
        let square = landing.select(below(random, landing.count()));
        let stones = lane.mover | B::square(square);
        lane.mover = lane.other;
        lane.other = stones;
        lane.plies += 1;
        if self.has_line(stones) {
            Some(true)
        } else if (lane.mover | stones) == self.board {
            Some(false)
        } else {
            None
        }
    }
}

impl<B: Bits, const W: u32, const H: u32, const K: u32> Playouts for ConnectFour<B, W, H, K> {
    #[inline]
    fn playout(&self, position: Position<B>, rng: &mut Rng) -> Playout {
        if let Some(outcome) = self.outcome(&position) {
            return Playout { outcome, plies: 0 };
        }
        let mut lane = lane_of(&position);
        loop {
            let random = word(rng);
            for random in [random as u32, (random >> 32) as u32] {
                if let Some(won) = self.random_ply(&mut lane, random) {
                    return ended(&position, &lane, won);
                }
            }
        }
    }

    fn playouts(&self, position: Position<B>, count: u64, rng: &mut Rng) -> Tally {
        let mut tally = Tally::default();
        if let Some(outcome) = self.outcome(&position) {
            (0..count).for_each(|_| tally.add(Playout { outcome, plies: 0 }));
            return tally;
        }
        let fresh = lane_of(&position);
        let mut to_start = count;
        let mut lanes = [fresh; LANES];
        for lane in &mut lanes {
            lane.live = to_start > 0;
            to_start = to_start.saturating_sub(1);
        }
        while lanes.iter().any(|lane| lane.live) {
            for pair in lanes.chunks_exact_mut(2) {
                let random = word(rng);
                for (lane, random) in pair.iter_mut().zip([random as u32, (random >> 32) as u32]) {
                    if !lane.live {
                        continue;
                    }
                    if let Some(won) = self.random_ply(lane, random) {
                        tally.add(ended(&position, lane, won));
                        *lane = fresh;
                        lane.live = to_start > 0;
                        to_start = to_start.saturating_sub(1);
                    }
                }
            }
        }
        tally
    }
}

fn lane_of<B: Bits>(position: &Position<B>) -> Lane<B> {
    Lane {
        mover: position.stones[position.turn.index()],
        other: position.stones[position.last().index()],
        plies: 0,
        live: true,
    }
}

fn ended<B: Bits>(start: &Position<B>, lane: &Lane<B>, won: bool) -> Playout {
    let last: Player = if lane.plies % 2 == 1 {
        start.turn
    } else {
        start.last()
    };
    let outcome = if won {
        Outcome::Win(last)
    } else {
        Outcome::Draw
    };
    Playout {
        outcome,
        plies: lane.plies,
    }
}
