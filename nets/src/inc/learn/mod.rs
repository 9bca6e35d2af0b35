//! Fitting the weights: steps of Adam down the squared error of the value. A position has few features, so the first layer and
//! its gradient are sums of few rows; that makes it some times as fast as dense products in a library.
//!
//! Rounded, it computes what the integers do, to the last bit up to the sums of the second layer: whole numbers that 32-bit
//! floats hold exactly. Gradients pass through the rounding as if there were none.
//!
//! `gradient` is one position forth and back, `adam` the step, `clip` keeps the weights where the integers can follow, `weights`
//! is what all of them count in.

mod adam;
mod clip;
mod gradient;
mod weights;

use super::quantise::{Sizes, Tensors, check};
use crate::{Bound, NetError};
use adam::{Adam, Pace};
use gradient::{Gradient, Layers};
use weights::{NAMES, Weights};

/// How it learns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learning {
    /// Adam's step size.
    pub rate: f64,
    /// What is added to the gradient for each unit of a weight (L2).
    pub weight_decay: f64,
    /// What part of a weight, times the rate, each step takes off it, aside from Adam (as AdamW does).
    pub decoupled_decay: f64,
    /// Compute as the integers will; else in floats alone.
    pub rounded: bool,
    /// Over how many steps [`Fit::averaged`] takes the mean, the recent ones counting more, at least 1.
    pub average: f64,
    /// Threads of a step, at least 1. The numbers do not depend on them.
    pub threads: usize,
}

impl Default for Learning {
    fn default() -> Learning {
        Learning {
            rate: 0.001,
            weight_decay: 0.0,
            decoupled_decay: 0.0,
            rounded: true,
            average: 1.0,
            threads: 1,
        }
    }
}

/// Positions and what their values should be.
#[derive(Debug, Clone, Copy)]
pub struct Lessons<'a> {
    /// `[rows, 2, words]`: the features of the mover's view, then of the other's; feature `f` is bit `f % 64` of word `f / 64`,
    /// and bits beyond the last feature are passed over.
    pub features: &'a [u64],
    /// `[rows]`: for the mover, in [-1, 1].
    pub values: &'a [f32],
    /// `[rows]`.
    pub bounds: &'a [Bound],
}

/// Positions whose gradients are added up together, whatever the number of threads.
const ROWS: usize = 512;

/// Weights that are being fitted.
#[derive(Debug, Clone)]
pub struct Fit {
    sizes: Sizes,
    learning: Learning,
    weights: Weights,
    adam: Adam,
    /// The mean of the weights over the last steps; none before the first one, or where nobody asks for it.
    mean: Option<Weights>,
}

impl Fit {
    /// Begins with these weights, without any memory of earlier steps. Weights that integers could not follow are scaled down at
    /// once, as after each step.
    pub fn new(sizes: Sizes, tensors: Tensors<'_>, learning: Learning) -> Result<Fit, NetError> {
        check(sizes, tensors)?;
        let mut weights = Weights::of(tensors);
        clip::clip(&mut weights, sizes);
        Ok(Fit {
            sizes,
            learning,
            weights,
            adam: Adam::new(sizes),
            mean: None,
        })
    }

    /// The step size from now on.
    pub fn set_rate(&mut self, rate: f64) {
        self.learning.rate = rate;
    }

    /// Learns from these lessons; the mean of the squared errors before. Where that is no finite number, or numbers do not
    /// go with each other, nothing is learned; weights that a step makes infinite are an error, and of no more use.
    pub fn step(&mut self, lessons: &Lessons<'_>) -> Result<f64, NetError> {
        let fail = |reason: String| Err(NetError::architecture("inc", reason));
        let (rows, row) = (lessons.values.len(), 2 * self.sizes.features.div_ceil(64));
        if rows == 0 || lessons.bounds.len() != rows || lessons.features.len() != rows * row {
            return fail(format!(
                "{rows} values with {} bounds and {} words of features, {} expected",
                lessons.bounds.len(),
                lessons.features.len(),
                rows * row
            ));
        }
        let layers = Layers::new(self.sizes, &self.weights, self.learning.rounded)?;
        let sum = self.gradients(&layers, lessons, row);
        let error = sum.squares / rows as f64;
        let gradients = sum.whole(self.sizes);
        let finite = |numbers: &[f32]| numbers.iter().all(|number| number.is_finite());
        if !error.is_finite() || !gradients.all().into_iter().all(finite) {
            return fail(format!(
                "the loss is {error}, and it or a gradient is not a finite number"
            ));
        }
        let pace = Pace {
            rate: self.learning.rate,
            weight_decay: self.learning.weight_decay,
            decoupled_decay: self.learning.decoupled_decay,
        };
        self.adam.step(&mut self.weights, &gradients, pace);
        clip::clip(&mut self.weights, self.sizes);
        check(self.sizes, self.weights.tensors())?;
        self.average();
        Ok(error)
    }

