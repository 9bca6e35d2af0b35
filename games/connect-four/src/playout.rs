//! Random games: the k-th landing square is picked at once. A batch plays eight games side by side, in vectors of the
//! compiler's making, since one game alone mostly waits for its own last move. Plies are counted where a game ends, by its
//! stones.

use super::rules::{ConnectFour, Position};
use treeline_game::bits::Bits;
use treeline_game::random::{below, word};
use treeline_game::{Outcome, Playout, Playouts, Rng, Rules, Tally};

/// Games side by side; even, since a word of random bits serves two.
const LANES: usize = 8;

/// Stones of the player to move and of the other, a number a game.
#[derive(Clone, Copy)]
struct Lanes<B> {
    mover: [B; LANES],
    other: [B; LANES],
}

impl<B: Bits, const W: u32, const H: u32, const K: u32> ConnectFour<B, W, H, K> {
    /// One of the landing squares, each equally likely; there must be one.
    #[inline(always)]
    fn random_stone(&self, occupied: B, random: u32) -> B {
        let landing = self.landing(occupied);
        B::square(landing.select(below(random, landing.count())))
    }

    /// A random ply in every game; bit i says whether game i is over.
    #[inline(always)]
    fn random_plies(&self, lanes: &mut Lanes<B>, rng: &mut Rng) -> u32 {
        let mut stones = lanes.mover;
        for pair in 0..LANES / 2 {
            let random = word(rng);
            for (i, random) in [
                (2 * pair, random as u32),
                (2 * pair + 1, (random >> 32) as u32),
            ] {
                stones[i] |= self.random_stone(lanes.mover[i] | lanes.other[i], random);
            }
        }
        lanes.mover = lanes.other;
        lanes.other = stones;
        let mut over = 0;
        for (i, (other, stones)) in lanes.mover.iter().zip(&stones).enumerate() {
            let full = *other | *stones == self.board;
            over |= u32::from(self.has_line(*stones) | full) << i;
        }
        over
    }

    /// A game that began at `start` and in which `last` is all that its last mover has.
    #[inline(always)]
    fn ended(&self, start: &Position<B>, other: B, last: B) -> Playout {
        let stones = (other | last).count();
        let plies = stones - (start.stones[0] | start.stones[1]).count();
        let mover = if plies % 2 == 1 {
            start.turn
        } else {
            start.last()
        };
        let outcome = match self.has_line(last) {
            true => Outcome::Win(mover),
            false => Outcome::Draw,
        };
        Playout { outcome, plies }
    }
}

impl<B: Bits, const W: u32, const H: u32, const K: u32> Playouts for ConnectFour<B, W, H, K> {
    #[inline]
    fn playout(&self, position: Position<B>, rng: &mut Rng) -> Playout {
        if let Some(outcome) = self.outcome(&position) {
            return Playout { outcome, plies: 0 };
        }
        let (mut mover, mut other) = position.sides();
        loop {
            let random = word(rng);
            for random in [random as u32, (random >> 32) as u32] {
                let stones = mover | self.random_stone(mover | other, random);
                (mover, other) = (other, stones);
                if self.has_line(other) | (mover | other == self.board) {
                    return self.ended(&position, mover, other);
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
        let (mover, other) = position.sides();
        let mut lanes = Lanes {
            mover: [mover; LANES],
            other: [other; LANES],
        };
        // Games of lanes that are not live are played and not counted.
        let mut live = (1u32 << count.min(LANES as u64)) - 1;
        let mut to_start = count.saturating_sub(LANES as u64);
        while live != 0 {
            let mut over = self.random_plies(&mut lanes, rng);
            while over != 0 {
                let i = over.trailing_zeros() as usize;
                over &= over - 1;
                if live >> i & 1 == 1 {
                    tally.add(self.ended(&position, lanes.mover[i], lanes.other[i]));
                    if to_start > 0 {
                        to_start -= 1;
                    } else {
                        live &= !(1 << i);
                    }
                }
                (lanes.mover[i], lanes.other[i]) = (mover, other);
            }
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::Player;
    use treeline_game::random::seeded;

    /// Boards of one column have one line of play: batches of every size must count its result and length exactly.
    #[test]
    fn batches_count_every_game_and_ply() {
        for (line, outcome, plies) in [
            (4, Outcome::Draw, 6),
            (2, Outcome::Draw, 6),
            (1, Outcome::Win(Player::One), 1),
        ] {
            let game = ConnectFour::<u64, 0, 0, 0>::new(1, 6, line);
            let mut rng = seeded(1);
            for count in 0..40 {
                let tally = game.playouts(game.start(), count, &mut rng);
                let mut expected = Tally::default();
                (0..count).for_each(|_| expected.add(Playout { outcome, plies }));
                assert_eq!(tally, expected, "{line} in a row");
            }
            let playout = game.playout(game.start(), &mut rng);
            assert_eq!(playout, Playout { outcome, plies });
        }
    }
}
