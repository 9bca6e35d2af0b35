//! Pattern tables ready to be looked up: whole numbers, and what each feature adds to every lookup's place.

use super::tables::Tables;
use crate::inc::Isa;
use crate::{NetError, stages};

/// Whole numbers of a weight of 1.
const UNIT: f32 = 4096.0;
/// Lookups of a vector.
pub(super) const LANES: usize = 16;
/// Weights behind the last one: where unused lanes and impossible places look, and what a read of four bytes may touch.
pub(super) const SPARE: usize = 2;

/// A vector of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Vector(pub(super) [u32; LANES]);

/// A network of pattern tables. Shared by threads; each has accumulators and a batch of its own.
#[derive(Debug)]
pub struct Net {
    pub(super) isa: Isa,
    words: usize,
    /// Vectors that hold the places of one view.
    pub(super) vectors: usize,
    /// `[64 · words][2][vectors]`: what each feature adds, as player one and as player two see it; bits beyond the last
    /// feature add nothing.
    pub(super) rows: Vec<Vector>,
    /// `[2][vectors]`: the places of a position without features.
    pub(super) blank: Vec<Vector>,
    stages: Vec<usize>,
    bias: Vec<i32>,
    /// `[stages][size + SPARE]`.
    weights: Vec<i16>,
    /// Weights of a stage; the number of the first spare one.
    pub(super) size: usize,
}

impl Net {
    /// Rounds the weights, `[stages][tables.size()]`, and one `bias` a stage. `turned[f]` is the feature that player two sees
    /// exactly when player one sees `f`: a permutation.
    pub fn new(
        tables: &Tables,
        weights: &[f32],
        bias: &[f32],
        turned: &[usize],
    ) -> Result<Net, NetError> {
        Self::with_isa(tables, weights, bias, turned, Isa::best())
    }

    /// The same for other instructions; an error if this machine does not have them.
    pub fn with_isa(
        tables: &Tables,
        weights: &[f32],
        bias: &[f32],
        turned: &[usize],
        isa: Isa,
    ) -> Result<Net, NetError> {
        let fail = |reason: String| NetError::architecture("patterns", reason);
        if !isa.is_available() {
            return Err(fail(format!("this machine has no {}", isa.name())));
        }
        tables.check()?;
        let (size, stages) = (tables.size(), tables.stages.len());
        if weights.len() != stages * size || bias.len() != stages {
            return Err(fail(format!("{stages} stages of {size} weights expected")));
        }
        let mut seen = turned.to_vec();
        seen.sort_unstable();
        if !seen.into_iter().eq(0..tables.features) {
            let reason = "the second player's features are no permutation of the first's";
            return Err(fail(reason.into()));
        }
        let (starts, adds) = tables.contributions();
        let vectors = starts.len().div_ceil(LANES);
        let mut blank = vec![Vector([size as u32; LANES]); 2 * vectors];
        for (lookup, start) in starts.iter().enumerate() {
            for view in 0..2 {
                blank[view * vectors + lookup / LANES].0[lookup % LANES] = *start;
            }
        }
        let words = tables.features.div_ceil(64);
        let mut rows = vec![Vector([0; LANES]); 64 * words * 2 * vectors];
        for (feature, turned) in turned.iter().enumerate() {
            for (view, seen) in [feature, *turned].into_iter().enumerate() {
                for (lookup, add) in &adds[seen] {
                    let vector = (feature * 2 + view) * vectors + lookup / LANES;
                    let place = &mut rows[vector].0[lookup % LANES];
                    *place = place.wrapping_add(*add);
                }
            }
        }
        let mut rounded = Vec::with_capacity(stages * (size + SPARE));
        for stage in weights.chunks_exact(size) {
            rounded.extend(stage.iter().map(|w| round(*w, f32::from(i16::MAX)) as i16));
            rounded.extend([0; SPARE]);
        }
        Ok(Net {
            isa,
            words,
            vectors,
            rows,
            blank,
            stages: tables.stages.clone(),
            bias: bias.iter().map(|b| round(*b, 1e9)).collect(),
            weights: rounded,
            size,
        })
    }

    /// Words of 64 features a position.
    #[inline]
    pub fn words(&self) -> usize {
        self.words
    }

    /// What runs it.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The places of a position without features.
    pub fn blank(&self) -> Accumulator {
        Accumulator {
            places: self.blank.clone(),
            words: vec![0; self.words],
        }
    }

    /// Makes `to` that of the position with these features, from another position's or from nothing, whichever is shorter.
    ///
    /// Does nothing if accumulators or words belong to a network of other sizes.
    #[inline]
    pub fn derive(
        &self,
        from: &Accumulator,
        to: &mut Accumulator,
        words: &[u64],
        batch: &mut Batch,
    ) {
        if self.owns(from) && self.owns(to) && words.len() == self.words {
            to.places.copy_from_slice(&from.places);
            to.words.copy_from_slice(&from.words);
            self.shift(to, words, batch);
        }
    }

