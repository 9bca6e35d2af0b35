//! What is known of the game beyond its rules: captures, moves that win or keep from losing at once, seen without playing
//! them out, and how often moves of a kind are chosen.
//!
//! Kinds of moves and their transition probabilities (played when possible) after M. Winands, Y. Björnsson, J. Saito,
//! "Monte Carlo Tree Search in Lines of Action" (2010); the kinds are simpler and the counts our own.

use super::geometry::Word;
use super::rules::{LinesOfAction, Move, Position, TURN_KEY};
use treeline_game::{Heuristic, Knowledge, Moves, Outcome, Rules};

/// How often a move of a kind was chosen when it was there, in thousandths: by whether it captures, whether it leaves the
/// edge and arrives there, and by how many steps nearer (from -3 on) the centre of the own pieces it ends.
/// Of 1,200 games of alpha-beta with `tuned` at 0.8 ms a move; kinds that occurred less than a hundred times are filled in.
const CHOSEN: [[[f32; 7]; 4]; 2] = [
    [
        [1.6, 2.7, 6.4, 21.0, 55.0, 116.0, 242.0],
        [0.6, 0.7, 2.9, 13.0, 53.0, 150.0, 250.0],
        [10.0, 16.0, 11.0, 22.0, 39.0, 67.0, 155.0],
        [1.8, 3.3, 3.1, 13.0, 49.0, 150.0, 270.0],
    ],
    [
        [18.0, 38.0, 76.0, 144.0, 271.0, 389.0, 519.0],
        [4.5, 4.9, 11.0, 31.0, 118.0, 250.0, 400.0],
        [20.0, 25.0, 93.0, 155.0, 219.0, 327.0, 422.0],
        [8.0, 8.0, 8.2, 24.0, 103.0, 109.0, 200.0],
    ],
];

impl<B: Word, const S: u32> LinesOfAction<B, S> {
    /// Whether the player to move wins at once by `m`.
    #[inline]
    fn wins_by(&self, position: &Position<B>, m: Move) -> bool {
        let (mover, other) = (position.turn.index(), position.turn.other().index());
        let (from, to) = (u32::from(m.from), u32::from(m.to));
        let [origin, target] = [from, to].map(|square| self.geometry.square(square));
        let (own, enemy) = (position.stones[mover], position.stones[other]);
        let rest = own & !B::square(from);
        let left = enemy & !B::square(to);
        let moved = rest | B::square(to);
        let euler = position.euler[mover]
            .wrapping_sub(origin.euler_change(rest))
            .wrapping_add(target.euler_change(rest));
        let mut enemy_euler = position.euler[other];
        if left != enemy {
            enemy_euler = enemy_euler.wrapping_sub(target.euler_change(left));
        }
        // Who was connected before would have ended the game, so that only a capture connects the opponent.
        let theirs = || left != enemy && self.connected(left, enemy_euler);
        if self.connected(moved, euler) {
            return self.settings.mover_wins_both || !theirs();
        }
        !self.can_move(left, moved) && !theirs()
    }

    /// The kind of a move, as the indices of [`CHOSEN`].
    fn kind(&self, position: &Position<B>, m: Move) -> (usize, usize, usize) {
        let own = position.stones[position.turn.index()];
        let enemy = position.stones[position.turn.other().index()];
        let (from, to) = (u32::from(m.from), u32::from(m.to));
        let count = own.count();
        // Twice the centre of mass, rounded.
        let centre = self.geometry.digits.map(|digits| {
            let sum: u32 = digits
                .iter()
                .enumerate()
                .map(|(i, digit)| (own & *digit).count() << i)
                .sum();
            (4 * sum + count) / (2 * count)
        });
        let distance = |square: u32| {
            let (column, row) = Self::cell(square);
            (2 * column)
                .abs_diff(centre[0])
                .max((2 * row).abs_diff(centre[1])) as i32
        };
        let nearer = (distance(from) - distance(to)) / 2;
        let edge = self.geometry.levels[0];
        let ends = 2 * usize::from(edge.has(from)) + usize::from(edge.has(to));
        (
            usize::from(enemy.has(to)),
            ends,
            (nearer.clamp(-3, 3) + 3) as usize,
        )
    }
}

impl<B: Word, const S: u32> Knowledge for LinesOfAction<B, S> {
    fn heuristics(&self) -> &'static [Heuristic<Self>] {
        Self::HEURISTICS
    }

    /// Ludii's own (NIM §7.8).
    fn benchmark(&self) -> &'static str {
        "centre"
    }

    /// Captures.
    #[inline]
    fn each_noisy(&self, position: &Position<B>, mut visit: impl FnMut(Move)) {
        let own = position.stones[position.turn.index()];
        let enemy = position.stones[position.turn.other().index()];
        for from in own.squares() {
            for to in (self.targets(own, enemy, from) & enemy).squares() {
                visit(Move {
                    from: from as u8,
                    to: to as u8,
                });
            }
        }
    }

    #[inline(always)]
    fn is_noisy(&self, position: &Position<B>, m: Move) -> bool {
        let to = u32::from(m.to) & (B::CAPACITY - 1);
        position.stones[position.turn.other().index()].has(to)
    }

    /// As MIA does. Repetition does not reach across it.
    fn passed(&self, position: &Position<B>) -> Option<Position<B>> {
        let mut passed = Position {
            turn: position.turn.other(),
            key: position.key ^ TURN_KEY,
            plies: position.plies.saturating_add(1),
            quiet: 0,
            ..*position
        };
        passed.ended = self.settled(&passed);
        passed.ended.is_none().then_some(passed)
    }

    fn sensible_moves(&self, position: &Position<B>) -> Moves<Move> {
        let all = self.moves(position);
        if let Some(m) = all.iter().find(|m| self.wins_by(position, **m)) {
            return Moves::from_slice(&[*m]);
        }
        let loses = |m: &Move| {
            let next = self.after(position, *m);
            let over = self.outcome(&next).map(|outcome| outcome != Outcome::Draw);
            over.unwrap_or_else(|| {
                self.moves(&next)
                    .iter()
                    .any(|reply| self.wins_by(&next, *reply))
            })
        };
        let holding: Moves<Move> = all.iter().copied().filter(|m| !loses(m)).collect();
        if holding.is_empty() { all } else { holding }
    }

    #[inline]
    fn weight(&self, position: &Position<B>, m: Move) -> f32 {
        let (capture, ends, nearer) = self.kind(position, m);
        CHOSEN[capture][ends][nearer]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use treeline_game::Notation;

    #[test]
    fn kinds_by_hand() {
        let settings = Settings {
            mover_wins_both: false,
            repetition: true,
            length: Some(400),
        };
        let game = LinesOfAction::<u64, 8>::new(8, settings);
        // The centre of mass of a1, d4, d5 and e4 lies at 3.1, 3.5 counted from 1, rounded to halves at 3.25 and 3.5 from
        // a1 as 2 and 2.5 steps.
        let position = game.read_position("8/8/8/3b4/3bb3/8/w7/b6w b").unwrap();
        let kind = |text: &str| game.kind(&position, game.read_move(&position, text).unwrap());
        // a1 goes two squares along its row: from 2.5 steps to 2.5.
        assert_eq!(kind("a1c1"), (0, 3, 3));
        // d5 one square up its column would need one piece on it; two are there.
        assert_eq!(kind("d5d7"), (0, 0, 1));
    }
}