    /// The sum of all positions' gradients, always added in the same order.
    fn gradients(&self, layers: &Layers, lessons: &Lessons<'_>, row: usize) -> Gradient {
        let count = lessons.values.len() as f32;
        let parts = lessons.features.chunks(ROWS * row).enumerate();
        let of_part = |(at, features): (usize, &[u64])| {
            let mut gradient = Gradient::new(self.sizes);
            let rows = features.chunks_exact(row).enumerate();
            for (i, features) in rows.map(|(i, features)| (at * ROWS + i, features)) {
                let (value, bound) = (lessons.values[i], lessons.bounds[i]);
                gradient.add(layers, features, value, bound, count);
            }
            gradient
        };
        let threads = self.learning.threads.clamp(1, parts.len());
        if threads == 1 {
            let mut parts = parts.map(of_part);
            let first = parts.next().unwrap_or_else(|| Gradient::new(self.sizes));
            return parts.fold(first, Gradient::plus);
        }
        let mut found: Vec<Option<Gradient>> = parts.clone().map(|_| None).collect();
        let mut shares: Vec<Vec<_>> = (0..threads).map(|_| Vec::new()).collect();
        for (at, (part, place)) in parts.zip(&mut found).enumerate() {
            shares[at % threads].push((part, place));
        }
        std::thread::scope(|scope| {
            for share in shares {
                let of_part = &of_part;
                scope.spawn(move || {
                    share
                        .into_iter()
                        .for_each(|(part, place)| *place = Some(of_part(part)));
                });
            }
        });
        let first = Gradient::new(self.sizes);
        found.into_iter().flatten().fold(first, Gradient::plus)
    }

    /// The new weights join the mean; at first it is that of all steps there were.
    fn average(&mut self) {
        if self.learning.average <= 1.0 {
            return;
        }
        let share = (1.0 / self.learning.average.min(self.adam.steps as f64)) as f32;
        let Some(mean) = &mut self.mean else {
            self.mean = Some(self.weights.clone());
            return;
        };
        for (means, weights) in mean.all_mut().into_iter().zip(self.weights.all()) {
            let pairs = means.iter_mut().zip(weights);
            pairs.for_each(|(mean, weight)| *mean += share * (weight - *mean));
        }
    }

    /// The weights as they are.
    pub fn weights(&self) -> Tensors<'_> {
        self.weights.tensors()
    }

    /// The mean of the weights over the last steps; before any, the weights.
    pub fn averaged(&self) -> Tensors<'_> {
        self.mean.as_ref().unwrap_or(&self.weights).tensors()
    }

    /// What besides its weights the next step depends on, by name.
    pub fn state(&self) -> Vec<(String, Vec<f32>)> {
        let mut state = self.adam.state();
        if let Some(mean) = &self.mean {
            let means = NAMES.iter().zip(mean.all());
            state.extend(means.map(|(name, mean)| (format!("{name}.mean"), mean.to_vec())));
        }
        state
    }

    /// Goes on where a fit of the same network was when it gave this state, `count` numbers of names that `get` knows; false,
    /// and nothing changed, for that of another.
    pub fn restore<'a>(&mut self, count: usize, get: impl Fn(&str) -> Option<&'a [f32]>) -> bool {
        let mean = || {
            let mut mean = Weights::zeros(self.sizes);
            let mut take = |(at, name): (usize, &&str)| {
                get(&format!("{name}.mean")).is_some_and(|numbers| mean.take(at, numbers))
            };
            let all = NAMES.iter().enumerate().all(&mut take);
            all.then_some(mean)
        };
        let (adam, mean) = match count {
            0 => (Some(Adam::new(self.sizes)), None),
            _ => (Adam::restored(self.sizes, &get), mean()),
        };
        let known = |adam: &Adam| adam.state().len() + mean.as_ref().map_or(0, |_| NAMES.len());
        let Some(adam) = adam.filter(|adam| known(adam) == count) else {
            return false;
        };
        self.adam = adam;
        // Means that nobody goes on with would be old ones some day.
        self.mean = mean.filter(|_| self.learning.average > 1.0);
        true
    }
}
