//! What is known of a position when it is first seen as a child: its result, a cycle, or what the table has of it.

use super::descent::Descent;
use super::numbers::{Bounds, Numbers};
use super::path::{Child, NOWHERE};
use super::table::Entry;
use treeline_game::{Game, Outcome, random::mix};

impl<G: Game> Descent<'_, '_, G> {
    /// What is known of the position after `m`; the path ends with `position`.
    pub(super) fn child(&mut self, position: &G::Position, m: G::Move) -> Child<G::Move> {
        let (setup, question) = (self.setup, self.question);
        let game = setup.game;
        let next = game.after(position, m);
        let ply = self.frames.len() as u32;
        let mut child = Child {
            played: m,
            key: 0,
            numbers: Numbers::CLOSED,
            bounds: Bounds::OPEN,
            plies: 0,
            returns_to: NOWHERE,
        };
        let outcome = game.outcome(&next);
        if let Some(outcome) = outcome.or_else(|| setup.is_dead(&next).then_some(Outcome::Draw)) {
            self.tally.draws |= outcome == Outcome::Draw;
            child.bounds = Bounds::of(outcome);
            child.numbers = question.settled(child.bounds).unwrap_or(Numbers::NO);
            return child;
        }
        if ply >= setup.depth {
            return child;
        }
        child.key = setup.key(&next, ply);
        if setup.cyclic && self.is_cycle(&next, &mut child) {
            return child;
        }
        let known = self.table.find(child.key).unwrap_or(Entry::NEW);
        (child.bounds, child.plies) = (known.bounds, known.plies);
        if let Some(settled) = question.settled(known.bounds) {
            child.numbers = settled;
            return child;
        }
        if setup.cyclic && self.is_conditional(&mut child) {
            return child;
        }
        child.numbers = known.numbers[question.0.index()].unwrap_or_else(|| {
            self.tally.evaluations += 1;
            setup.guess(&next, question.0)
        });
        child
    }

    /// Whether `next` is on the path already: nobody gets anywhere that way, so the answer is no as long as it is.
    fn is_cycle(&mut self, next: &G::Position, child: &mut Child<G::Move>) -> bool {
        let far = self.setup.game.reversible_plies(next) as usize;
        let back = self.frames.iter().enumerate().rev().take(far);
        let Some((at, _)) = back.into_iter().find(|(_, frame)| frame.key == child.key) else {
            return false;
        };
        self.tally.cycles = true;
        child.numbers = Numbers::NO;
        child.returns_to = at as u32;
        true
    }

    /// The key of what holds of `key` below the present path only.
    pub(super) fn conditional_key(&self, key: u64) -> u64 {
        let path = self.frames.last().map_or(0, |frame| frame.path);
        key ^ mix(path.wrapping_add(self.question.0.index() as u64 + 1))
    }

    /// Whether a disproof on this very path is known.
    fn is_conditional(&self, child: &mut Child<G::Move>) -> bool {
        if !self.tally.cycles {
            return false;
        }
        let known = self.table.find(self.conditional_key(child.key));
        let Some(returns_to) = known.and_then(|known| known.returns_to) else {
            return false;
        };
        child.numbers = Numbers::NO;
        child.returns_to = returns_to;
        true
    }
}
