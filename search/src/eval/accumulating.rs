//! Networks that follow a position from move to move, whatever they keep of it.

use treeline_nets::{inc, patterns};

/// What [`super::ByAccumulator`] asks of a network: [`inc::Net`] and [`patterns::Net`] say what each does.
pub trait Accumulating: Send + Sync {
    /// What is kept of a position.
    type Accumulator: Clone + Send;
    /// Positions that are asked about together.
    type Batch: Send;

    /// Words of 64 features a position.
    fn words(&self) -> usize;
    /// That of a position without features.
    fn blank(&self) -> Self::Accumulator;
    /// An empty batch.
    fn batch(&self) -> Self::Batch;
    /// The features that an accumulator is of.
    fn features(accumulator: &Self::Accumulator) -> &[u64];
    /// Makes an accumulator that of a position with these features.
    fn shift(&self, of: &mut Self::Accumulator, words: &[u64], batch: &mut Self::Batch);
    /// The same, from another one.
    fn derive(
        &self,
        from: &Self::Accumulator,
        to: &mut Self::Accumulator,
        words: &[u64],
        batch: &mut Self::Batch,
    );
    /// Room for the features of `count` positions, and whether player two is to move in each.
    fn places<'a>(
        &self,
        batch: &'a mut Self::Batch,
        count: usize,
    ) -> impl Iterator<Item = (&'a mut [u64], &'a mut bool)>;
    /// Evaluates positions that resemble that of `base`: values for the mover.
    fn evaluate<'a>(&self, base: &Self::Accumulator, batch: &'a mut Self::Batch) -> &'a [f32];
}

impl Accumulating for inc::Net {
    type Accumulator = inc::Accumulator;
    type Batch = inc::Batch;

    fn words(&self) -> usize {
        self.words()
    }
    fn blank(&self) -> inc::Accumulator {
        self.blank()
    }
    fn batch(&self) -> inc::Batch {
        inc::Batch::new(self)
    }
    #[inline(always)]
    fn features(accumulator: &inc::Accumulator) -> &[u64] {
        accumulator.words()
    }
    #[inline(always)]
    fn shift(&self, of: &mut inc::Accumulator, words: &[u64], batch: &mut inc::Batch) {
        self.shift(of, words, batch);
    }
    #[inline(always)]
    fn derive(
        &self,
        from: &inc::Accumulator,
        to: &mut inc::Accumulator,
        words: &[u64],
        batch: &mut inc::Batch,
    ) {
        self.derive(from, to, words, batch);
    }
    #[inline(always)]
    fn places<'a>(
        &self,
        batch: &'a mut inc::Batch,
        count: usize,
    ) -> impl Iterator<Item = (&'a mut [u64], &'a mut bool)> {
        batch.places(count)
    }
    #[inline(always)]
    fn evaluate<'a>(&self, base: &inc::Accumulator, batch: &'a mut inc::Batch) -> &'a [f32] {
        self.evaluate(base, batch);
        batch.values()
    }
}

impl Accumulating for patterns::Net {
    type Accumulator = patterns::Accumulator;
    type Batch = patterns::Batch;

    fn words(&self) -> usize {
        self.words()
    }
    fn blank(&self) -> patterns::Accumulator {
        self.blank()
    }
    fn batch(&self) -> patterns::Batch {
        patterns::Batch::new(self)
    }
    #[inline(always)]
    fn features(accumulator: &patterns::Accumulator) -> &[u64] {
        accumulator.words()
    }
    #[inline(always)]
    fn shift(&self, of: &mut patterns::Accumulator, words: &[u64], batch: &mut patterns::Batch) {
        self.shift(of, words, batch);
    }
    #[inline(always)]
    fn derive(
        &self,
        from: &patterns::Accumulator,
        to: &mut patterns::Accumulator,
        words: &[u64],
        batch: &mut patterns::Batch,
    ) {
        self.derive(from, to, words, batch);
    }
    #[inline(always)]
    fn places<'a>(
        &self,
        batch: &'a mut patterns::Batch,
        count: usize,
    ) -> impl Iterator<Item = (&'a mut [u64], &'a mut bool)> {
        batch.places(count)
    }
    #[inline(always)]
    fn evaluate<'a>(
        &self,
        base: &patterns::Accumulator,
        batch: &'a mut patterns::Batch,
    ) -> &'a [f32] {
        self.evaluate(base, batch);
        batch.values()
    }
}
