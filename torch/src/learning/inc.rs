//! The gradients of an incrementally updated network, written out: at so small a network most of libtorch's time goes into
//! memory, and this way takes half of it. Dense products of zeros and ones are several times as fast as sums of chosen rows.
//!
//! Rounded, it computes what the integers of `treeline_nets::inc` do, to the last bit up to the sums of layer 1: whole numbers that
//! 32-bit floats hold exactly. Gradients pass through the rounding as if there were none, and layer 1 leaks (see [`LEAK`]).

use super::loss::Wanted;
use super::{Loss, Named};
use tch::{Device, Kind, TchError, Tensor};
use treeline_nets::inc::{self, Grid, ONE, Sizes};

/// Positions and how they are looked at.
pub struct Asked<'a> {
    /// `[batch, 2, words]`.
    pub words: &'a [u64],
    pub wanted: &'a Wanted,
    pub rounded: bool,
    pub device: Device,
}

/// Rows that go through the network together on the CPU, so that what is between the layers stays in the cache.
const ROWS: usize = 1024;

/// How much of a gradient gets through a clipped ReLU of layer 1 on the way back into its range. Measured with `inc(128)` from
/// random weights: 0 leaves every second network dead at rates of 0.003 and more, 0.1 none at 0.01, and 1 learns a little less.
const LEAK: f64 = 0.1;

/// The loss, and the gradient of every weight. To be called without gradients being recorded.
pub fn gradients(
    sizes: Sizes,
    weights: &Named,
    asked: &Asked<'_>,
) -> Result<(Loss, Named), TchError> {
    let layers = match asked.rounded {
        true => Layers::rounded(sizes, weights, asked.device)?,
        false => Layers::plain(weights)?,
    };
    let length = 2 * sizes.features.div_ceil(64);
    let rows = match asked.device {
        Device::Cpu => ROWS,
        _ => asked.words.len() / length,
    };
    let (mut squares, mut sum) = (0.0, Named::new());
    for (at, words) in asked.words.chunks(rows * length).enumerate() {
        let dense = dense(words, sizes.features);
        let features = Tensor::f_from_slice(&dense)?.f_reshape([-1, sizes.features as i64])?;
        let features = features.f_to(asked.device)?;
        let wanted = asked.wanted.part(at * rows, words.len() / length)?;
        let (value, gradients) = layers.gradients(&features, &wanted)?;
        squares += value;
        for (name, gradient) in gradients {
            match sum.get_mut(name) {
                Some(sum) => drop(sum.f_add_(&gradient)?),
                None => drop(sum.insert(name.to_string(), gradient)),
            }
        }
    }
    let loss = Loss {
        value: squares,
        policy: 0.0,
    };
    Ok((loss, sum))
}

