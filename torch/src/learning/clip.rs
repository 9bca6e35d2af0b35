//! Keeps the weights of an incrementally updated network where quantisation neither refuses nor spoils them.

use super::Named;
use tch::{TchError, Tensor};
use treeline_nets::inc::reach;

/// Accumulators' weights are then rounded to 1/1016, which 32 features together make no more of than activations' rounding to
/// 1/127 does.
const SHIFT: u32 = 3;
/// Sums of rounded floats stay below the limit.
const MARGIN: f64 = 0.999;
/// What is scaled down goes a little below it, so that rounding never makes it too much once more: clipping twice is clipping
/// once, which a run that was resumed does.
const BELOW: f64 = 0.9999;
/// Keeps the output far from where nothing tells values apart.
const LAST: f64 = 1000.0;

/// Scales down each accumulator that some set of features could bring too far. To be called without gradients being recorded.
pub fn clip(weights: &mut Named, features: usize) -> Result<(), TchError> {
    let most = reach(features, SHIFT) * MARGIN;
    let (Some(weight), Some(bias)) = (
        weights.get("accumulator.weight"),
        weights.get("accumulator.bias"),
    ) else {
        return Ok(());
    };
    let sum = |tensor: Tensor| tensor.f_sum_dim_intlist(1i64, false, tch::Kind::Float);
    let above = sum(weight.f_clamp_min(0.0)?)?.f_add(bias)?;
    let below = sum(weight.f_clamp_max(0.0)?)?.f_add(bias)?.f_neg()?;
    let furthest = above.f_maximum(&below)?.f_clamp_min(most)?;
    // Exactly 1 for what reaches no further than it may.
    let factors = furthest.f_full_like(most * BELOW)?.f_div(&furthest)?;
    let whole = factors.f_ones_like()?;
    let factors = factors.f_where_self(&furthest.f_gt(most)?, &whole)?;
    let _ = weight
        .shallow_clone()
        .f_mul_(&factors.f_reshape([-1, 1])?)?;
    let _ = bias.shallow_clone().f_mul_(&factors)?;
    for name in ["layer2.weight", "layer2.bias"] {
        if let Some(weight) = weights.get_mut(name) {
            let _ = weight.f_clamp_(-LAST, LAST)?;
        }
    }
    Ok(())
}
