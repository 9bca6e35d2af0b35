//! A network ready to run: its numbers as the kernels of an instruction set read them.

use super::isa::Isa;
use super::layout::{self, Bytes, LANES, Line};
use super::quantise::{Numbers, Sizes, Tensors};
use crate::NetError;

/// An incrementally updated network. Shared by threads; each has accumulators and a batch of its own.
#[derive(Debug)]
pub struct Net {
    pub(super) numbers: Numbers,
    pub(super) isa: Isa,
    /// The second layer as the kernel reads it, one stage after the other.
    pub(super) packed: Vec<Bytes<i8>>,
    /// The same by fours of inputs, for a kernel that leaves out those that are zero; empty where it does not.
    pub(super) fours: Vec<Bytes<i8>>,
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
            fours: match isa {
                // With one block of outputs, looking for them takes as long as they save.
                Isa::Avx2 if numbers.padded > LANES => {
                    let stages = numbers.layer1.chunks_exact(numbers.padded * inputs);
                    stages.flat_map(|s| layout::fours(s, inputs)).collect()
                }
                _ => Vec::new(),
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
}
