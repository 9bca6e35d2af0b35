//! `inc(H)`, `inc(H,L)`, `inc(H,L,S)`: an incrementally updated network in the NNUE manner: what its tensors are. How it is run is
//! elsewhere.
//!
//! Each side has H accumulators over its own view of the board's features, with weights that both share. Both sides'
//! accumulators, the mover's first, go through a ReLU clipped to [0, 1], a dense layer of L (16 unless given), the same
//! ReLU, a dense layer to one number and tanh: the value for the mover. With S stages of the game, told apart by how many
//! features a position has, each has these two layers for itself (NNUE's layer stacks).

use super::{Architecture, Kind, SizeSpec, size};
use crate::NetError;
use crate::file::{Meta, Tensors};
use crate::inc::{self, Sizes};

pub const INC: Architecture = Architecture {
    name: "inc",
    sizes: &[
        size("accumulators", (1, Sizes::MOST.hidden)),
        SizeSpec {
            default: Some(16),
            ..size("neurons", (1, Sizes::MOST.outputs))
        },
        SizeSpec {
            default: Some(1),
            ..size("stages", (1, Sizes::MOST.stages))
        },
    ],
    help: "incrementally updated network of sparse features, two small layers behind it (NNUE)",
    kind: Kind::Inc,
};

/// The sizes and the weights of such a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Inc {
    /// Features of one side.
    pub features: usize,
    /// Accumulators of one side, H.
    pub accumulators: usize,
    /// Neurons of the layer behind them, L.
    pub neurons: usize,
    /// Stages with such layers of their own, S.
    pub stages: usize,
    /// `accumulator.weight [H, features]`, `accumulator.bias [H]`, `layer1.weight [S·L, 2H]`, `layer1.bias [S·L]`,
    /// `layer2.weight [S, L]`, `layer2.bias [S]`; and where S is more than 1 `stages [S]`, the fewest features of each.
    pub weights: Tensors,
}

impl Inc {
    /// What the kernels call the sizes.
    pub fn sizes(&self) -> Sizes {
        Sizes {
            features: self.features,
            hidden: self.accumulators,
            outputs: self.neurons,
            stages: self.stages,
        }
    }

    /// The weights by name; none of one that is missing, which loading refuses.
    pub fn tensors(&self) -> inc::Tensors<'_> {
        let data = |name: &str| self.weights.get(name).map_or(&[][..], |t| &t.data);
        inc::Tensors {
            accumulator_weight: data("accumulator.weight"),
            accumulator_bias: data("accumulator.bias"),
            layer1_weight: data("layer1.weight"),
            layer1_bias: data("layer1.bias"),
            layer2_weight: data("layer2.weight"),
            layer2_bias: data("layer2.bias"),
            stages: data(STAGES),
        }
    }

    /// The same network with other weights; its stages stay.
    pub fn with_tensors(&self, tensors: inc::Tensors<'_>) -> Inc {
        let all = [
            ("accumulator.weight", tensors.accumulator_weight),
            ("accumulator.bias", tensors.accumulator_bias),
            ("layer1.weight", tensors.layer1_weight),
            ("layer1.bias", tensors.layer1_bias),
            ("layer2.weight", tensors.layer2_weight),
            ("layer2.bias", tensors.layer2_bias),
        ];
        let mut inc = self.clone();
        for (name, numbers) in all {
            if let Some(tensor) = inc.weights.get_mut(name) {
                tensor.data = numbers.to_vec();
            }
        }
        inc
    }
}

/// The tensor that says where stages begin.
pub const STAGES: &str = "stages";

/// Features, accumulators, neurons and stages of the network that the metadata describes.
pub fn sizes(sizes: &[usize], meta: &Meta) -> Result<Sizes, NetError> {
    match (&meta.shape.input[..], sizes, meta.shape.policy) {
        (&[features], &[hidden, outputs, stages], 0) => Ok(Sizes {
            features,
            hidden,
            outputs,
            stages,
        }),
        _ => Err(NetError::Architecture {
            text: meta.architecture.clone(),
            reason: format!(
                "an input such as 128 (features of a side) and 0 policy outputs expected, {} found",
                meta.shape
            ),
        }),
    }
}

/// The tensors of a network of these sizes.
pub fn tensors(sizes: Sizes) -> Vec<(String, Vec<usize>)> {
    let Sizes {
        features,
        hidden,
        outputs,
        stages,
    } = sizes;
    let mut tensors = vec![
        ("accumulator.weight", vec![hidden, features]),
        ("accumulator.bias", vec![hidden]),
        ("layer1.weight", vec![stages * outputs, 2 * hidden]),
        ("layer1.bias", vec![stages * outputs]),
        ("layer2.weight", vec![stages, outputs]),
        ("layer2.bias", vec![stages]),
    ];
    if stages > 1 {
        tensors.push((STAGES, vec![stages]));
    }
    let named = tensors.into_iter();
    named.map(|(n, shape)| (n.to_string(), shape)).collect()
}

/// Weights to begin with, of `unit`, which draws evenly from (-1, 1).
///
/// What a clipped ReLU never lets through cannot learn. So both layers begin around the middle of its range: where a quarter
/// of the features is there, half of the accumulators are within it. Behind them weights are about equal in size, with as many
/// above 0 as below, so that what all positions have in common cancels out: in layer 1 the signs are Walsh functions, no two
/// neurons' alike, in the last one they take turns.
///
/// Stages begin with 0, 1, 2, … features: what they are in a game is for who knows it to say.
pub fn random(name: &str, shape: &[usize], mut unit: impl FnMut() -> f32) -> Vec<f32> {
    if name == STAGES {
        return (0..shape[0]).map(|first| first as f32).collect();
    }
    let inputs: usize = shape[1..].iter().product();
    let size = 1.0 / (inputs as f32).sqrt();
    let (middle, spread) = match name {
        "accumulator.weight" => (0.0, 3f32.sqrt() * size),
        "accumulator.bias" | "layer1.bias" => (0.5, 0.1),
        "layer1.weight" => (0.7 * size, 0.35 * size),
        "layer2.weight" => (0.8 * size, 0.2 * size),
        _ => (0.0, 0.0),
    };
    let below = |at: usize| match name {
        "layer1.weight" => ((at / inputs + 1) & (at % inputs)).count_ones() % 2 == 1,
        "layer2.weight" => at % inputs % 2 == 1,
        _ => false,
    };
    let number = |at| match (below(at), middle + spread * unit()) {
        (true, number) => -number,
        (false, number) => number,
    };
    (0..shape.iter().product()).map(number).collect()
}
