//! What a network does, by the kernels of its instruction set.

use super::accumulator::{Accumulator, Changes};
use super::batch::Batch;
use super::isa::Isa;
use super::net::Net;
use super::plain;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

impl Net {
    /// The accumulators of a position without features.
    pub fn blank(&self) -> Accumulator {
        Accumulator {
            values: self.blank.clone(),
            words: vec![0; self.words()],
        }
    }

    /// Makes `accumulator` that of the position with these features, by the shorter of two ways: from what it was, or from
    /// nothing. The result does not depend on the way. `batch` lends its room.
    ///
    /// Does nothing if accumulator, words or batch belong to a network of other sizes.
    pub fn shift(&self, accumulator: &mut Accumulator, words: &[u64], batch: &mut Batch) {
        if !self.owns(accumulator) || words.len() != self.words() || !batch.fits(self) {
            return;
        }
        let anew = batch
            .room
            .changes
            .find(&accumulator.words, words, &self.rows);
        let to = accumulator.values.as_mut_ptr();
        let from = if anew { self.blank.as_ptr() } else { to };
        // SAFETY: both have the numbers of this network, and may be the same.
        unsafe { self.change(from.cast(), &batch.room.changes, to.cast()) };
        accumulator.words.copy_from_slice(words);
    }

    /// The same from another position's accumulator, which stays as it is.
    #[inline]
    pub fn derive(
        &self,
        from: &Accumulator,
        accumulator: &mut Accumulator,
        words: &[u64],
        batch: &mut Batch,
    ) {
        let fit = self.owns(accumulator) && self.owns(from) && batch.fits(self);
        if !fit || words.len() != self.words() {
            return;
        }
        let anew = batch.room.changes.find(&from.words, words, &self.rows);
        let from = if anew { &self.blank } else { &from.values };
        let to = accumulator.values.as_mut_ptr();
        // SAFETY: both have the numbers of this network.
        unsafe { self.change(from.as_ptr().cast(), &batch.room.changes, to.cast()) };
        accumulator.words.copy_from_slice(words);
    }

    /// # Safety
    ///
    /// `from` and `to` are accumulators of this network, the same or two that do not overlap.
    #[inline]
    unsafe fn change(&self, from: *const i16, changes: &Changes, to: *mut i16) {
        // SAFETY: as the caller promises, and `with_isa` found the instructions.
        unsafe {
            match self.isa {
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2 => avx2::shift(self, from, changes, to),
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => avx512::shift(self, from, changes, to),
                _ => {
                    let count = 2 * self.width();
                    std::ptr::copy(from, to, count);
                    let lines = std::slice::from_raw_parts_mut(to.cast(), count / 32);
                    plain::shift(self, changes, lines);
                }
            }
        }
    }

    /// Fills the batch's values, each as if its position had been refreshed from nothing. Positions that resemble the one of
    /// `base` cost least.
    ///
    /// Leaves the values empty if base or batch belong to a network of other sizes.
    #[inline]
    pub fn evaluate(&self, base: &Accumulator, batch: &mut Batch) {
        let fits = self.owns(base) && batch.fits(self);
        batch.start(if fits { batch.len() } else { 0 });
        if batch.known == 0 {
            return;
        }
        match self.isa {
            Isa::Portable => plain::evaluate(self, base, batch),
            // SAFETY: `with_isa` found the instructions; sizes were compared above.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => unsafe { avx2::evaluate(self, base, batch) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => unsafe { avx512::evaluate(self, base, batch) },
            #[cfg(not(target_arch = "x86_64"))]
            _ => plain::evaluate(self, base, batch),
        }
    }

    #[inline]
    fn owns(&self, accumulator: &Accumulator) -> bool {
        accumulator.values.len() == self.blank.len() && accumulator.words.len() == self.words()
    }
}
