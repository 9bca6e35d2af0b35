//! What is certain a step from the far rank: a piece there that may move arrives, since it cannot be blocked both straight
//! and to the sides; one that is to move next must be taken.

use super::pick::Board;
use super::rules::{Advance, Breakthrough, Position};
use crate::game::{Foresight, Game, Moves, Outcome};

impl<B: Board, const W: u32, const H: u32> Breakthrough<B, W, H> {
    /// Who wins within two plies, or the moves that prevent it.
    pub(super) fn glance(&self, position: &Position<B>) -> Foresight<Advance> {
        let (mover, other) = (position.turn, position.turn.other());
        // The rank before each goal.
        let w = self.width();
        let before = [self.goal[0] >> w, self.goal[1] << w];
        let ready =
            |player: crate::game::Player| position.pieces[player.index()] & before[player.index()];
        if !ready(mover).is_empty() {
            return Foresight::Decided(Outcome::Win(mover));
        }
        let threats = ready(other);
        if threats.is_empty() {
            return Foresight::Open;
        }
        let mut only = Moves::new();
        self.each_move(position, |m| {
            if threats == B::square(u32::from(m.to)) {
                only.push(m);
            }
        });
        if only.is_empty() {
            return Foresight::Decided(Outcome::Win(other));
        }
        Foresight::Only(only)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::random;

    /// The sign of the best result within `plies` for the player to move; 0 where none is forced.
    fn search<B: Board>(game: &Breakthrough<B, 0, 0>, position: &Position<B>, plies: u32) -> i32 {
        if let Some(Outcome::Win(winner)) = game.outcome(position) {
            return if winner == position.turn { 1 } else { -1 };
        }
        if plies == 0 {
            return 0;
        }
        let moves = game.moves(position);
        let values = moves
            .iter()
            .map(|m| -search(game, &game.after(position, *m), plies - 1));
        values.max().unwrap_or(0)
    }

    #[test]
    fn a_glance_sees_two_plies() {
        let mut rng = random::seeded(3);
        let mut seen = [0; 3];
        for size in [(3, 5), (5, 5), (8, 4)] {
            let game = Breakthrough::<u64, 0, 0>::new(size.0, size.1);
            for _ in 0..1000 {
                let mut position = game.start();
                while game.outcome(&position).is_none() {
                    let moves = game.moves(&position);
                    let truth = search(&game, &position, 2);
                    match game.glance(&position) {
                        // A last piece that is taken is not foreseen.
                        Foresight::Open => seen[0] += 1,
                        Foresight::Decided(outcome) => {
                            let expected = if outcome == Outcome::Win(position.turn) {
                                1
                            } else {
                                -1
                            };
                            assert_eq!(truth, expected, "{position:?}");
                            seen[1] += 1;
                        }
                        Foresight::Only(only) => {
                            for m in moves.iter().filter(|m| !only.contains(m)) {
                                assert_eq!(search(&game, &game.after(&position, *m), 1), 1);
                            }
                            seen[2] += 1;
                        }
                    }
                    let m = moves[random::pick(&mut rng, moves.len() as u32) as usize];
                    game.apply(&mut position, m);
                }
            }
        }
        assert!(seen.iter().all(|n| *n > 500), "{seen:?}");
    }
}
