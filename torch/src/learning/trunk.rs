//! What networks for environments have in common: the layers that see frames or numbers, and tensors by name.
//!
//! Frames go through three convolutions (32 of 8x8 by 4, 64 of 4x4 by 2, 64 of 3x3 by 1; Mnih et al. 2015, Nature 518), numbers
//! through a dense layer; both then through one dense layer of `hidden`.

use super::adam::{Adam, Pace};
use super::{Named, THREADS, saved, wrong};
use crate::compute::host;
use crate::guarded;
use tch::{Device, Kind, TchError, Tensor};
use treeline_nets::device::DeviceError;
use treeline_nets::file::Tensors;

/// What an environment shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sees {
    /// The newest `stack` frames of `side` x `side` grey pixels; `side` at least 36.
    Frames {
        /// How many.
        stack: usize,
        /// Rows, and columns.
        side: usize,
    },
    /// So many numbers.
    Numbers(usize),
}

/// Observations, a row each.
#[derive(Debug, Clone, Copy)]
pub enum Seen<'a> {
    /// `[batch, stack, side, side]`, 0 to 255.
    Frames(&'a [u8]),
    /// `[batch, numbers]`.
    Numbers(&'a [f32]),
}

/// A layer: its name, and the shape of its weight.
pub type Layer = (&'static str, Vec<i64>);

impl Sees {
    /// Its layers, whose answer has `hidden` numbers.
    pub fn layers(self, hidden: i64) -> Vec<Layer> {
        let mut layers = Vec::new();
        let flat = match self {
            Sees::Frames { stack, side } => {
                layers.push(("conv1", vec![32, stack as i64, 8, 8]));
                layers.push(("conv2", vec![64, 32, 4, 4]));
                layers.push(("conv3", vec![64, 64, 3, 3]));
                let side = ((side as i64 - 8) / 4 + 1 - 4) / 2 + 1 - 2;
                64 * side * side
            }
            Sees::Numbers(count) => {
                layers.push(("dense1", vec![hidden, count as i64]));
                hidden
            }
        };
        layers.push(("dense2", vec![hidden, flat]));
        layers
    }

    /// Numbers of one observation.
    pub fn row(self) -> usize {
        match self {
            Sees::Frames { stack, side } => stack * side * side,
            Sees::Numbers(count) => count,
        }
    }

    /// What it says of observations as [`Sees::input`] brings them, `[batch, hidden]`.
    pub fn forward(self, weights: &Named, input: &Tensor) -> Result<Tensor, TchError> {
        let convolved = |name: &str, input: &Tensor, stride: i64| {
            let [weight, bias] = part(weights, name)?;
            let made = input.f_conv2d(weight, Some(bias), [stride; 2], [0; 2], [1; 2], 1)?;
            made.f_relu()
        };
        let seen = match self {
            Sees::Frames { .. } => {
                let x = convolved("conv1", input, 4)?;
                let x = convolved("conv2", &x, 2)?;
                convolved("conv3", &x, 1)?.f_flatten(1, -1)?
            }
            Sees::Numbers(_) => dense(weights, "dense1", input)?.f_relu()?,
        };
        dense(weights, "dense2", &seen)?.f_relu()
    }

    /// Observations as the network sees them.
    pub fn input(self, seen: Seen<'_>, device: Device) -> Result<Tensor, TchError> {
        let wrong = || TchError::Shape("observations that do not fit the network".into());
        match (seen, self) {
            (Seen::Frames(bytes), Sees::Frames { stack, side }) => {
                if bytes.is_empty() || !bytes.len().is_multiple_of(self.row()) {
                    return Err(wrong());
                }
                let [stack, side] = [stack, side].map(|size| size as i64);
                let bytes = Tensor::f_from_slice(bytes)?.f_to(device)?;
                let frames = bytes.f_reshape([-1, stack, side, side])?;
                frames.f_to_kind(Kind::Float)?.f_mul_scalar(1.0 / 255.0)
            }
            (Seen::Numbers(numbers), Sees::Numbers(count)) => {
                if numbers.is_empty() || !numbers.len().is_multiple_of(count) {
                    return Err(wrong());
                }
                let numbers = Tensor::f_from_slice(numbers)?.f_to(device)?;
                numbers.f_reshape([-1, count as i64])
            }
            _ => Err(wrong()),
        }
    }

    /// Whether there can be a network that sees this.
    pub fn check(self) -> Result<(), DeviceError> {
        match self {
            Sees::Frames { side, .. } if side < 36 => {
                wrong("frames of at least 36x36 pixels are needed")
            }
            _ if self.row() == 0 => wrong("a network without inputs"),
            _ => Ok(()),
        }
    }
}

/// A layer's weight and bias.
pub fn part<'a>(weights: &'a Named, name: &str) -> Result<[&'a Tensor; 2], TchError> {
    let find = |end: &str| {
        let missing = || TchError::Shape(format!("the network has no tensor {name}.{end}"));
        weights.get(&format!("{name}.{end}")).ok_or_else(missing)
    };
    Ok([find("weight")?, find("bias")?])
}

/// What a dense layer makes of its input.
pub fn dense(weights: &Named, name: &str, input: &Tensor) -> Result<Tensor, TchError> {
    let [weight, bias] = part(weights, name)?;
    input.f_linear(weight, Some(bias))
}

/// Random weights by `seed`, uniform within the inverse root of what a number sees (PyTorch's default).
pub fn fresh(layers: Vec<Layer>, seed: i64, device: Device) -> Result<Named, DeviceError> {
    guarded(|| {
        THREADS.call_once(|| tch::set_num_threads(1));
        tch::manual_seed(seed);
        let mut weights = Named::new();
        for (name, size) in layers {
            let inputs: i64 = size[1..].iter().product();
            let reach = 1.0 / (inputs as f64).sqrt();
            for (part, size) in [("weight", size.clone()), ("bias", vec![size[0]])] {
                let mut drawn = Tensor::f_zeros(size, (Kind::Float, Device::Cpu))?;
                let drawn = drawn.f_uniform_(-reach, reach)?.f_to(device)?;
                weights.insert(format!("{name}.{part}"), drawn);
            }
        }
        Ok(weights)
    })
}

/// The same numbers in other places.
pub fn copied(weights: &Named) -> Result<Named, TchError> {
    let one = |(name, tensor): (&String, &Tensor)| {
        let mut copy = tensor.f_zeros_like()?;
        copy.f_copy_(tensor)?;
        Ok((name.clone(), copy))
    };
    let _no_gradients = tch::no_grad_guard();
    weights.iter().map(one).collect()
}

/// As those of a file, with `before` in front of the names.
pub fn tensors(weights: &Named, before: &str) -> Result<Tensors, TchError> {
    let one = |(name, tensor): (&String, &Tensor)| Ok((format!("{before}{name}"), saved(tensor)?));
    weights.iter().map(one).collect()
}

/// Those of a file, on a device.
pub fn brought(tensors: &Tensors, device: Device) -> Result<Named, TchError> {
    let one = |(name, tensor): (&String, _)| Ok((name.clone(), host(tensor)?.f_to(device)?));
    tensors.iter().map(one).collect()
}

/// Whether these have the names and shapes of `weights`.
pub fn same(weights: &Named, found: &Tensors) -> bool {
    found.len() == weights.len()
        && weights.iter().all(|(name, weight)| {
            let shape = weight.size().into_iter().map(|size| size as usize);
            found
                .get(name)
                .is_some_and(|t| shape.eq(t.shape.iter().copied()))
        })
}

/// A step of Adam down these gradients, with its size and the longest that all together may be.
pub fn follow(
    adam: &mut Adam,
    weights: &mut Named,
    gradients: Named,
    (rate, clip): (f64, Option<f64>),
) -> Result<(), DeviceError> {
    let pace = Pace {
        rate,
        weight_decay: 0.0,
        decoupled_decay: 0.0,
    };
    guarded(|| {
        let _no_gradients = tch::no_grad_guard();
        adam.step(weights, clipped(gradients, clip)?, pace)
    })
}

/// The gradients, shorter where all together are longer than `most`.
fn clipped(mut gradients: Named, most: Option<f64>) -> Result<Named, TchError> {
    let Some(most) = most else {
        return Ok(gradients);
    };
    let mut sum = 0.0;
    for gradient in gradients.values() {
        sum += gradient
            .f_mul(gradient)?
            .f_sum(Kind::Float)?
            .f_double_value(&[])?;
    }
    if sum.sqrt() > most {
        for gradient in gradients.values_mut() {
            *gradient = gradient.f_mul_scalar(most / sum.sqrt())?;
        }
    }
    Ok(gradients)
}