    /// The same from what it was. `batch` lends its room.
    pub fn shift(&self, accumulator: &mut Accumulator, words: &[u64], batch: &mut Batch) {
        if !self.owns(accumulator) || words.len() != self.words || batch.stride != self.words {
            return;
        }
        let changes = &mut batch.changes;
        let anew = changes.find(&accumulator.words, words);
        if anew {
            accumulator.places.copy_from_slice(&self.blank);
        }
        let both = 2 * self.vectors;
        for (list, add) in [(changes.added(), true), (changes.removed(), false)] {
            for feature in list {
                let at = *feature as usize * both;
                let rows = self.rows.get(at..at + both).unwrap_or_default();
                for (place, row) in accumulator.places.iter_mut().zip(rows) {
                    for (place, row) in place.0.iter_mut().zip(row.0) {
                        *place = match add {
                            true => place.wrapping_add(row),
                            false => place.wrapping_sub(row),
                        };
                    }
                }
            }
        }
        accumulator.words.copy_from_slice(words);
    }

    /// The table of a position, and what is added to its sum.
    #[inline(always)]
    pub(super) fn table(&self, words: &[u64]) -> (&[i16], i32) {
        let features: u32 = words.iter().map(|word| word.count_ones()).sum();
        let stage = stages::of(&self.stages, features as usize);
        let stride = self.size + SPARE;
        let table = self.weights.get(stage * stride..(stage + 1) * stride);
        (
            table.unwrap_or_default(),
            self.bias.get(stage).copied().unwrap_or(0),
        )
    }

    #[inline]
    pub(super) fn owns(&self, accumulator: &Accumulator) -> bool {
        accumulator.places.len() == self.blank.len() && accumulator.words.len() == self.words
    }
}

fn round(weight: f32, most: f32) -> i32 {
    (weight * UNIT).round_ties_even().clamp(-most, most) as i32
}

/// What a sum of whole numbers means.
#[inline(always)]
pub(super) fn real(sum: i32) -> f32 {
    sum as f32 * (1.0 / UNIT)
}

/// The places of one position's lookups, in both views, with the features that they come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accumulator {
    pub(super) places: Vec<Vector>,
    pub(super) words: Vec<u64>,
}

impl Accumulator {
    /// The features as player one sees them, 64 a word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

/// Positions whose values are asked for in one call of [`Net::evaluate`], and their values.
#[derive(Debug)]
pub struct Batch {
    /// Words a position.
    pub(super) stride: usize,
    pub(super) words: Vec<u64>,
    /// Whether player two is to move in each position.
    pub(super) movers: Vec<bool>,
    /// In whole vectors.
    pub(super) values: Vec<f32>,
    pub(super) known: usize,
    pub(super) changes: Changes,
}

impl Batch {
    /// An empty batch for this network and others of its sizes.
    pub fn new(net: &Net) -> Self {
        Batch {
            stride: net.words,
            words: Vec::new(),
            movers: Vec::new(),
            values: Vec::new(),
            known: 0,
            changes: Changes::new(net.words),
        }
    }

    /// Makes the batch one of `count` positions, to be described one after the other: each one's features as player one sees
    /// them, all words of them, and whether player two is to move.
    #[inline]
    pub fn places(&mut self, count: usize) -> impl Iterator<Item = (&mut [u64], &mut bool)> {
        self.words.resize(count * self.stride, 0);
        self.movers.resize(count, false);
        let words = self.words.chunks_exact_mut(self.stride);
        words.zip(&mut self.movers)
    }

    /// The values of the last [`Net::evaluate`], in the order of the positions: for the mover, in (-1, 1).
    #[inline]
    pub fn values(&self) -> &[f32] {
        &self.values[..self.known]
    }
}

/// The features that take one position to another.
#[derive(Debug)]
pub(super) struct Changes {
    /// What comes, and what goes; as long as there are features.
    lists: [Box<[u16]>; 2],
    counts: [usize; 2],
}

/// So many changes are never more than a position has features.
const FEW: usize = 8;

impl Changes {
    fn new(words: usize) -> Self {
        let list = || vec![0; 64 * words].into_boxed_slice();
        Changes {
            lists: [list(), list()],
            counts: [0; 2],
        }
    }

    /// From `old` to `new`, or, where that is shorter, from a position without features; true in that case.
    #[inline(always)]
    pub fn find(&mut self, old: &[u64], new: &[u64]) -> bool {
        self.counts = [0; 2];
        for (at, (old, new)) in old.iter().zip(new).enumerate() {
            let difference = old ^ new;
            self.list(0, at, difference & new);
            self.list(1, at, difference & old);
        }
        self.counts[0] + self.counts[1] > FEW && self.is_shorter_anew(new)
    }

    #[cold]
    fn is_shorter_anew(&mut self, new: &[u64]) -> bool {
        let all: u32 = new.iter().map(|word| word.count_ones()).sum();
        let shorter = (all as usize) < self.counts[0] + self.counts[1];
        if shorter {
            self.counts = [0; 2];
            for (at, new) in new.iter().enumerate() {
                self.list(0, at, *new);
            }
        }
        shorter
    }

    #[inline(always)]
    fn list(&mut self, which: usize, word: usize, mut set: u64) {
        while set != 0 {
            let bit = set.trailing_zeros() as usize;
            set &= set - 1;
            if let Some(place) = self.lists[which].get_mut(self.counts[which]) {
                *place = (word * 64 + bit) as u16;
                self.counts[which] += 1;
            }
        }
    }

    #[inline(always)]
    pub fn added(&self) -> &[u16] {
        self.lists[0].get(..self.counts[0]).unwrap_or_default()
    }

    #[inline(always)]
    pub fn removed(&self) -> &[u16] {
        self.lists[1].get(..self.counts[1]).unwrap_or_default()
    }
}
