//! A position on its way through a search, with the keys that repetition needs.

use super::player::Outcome;
use super::rules::Rules;

/// A position, and the keys of the positions before it that it could still repeat.
#[derive(Debug, Clone)]
pub struct Line<'g, G: Rules> {
    game: &'g G,
    position: G::Position,
    /// Keys of earlier positions, oldest first, the current one excluded; empty in games without repetition.
    earlier: Vec<u64>,
}

impl<'g, G: Rules> Line<'g, G> {
    pub fn new(game: &'g G, position: G::Position, earlier: Vec<u64>) -> Self {
        Line {
            game,
            position,
            earlier,
        }
    }

    #[inline]
    pub fn game(&self) -> &'g G {
        self.game
    }

    #[inline]
    pub fn position(&self) -> &G::Position {
        &self.position
    }

    /// Keys of the earlier positions, as [`Line::new`] was given them and [`Line::apply`] adds them.
    #[inline]
    pub fn earlier(&self) -> &[u64] {
        &self.earlier
    }

    /// Plays a legal move.
    #[inline]
    pub fn apply(&mut self, m: G::Move) {
        if self.game.repetition().is_some() {
            self.earlier.push(self.game.key(&self.position));
        }
        self.game.apply(&mut self.position, m);
    }

    /// Goes back to `root`, of which this line is a continuation.
    #[inline]
    pub fn reset(&mut self, root: &Line<'g, G>) {
        self.position = root.position;
        self.earlier.truncate(root.earlier.len());
    }

    /// Goes back to `position`, which it was at `plies` moves after `root`.
    #[inline]
    pub fn rewind(&mut self, root: &Line<'g, G>, plies: usize, position: &G::Position) {
        self.position = *position;
        // Nothing was pushed where nothing repeats.
        self.earlier.truncate(root.earlier.len() + plies);
    }

    /// The result here, repetition included.
    #[inline]
    pub fn outcome(&self) -> Option<Outcome> {
        if let Some(outcome) = self.game.outcome(&self.position) {
            return Some(outcome);
        }
        let limit = self.game.repetition()?;
        let before = self.count(&self.position, self.game.reversible_plies(&self.position));
        (before + 1 >= limit).then_some(Outcome::Draw)
    }

    /// The result if `next` follows by one move, repetition included.
    #[inline]
    pub fn outcome_of(&self, next: &G::Position) -> Option<Outcome> {
        if let Some(outcome) = self.game.outcome(next) {
            return Some(outcome);
        }
        let limit = self.game.repetition()?;
        let far = self.game.reversible_plies(next);
        let here = far > 0 && self.game.key(next) == self.game.key(&self.position);
        let before = u32::from(here) + self.count(next, far.saturating_sub(1));
        (before + 1 >= limit).then_some(Outcome::Draw)
    }

    /// How often `position` occurs among the last `far` positions before this one.
    #[inline]
    fn count(&self, position: &G::Position, far: u32) -> u32 {
        let key = self.game.key(position);
        let reach = &self.earlier[self.earlier.len().saturating_sub(far as usize)..];
        reach.iter().filter(|k| **k == key).count() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;
    use crate::synthetic::Synthetic;

    #[test]
    fn the_result_ahead_is_the_result_then() {
        let text = "a 1 0: b c\n b 2 0: a c d\n c 1 0: b a\n d one\n repetition 3";
        let game = Synthetic::new(text);
        let mut rng = random::seeded(1);
        let mut ends = [0, 0];
        for _ in 0..200 {
            let mut line = Line::new(&game, game.start(), Vec::new());
            while line.outcome().is_none() {
                let moves = game.moves(line.position());
                let m = moves[random::pick(&mut rng, moves.len() as u32) as usize];
                let ahead = line.outcome_of(&game.after(line.position(), m));
                line.apply(m);
                assert_eq!(ahead, line.outcome());
            }
            ends[usize::from(line.outcome() == Some(Outcome::Draw))] += 1;
        }
        assert!(ends.iter().all(|n| *n > 20), "{ends:?}");
    }
}
