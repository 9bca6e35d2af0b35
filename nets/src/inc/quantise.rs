//! From 32-bit floats to the integers that the kernels work on.
//!
//! - Accumulator, i16: units of 1 / (127 · 2^shift), with the largest shift from 1 to 7 for which no set of features can
//!   leave the range. So sums never wrap, whatever the order. Weights that would need less than 1 are refused.
//! - Activations, u8: 127 is 1.0; rounded to nearest.
//! - Second layer, i8: one scale an output, such that its largest weight is 127; smaller where eight inputs that the AVX2
//!   kernel adds in 16 bits could leave them. So there is no range to leave, only precision to lose.
//! - The rest stays 32-bit float.

use super::layout::{self, LANES, LINE, Line};
use crate::{NetError, stages};

/// The sizes of a network `inc(hidden, outputs, stages)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Yes-or-no inputs of each player's view.
    pub features: usize,
    /// Numbers of one accumulator.
    pub hidden: usize,
    /// Numbers of the layer behind the accumulators.
    pub outputs: usize,
    /// Stages of the game, each with small layers of its own behind the accumulators.
    pub stages: usize,
}

impl Sizes {
    /// The largest that are accepted; they keep every sum within 32 bits and every feature's number within 16.
    pub const MOST: Sizes = Sizes {
        features: 16_384,
        hidden: 4_096,
        outputs: 256,
        stages: stages::MOST,
    };
}

/// The weights, row-major.
#[derive(Debug, Clone, Copy)]
pub struct Tensors<'a> {
    /// `accumulator.weight [hidden, features]`.
    pub accumulator_weight: &'a [f32],
    /// `accumulator.bias [hidden]`.
    pub accumulator_bias: &'a [f32],
    /// `layer1.weight [stages · outputs, 2 · hidden]`, the mover's half first.
    pub layer1_weight: &'a [f32],
    /// `layer1.bias [stages · outputs]`.
    pub layer1_bias: &'a [f32],
    /// `layer2.weight [stages, outputs]`.
    pub layer2_weight: &'a [f32],
    /// `layer2.bias [stages]`.
    pub layer2_bias: &'a [f32],
    /// `stages [stages]`: the fewest features of each; without numbers where there is one.
    pub stages: &'a [f32],
}

impl Tensors<'_> {
    /// The fewest features of each stage.
    pub fn firsts(&self) -> Result<Vec<usize>, NetError> {
        match self.stages {
            [] => Ok(vec![0]),
            numbers => stages::read("stages", numbers),
        }
    }
}

/// The activation that is 1.0.
pub const ONE: i32 = 127;
/// Shifts that are tried, the most precise first.
const SHIFTS: std::ops::RangeInclusive<u32> = 1..=7;
/// What eight products of an activation and a weight may add up to, in units of [`ONE`].
const CHAIN: i32 = i16::MAX as i32 / ONE;
/// Beyond this the output is ±1 whatever the input.
const LARGEST_OUTPUT: f32 = 1e6;
/// Weights of the second layer that are all smaller than this are zero.
const NOTHING: f32 = 1e-30;

/// A network in integers, in no instruction set's order.
#[derive(Debug)]
pub struct Numbers {
    pub sizes: Sizes,
    /// Words of 64 features, and numbers of an accumulator with its padding.
    pub words: usize,
    pub width: usize,
    /// `[64 · words, width]`: a row for every bit of the words, so that no bit can point beyond them.
    pub table: Vec<Line>,
    /// `[width]`.
    pub bias: Vec<Line>,
    /// Takes an accumulator to an activation: `(a · multiplier + 2^14) >> 15`.
    pub multiplier: i16,
    /// The fewest features of each stage.
    pub stages: Vec<usize>,
    /// Outputs of a stage, padded to whole vectors.
    pub padded: usize,
    /// `[stages, padded, 2 · width]`.
    pub layer1: Vec<i8>,
    /// `[stages, padded]` each: an output is `sum · scale + bias`, and enters the result with its weight.
    pub scale: Vec<f32>,
    pub layer1_bias: Vec<f32>,
    pub layer2_weight: Vec<f32>,
    /// `[stages]`.
    pub layer2_bias: Vec<f32>,
}

