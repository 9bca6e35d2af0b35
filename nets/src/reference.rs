//! The plain forward pass that everything faster is tested against: loops as the definitions have them, in 64-bit floats.
//!
//! Allocates as it goes and is slow; it is not for playing.

use crate::Runner;
use crate::file::Tensors;
use crate::plan::{Plan, Size, Step};
use std::sync::Arc;

/// Runs a plan position by position.
#[derive(Debug, Clone)]
pub struct Reference {
    plan: Arc<Plan>,
    weights: Arc<Tensors>,
}

/// `data` is `[channels, rows, columns]`.
#[derive(Debug, Clone)]
struct Activation {
    size: Size,
    data: Vec<f64>,
}

impl Reference {
    /// `weights` has every tensor of `plan` in its shape, as [`crate::arch::Network::load`] sees to.
    pub fn new(plan: &Plan, weights: &Tensors) -> Reference {
        Reference {
            plan: Arc::new(plan.clone()),
            weights: Arc::new(weights.clone()),
        }
    }

    /// The value and the logits, none without a policy, of one input `[planes, rows, columns]`.
    pub fn forward(&self, input: &[f32]) -> (f64, Vec<f64>) {
        let data = input.iter().map(|value| f64::from(*value)).collect();
        let size = self.plan.input();
        let seen = self.steps(&self.plan.trunk, Activation { size, data });
        let value = self.steps(&self.plan.value, seen.clone()).data[0];
        let policy = self
            .plan
            .policy
            .as_ref()
            .map(|steps| self.steps(steps, seen).data);
        (value, policy.unwrap_or_default())
    }

    fn steps(&self, steps: &[Step], input: Activation) -> Activation {
        steps
            .iter()
            .fold(input, |activation, step| self.step(step, activation))
    }

    fn step(&self, step: &Step, mut input: Activation) -> Activation {
        let data = match step {
            Step::Conv {
                name,
                size,
                padding,
                ..
            } => self.conv(name, *size, *padding, &input),
            Step::Dense { name, .. } => self.dense(name, &input),
            Step::Relu => input.data.iter().map(|x| x.max(0.0)).collect(),
            Step::Tanh => input.data.iter().map(|x| x.tanh()).collect(),
            Step::Residual { body } => {
                let made = self.steps(body, input.clone());
                input
                    .data
                    .iter_mut()
                    .zip(made.data)
                    .for_each(|(x, more)| *x += more);
                return input;
            }
            Step::GlobalPool => pool(&input),
        };
        let size = step.size_after(input.size);
        Activation { size, data }
    }

    fn weight(&self, name: &str, part: &str) -> &[f32] {
        let tensor = self.weights.get(&format!("{name}.{part}"));
        tensor.map_or(&[], |tensor| &tensor.data)
    }

    fn conv(&self, name: &str, size: usize, padding: usize, input: &Activation) -> Vec<f64> {
        let (weight, bias) = (self.weight(name, "weight"), self.weight(name, "bias"));
        let Size {
            channels,
            rows,
            columns,
        } = input.size;
        let (high, wide) = (
            rows + 2 * padding + 1 - size,
            columns + 2 * padding + 1 - size,
        );
        let cell = |channel: usize, row: usize, column: usize| match (
            row.checked_sub(padding),
            column.checked_sub(padding),
        ) {
            (Some(row), Some(column)) if row < rows && column < columns => {
                input.data[(channel * rows + row) * columns + column]
            }
            _ => 0.0,
        };
        let mut out = Vec::new();
        for (output, bias) in bias.iter().enumerate() {
            for (row, column) in
                (0..high).flat_map(|row| (0..wide).map(move |column| (row, column)))
            {
                let mut sum = f64::from(*bias);
                for channel in 0..channels {
                    for (y, x) in (0..size).flat_map(|y| (0..size).map(move |x| (y, x))) {
                        let factor = weight[((output * channels + channel) * size + y) * size + x];
                        sum += f64::from(factor) * cell(channel, row + y, column + x);
                    }
                }
                out.push(sum);
            }
        }
        out
    }

    fn dense(&self, name: &str, input: &Activation) -> Vec<f64> {
        let (weight, bias) = (self.weight(name, "weight"), self.weight(name, "bias"));
        let row = |output: usize| &weight[output * input.data.len()..][..input.data.len()];
        let dot = |row: &[f32]| -> f64 {
            row.iter()
                .zip(&input.data)
                .map(|(w, x)| f64::from(*w) * x)
                .sum()
        };
        bias.iter()
            .enumerate()
            .map(|(output, bias)| f64::from(*bias) + dot(row(output)))
            .collect()
    }
}

fn pool(input: &Activation) -> Vec<f64> {
    let cells = input.size.rows * input.size.columns;
    let channels = || input.data.chunks(cells);
    let means = channels().map(|cells| cells.iter().sum::<f64>() / cells.len() as f64);
    let maxima = channels().map(|cells| cells.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    means.chain(maxima).collect()
}

impl Runner for Reference {
    fn run(&mut self, inputs: &[f32], values: &mut [f32], mut policies: Option<&mut [f32]>) {
        let outputs = self.plan.policy_outputs();
        let inputs = inputs.chunks(self.plan.input().len());
        for (at, (input, value)) in inputs.zip(values).enumerate() {
            let (found, logits) = self.forward(input);
            *value = found as f32;
            if let Some(policies) = policies.as_deref_mut() {
                let slots = policies[at * outputs..][..outputs].iter_mut();
                slots
                    .zip(logits)
                    .for_each(|(slot, logit)| *slot = logit as f32);
            }
        }
    }

    fn another(&self) -> Box<dyn Runner> {
        Box::new(self.clone())
    }
}