/// Of each weight, with its name.
type Gradients = [(&'static str, Tensor); 6];

/// What the products are taken with.
struct Layers {
    accumulator_weight: Tensor,
    accumulator_bias: Tensor,
    /// Activations that are 1; and whether they are whole numbers.
    one: f64,
    whole: bool,
    layer1_weight: Tensor,
    /// What turns a sum of layer 1 into what its bias is added to, `[outputs]`.
    scale: Tensor,
    layer1_bias: Tensor,
    layer2_weight: Tensor,
    layer2_bias: Tensor,
}

fn get(weights: &Named, name: &str) -> Result<Tensor, TchError> {
    let missing = || TchError::Shape(format!("the network has no tensor {name}"));
    weights
        .get(name)
        .map(Tensor::shallow_clone)
        .ok_or_else(missing)
}

impl Layers {
    /// The weights as they are.
    fn plain(weights: &Named) -> Result<Layers, TchError> {
        let layer1_bias = get(weights, "layer1.bias")?;
        Ok(Layers {
            accumulator_weight: get(weights, "accumulator.weight")?,
            accumulator_bias: get(weights, "accumulator.bias")?,
            one: 1.0,
            whole: false,
            layer1_weight: get(weights, "layer1.weight")?,
            scale: layer1_bias.f_ones_like()?,
            layer1_bias,
            layer2_weight: get(weights, "layer2.weight")?,
            layer2_bias: get(weights, "layer2.bias")?,
        })
    }

    /// The weights as the integers are, by the very same function.
    fn rounded(sizes: Sizes, weights: &Named, device: Device) -> Result<Layers, TchError> {
        let numbers = |name: &str| Vec::<f32>::try_from(get(weights, name)?.f_reshape([-1])?);
        let [aw, ab, w1, b1, w2, b2] = [
            numbers("accumulator.weight")?,
            numbers("accumulator.bias")?,
            numbers("layer1.weight")?,
            numbers("layer1.bias")?,
            numbers("layer2.weight")?,
            numbers("layer2.bias")?,
        ];
        let tensors = inc::Tensors {
            accumulator_weight: &aw,
            accumulator_bias: &ab,
            layer1_weight: &w1,
            layer1_bias: &b1,
            layer2_weight: &w2,
            layer2_bias: &b2,
        };
        let grid = Grid::new(sizes, tensors).map_err(|error| TchError::Shape(error.to_string()))?;
        let tensor = |data: &[f32]| Tensor::f_from_slice(data)?.f_to(device);
        let rows = |data: &[f32], columns: usize| tensor(data)?.f_reshape([-1, columns as i64]);
        let mut weight = rows(&grid.accumulator_weight, sizes.features)?;
        let mut bias = tensor(&grid.accumulator_bias)?;
        let unit = f64::from(1u32 << grid.shift).recip();
        Ok(Layers {
            // Scaled by a power of two the sums stay exact; the half makes rounding of rounding down.
            accumulator_weight: weight.f_mul_scalar_(unit)?,
            accumulator_bias: bias.f_mul_scalar_(unit)?.f_add_scalar_(0.5)?,
            one: f64::from(ONE),
            whole: true,
            layer1_weight: rows(&grid.layer1_weight, 2 * sizes.hidden)?,
            scale: tensor(&grid.scale)?,
            layer1_bias: get(weights, "layer1.bias")?,
            layer2_weight: get(weights, "layer2.weight")?,
            layer2_bias: get(weights, "layer2.bias")?,
        })
    }

    /// What these rows add to the loss and to each gradient; `features` is `[2 · rows, features]`, the mover's view first.
    fn gradients(&self, features: &Tensor, wanted: &Wanted) -> Result<(f64, Gradients), TchError> {
        let weights = self.accumulator_weight.f_tr()?;
        let sums = self.accumulator_bias.f_addmm(features, &weights)?;
        let acts = match self.whole {
            true => sums.f_floor()?.f_clamp_(0.0, self.one)?,
            false => sums.f_clamp(0.0, self.one)?,
        };
        let acts = acts.f_view_([-1, 2 * weights.size()[1]])?;
        let mut inner = acts.f_mm(&self.layer1_weight.f_tr()?)?;
        let inner = inner.f_mul_(&self.scale)?.f_add_(&self.layer1_bias)?;
        let outer = inner.f_clamp(0.0, 1.0)?;
        let values = self
            .layer2_bias
            .f_addmm(&outer, &self.layer2_weight.f_tr()?)?;
        let values = values.f_reshape([-1])?.f_tanh()?;
        let mut errors = wanted.errors(&values)?;
        let value = wanted.value(&errors)?.f_double_value(&[])?;

        let d_values = errors.f_mul_scalar_(2.0 / wanted.rows)?;
        let d_last = Tensor::f_tanh_backward(&d_values, &values)?.f_reshape([-1, 1])?;
        let d_outer = d_last.f_mul(&self.layer2_weight)?;
        let d_inner = leaky(&inner, &d_outer)?;
        // What activations count in units of 1 counts less in units of 1/127.
        let scale = self.scale.f_mul_scalar(self.one)?.f_reshape([-1, 1])?;
        let d_acts = d_inner.f_mm(&self.layer1_weight.f_mul(&scale)?)?;
        let d_acts = d_acts.f_view_(sums.size())?;
        let half = if self.whole { 0.5 } else { 0.0 };
        let d_sums = sums.f_hardtanh_backward(&d_acts, half, self.one + half)?;
        let d_layer1 = d_inner.f_tr()?.f_mm(&acts)?.f_div_scalar_(self.one)?;
        let gradients = [
            ("accumulator.weight", d_sums.f_tr()?.f_mm(features)?),
            ("accumulator.bias", total(&d_sums)?),
            ("layer1.weight", d_layer1),
            ("layer1.bias", total(&d_inner)?),
            ("layer2.weight", d_last.f_tr()?.f_mm(&outer)?),
            ("layer2.bias", total(&d_last)?),
        ];
        Ok((value, gradients))
    }
}

/// What of the gradients of clipped ReLUs, `[rows, outputs]`, reaches their inputs: all within the range, and outside of it
/// [`LEAK`] of what leads back into it. Else a few long steps, as learning from nothing takes them, leave all neurons of the
/// small layer out of range for good. Accumulators are many, and come further without.
fn leaky(inputs: &Tensor, gradients: &Tensor) -> Result<Tensor, TchError> {
    let within = inputs.f_hardtanh_backward(gradients, 0.0, 1.0)?;
    let beyond = inputs.f_sub(&inputs.f_clamp(0.0, 1.0)?)?;
    let back = beyond.f_mul(gradients)?.f_gt(0.0)?;
    let mut back = gradients.f_mul(&back)?;
    back.f_mul_scalar_(LEAK)?.f_add_(&within)
}

/// The sum of the rows.
fn total(tensor: &Tensor) -> Result<Tensor, TchError> {
    tensor.f_sum_dim_intlist(0i64, false, Kind::Float)
}

/// The bits of a byte as numbers.
const BITS: [[f32; 8]; 256] = {
    let mut bits = [[0.0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            bits[byte][bit] = (byte >> bit & 1) as f32;
            bit += 1;
        }
        byte += 1;
    }
    bits
};

/// `[rows, words]` bits to `[rows, features]` zeros and ones.
fn dense(words: &[u64], features: usize) -> Vec<f32> {
    let stride = features.div_ceil(64);
    let mut out = Vec::with_capacity(words.len() / stride * features);
    for row in words.chunks_exact(stride) {
        for first in (0..features).step_by(8) {
            let byte = (row[first / 64] >> (first % 64)) as u8;
            let count = (features - first).min(8);
            out.extend_from_slice(&BITS[usize::from(byte)][..count]);
        }
    }
    out
}
