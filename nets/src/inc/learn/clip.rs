//! Keeps the weights where quantisation neither refuses nor spoils them.

use super::weights::Weights;
use crate::inc::quantise::{Sizes, reach};

/// Accumulators' weights are then rounded to 1/1016, which 32 features together make no more of than activations' rounding to
/// 1/127 does.
const SHIFT: u32 = 3;
/// Sums of rounded floats stay below the limit.
const MARGIN: f64 = 0.999;
/// What is scaled down goes a little below it, so that rounding never makes it too much once more: clipping twice is clipping
/// once, which a run that was resumed does.
const BELOW: f64 = 0.9999;
/// Keeps the output far from where nothing tells values apart.
const LAST: f32 = 1000.0;

/// Scales down each accumulator that some set of features could bring too far.
pub fn clip(weights: &mut Weights, sizes: Sizes) {
    let most = reach(sizes.features, SHIFT) * MARGIN;
    let rows = weights
        .accumulator_weight
        .chunks_exact_mut(sizes.features.max(1));
    for (row, bias) in rows.zip(&mut weights.accumulator_bias) {
        let sum = |sign: f32| {
            let parts = row.iter().map(|w| f64::from((w * sign).max(0.0)));
            parts.sum::<f64>() + f64::from(*bias * sign)
        };
        let furthest = sum(1.0).max(sum(-1.0));
        if furthest > most {
            let factor = (most * BELOW / furthest) as f32;
            row.iter_mut().for_each(|weight| *weight *= factor);
            *bias *= factor;
        }
    }
    let last = weights
        .layer2_weight
        .iter_mut()
        .chain(&mut weights.layer2_bias);
    last.for_each(|weight| *weight = weight.clamp(-LAST, LAST));
}