impl Numbers {
    pub fn new(sizes: Sizes, tensors: Tensors<'_>) -> Result<Self, NetError> {
        check(sizes, tensors)?;
        let Sizes {
            features,
            hidden,
            outputs,
            stages,
        } = sizes;
        let words = features.div_ceil(64);
        let width = hidden.next_multiple_of(LINE);
        let shift = shift(sizes, tensors)?;
        let unit = (ONE << shift) as f32;
        let number = |weight: f32| (weight * unit).round() as i16;
        let mut table = vec![Line([0; 32]); 64 * words * width / 32];
        let mut bias = vec![Line([0; 32]); width / 32];
        for h in 0..hidden {
            bias[h / 32].0[h % 32] = number(tensors.accumulator_bias[h]);
            for f in 0..features {
                let weight = tensors.accumulator_weight[h * features + f];
                table[(f * width + h) / 32].0[h % 32] = number(weight);
            }
        }
        let padded = outputs.next_multiple_of(LANES);
        let fill = |values: &[f32]| {
            let mut filled = Vec::with_capacity(stages * padded);
            for stage in values.chunks_exact(outputs) {
                filled.extend_from_slice(stage);
                filled.resize(filled.len().next_multiple_of(padded), 0.0);
            }
            filled
        };
        let mut numbers = Numbers {
            sizes,
            words,
            width,
            table,
            bias,
            multiplier: 1 << (15 - shift),
            stages: tensors.firsts()?,
            padded,
            layer1: vec![0; stages * padded * 2 * width],
            scale: vec![0.0; stages * padded],
            layer1_bias: fill(tensors.layer1_bias),
            layer2_weight: fill(tensors.layer2_weight),
            layer2_bias: tensors.layer2_bias.to_vec(),
        };
        let weights = tensors.layer1_weight.chunks_exact(2 * hidden);
        for (output, weights) in weights.enumerate() {
            let place = output / outputs * padded + output % outputs;
            let row = &mut numbers.layer1[place * 2 * width..][..2 * width];
            numbers.scale[place] = quantise_row(weights, hidden, width, row) / ONE as f32;
        }
        Ok(numbers)
    }

    /// The stage of a position with these features, of which none is beyond the last.
    #[inline(always)]
    pub fn stage(&self, words: &[u64]) -> usize {
        if self.stages.len() < 2 {
            return 0;
        }
        let features: u32 = words.iter().map(|word| word.count_ones()).sum();
        stages::of(&self.stages, features as usize)
    }
}

/// Refuses sizes and tensors that do not fit together, and outputs without bounds.
pub(super) fn check(sizes: Sizes, tensors: Tensors<'_>) -> Result<(), NetError> {
    let Sizes {
        features,
        hidden,
        outputs,
        stages,
    } = sizes;
    let most = Sizes::MOST;
    for (what, size, most) in [
        ("features", features, most.features),
        ("accumulators", hidden, most.hidden),
        ("outputs of layer 1", outputs, most.outputs),
        ("stages", stages, most.stages),
    ] {
        if size == 0 || size > most {
            let reason = format!("1 to {most} {what} expected, {size} found");
            return Err(NetError::architecture("inc", reason));
        }
    }
    for (name, values, expected) in [
        (
            "accumulator.weight",
            tensors.accumulator_weight,
            hidden * features,
        ),
        ("accumulator.bias", tensors.accumulator_bias, hidden),
        (
            "layer1.weight",
            tensors.layer1_weight,
            stages * outputs * 2 * hidden,
        ),
        ("layer1.bias", tensors.layer1_bias, stages * outputs),
        ("layer2.weight", tensors.layer2_weight, stages * outputs),
        ("layer2.bias", tensors.layer2_bias, stages),
    ] {
        if values.len() != expected {
            return Err(NetError::tensor(
                name,
                format!("{expected} numbers expected, {} found", values.len()),
            ));
        }
        if !values.iter().all(|value| value.is_finite()) {
            return Err(NetError::tensor(name, "a weight is not a finite number"));
        }
    }
    let found = tensors.firsts()?.len();
    if found != stages {
        let reason = format!("{stages} stages expected, {found} found");
        return Err(NetError::tensor("stages", reason));
    }
    let output = |values: &[f32]| values.iter().map(|value| value.abs()).sum::<f32>();
    let of_stages = tensors.layer2_weight.chunks_exact(outputs);
    let largest = of_stages
        .zip(tensors.layer2_bias)
        .map(|(weights, bias)| output(weights) + bias.abs())
        .fold(0.0, f32::max);
    if largest > LARGEST_OUTPUT {
        return Err(NetError::tensor(
            "layer2.weight",
            format!("the output can reach {largest}, more than {LARGEST_OUTPUT}"),
        ));
    }
    Ok(())
}

