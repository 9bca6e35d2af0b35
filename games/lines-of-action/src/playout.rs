//! Random games by rejection: a random piece and direction have at most one move, so drawing pairs until one is legal
//! is uniform over the moves. Drawn several at a time and played without branches, since which pair is legal is
//! unpredictable; games of a batch run side by side, so that one's loads hide another's.

use super::geometry::Word;
use super::rules::{LinesOfAction, Position};
use std::hint::select_unpredictable as select;
use treeline_game::random::{below, pick, word};
use treeline_game::{Outcome, Player, Playout, Playouts, Rng, Rules, Tally};

/// Games side by side: enough to fill a core with one's loads and products while another's are under way.
const LANES: usize = 4;

/// Rounds of draws after which a game that has not moved lists its moves.
const PATIENCE: u32 = 32;

/// One game.
#[derive(Clone, Copy)]
struct Lane<B> {
    stones: [B; 2],
    /// Plies left less one, and each player's Euler number less two, in fields of one word, so that a ply is one
    /// addition and "does any of them need a look?" one test of signs. A negative field borrows from the one above,
    /// which is harmless: it is looked at anyway, and read from below.
    state: i64,
    /// Who is to move.
    turn: usize,
    /// `state` at the last check for a stuck game.
    checked: i64,
    live: bool,
}

const PLY: i64 = 1 << 32;
const SIGNS: i64 = 1 << 63 | 1 << 31 | 1 << 15;

impl<B> Lane<B> {
    fn pack(left: u32, euler: [i8; 2]) -> i64 {
        let [one, two] = euler.map(|e| i64::from(e) - 2);
        (i64::from(left) - 1) * PLY + two * (1 << 16) + one
    }

    /// Plies left, Euler numbers.
    fn unpack(&self) -> (u32, [i8; 2]) {
        let one = self.state as i16;
        let rest = (self.state - i64::from(one)) >> 16;
        let two = rest as i16;
        let left = (rest - i64::from(two)) >> 16;
        ((left + 1) as u32, [one, two].map(|e| (e + 2) as i8))
    }
}

/// A random piece and direction: the square its move ends on, and whether it may.
#[derive(Clone, Copy)]
struct Draw<B> {
    from: u32,
    target: B,
    legal: bool,
}

impl<B: Word, const S: u32> LinesOfAction<B, S> {
    #[inline(always)]
    fn draw(&self, own: B, enemy: B, pieces: u32, random: u32) -> Draw<B> {
        let pair = below(random, pieces * 8);
        let from = own.select(pair >> 3);
        let square = self.geometry.square(from);
        let way = &square.ways[(pair & 7) as usize];
        let ring = &square.rings[((own | enemy) & way.line).count() as usize];
        let target = way.ray & ring.at;
        let stop = (own & target) | (enemy & way.ray & ring.inside);
        Draw {
            from,
            target,
            legal: stop.is_empty() & !target.is_empty(),
        }
    }

    /// Makes the move if it is legal.
    #[inline(always)]
    fn make(&self, lane: &mut Lane<B>, draw: Draw<B>) {
        let (own, enemy) = (lane.stones[lane.turn & 1], lane.stones[!lane.turn & 1]);
        let Draw {
            from,
            target,
            legal,
        } = draw;
        let to = target.lowest();
        let rest = own & !B::square(from);
        let left = enemy & !target;
        let to = self.geometry.square(to);
        let change = to.euler_change(rest) - self.geometry.square(from).euler_change(rest);
        let loss = select(left == enemy, 0, to.euler_change(left));
        let (own_shift, enemy_shift) = ((lane.turn & 1) * 16, (!lane.turn & 1) * 16);
        let change = (i64::from(change) << own_shift) - (i64::from(loss) << enemy_shift) - PLY;
        lane.state += select(legal, change, 0);
        lane.stones[lane.turn & 1] = select(legal, rest | target, own);
        lane.stones[!lane.turn & 1] = select(legal, left, enemy);
        lane.turn ^= usize::from(legal);
    }

    /// Makes the first legal one of `N` random draws; whether the game may be over.
    #[inline(always)]
    fn round<const N: usize>(&self, lane: &mut Lane<B>, random: [u32; N]) -> bool {
        let (own, enemy) = (lane.stones[lane.turn & 1], lane.stones[!lane.turn & 1]);
        let pieces = own.count();
        let mut draw = self.draw(own, enemy, pieces, random[0]);
        for random in &random[1..] {
            let other = self.draw(own, enemy, pieces, *random);
            draw.from = select(draw.legal, draw.from, other.from);
            draw.target = select(draw.legal, draw.target, other.target);
            draw.legal |= other.legal;
        }
        self.make(lane, draw);
        lane.state & SIGNS != 0
    }

    /// The result of a game that a round cannot rule out to be over.
    #[inline(never)]
    fn ended(&self, start: &Position<B>, lane: &Lane<B>) -> Option<Playout> {
        let (left, euler) = lane.unpack();
        let plies = self.left(start) - left;
        let (next, last) = (lane.turn & 1, !lane.turn & 1);
        let connected = [last, next].map(|i| self.connected(lane.stones[i], euler[i]));
        let mover = Player::BOTH[last];
        let outcome = match self.verdict(mover, connected) {
            Some(outcome) => outcome,
            None if left > 0 => return None,
            None if self.can_move(lane.stones[next], lane.stones[last]) => Outcome::Draw,
            None => Outcome::Win(mover),
        };
        Some(Playout { outcome, plies })
    }

