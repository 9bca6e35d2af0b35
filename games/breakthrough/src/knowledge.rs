//! What is known of the game beyond its rules: captures, moves that win or keep from losing at once, and what a step's
//! target promises.
//!
//! IM §4.1 (improved play-outs: captures of undefended pieces count four times) and §4.2 (node priors, after R. Lorentz
//! and T. Horey, "Programming Breakthrough", 2013).

use super::pick::Board;
use super::rules::{Advance, Breakthrough, Position, TURN_KEY};
use treeline_game::{ForMover, Foresight, Heuristic, Knowledge, Moves, Player, Rules, informed};

/// How often a move to an unattacked square wins, by the rows from there to the goal.
const SAFE: [f32; 5] = [1.0, 0.95, 0.85, 0.7, 0.6];
const UNSAFE_CAPTURE: f32 = 0.6;
const OTHER: f32 = 0.3;

/// How much likelier the capture of an undefended piece is than another move.
const FREE_CAPTURE: f32 = 4.0;

impl<B: Board, const W: u32, const H: u32> Breakthrough<B, W, H> {
    /// The squares on which `player` would capture.
    #[inline(always)]
    fn covered(&self, position: &Position<B>, player: Player) -> B {
        let pieces = position.pieces[player.index()];
        let [low, _, high] = match player {
            Player::One => self.ahead::<true>(pieces),
            Player::Two => self.ahead::<false>(pieces),
        };
        low | high
    }
}

impl<B: Board, const W: u32, const H: u32> Knowledge for Breakthrough<B, W, H> {
    fn heuristics(&self) -> &'static [Heuristic<Self>] {
        Self::HEURISTICS
    }

    /// Ludii's own (NIM §7.1.1).
    fn benchmark(&self) -> &'static str {
        "ludii"
    }

    /// Captures.
    #[inline]
    fn each_noisy(&self, position: &Position<B>, mut visit: impl FnMut(Advance)) {
        let [low, _, high] = self.targets_in(position);
        let [down, _, up] = self.steps(position.turn);
        let prey = position.pieces[position.turn.other().index()];
        for (set, step) in [(low & prey, down), (high & prey, up)] {
            for to in set.squares() {
                visit(Advance {
                    from: (to as i32 - step) as u8,
                    to: to as u8,
                });
            }
        }
    }

    #[inline(always)]
    fn is_noisy(&self, position: &Position<B>, m: Advance) -> bool {
        let to = u32::from(m.to) & (B::CAPACITY - 1);
        position.pieces[position.turn.other().index()].has(to)
    }

    fn passed(&self, position: &Position<B>) -> Option<Position<B>> {
        Some(Position {
            turn: position.turn.other(),
            key: position.key ^ TURN_KEY,
            ..*position
        })
    }

    /// A piece one step from its goal always has a square to go to there, so that only its capture stops it, and two of
    /// them nothing does. A lone piece must not go where it is taken either: that case is left to looking at all moves.
    #[inline]
    fn sensible_moves(&self, position: &Position<B>) -> Moves<Advance> {
        let (mover, other) = (position.turn, position.turn.other());
        let [own, enemy] = [mover, other].map(|player| position.pieces[player.index()]);
        if own.count() == 1 || enemy.count() == 1 {
            return informed::sensible_moves(self, position);
        }
        let goal = self.goal[mover.index()];
        let home = self.goal[other.index()];
        let (before_goal, threats) = match mover {
            Player::One => (own & goal >> self.width(), enemy & home << self.width()),
            Player::Two => (own & goal << self.width(), enemy & home >> self.width()),
        };
        let mut moves = Moves::new();
        if !before_goal.is_empty() {
            self.each_move(position, |m| {
                if moves.is_empty() && goal.has(u32::from(m.to)) {
                    moves.push(m);
                }
            });
        } else if threats.count() == 1 {
            let at = threats.lowest() as u8;
            self.each_move(position, |m| {
                if m.to == at {
                    moves.push(m);
                }
            });
        }
        if moves.is_empty() {
            self.each_move(position, |m| moves.push(m));
        }
        moves
    }

    #[inline]
    fn weight(&self, position: &Position<B>, m: Advance) -> f32 {
        let other = position.turn.other();
        let to = u32::from(m.to);
        let free = position.pieces[other.index()].has(to) && !self.covered(position, other).has(to);
        if free { FREE_CAPTURE } else { 1.0 }
    }

    #[inline]
    fn prior(&self, position: &Position<B>, m: Advance) -> Option<ForMover> {
        let other = position.turn.other();
        let to = u32::from(m.to);
        let row = to / self.width();
        let steps = match position.turn {
            Player::One => self.height() - 1 - row,
            Player::Two => row,
        };
        let rate = if !self.covered(position, other).has(to) {
            SAFE.get(steps as usize).copied().unwrap_or(OTHER)
        } else if position.pieces[other.index()].has(to) {
            UNSAFE_CAPTURE
        } else {
            OTHER
        };
        Some(ForMover(2.0 * rate - 1.0))
    }

    fn foresee(&self, position: &Position<B>) -> Foresight<Advance> {
        self.glance(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::Notation;

    type Eight = Breakthrough<u64, 8, 8>;

    #[test]
    fn only_the_capture_of_a_piece_before_its_goal_is_sensible() {
        let game = Eight::new(8, 8);
        let sensible = |text: &str| {
            let position = game.read_position(text).unwrap();
            let moves = game.sensible_moves(&position);
            let texts: Vec<String> = moves
                .iter()
                .map(|m| game.write_move(&position, *m))
                .collect();
            texts.join(" ")
        };
        // The white piece on b2 would arrive; a1 and c1 can take it.
        let text = "8/8/8/7w/7b/8/1w6/b1b5 b";
        assert_eq!(sensible(text), "c1b2 a1b2");
        // Arriving is better still, and one way suffices.
        assert_eq!(sensible("8/3b4/8/7w/7b/8/1w6/b1b5 b"), "d7c8");
        // Two cannot both be taken.
        assert_eq!(
            sensible("8/8/8/8/8/8/1w5w/b1b5 b"),
            "c1b2 a1a2 c1c2 a1b2 c1d2"
        );
    }

    #[test]
    fn weights_and_priors_by_hand() {
        let game = Eight::new(8, 8);
        let position = game.read_position("8/2w5/1w6/3w4/2b5/8/b7/8 b").unwrap();
        let of = |text: &str| {
            let m = game.read_move(&position, text).unwrap();
            (game.weight(&position, m), game.prior(&position, m))
        };
        let rate = |rate: f32| Some(ForMover(2.0 * rate - 1.0));
        // d5 is not defended, and three rows from the goal.
        assert_eq!(of("c4d5"), (4.0, rate(0.7)));
        // c5 is attacked by b6, and b5 by nothing.
        assert_eq!(of("c4c5"), (1.0, rate(0.3)));
        assert_eq!(of("c4b5"), (1.0, rate(0.7)));
        assert_eq!(of("a2a3"), (1.0, rate(0.3)));
        let position = game.read_position("8/8/2w5/3w4/2b5/8/b7/8 b").unwrap();
        let m = game.read_move(&position, "c4d5").unwrap();
        assert_eq!(game.weight(&position, m), 1.0, "d5 is defended");
        assert_eq!(game.prior(&position, m), rate(0.6));
    }
}
