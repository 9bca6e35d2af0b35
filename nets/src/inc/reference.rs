//! The network with its weights as they were, in 64-bit floats: what quantisation is measured against.

use super::quantise::{Sizes, Tensors};
use crate::stages;

/// The value for the mover of a position whose features each player sees as `views`, the mover's first: feature `f` is bit
/// `f % 64` of word `f / 64`. The tensors must be of the sizes.
pub fn value(sizes: Sizes, tensors: Tensors<'_>, views: [&[u64]; 2]) -> f64 {
    let Sizes {
        features,
        hidden,
        outputs,
        ..
    } = sizes;
    let clip = |x: f64| x.clamp(0.0, 1.0);
    let count: u32 = views[0].iter().map(|word| word.count_ones()).sum();
    let stage = tensors
        .firsts()
        .map_or(0, |firsts| stages::of(&firsts, count as usize));
    let mut activations = Vec::with_capacity(2 * hidden);
    for view in views {
        let seen = (0..features).filter(|f| view[f / 64] >> (f % 64) & 1 == 1);
        let seen: Vec<usize> = seen.collect();
        for h in 0..hidden {
            let weights = &tensors.accumulator_weight[h * features..][..features];
            let sum: f64 = seen.iter().map(|f| f64::from(weights[*f])).sum();
            activations.push(clip(sum + f64::from(tensors.accumulator_bias[h])));
        }
    }
    let mut total = f64::from(tensors.layer2_bias[stage]);
    for o in stage * outputs..(stage + 1) * outputs {
        let weights = &tensors.layer1_weight[o * 2 * hidden..][..2 * hidden];
        let products = weights.iter().zip(&activations);
        let sum: f64 = products.map(|(w, a)| f64::from(*w) * a).sum();
        total +=
            clip(sum + f64::from(tensors.layer1_bias[o])) * f64::from(tensors.layer2_weight[o]);
    }
    total.tanh()
}
