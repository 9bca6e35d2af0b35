//! Batch norms of a network that learns: what files hold is folded, so a state has the weights as they are before.

use super::{Named, host};
use crate::training::norm_of;
use tch::{Device, Kind, TchError, Tensor};
use treeline_nets::file::{self, Tensors};
use treeline_nets::plan::{Plan, Step};

/// How the names of weights before folding end, in a state.
pub const RAW: &str = ".unfolded";

fn sizes(tensor: &file::Tensor) -> Vec<i64> {
    tensor.shape.iter().map(|size| *size as i64).collect()
}

/// Adds the weights of batch norms behind a network's convolutions, where there are to be any, and gives their running statistics.
pub fn fresh(
    plan: &Plan,
    wanted: bool,
    weights: &mut Named,
    device: Device,
) -> Result<Named, TchError> {
    let mut running = Named::new();
    let last = match plan.policy.as_deref() {
        Some([.., Step::Conv { name, .. }]) => Some(name),
        _ => None,
    };
    let mut found = Vec::new();
    plan.each_layer(&mut |step| match step {
        Step::Conv { name, outputs, .. } if Some(name) != last => {
            found.extend(norm_of(name).map(|norm| (norm, *outputs as i64)));
        }
        _ => {}
    });
    let kind = (Kind::Float, device);
    for (name, channels) in found.into_iter().filter(|_| wanted) {
        let size = [channels];
        let (mean, variance) = (Tensor::f_zeros(size, kind)?, Tensor::f_ones(size, kind)?);
        running.insert(format!("{name}.running_mean"), mean);
        running.insert(format!("{name}.running_var"), variance);
        weights.insert(format!("{name}.weight"), Tensor::f_ones(size, kind)?);
        weights.insert(format!("{name}.bias"), Tensor::f_zeros(size, kind)?);
    }
    Ok(running)
}

/// Parts a state into weights before folding and the rest.
pub fn parted(state: &Tensors) -> (Tensors, Tensors) {
    let tensors = state.clone().into_iter();
    tensors.partition(|(name, _)| name.ends_with(RAW))
}

/// Those of them that are called like `named`, all of which must be there.
pub fn unfolded(raw: &Tensors, named: &Named) -> Result<Named, TchError> {
    let one = |(name, tensor): (&String, &Tensor)| match raw.get(&format!("{name}{RAW}")) {
        Some(raw) if tensor.size() == sizes(raw) => {
            Ok((name.clone(), host(raw)?.f_to(tensor.device())?))
        }
        _ => Err(TchError::Shape(format!(
            "not the state of this network: {name} before folding does not fit"
        ))),
    };
    named.iter().map(one).collect()
}
