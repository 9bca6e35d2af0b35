//! What is certain of a race: a piece a step from the far rank that may move arrives, since it cannot be blocked both
//! straight and to the sides, and one that is to move next must be taken; further away a piece arrives if there is a path
//! on which nobody of the other side can be in its way or take it in time, however they move, and none of them arrives before
//! (race patterns: A. Saffidine, N. Jouandeau and T. Cazenave, Solving Breakthrough with Race Patterns and Job-Level
//! Proof Number Search, 2012; here as sets of squares instead of a list of patterns).

use super::pick::Board;
use super::rules::{Advance, Breakthrough, Position};
use treeline_game::{Foresight, Moves, Outcome, Player, Rules};

impl<B: Board, const W: u32, const H: u32> Breakthrough<B, W, H> {
    /// Who wins a race, now or after the best move, or the moves after which the other side does not.
    pub(super) fn glance(&self, position: &Position<B>) -> Foresight<Advance> {
        let (mover, other) = (position.turn, position.turn.other());
        if self.arrives(position, mover) {
            return Foresight::Decided(Outcome::Win(mover));
        }
        if self.arrives(position, other) {
            return Foresight::Decided(Outcome::Win(other));
        }
        let (mut only, mut wins, mut all) = (Moves::new(), false, 0);
        self.each_move(position, |m| {
            let next = self.after(position, m);
            wins = wins || self.arrives(&next, mover);
            if !wins && !self.arrives(&next, other) {
                only.push(m);
            }
            all += 1;
        });
        if wins {
            Foresight::Decided(Outcome::Win(mover))
        } else if only.is_empty() {
            Foresight::Decided(Outcome::Win(other))
        } else if only.len() < all {
            Foresight::Only(only)
        } else {
            Foresight::Open
        }
    }

    /// Whether a piece of `runner` surely reaches its goal first.
    fn arrives(&self, position: &Position<B>, runner: Player) -> bool {
        let waits = runner != position.turn;
        match runner {
            Player::One => self.outruns::<true, false>(position, runner, waits),
            Player::Two => self.outruns::<false, true>(position, runner, waits),
        }
    }

    /// All paths of all pieces of `runner`, each as if the others of its side stood still. `UP`: player one runs.
    /// `waits`: the other side moves first.
    fn outruns<const UP: bool, const DOWN: bool>(
        &self,
        position: &Position<B>,
        runner: Player,
        waits: bool,
    ) -> bool {
        let (own, other) = (runner.index(), runner.other().index());
        let pieces = position.pieces[own];
        // Where one of the other side may stand by now: with none of its own in the way, and any of them moving.
        let mut reached = position.pieces[other];
        let taken = |reached: B| {
            let [low, _, high] = self.ahead::<DOWN>(reached);
            low | high
        };
        let further = |reached: B| {
            let [low, straight, high] = self.ahead::<DOWN>(reached);
            reached | low | straight | high
        };
        // Where the runner may stand, untouched.
        let mut safe = pieces;
        if waits {
            safe &= !taken(reached);
            reached = further(reached);
        }
        while !safe.is_empty() && (reached & self.goal[other]).is_empty() {
            let [low, straight, high] = self.ahead::<UP>(safe);
            safe = (low | high | (straight & !reached)) & !pieces;
            if !(safe & self.goal[own]).is_empty() {
                return true;
            }
            safe &= !taken(reached);
            reached = further(reached);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use treeline_game::bits::Bits;
    use treeline_game::{Notation, random};

    /// Whether `player` wins within `plies`, whatever the other does.
    fn wins<B: Board>(
        game: &Breakthrough<B, 0, 0>,
        position: &Position<B>,
        player: Player,
        plies: u32,
        known: &mut HashMap<(u64, Player, u32), bool>,
    ) -> bool {
        if let Some(outcome) = game.outcome(position) {
            return outcome == Outcome::Win(player);
        }
        if plies == 0 {
            return false;
        }
        let key = (position.key, player, plies);
        if let Some(known) = known.get(&key) {
            return *known;
        }
        let moves = game.moves(position);
        let mut after =
            |m: &Advance| wins(game, &game.after(position, *m), player, plies - 1, known);
        let value = match position.turn == player {
            true => moves.iter().any(&mut after),
            false => moves.iter().all(&mut after),
        };
        known.insert(key, value);
        value
    }

    #[test]
    fn what_a_glance_decides_is_true() {
        let mut rng = random::seeded(3);
        // Open, decided at once, decided later, moves that matter.
        let mut seen = [0; 4];
        for (width, height, games) in [(3, 5, 500), (3, 6, 300), (5, 5, 100), (8, 4, 300)] {
            let game = Breakthrough::<u64, 0, 0>::new(width, height);
            let mut known = HashMap::new();
            for _ in 0..games {
                let mut position = game.start();
                while game.outcome(&position).is_none() {
                    let moves = game.moves(&position);
                    match game.glance(&position) {
                        Foresight::Open => {
                            // The last piece that is taken is not foreseen.
                            let last = position.pieces.iter().any(|pieces| pieces.count() == 1);
                            let foreseeable =
                                |player| wins(&game, &position, player, 2, &mut known);
                            assert!(last || !Player::BOTH.into_iter().any(foreseeable));
                            seen[0] += 1;
                        }
                        Foresight::Decided(Outcome::Win(player)) => {
                            let sooner = (1..=2 * height)
                                .find(|n| wins(&game, &position, player, *n, &mut known));
                            let text = game.write_position(&position);
                            let plies = sooner.unwrap_or_else(|| panic!("{text}: {player:?}"));
                            seen[if plies <= 2 { 1 } else { 2 }] += 1;
                        }
                        Foresight::Decided(Outcome::Draw) => panic!("no game is drawn"),
                        Foresight::Only(only) => {
                            for m in moves.iter().filter(|m| !only.contains(m)) {
                                let next = game.after(&position, *m);
                                let mut wins = |n| wins(&game, &next, next.turn, n, &mut known);
                                assert!((1..2 * height).any(&mut wins));
                            }
                            seen[3] += 1;
                        }
                    }
                    let m = moves[random::pick(&mut rng, moves.len() as u32) as usize];
                    game.apply(&mut position, m);
                }
            }
        }
        assert!(seen.iter().all(|n| *n > 500), "{seen:?}");
    }

    #[test]
    fn a_race_is_seen_to_the_end() {
        let game = Breakthrough::<u64, 8, 8>::new(8, 8);
        let first = Foresight::Decided(Outcome::Win(Player::One));
        let second = Foresight::Decided(Outcome::Win(Player::Two));
        for (text, expected) in [
            // Nobody near: who arrives first?
            ("8/8/8/b6w/8/8/8/8 w", &first),
            ("8/8/b7/8/8/7w/8/8 b", &first),
            ("8/8/b7/8/8/7w/8/8 w", &second),
            ("8/8/8/b7/8/7w/8/8 b", &second),
            // One defender leaves a way, two shut all of them.
            ("1w6/8/8/b7/8/8/8/8 b", &first),
            ("1ww5/8/8/b7/8/8/8/8 b", &Foresight::Open),
            // Passed in time, whatever the only defender does.
            ("8/w7/8/b7/8/8/8/8 b", &first),
            ("8/w7/8/b7/8/8/8/8 w", &first),
        ] {
            let position = game.read_position(text).unwrap();
            assert_eq!(game.glance(&position), *expected, "{text}");
        }
    }
}
