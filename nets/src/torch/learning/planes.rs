//! The gradients of a network over planes, by libtorch's own bookkeeping.

use super::loss::Wanted;
use super::{Loss, Named};
use crate::plan::Plan;
use crate::torch::net::Net;
use tch::{Device, Kind, TchError, Tensor};

/// The loss on `inputs`, `[batch, planes, rows, columns]`, and the gradient of every weight that the loss depends on.
pub fn gradients(
    plan: &Plan,
    weights: &Named,
    inputs: &[f32],
    wanted: &Wanted,
    policy_factor: f64,
    device: Device,
) -> Result<(Loss, Named), TchError> {
    let rows = (inputs.len() / plan.input().len()) as i64;
    // New names for the same numbers each time: what has no gradient then is told apart from what has one of zero.
    let leaf = |(name, weight): (&String, &Tensor)| {
        Ok((name.clone(), weight.f_detach()?.f_set_requires_grad(true)?))
    };
    let leaves: Named = weights.iter().map(leaf).collect::<Result<_, TchError>>()?;
    let mut find = |name: &str| {
        let missing = || TchError::Shape(format!("the network has no tensor {name}"));
        leaves
            .get(name)
            .map(Tensor::shallow_clone)
            .ok_or_else(missing)
    };
    let net = Net::new(plan, Kind::Float, &mut find)?;
    let inputs = Tensor::f_from_slice(inputs)?.f_reshape([rows, -1])?;
    let (values, logits) = net.forward(&inputs, device, wanted.policies())?;
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
    let mut gradients = Named::new();
    for (name, leaf) in leaves {
        let gradient = leaf.f_grad()?;
        if gradient.defined() {
            gradients.insert(name, gradient);
        }
    }
    Ok((loss, gradients))
}
