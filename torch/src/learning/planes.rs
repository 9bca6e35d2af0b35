//! The gradients of a network over planes, by libtorch's own bookkeeping.

use super::loss::Wanted;
use super::{Loss, Named};
use crate::net::{Net, to_kind};
use crate::training::Training;
use tch::{Device, Kind, TchError, Tensor};
use treeline_nets::plan::Plan;

/// The loss on `inputs`, `[batch, planes · rows · columns]`, which leaves gradients in every weight that it depends on.
pub fn descend(
    net: &Net,
    inputs: &Tensor,
    wanted: &Wanted,
    policy_factor: f64,
    device: Device,
) -> Result<Loss, TchError> {
    let (values, logits) = net.forward(inputs, device, wanted.policies())?;
    let mut sum = wanted.value(&wanted.errors(&values)?)?;
    let mut loss = Loss {
        value: sum.f_double_value(&[])?,
        policy: 0.0,
    };
    if let Some(logits) = logits
        && let Some((policy, mean)) = wanted.policy(&logits)?
    {
        sum = sum.f_add(&policy.f_mul_scalar(policy_factor)?)?;
        loss.policy = mean;
    }
    sum.f_backward()?;
    Ok(loss)
}

/// New names for the same numbers: what has no gradient then is told apart from what has one of zero.
pub fn leaves(weights: &Named) -> Result<Named, TchError> {
    let leaf = |(name, weight): (&String, &Tensor)| {
        Ok((name.clone(), weight.f_detach()?.f_set_requires_grad(true)?))
    };
    weights.iter().map(leaf).collect()
}

/// The network on tensors of 32-bit floats, weights and running statistics, which computes in `kind`; batch norms keep their floats.
pub fn net(
    plan: &Plan,
    kind: Kind,
    tensors: [&Named; 2],
    training: Training,
) -> Result<Net, TchError> {
    let norms = tensors[1];
    let is_norm = |name: &str| match name.rsplit_once('.') {
        Some((norm, _)) => norms.contains_key(&format!("{norm}.running_mean")),
        None => false,
    };
    let mut find = |name: &str| {
        let missing = || TchError::Shape(format!("the network has no tensor {name}"));
        let found = tensors.iter().find_map(|tensors| tensors.get(name));
        let tensor = found.ok_or_else(missing)?;
        match is_norm(name) {
            true => Ok(tensor.shallow_clone()),
            // Gradients go back through it.
            false => to_kind(tensor.shallow_clone(), kind),
        }
    };
    Net::learning(plan, kind, &mut find, Some(training))
}

/// The gradients that a loss has left in its leaves.
pub fn collected(leaves: Named) -> Result<Named, TchError> {
    let mut gradients = Named::new();
    for (name, leaf) in leaves {
        let gradient = leaf.f_grad()?;
        if gradient.defined() {
            gradients.insert(name, gradient);
        }
    }
    Ok(gradients)
}
