//! Random games by rejection: a random piece and direction have at most one move, so drawing pairs until one is legal
//! is uniform over the moves. Drawn several at a time and played without branches, since which pair is legal is
//! unpredictable; games of a batch run side by side, so that one's loads hide another's.

use super::geometry::Word;
use super::rules::{LinesOfAction, Position};
use crate::game::random::{below, pick, word};
use crate::game::{Game, Outcome, Playout, Rng, Tally};

const LANES: usize = 4;

/// Rounds of draws without a legal move after which the moves are listed.
const PATIENCE: u32 = 24;

/// One game.
#[derive(Clone, Copy)]
struct Lane<B> {
    /// Pieces and Euler numbers of the player to move and of the other.
    own: B,
    enemy: B,
    own_euler: i32,
    enemy_euler: i32,
    /// Plies until the game is drawn.
    left: u32,
    /// Rounds in vain since the last move.
    misses: u32,
    live: bool,
}

/// A random piece and direction: where the move would go, if it is one.
#[derive(Clone, Copy)]
struct Draw {
    from: u32,
    to: u32,
    legal: bool,
}

impl<B: Word, const S: u32> LinesOfAction<B, S> {
    #[inline(always)]
    fn draw(&self, lane: &Lane<B>, pieces: u32, random: u32) -> Draw {
        let pair = below(random, pieces * 8);
        let from = lane.own.select(pair >> 3);
        let square = self.geometry.square(from);
        let (line, way) = ((pair >> 1 & 3) as usize, (pair & 1) as usize);
        let ray = square.rays[line][way];
        let ring = &square.rings[((lane.own | lane.enemy) & square.lines[line]).count() as usize];
        let target = ray & ring.at;
        let stop = (lane.own & target) | (lane.enemy & ray & ring.inside);
        Draw {
            from,
            to: target.lowest() & (B::CAPACITY - 1),
            legal: stop.is_empty() & !target.is_empty(),
        }
    }

    /// Makes the move if it is legal, else counts a round in vain.
    #[inline(always)]
    fn settle(&self, lane: &mut Lane<B>, draw: Draw) {
        let was = *lane;
        let (from, to) = (B::square(draw.from), B::square(draw.to));
        let [origin, target] = [draw.from, draw.to].map(|square| self.geometry.square(square));
        let rest = was.own & !from;
        let left = was.enemy & !to;
        let own_euler = was.own_euler - i32::from(origin.euler_change(rest))
            + i32::from(target.euler_change(rest));
        let loss = i32::from(target.euler_change(left));
        let enemy_euler = was.enemy_euler - if left == was.enemy { 0 } else { loss };
        lane.own = if draw.legal { left } else { was.own };
        lane.enemy = if draw.legal { rest | to } else { was.enemy };
        lane.own_euler = if draw.legal {
            enemy_euler
        } else {
            was.own_euler
        };
        lane.enemy_euler = if draw.legal {
            own_euler
        } else {
            was.enemy_euler
        };
        lane.left = was.left - u32::from(draw.legal);
        lane.misses = if draw.legal { 0 } else { was.misses + 1 };
    }

    /// Makes the first legal one of `N` random draws; whether the game may be over or stuck.
    #[inline(always)]
    fn round<const N: usize>(&self, lane: &mut Lane<B>, random: [u32; N]) -> bool {
        let pieces = lane.own.count();
        let mut draw = self.draw(lane, pieces, random[0]);
        for random in &random[1..] {
            let other = self.draw(lane, pieces, *random);
            draw = if draw.legal { draw } else { other };
        }
        self.settle(lane, draw);
        (lane.own_euler.min(lane.enemy_euler) <= 1) | (lane.misses >= PATIENCE) | (lane.left == 0)
    }

    /// What a round cannot decide alone: the result, if there is one; a stuck game plays a move from the list.
    #[inline(never)]
    fn look(&self, start: &Position<B>, lane: &mut Lane<B>, rng: &mut Rng) -> Option<Playout> {
        loop {
            let plies = self.left(start) - lane.left;
            let last = if plies % 2 == 1 {
                start.turn
            } else {
                start.turn.other()
            };
            let connected = [
                lane.enemy_euler <= 1 && self.geometry.connected(lane.enemy, S),
                lane.own_euler <= 1 && self.geometry.connected(lane.own, S),
            ];
            if let Some(outcome) = self.verdict(last, connected) {
                return Some(Playout { outcome, plies });
            }
            if lane.left == 0 {
                let stuck = !self.can_move(lane.own, lane.enemy);
                let outcome = if stuck {
                    Outcome::Win(last)
                } else {
                    Outcome::Draw
                };
                return Some(Playout { outcome, plies });
            }
            if lane.misses < PATIENCE {
                return None;
            }
            let moves = self.listed(lane);
            if moves.is_empty() {
                return Some(Playout {
                    outcome: Outcome::Win(last),
                    plies,
                });
            }
            let (from, to) = moves[pick(rng, moves.len() as u32) as usize];
            self.settle(
                lane,
                Draw {
                    from,
                    to,
                    legal: true,
                },
            );
        }
    }

    fn listed(&self, lane: &Lane<B>) -> Vec<(u32, u32)> {
        let from = lane.own.squares();
        from.flat_map(|from| {
            let targets = self.targets(lane.own, lane.enemy, from);
            targets.squares().map(move |to| (from, to))
        })
        .collect()
    }

    /// How many plies a game from `start` can last.
    fn left(&self, start: &Position<B>) -> u32 {
        match self.settings.length {
            Some(length) => u32::from(length.saturating_sub(start.plies)),
            None => u32::MAX,
        }
    }

    fn lane(&self, start: &Position<B>) -> Lane<B> {
        let (own, enemy) = (start.turn.index(), start.turn.other().index());
        Lane {
            own: start.stones[own],
            enemy: start.stones[enemy],
            own_euler: i32::from(start.euler[own]),
            enemy_euler: i32::from(start.euler[enemy]),
            left: self.left(start),
            misses: 0,
            live: true,
        }
    }

    #[inline]
    pub(super) fn random_game(&self, start: Position<B>, rng: &mut Rng) -> Playout {
        if let Some(outcome) = self.outcome(&start) {
            return Playout { outcome, plies: 0 };
        }
        let mut lane = self.lane(&start);
        loop {
            // One game alone waits for its own last move, so that further draws cost little.
            let (a, b) = (word(rng), word(rng));
            let random = [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32];
            if self.round(&mut lane, random)
                && let Some(playout) = self.look(&start, &mut lane, rng)
            {
                return playout;
            }
        }
    }

    pub(super) fn random_games(&self, start: Position<B>, count: u64, rng: &mut Rng) -> Tally {
        let mut tally = Tally::default();
        if let Some(outcome) = self.outcome(&start) {
            (0..count).for_each(|_| tally.add(Playout { outcome, plies: 0 }));
            return tally;
        }
        let fresh = self.lane(&start);
        let mut to_start = count;
        let mut lanes = [fresh; LANES];
        for lane in &mut lanes {
            lane.live = to_start > 0;
            to_start = to_start.saturating_sub(1);
        }
        while lanes.iter().any(|lane| lane.live) {
            for lane in lanes.iter_mut().filter(|lane| lane.live) {
                let random = word(rng);
                if self.round(lane, [random as u32, (random >> 32) as u32])
                    && let Some(playout) = self.look(&start, lane, rng)
                {
                    tally.add(playout);
                    *lane = fresh;
                    lane.live = to_start > 0;
                    to_start = to_start.saturating_sub(1);
                }
            }
        }
        tally
    }
}
