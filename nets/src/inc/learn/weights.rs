//! The weights as numbers, tensor by tensor, in the order of their names.

use crate::inc::quantise::{Sizes, Tensors};

/// What the tensors are called in a file.
pub const NAMES: [&str; 6] = [
    "accumulator.bias",
    "accumulator.weight",
    "layer1.bias",
    "layer1.weight",
    "layer2.bias",
    "layer2.weight",
];

/// A number for each weight: the weight itself, its gradient, its moments.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    pub accumulator_bias: Vec<f32>,
    /// `[hidden, features]`.
    pub accumulator_weight: Vec<f32>,
    pub layer1_bias: Vec<f32>,
    /// `[stages · outputs, 2 · hidden]`.
    pub layer1_weight: Vec<f32>,
    pub layer2_bias: Vec<f32>,
    pub layer2_weight: Vec<f32>,
    /// The fewest features of each stage, which are not learned and none of [`Weights::all`]; as in [`Tensors`].
    pub stages: Vec<f32>,
}

impl Weights {
    pub fn zeros(sizes: Sizes) -> Weights {
        let Sizes {
            features,
            hidden,
            outputs,
            stages,
        } = sizes;
        Weights {
            accumulator_bias: vec![0.0; hidden],
            accumulator_weight: vec![0.0; hidden * features],
            layer1_bias: vec![0.0; stages * outputs],
            layer1_weight: vec![0.0; stages * outputs * 2 * hidden],
            layer2_bias: vec![0.0; stages],
            layer2_weight: vec![0.0; stages * outputs],
            stages: Vec::new(),
        }
    }

    pub fn of(tensors: Tensors<'_>) -> Weights {
        Weights {
            accumulator_bias: tensors.accumulator_bias.to_vec(),
            accumulator_weight: tensors.accumulator_weight.to_vec(),
            layer1_bias: tensors.layer1_bias.to_vec(),
            layer1_weight: tensors.layer1_weight.to_vec(),
            layer2_bias: tensors.layer2_bias.to_vec(),
            stages: tensors.stages.to_vec(),
            layer2_weight: tensors.layer2_weight.to_vec(),
        }
    }

    pub fn tensors(&self) -> Tensors<'_> {
        Tensors {
            accumulator_weight: &self.accumulator_weight,
            accumulator_bias: &self.accumulator_bias,
            layer1_weight: &self.layer1_weight,
            layer1_bias: &self.layer1_bias,
            layer2_weight: &self.layer2_weight,
            layer2_bias: &self.layer2_bias,
            stages: &self.stages,
        }
    }

    /// In the order of [`NAMES`].
    pub fn all(&self) -> [&[f32]; 6] {
        [
            &self.accumulator_bias,
            &self.accumulator_weight,
            &self.layer1_bias,
            &self.layer1_weight,
            &self.layer2_bias,
            &self.layer2_weight,
        ]
    }

    /// In the order of [`NAMES`].
    pub fn all_mut(&mut self) -> [&mut [f32]; 6] {
        [
            &mut self.accumulator_bias,
            &mut self.accumulator_weight,
            &mut self.layer1_bias,
            &mut self.layer1_weight,
            &mut self.layer2_bias,
            &mut self.layer2_weight,
        ]
    }

    /// Takes the numbers of one tensor, by its place in [`NAMES`]; whether they are as many as it has.
    pub fn take(&mut self, tensor: usize, numbers: &[f32]) -> bool {
        let tensors = self.all_mut();
        let fits = tensors[tensor].len() == numbers.len();
        if fits {
            tensors[tensor].copy_from_slice(numbers);
        }
        fits
    }
}