    /// Where a game that drew nothing legal for long really is: plays one of its moves, or ends it for want of any.
    #[inline(never)]
    fn unstick(&self, start: &Position<B>, lane: &mut Lane<B>, rng: &mut Rng) -> Option<Playout> {
        let (next, last) = (lane.turn & 1, !lane.turn & 1);
        let (own, enemy) = (lane.stones[next], lane.stones[last]);
        let targets = |from| self.targets(own, enemy, from);
        let moves: Vec<(u32, u32)> = own
            .squares()
            .flat_map(|from| targets(from).squares().map(move |to| (from, to)))
            .collect();
        if moves.is_empty() {
            let plies = self.left(start) - lane.unpack().0;
            let outcome = Outcome::Win(Player::BOTH[last]);
            return Some(Playout { outcome, plies });
        }
        let (from, to) = moves[pick(rng, moves.len() as u32) as usize];
        let target = B::square(to);
        self.make(
            lane,
            Draw {
                from,
                target,
                legal: true,
            },
        );
        self.ended(start, lane)
    }

    /// How many plies a game from `start` can last.
    fn left(&self, start: &Position<B>) -> u32 {
        match self.settings.length {
            Some(length) => u32::from(length.saturating_sub(start.plies)),
            None => i32::MAX as u32,
        }
    }

    fn lane(&self, start: &Position<B>) -> Lane<B> {
        Lane {
            stones: start.stones,
            state: Lane::<B>::pack(self.left(start), start.euler),
            turn: start.turn.index(),
            checked: 0,
            live: true,
        }
    }
}

impl<B: Word, const S: u32> Playouts for LinesOfAction<B, S> {
    #[inline]
    fn playout(&self, start: Position<B>, rng: &mut Rng) -> Playout {
        if let Some(outcome) = self.outcome(&start) {
            return Playout { outcome, plies: 0 };
        }
        let mut lane = self.lane(&start);
        loop {
            let checked = lane.state;
            for _ in 0..PATIENCE {
                // One game alone waits for its own last move, so that a further draw costs little.
                let (a, b) = (word(rng), word(rng));
                let random = [a as u32, (a >> 32) as u32, b as u32];
                if self.round(&mut lane, random)
                    && let Some(playout) = self.ended(&start, &lane)
                {
                    return playout;
                }
            }
            if lane.state == checked
                && let Some(playout) = self.unstick(&start, &mut lane, rng)
            {
                return playout;
            }
        }
    }

    fn playouts(&self, start: Position<B>, count: u64, rng: &mut Rng) -> Tally {
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
        let mut next = |lane: &mut Lane<B>, playout| {
            tally.add(playout);
            *lane = fresh;
            lane.live = to_start > 0;
            to_start = to_start.saturating_sub(1);
        };
        while lanes.iter().any(|lane| lane.live) {
            for lane in &mut lanes {
                lane.checked = lane.state;
            }
            for _ in 0..PATIENCE {
                for lane in lanes.iter_mut().filter(|lane| lane.live) {
                    let random = word(rng);
                    if self.round(lane, [random as u32, (random >> 32) as u32])
                        && let Some(playout) = self.ended(&start, lane)
                    {
                        next(lane, playout);
                    }
                }
            }
            for lane in lanes.iter_mut().filter(|lane| lane.live) {
                if lane.state == lane.checked
                    && let Some(playout) = self.unstick(&start, lane, rng)
                {
                    next(lane, playout);
                }
            }
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use treeline_game::{Notation, random::seeded};

    #[test]
    fn fields_of_a_state_come_back() {
        for (left, euler) in [
            (400, [2, 2]),
            (0, [-3, 1]),
            (1, [1, -2]),
            (i32::MAX as u32, [-1, -1]),
            (7, [5, 0]),
        ] {
            let state = Lane::<u64>::pack(left, euler);
            let lane = Lane {
                stones: [0u64; 2],
                state,
                turn: 0,
                checked: 0,
                live: true,
            };
            assert_eq!(lane.unpack(), (left, euler));
            let look = left == 0 || euler.iter().any(|e| *e <= 1);
            assert_eq!(state & SIGNS != 0, look, "{left} {euler:?}");
        }
    }

    /// From a position where the opponent is often left without a move, and from one near the last ply.
    #[test]
    fn stuck_and_short_games_are_distributed_like_listed_moves() {
        let settings = Settings {
            mover_wins_both: false,
            repetition: true,
            length: Some(400),
        };
        let game = LinesOfAction::<u64, 8>::new(5, settings);
        let mut rng = seeded(1);
        for text in [
            "3bw/3bb/1b3/bb3/w4 b",
            "3bw/3bb/5/bb1b1/w4 b",
            "3bw/3bb/1b3/bb3/w4 b 396 0",
        ] {
            const COUNT: u64 = 20_000;
            let start = game.read_position(text).unwrap();
            let (mut single, mut plain) = (Tally::default(), Tally::default());
            for _ in 0..COUNT {
                single.add(game.playout(start, &mut rng));
                let (mut position, mut plies) = (start, 0);
                let outcome = loop {
                    if let Some(outcome) = game.outcome(&position) {
                        break outcome;
                    }
                    let moves = game.moves(&position);
                    game.apply(
                        &mut position,
                        moves[pick(&mut rng, moves.len() as u32) as usize],
                    );
                    plies += 1;
                };
                plain.add(Playout { outcome, plies });
            }
            let batch = game.playouts(start, COUNT, &mut rng);
            for tally in [single, batch] {
                for (a, b) in [
                    (tally.wins[0], plain.wins[0]),
                    (tally.wins[1], plain.wins[1]),
                ] {
                    let difference = (a as f64 - b as f64) / COUNT as f64;
                    assert!(difference.abs() < 0.02, "{text}: {tally:?}, {plain:?}");
                }
                let lengths = tally.plies as f64 / plain.plies as f64;
                assert!((lengths - 1.0).abs() < 0.05, "{text}: {tally:?}, {plain:?}");
            }
        }
    }
}
