//! Batch norm folded into the convolution before it: at play it is only a factor and a summand of each channel.
//!
//! A convolution whose prefix ends in `conv`, `conv1`, … may be followed by a `BatchNorm2d` whose prefix ends in `bn`,
//! `bn1`, … instead: `blocks.0.conv1.weight` with `blocks.0.bn1.weight`, `.bias`, `.running_mean` and `.running_var`. The
//! convolution's own bias may then be missing. The ε is PyTorch's default, 1e-5, since a file does not say it.

use crate::NetError;
use crate::file::{Tensor, Tensors};
use crate::plan::{Plan, Step};

const EPSILON: f64 = 1e-5;
const PARTS: [&str; 4] = ["weight", "bias", "running_mean", "running_var"];

/// Replaces every convolution of `plan` that has a batch norm by one that does the same without.
pub fn batch_norms(plan: &Plan, tensors: &mut Tensors) -> Result<(), NetError> {
    let mut done = Ok(());
    plan.each_layer(&mut |step| {
        if let (
            Step::Conv {
                name,
                inputs,
                outputs,
                size,
                ..
            },
            Ok(()),
        ) = (step, &done)
        {
            done = one(name, *outputs, inputs * size * size, tensors);
        }
    });
    done
}

/// `outputs` filters of `length` weights each.
fn one(name: &str, outputs: usize, length: usize, tensors: &mut Tensors) -> Result<(), NetError> {
    let at = name.rfind('.').map_or(0, |dot| dot + 1);
    let Some(number) = name[at..].strip_prefix("conv") else {
        return Ok(());
    };
    let norm = format!("{}bn{number}", &name[..at]);
    let names = PARTS.map(|part| format!("{norm}.{part}"));
    if !names.iter().any(|name| tensors.contains_key(name)) {
        return Ok(());
    }
    let weight_name = format!("{name}.weight");
    let fits = |tensor: &Tensor| {
        tensor.shape.first() == Some(&outputs) && tensor.data.len() == outputs * length
    };
    if !tensors.get(&weight_name).is_some_and(fits) {
        // Whoever checks the plan's tensors says so.
        return Ok(());
    }
    let mut parts = Vec::new();
    for name in &names {
        let tensor = tensors
            .remove(name)
            .ok_or_else(|| NetError::tensor(name, "expected, and not there"))?;
        if tensor.shape != [outputs] {
            let reason = format!("shape {:?} expected, {:?} found", [outputs], tensor.shape);
            return Err(NetError::tensor(name, reason));
        }
        parts.push(tensor.data);
    }
    let bias_name = format!("{name}.bias");
    let bias = tensors.entry(bias_name).or_insert_with(|| Tensor {
        shape: vec![outputs],
        data: vec![0.0; outputs],
    });
    if bias.data.len() != outputs {
        return Ok(());
    }
    let mut factors = Vec::new();
    for (channel, old) in bias.data.iter_mut().enumerate() {
        let part = |part: usize| f64::from(parts[part][channel]);
        let [gain, shift, mean, variance] = [0, 1, 2, 3].map(part);
        if variance < 0.0 {
            let reason =
                format!("a variance of at least 0 expected, {variance} found at [{channel}]");
            return Err(NetError::tensor(&names[3], reason));
        }
        let factor = gain / (variance + EPSILON).sqrt();
        *old = ((f64::from(*old) - mean) * factor + shift) as f32;
        factors.push(factor);
    }
    if let Some(weight) = tensors.get_mut(&weight_name) {
        for (filter, factor) in weight.data.chunks_mut(length).zip(&factors) {
            filter
                .iter_mut()
                .for_each(|value| *value = (f64::from(*value) * factor) as f32);
        }
    }
    // Files have finite numbers only, and so shall networks.
    for name in [weight_name, format!("{name}.bias")] {
        let data = tensors.get(&name).map_or(&[][..], |tensor| &tensor.data);
        if data.iter().any(|value| !value.is_finite()) {
            let reason = "folding its batch norm leaves the range of 32-bit floats";
            return Err(NetError::tensor(&name, reason));
        }
    }
    Ok(())
}
