//! Patterns, and where in one long row of weights each of their numbers is.

use crate::{NetError, stages};

/// Places on the board, of all patterns together, that are looked up for one value.
pub const MOST_LOOKUPS: usize = 4096;
/// Features of one side times those places: what each feature adds to each is kept.
const MOST_ADDS: usize = 1 << 22;
/// Features of one side.
const MOST_FEATURES: usize = 1 << 16;
/// Weights of one stage.
const MOST_WEIGHTS: usize = 1 << 24;

/// A table, and the places on the board where it is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Of each place the cells, of each cell the features that mean states 1, 2, …. All places have as many cells, all cells as
    /// many states. The first cell's state is the lowest digit.
    pub places: Vec<Vec<Vec<usize>>>,
    /// For each cell the one that takes its state in a mirror image which is worth the same; each cell itself where there is none.
    pub mirror: Vec<usize>,
}

impl Pattern {
    /// Without a mirror image.
    pub fn plain(places: Vec<Vec<Vec<usize>>>) -> Pattern {
        let cells = places.first().map_or(0, Vec::len);
        Pattern {
            places,
            mirror: (0..cells).collect(),
        }
    }

    /// Cells of a place.
    pub fn cells(&self) -> usize {
        self.places.first().map_or(0, Vec::len)
    }

    /// States of a cell, counting 0.
    pub fn states(&self) -> usize {
        let cell = self.places.first().and_then(|place| place.first());
        cell.map_or(1, |features| features.len() + 1)
    }

    /// Numbers that its cells can make; none where they are too many.
    pub fn size(&self) -> Option<usize> {
        let size = self.states().checked_pow(self.cells() as u32)?;
        (size <= MOST_WEIGHTS).then_some(size)
    }

    /// What is wrong with it, on a board with so many features.
    fn fault(&self, features: usize) -> Option<String> {
        let (cells, states) = (self.cells(), self.states());
        if self.places.is_empty() || cells == 0 || states < 2 {
            return Some("a place with a cell of two states or more expected".into());
        }
        let even = |place: &Vec<Vec<usize>>| {
            place.len() == cells && place.iter().all(|cell| cell.len() + 1 == states)
        };
        if !self.places.iter().all(even) {
            return Some("places have different numbers of cells or states".into());
        }
        for place in &self.places {
            let mut all: Vec<usize> = place.iter().flatten().copied().collect();
            all.sort_unstable();
            if let Some(far) = all.iter().find(|f| **f >= features) {
                return Some(format!("there is no feature {far} among {features}"));
            }
            if let Some(twice) = all.windows(2).find(|pair| pair[0] == pair[1]) {
                return Some(format!("a place has feature {} twice", twice[0]));
            }
        }
        let mut seen = vec![false; cells];
        for cell in &self.mirror {
            match seen.get_mut(*cell) {
                Some(seen) if !*seen => *seen = true,
                _ => return Some("the mirror image is no permutation of the cells".into()),
            }
        }
        let twofold = |(cell, other): (usize, &usize)| self.mirror.get(*other) == Some(&cell);
        match self.mirror.len() == cells && self.mirror.iter().enumerate().all(twofold) {
            true => None,
            false => Some("the mirror image of the mirror image is another".into()),
        }
    }
}

/// All patterns of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tables {
    /// Features of one side.
    pub features: usize,
    /// Of each stage the fewest features that a position in it has: ascending from 0.
    pub stages: Vec<usize>,
    /// In the order of their tables.
    pub patterns: Vec<Pattern>,
}

impl Tables {
    /// Whether it can be looked up; the error says what is wrong where.
    pub fn check(&self) -> Result<(), NetError> {
        let fail = |reason: String| Err(NetError::architecture("patterns", reason));
        if self.features > MOST_FEATURES {
            return fail(format!(
                "at most {MOST_FEATURES} features of a side expected"
            ));
        }
        if !stages::ascend(&self.stages) {
            return fail(stages::expected());
        }
        for (i, pattern) in self.patterns.iter().enumerate() {
            if let Some(fault) = pattern.fault(self.features) {
                return fail(format!("table {i}: {fault}"));
            }
        }
        let sizes = self.patterns.iter().map(Pattern::size);
        let size = sizes.sum::<Option<usize>>();
        match (self.lookups(), size) {
            (0, _) => fail("a pattern expected".into()),
            (lookups, _) if lookups > MOST_LOOKUPS => fail(format!(
                "at most {MOST_LOOKUPS} places expected, {lookups} found"
            )),
            (lookups, _) if lookups * self.features > MOST_ADDS => fail(format!(
                "{} features for {lookups} places are too many: their product is above {MOST_ADDS}",
                self.features
            )),
            (_, Some(size)) if size <= MOST_WEIGHTS => Ok(()),
            _ => fail(format!("more than {MOST_WEIGHTS} weights a stage")),
        }
    }

    /// Places of all patterns.
    pub fn lookups(&self) -> usize {
        self.patterns.iter().map(|p| p.places.len()).sum()
    }

    /// Weights of a stage.
    pub fn size(&self) -> usize {
        self.patterns.iter().filter_map(Pattern::size).sum()
    }

    /// The stage of a position with so many features.
    #[inline]
    pub fn stage(&self, features: usize) -> usize {
        stages::of(&self.stages, features)
    }

    /// Where in the row of weights each lookup begins, and for each feature what it adds to which lookups.
    pub(super) fn contributions(&self) -> (Vec<u32>, Vec<Vec<(usize, u32)>>) {
        let mut starts = Vec::with_capacity(self.lookups());
        let mut adds = vec![Vec::new(); self.features];
        let mut start = 0;
        for pattern in &self.patterns {
            for place in &pattern.places {
                let mut digit = 1u32;
                for cell in place {
                    for (state, feature) in (1u32..).zip(cell) {
                        adds[*feature].push((starts.len(), state.wrapping_mul(digit)));
                    }
                    digit = digit.wrapping_mul(pattern.states() as u32);
                }
                starts.push(start);
            }
            start += pattern.size().unwrap_or(0) as u32;
        }
        (starts, adds)
    }

    /// For each weight of a stage the one that stands for it and its mirror image.
    pub(super) fn representatives(&self) -> Vec<u32> {
        let mut all = Vec::with_capacity(self.size());
        for pattern in &self.patterns {
            let (start, states) = (all.len(), pattern.states());
            for number in 0..pattern.size().unwrap_or(0) {
                let mut image = 0;
                for cell in pattern.mirror.iter().rev() {
                    image = image * states + number / states.pow(*cell as u32) % states;
                }
                all.push((start + number.min(image)) as u32);
            }
        }
        all
    }
}
