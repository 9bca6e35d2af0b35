//! The positions on the way to a node, where repetition counts.

use super::worker::Worker;
use treeline_game::{Game, random};

impl<G: Game> Worker<'_, G> {
    /// Whether `next`, a child of the position last pushed on the trail, is drawn by having occurred before.
    #[inline(always)]
    pub(super) fn draws_by_repetition(&self, next: &G::Position) -> bool {
        self.repetition
            .is_some_and(|limit| self.times(next) + 1 >= limit)
    }

    /// How often the position was there before.
    pub(super) fn times(&self, position: &G::Position) -> u32 {
        let far = self.game.reversible_plies(position) as usize;
        if far == 0 {
            return 0;
        }
        let key = self.game.key(position);
        let reach = &self.trail[self.trail.len().saturating_sub(far)..];
        reach.iter().filter(|k| **k == key).count() as u32
    }

    /// Where the table has a position that was there `times` times before.
    #[inline(always)]
    pub(super) fn table_key(&self, position: &G::Position, times: u32) -> u64 {
        let key = self.game.state_key(position) ^ self.salt;
        match times {
            0 => key,
            // Nearer to the draw than the position is at other times.
            times => key ^ random::mix(u64::from(times)),
        }
    }

    #[inline(always)]
    pub fn trail_push(&mut self, position: &G::Position) {
        if self.repetition.is_some() {
            self.trail.push(self.game.key(position));
        }
    }

    #[inline(always)]
    pub fn trail_pop(&mut self) {
        if self.repetition.is_some() {
            self.trail.pop();
        }
    }
}
