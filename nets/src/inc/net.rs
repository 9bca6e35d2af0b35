//! A network ready to run, and the way from its methods to the kernel of an instruction set.

use super::accumulator::{Accumulator, Changes};
use super::batch::Batch;
use super::isa::Isa;
use super::layout::{self, Bytes, Line};
use super::plain;
use super::quantise::{Numbers, Sizes, Tensors};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::NetError;

/// An incrementally updated network. Shared by threads; each has accumulators and a batch of its own.
#[derive(Debug)]
pub struct Net {
    pub(super) numbers: Numbers,
    pub(super) isa: Isa,
    /// The second layer as the kernel reads it.
    pub(super) packed: Vec<Bytes<i8>>,
    /// The accumulators of a position without features.
    pub(super) blank: Vec<Line>,
    /// `[64 · words]`: where in the table, in numbers, the feature's row begins in player one's view, and in player two's.
    pub(super) rows: Vec<[u32; 2]>,
}

impl Net {
    /// Quantises the weights for the fastest instructions of this machine. `turned[f]` is the feature that player two sees
    /// exactly when player one sees `f`: a permutation.
    pub fn new(sizes: Sizes, tensors: Tensors<'_>, turned: &[usize]) -> Result<Net, NetError> {
        Self::with_isa(sizes, tensors, turned, Isa::best())
    }

    /// The same for other instructions; an error if this machine does not have them.
    pub fn with_isa(
        sizes: Sizes,
        tensors: Tensors<'_>,
        turned: &[usize],
        isa: Isa,
    ) -> Result<Net, NetError> {
        if !isa.is_available() {
            let reason = format!("this machine has no {}", isa.name());
            return Err(NetError::architecture("inc", reason));
        }
        let numbers = Numbers::new(sizes, tensors)?;
        let mut seen = vec![false; sizes.features];
        for feature in turned {
            if let Some(seen) = seen.get_mut(*feature) {
                *seen = true;
            }
        }
        if turned.len() != sizes.features || seen.contains(&false) {
            let reason = "the second player's features are no permutation of the first's";
            return Err(NetError::architecture("inc", reason));
        }
        let inputs = 2 * numbers.width;
        // Bits beyond the last feature have rows of zeros.
        let row = |feature: usize| (feature * numbers.width) as u32;
        let mut rows: Vec<[u32; 2]> = (0..64 * numbers.words).map(|f| [row(f); 2]).collect();
        for (rows, turned) in rows.iter_mut().zip(turned) {
            rows[1] = row(*turned);
        }
        Ok(Net {
            isa,
            packed: match isa {
                Isa::Portable => Vec::new(),
                Isa::Avx2 => layout::avx2(&numbers.layer1, inputs),
                Isa::Avx512 => layout::avx512(&numbers.layer1, inputs),
            },
            blank: [&numbers.bias[..], &numbers.bias[..]].concat(),
            rows,
            numbers,
        })
    }

    /// The sizes it was made with.
    pub fn sizes(&self) -> Sizes {
        self.numbers.sizes
    }

    /// Words of 64 features a position.
    #[inline]
    pub fn words(&self) -> usize {
        self.numbers.words
    }

    /// What runs it.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    pub(super) fn width(&self) -> usize {
        self.numbers.width
    }

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
