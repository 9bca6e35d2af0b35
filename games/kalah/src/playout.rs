//! Random games without branches inside a ply; a batch plays several side by side, since one game alone mostly waits for
//! its own last move.

use super::rules::{Kalah, Position};
use super::side::Side;
use std::hint::select_unpredictable;
use treeline_game::random::{below, word};
use treeline_game::{Outcome, Player, Playout, Playouts, Rng, Rules, Tally};

/// Games side by side.
const LANES: usize = 8;

/// One game, seen by the player to move. The side of player one has a 1 in the spare byte.
#[derive(Clone, Copy)]
struct Lane<S> {
    mine: S,
    theirs: S,
}

impl<S: Side, const N: u32> Kalah<S, N> {
    /// Sows one of the mover's full houses, each equally likely; whether the game goes on.
    #[inline(always)]
    fn random_ply(&self, lane: &mut Lane<S>, random: u32) -> bool {
        let full = self.full_houses(lane.mine);
        let house = full.select(below(random, full.count())) / 8;
        let (mut mine, mut theirs) = (lane.mine, lane.theirs);
        let again = self.sow(&mut mine, &mut theirs, house);
        lane.mine = select_unpredictable(again, mine, theirs);
        lane.theirs = select_unpredictable(again, theirs, mine);
        !(self.is_bare(mine) | self.is_bare(theirs))
    }

    /// The result of a game that has just ended.
    #[inline(always)]
    fn ended(&self, lane: &Lane<S>) -> Outcome {
        let mark = S::seeds(1, S::SPARE);
        let sides = match (lane.mine & mark).is_empty() {
            false => [lane.mine, lane.theirs],
            true => [lane.theirs, lane.mine],
        };
        // The mark is worth a seed.
        Outcome::by_margin(sides[0].sum() as i32 - 1 - sides[1].sum() as i32)
    }
}

impl<S: Side, const N: u32> Playouts for Kalah<S, N> {
    #[inline]
    fn playout(&self, position: Position<S>, rng: &mut Rng) -> Playout {
        if let Some(outcome) = self.outcome(&position) {
            return Playout { outcome, plies: 0 };
        }
        let mut lane = lane_of(&position);
        let mut plies = 0;
        loop {
            let random = word(rng);
            for random in [random as u32, (random >> 32) as u32] {
                plies += 1;
                if !self.random_ply(&mut lane, random) {
                    return Playout {
                        outcome: self.ended(&lane),
                        plies,
                    };
                }
            }
        }
    }

    #[inline(never)]
    fn playouts(&self, position: Position<S>, count: u64, rng: &mut Rng) -> Tally {
        let mut tally = Tally::default();
        if let Some(outcome) = self.outcome(&position) {
            (0..count).for_each(|_| tally.add(Playout { outcome, plies: 0 }));
            return tally;
        }
        let fresh = lane_of(&position);
        let mut lanes = [fresh; LANES];
        let mut live = count.min(LANES as u64) as usize;
        let mut to_start = count - live as u64;
        while live > 0 {
            // One ply of each game in turn: two of the same would wait for each other. A word serves two games.
            let (mut i, mut random) = (0, 0);
            while i < live {
                random = if i % 2 == 0 { word(rng) } else { random >> 32 };
                let lane = &mut lanes[i];
                // Plies are counted for all games together: each that was started is played to its end.
                tally.plies += 1;
                if self.random_ply(lane, random as u32) {
                    i += 1;
                    continue;
                }
                tally.add(Playout {
                    outcome: self.ended(lane),
                    plies: 0,
                });
                if to_start > 0 {
                    to_start -= 1;
                    *lane = fresh;
                    i += 1;
                } else {
                    // The last game moves here and plays next, with bits of its own.
                    live -= 1;
                    lanes[i] = lanes[live];
                    random = word(rng);
                }
            }
        }
        tally
    }
}

fn lane_of<S: Side>(position: &Position<S>) -> Lane<S> {
    let [one, two] = position.sides;
    let one = one | S::seeds(1, S::SPARE);
    match position.turn {
        Player::One => Lane {
            mine: one,
            theirs: two,
        },
        Player::Two => Lane {
            mine: two,
            theirs: one,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::Notation;
    use treeline_game::random::seeded;

    /// Positions with one line of play: batches of every size must count its result and length exactly.
    #[test]
    fn batches_count_every_game_and_ply() {
        let game = Kalah::<u64, 6>::new(6, 4, false);
        for (text, outcome, plies) in [
            ("1,0,0,0,0,0:0 0,0,0,0,0,1:0 b", Outcome::Draw, 2),
            ("1,0,0,0,0,0:0 0,0,0,0,0,1:0 w", Outcome::Draw, 1),
            // A capture empties the other side.
            (
                "0,0,1,0,0,0:0 0,0,4,0,0,0:3 b",
                Outcome::Win(Player::One),
                1,
            ),
            (
                "0,0,0,0,0,0:7 0,0,0,0,0,0:2 w",
                Outcome::Win(Player::One),
                0,
            ),
        ] {
            let position = game.read_position(text).unwrap();
            let mut rng = seeded(1);
            for count in 0..40 {
                let tally = game.playouts(position, count, &mut rng);
                let mut expected = Tally::default();
                (0..count).for_each(|_| expected.add(Playout { outcome, plies }));
                assert_eq!(tally, expected, "{text}");
            }
            assert_eq!(game.playout(position, &mut rng), Playout { outcome, plies });
        }
    }
}
