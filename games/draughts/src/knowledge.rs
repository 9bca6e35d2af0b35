//! What is known of the game beyond its rules: its evaluations, and that captures are compulsory.

use super::moves::Move;
use super::rules::{Draughts, Position, seen_by_mover};
use treeline_game::{Heuristic, Knowledge, Moves, Player};

impl Knowledge for Draughts {
    fn heuristics(&self) -> &'static [Heuristic<Self>] {
        Self::HEURISTICS
    }

    /// MPV's stages 1 and 2: no kings, and more than 8 pieces.
    fn is_early(&self, position: &Position) -> bool {
        let pieces: u32 = position.pieces.map(u64::count_ones).iter().sum();
        position.kings == 0 && pieces > 8
    }

    /// MPV Eq. 6.1.
    fn benchmark(&self) -> &'static str {
        "material"
    }

    /// Captures, which are compulsory: where there is one, all moves are.
    #[inline]
    fn each_noisy(&self, position: &Position, visit: impl FnMut(Move)) {
        seen_by_mover!(position, view => if view.can_take() {
            let mut captures = Moves::new();
            view.captures(&mut captures);
            captures.iter().copied().for_each(visit);
        })
    }

    #[inline(always)]
    fn has_noisy(&self, position: &Position) -> bool {
        seen_by_mover!(position, view => view.can_take())
    }

    #[inline(always)]
    fn is_noisy(&self, _position: &Position, m: Move) -> bool {
        m.taken() != 0
    }

    #[inline(always)]
    fn must_be_noisy(&self, _position: &Position, _count: u32) -> bool {
        true
    }
}