/// The weights as the integers take them, for learning with them in mind: whole numbers, shaped as the weights are.
#[derive(Debug)]
pub struct Grid {
    /// An accumulator is in units of 1 / (127 · 2^shift).
    pub shift: u32,
    /// `[hidden, features]` and `[hidden]`.
    pub accumulator_weight: Vec<f32>,
    /// `[hidden]`, in the same units.
    pub accumulator_bias: Vec<f32>,
    /// `[stages · outputs, 2 · hidden]`.
    pub layer1_weight: Vec<f32>,
    /// What a sum of them times activations of 127 is worth, `[stages · outputs]`.
    pub scale: Vec<f32>,
}

impl Grid {
    /// Refuses what [`super::Net::new`] would.
    pub fn new(sizes: Sizes, tensors: Tensors<'_>) -> Result<Grid, NetError> {
        check(sizes, tensors)?;
        let shift = shift(sizes, tensors)?;
        let unit = (ONE << shift) as f32;
        let numbers = |weights: &[f32]| weights.iter().map(|w| (w * unit).round()).collect();
        let (hidden, width) = (sizes.hidden, sizes.hidden.next_multiple_of(LINE));
        let mut row = vec![0; 2 * width];
        let mut grid = Grid {
            shift,
            accumulator_weight: numbers(tensors.accumulator_weight),
            accumulator_bias: numbers(tensors.accumulator_bias),
            layer1_weight: Vec::with_capacity(tensors.layer1_weight.len()),
            scale: Vec::with_capacity(sizes.stages * sizes.outputs),
        };
        for weights in tensors.layer1_weight.chunks_exact(2 * hidden) {
            row.fill(0);
            let scale = quantise_row(weights, hidden, width, &mut row) / ONE as f32;
            grid.scale.push(scale);
            let halves = row.chunks_exact(width).flat_map(|half| &half[..hidden]);
            grid.layer1_weight.extend(halves.map(|w| f32::from(*w)));
        }
        Ok(grid)
    }
}

/// How far accumulators of so many features may reach for this shift to be had.
pub fn reach(features: usize, shift: u32) -> f64 {
    let rounding = (features + 1) as f64 / 2.0;
    (f64::from(i16::MAX) - rounding) / f64::from(ONE << shift)
}

/// The largest shift for which no set of features leaves 16 bits, each weight rounded up.
fn shift(sizes: Sizes, tensors: Tensors<'_>) -> Result<u32, NetError> {
    let mut furthest = 0.0f64;
    for (h, bias) in tensors.accumulator_bias.iter().enumerate() {
        let weights = &tensors.accumulator_weight[h * sizes.features..][..sizes.features];
        let sum = |sign: f64| {
            let weights = weights.iter().map(|weight| f64::from(*weight) * sign);
            weights.filter(|weight| *weight > 0.0).sum::<f64>() + f64::from(*bias) * sign
        };
        furthest = furthest.max(sum(1.0)).max(sum(-1.0));
    }
    let fits = |shift: &u32| furthest < reach(sizes.features, *shift);
    SHIFTS.rev().find(fits).ok_or_else(|| {
        let most = reach(sizes.features, *SHIFTS.start());
        NetError::tensor(
            "accumulator.weight",
            format!("an accumulator can reach {furthest:.1}, more than {most:.1}: train with smaller weights"),
        )
    })
}

/// Rounds one output's weights into `row`, padded halves; what one unit of them is worth.
fn quantise_row(weights: &[f32], hidden: usize, width: usize, row: &mut [i8]) -> f32 {
    let largest = weights.iter().fold(0.0f32, |most, w| most.max(w.abs()));
    if largest < NOTHING {
        return 0.0;
    }
    let mut most = 127.0f32;
    loop {
        let unit = largest / most;
        for (i, weight) in weights.iter().enumerate() {
            row[i / hidden * width + i % hidden] = (weight / unit).round() as i8;
        }
        let reach = layout::longest_chain(row);
        if reach <= CHAIN {
            return unit;
        }
        // Rounding may leave it a little above what it was scaled for.
        most *= (CHAIN as f32 / reach as f32).min(0.995);
    }
}
