//! A position on its way through a search, with the keys that repetition needs.

use super::{Game, Outcome};

/// A position, and the keys of the positions before it that it could still repeat.
#[derive(Debug, Clone)]
pub struct Line<'g, G: Game> {
    game: &'g G,
    position: G::Position,
    /// Keys of earlier positions, oldest first, the current one excluded; empty in games without repetition.
    earlier: Vec<u64>,
}

impl<'g, G: Game> Line<'g, G> {
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
