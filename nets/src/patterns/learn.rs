//! Fitting the weights: gradient descent on the squared error of the value, position by position, with a step size of its own
//! for each weight (J. Duchi et al., "Adaptive subgradient methods", 2011), so that a rare number of a pattern learns as
//! quickly as a frequent one.
//!
//! A weight of a stage is the sum of one that all stages share and of its difference from that: what is seen in one stage is
//! known in the others until they have seen better.

use super::tables::Tables;
use crate::NetError;

/// A sum of squared gradients to begin with: the first step of a weight is not longer than the step size.
const FIRST: f32 = 1.0;
/// The same for weights that were learned before: they are known, not guessed.
const LEARNED: f32 = 30.0;

/// Weights that are being fitted.
#[derive(Debug, Clone)]
pub struct Fit {
    tables: Tables,
    /// What each feature adds to which lookups' places.
    adds: Vec<Vec<(usize, u32)>>,
    starts: Vec<u32>,
    /// The number of each weight and of its mirror image.
    same: Vec<u32>,
    /// `[1 + stages][size]`: shared, then the differences; where a weight stands for another, too, that one is unused.
    weights: Vec<f32>,
    squares: Vec<f32>,
    /// `[1 + stages]`.
    bias: Vec<f32>,
    bias_squares: Vec<f32>,
    places: Vec<u32>,
}

/// A position and what its value should be.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// The features that the mover sees, 64 a word.
    pub features: &'a [u64],
    /// For the mover, in [-1, 1].
    pub value: f32,
    /// A value below it is not wrong.
    pub or_less: bool,
    /// A value above it is not wrong.
    pub or_more: bool,
}

impl Fit {
    /// Begins with these weights, `[stages][size]`, and biases.
    pub fn new(tables: &Tables, weights: &[f32], bias: &[f32]) -> Result<Fit, NetError> {
        tables.check()?;
        let (size, stages) = (tables.size(), tables.stages.len());
        if weights.len() != size * stages || bias.len() != stages {
            let reason = format!("{stages} stages of {size} weights expected");
            return Err(NetError::architecture("patterns", reason));
        }
        let (starts, adds) = tables.contributions();
        let same = tables.representatives();
        // A weight and its mirror image are learned as one, from their mean on.
        let mut counts = vec![0.0f32; size];
        same.iter().for_each(|at| counts[*at as usize] += 1.0);
        let mut all = vec![0.0; (1 + stages) * size];
        for (stage, weights) in weights.chunks_exact(size).enumerate() {
            for (at, weight) in same.iter().zip(weights) {
                let (at, share) = (*at as usize, weight / counts[*at as usize]);
                all[at] += share / stages as f32;
                all[(1 + stage) * size + at] += share;
            }
        }
        let (shared, differences) = all.split_at_mut(size);
        for stage in differences.chunks_exact_mut(size) {
            stage
                .iter_mut()
                .zip(&*shared)
                .for_each(|(own, shared)| *own -= shared);
        }
        let known = |weight: &f32| if *weight == 0.0 { FIRST } else { LEARNED };
        let mean = bias.iter().sum::<f32>() / stages as f32;
        let differences = bias.iter().map(|b| b - mean);
        let bias: Vec<f32> = std::iter::once(mean).chain(differences).collect();
        Ok(Fit {
            squares: all.iter().map(known).collect(),
            weights: all,
            bias_squares: bias.iter().map(known).collect(),
            bias,
            places: vec![0; starts.len()],
            starts,
            adds,
            same,
            tables: tables.clone(),
        })
    }

    /// Learns from one position; the squared error before.
    pub fn step(&mut self, sample: &Sample<'_>, rate: f32) -> f32 {
        let count = self.look_up(sample.features);
        let which = 1 + self.tables.stage(count);
        let stage = which * self.same.len();
        let mut sum = self.bias[0] + self.bias[which];
        for place in &self.places {
            sum += self.weights[*place as usize] + self.weights[stage + *place as usize];
        }
        let value = sum.tanh();
        let error = value - sample.value;
        if (error < 0.0 && sample.or_less) || (error > 0.0 && sample.or_more) {
            return 0.0;
        }
        // What is certain is nowhere flat, or it would never be learned.
        let slope = (1.0 - value * value).max(0.05);
        let gradient = error * slope;
        let square = gradient * gradient;
        let learn = |weight: &mut f32, squares: &mut f32| {
            *squares += square;
            *weight -= rate * gradient / squares.sqrt();
        };
        learn(&mut self.bias[0], &mut self.bias_squares[0]);
        learn(&mut self.bias[which], &mut self.bias_squares[which]);
        for place in &self.places {
            for at in [*place as usize, stage + *place as usize] {
                learn(&mut self.weights[at], &mut self.squares[at]);
            }
        }
        error * error
    }

    /// The value that it gives now.
    pub fn value(&mut self, features: &[u64]) -> f32 {
        let size = self.same.len();
        let count = self.look_up(features);
        let stage = 1 + self.tables.stage(count);
        let sum: f32 = self
            .places
            .iter()
            .map(|place| *place as usize)
            .fold(0.0, |sum, at| {
                sum + self.weights[at] + self.weights[stage * size + at]
            });
        (sum + self.bias[0] + self.bias[stage]).tanh()
    }

    /// Finds the places of a position's lookups; how many features it has.
    fn look_up(&mut self, features: &[u64]) -> usize {
        self.places.copy_from_slice(&self.starts);
        let mut count = 0;
        for (at, word) in features.iter().enumerate() {
            let mut set = *word;
            while set != 0 {
                let feature = at * 64 + set.trailing_zeros() as usize;
                set &= set - 1;
                let Some(adds) = self.adds.get(feature) else {
                    break;
                };
                count += 1;
                for (lookup, add) in adds {
                    self.places[*lookup] = self.places[*lookup].wrapping_add(*add);
                }
            }
        }
        let last = self.same.len() as u32 - 1;
        for place in &mut self.places {
            *place = self.same[(*place).min(last) as usize];
        }
        count
    }

    /// The weights, `[stages][size]`, and biases as they are.
    pub fn weights(&self) -> (Vec<f32>, Vec<f32>) {
        let size = self.same.len();
        let (shared, differences) = self.weights.split_at(size);
        let of = |stage: &[f32]| -> Vec<f32> {
            let at = self.same.iter().map(|at| *at as usize);
            at.map(|at| shared[at] + stage[at]).collect()
        };
        let weights = differences.chunks_exact(size).flat_map(of).collect();
        let bias = self.bias[1..].iter().map(|b| b + self.bias[0]).collect();
        (weights, bias)
    }

    /// What besides its weights the next step depends on, by name: all numbers of the fit.
    pub fn state(&self) -> [(&'static str, &[f32]); 4] {
        [
            ("weights", &self.weights),
            ("squares", &self.squares),
            ("bias", &self.bias),
            ("bias.squares", &self.bias_squares),
        ]
    }

    /// Puts one of those back; false where it is none or of another length.
    pub fn restore(&mut self, name: &str, numbers: &[f32]) -> bool {
        let own = match name {
            "weights" => &mut self.weights,
            "squares" => &mut self.squares,
            "bias" => &mut self.bias,
            "bias.squares" => &mut self.bias_squares,
            _ => return false,
        };
        let fits = own.len() == numbers.len();
        if fits {
            own.copy_from_slice(numbers);
        }
        fits
    }
}
