//! Adam (D. Kingma and J. Ba, 2015), by PyTorch's formulas in PyTorch's order, so that a run can be compared with one there.

use super::weights::{NAMES, Weights};
use crate::inc::quantise::Sizes;

/// How fast the two moments forget.
const BETAS: [f32; 2] = [0.9, 0.999];
/// Keeps steps finite where gradients vanish.
const EPSILON: f32 = 1e-8;
/// Counts are kept in two 32-bit floats, so that none is ever too large to be exact.
const HIGH: u64 = 1 << 20;

/// What it remembers.
#[derive(Debug, Clone)]
pub struct Adam {
    first: Weights,
    second: Weights,
    pub steps: u64,
}

/// Step size, what is added to the gradient for each unit of a weight, and what part of a weight, times the step size, is taken
/// off it.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    pub rate: f64,
    pub weight_decay: f64,
    pub decoupled_decay: f64,
}

impl Adam {
    pub fn new(sizes: Sizes) -> Adam {
        Adam {
            first: Weights::zeros(sizes),
            second: Weights::zeros(sizes),
            steps: 0,
        }
    }

    /// A step of every weight down its gradient.
    pub fn step(&mut self, weights: &mut Weights, gradients: &Weights, pace: Pace) {
        self.steps += 1;
        let steps = self.steps.min(i32::MAX as u64) as i32;
        let [first, second] = BETAS.map(|beta| 1.0 - f64::from(beta).powi(steps));
        let (rate, size) = ((pace.rate / first) as f32, second.sqrt() as f32);
        let keep = (1.0 - pace.rate * pace.decoupled_decay) as f32;
        let decay = pace.weight_decay as f32;
        let moments = self.first.all_mut().into_iter().zip(self.second.all_mut());
        let tensors = weights.all_mut().into_iter().zip(gradients.all());
        for ((firsts, seconds), (weights, gradients)) in moments.zip(tensors) {
            let moments = firsts.iter_mut().zip(seconds);
            for ((first, second), (weight, gradient)) in
                moments.zip(weights.iter_mut().zip(gradients))
            {
                *weight *= keep;
                let gradient = gradient + decay * *weight;
                *first += (1.0 - BETAS[0]) * (gradient - *first);
                *second = BETAS[1] * *second + (1.0 - BETAS[1]) * (gradient * gradient);
                *weight -= rate * (*first / (second.sqrt() / size + EPSILON));
            }
        }
    }

    /// Its numbers by name: two moments and the count of steps, its high part first, for each tensor; none before the first
    /// step.
    pub fn state(&self) -> Vec<(String, Vec<f32>)> {
        let count = [self.steps / HIGH, self.steps % HIGH].map(|part| part as f32);
        let mut state = Vec::new();
        if self.steps > 0 {
            let moments = self.first.all().into_iter().zip(self.second.all());
            for (name, (first, second)) in NAMES.iter().zip(moments) {
                state.push((format!("{name}.first"), first.to_vec()));
                state.push((format!("{name}.second"), second.to_vec()));
                state.push((format!("{name}.steps"), count.to_vec()));
            }
        }
        state
    }

    /// The memory that gave this state; none if it is not one of such a network.
    pub fn restored<'a>(sizes: Sizes, get: impl Fn(&str) -> Option<&'a [f32]>) -> Option<Adam> {
        let mut adam = Adam::new(sizes);
        let part = |part: f32| (part >= 0.0 && part.fract() == 0.0).then_some(part as u64);
        for (at, name) in NAMES.iter().enumerate() {
            let [first, second, steps] =
                ["first", "second", "steps"].map(|part| get(&format!("{name}.{part}")));
            if !(adam.first.take(at, first?) && adam.second.take(at, second?)) {
                return None;
            }
            let &[high, low] = steps? else {
                return None;
            };
            adam.steps = part(high)?.saturating_mul(HIGH).saturating_add(part(low)?);
        }
        Some(adam)
    }
}
