//! What compositions beyond plain UCT keep of an edge: 20 bytes beside it, only where one asks for them.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use treeline_game::ForOne;
use treeline_game::memory::Zeroed;

#[derive(Debug, Default)]
pub struct Extra {
    /// Bits of the implicit minimax value for player one.
    implicit: AtomicU32,
    /// Bits of the static value for player one.
    first: AtomicU32,
    /// The row of the move in tables by move.
    slot: AtomicU32,
    /// Bits of the prior, a probability.
    prior: AtomicU32,
    /// The AMAF table of the node behind the edge, plus one; the table knows whether that is still so.
    table: AtomicU32,
}

// SAFETY: integers.
unsafe impl Zeroed for Extra {}

impl Extra {
    /// Begins an edge.
    pub fn begin(&self, value: ForOne, slot: usize) {
        self.set_implicit(value);
        self.set_first(value);
        self.set_prior(0.0);
        self.slot.store(slot as u32, Relaxed);
        self.table.store(0, Relaxed);
    }

    /// The implicit minimax value `v`.
    #[inline]
    pub fn implicit(&self) -> ForOne {
        ForOne(f32::from_bits(self.implicit.load(Relaxed)))
    }

    pub fn set_implicit(&self, value: ForOne) {
        self.implicit.store(value.0.to_bits(), Relaxed);
    }

    /// The static value `v0`.
    #[inline]
    pub fn first(&self) -> ForOne {
        ForOne(f32::from_bits(self.first.load(Relaxed)))
    }

    pub fn set_first(&self, value: ForOne) {
        self.first.store(value.0.to_bits(), Relaxed);
    }

    /// `P`.
    #[inline]
    pub fn prior(&self) -> f32 {
        f32::from_bits(self.prior.load(Relaxed))
    }

    pub fn set_prior(&self, prior: f32) {
        self.prior.store(prior.to_bits(), Relaxed);
    }

    #[inline]
    pub fn slot(&self) -> u32 {
        self.slot.load(Relaxed)
    }

    #[inline]
    pub fn table(&self) -> Option<usize> {
        (self.table.load(Relaxed) as usize).checked_sub(1)
    }

    pub fn set_table(&self, number: usize) {
        self.table.store(number as u32 + 1, Relaxed);
    }
}
