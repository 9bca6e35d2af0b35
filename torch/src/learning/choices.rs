//! A learned Q, as DQN has it: of each position one move was played, and what that was worth is known. The network is a
//! dueling one (Wang et al. 2016): Q = V + A - mean A, with its logits as advantages A and the mean over the legal moves.

use super::{Loss, Trainable, finite, planes, wrong};
use crate::guarded;
use crate::training::Mode;
use tch::{Kind, Tensor};
use treeline_nets::device::DeviceError;

/// Positions, the moves that were played there, and what those were worth.
#[derive(Debug, Clone, Copy)]
pub struct Choices<'a> {
    /// `[batch, planes, rows, columns]`.
    pub inputs: &'a [f32],
    /// `[batch]`: what the network's value is multiplied with to be the mover's.
    pub signs: &'a [f32],
    /// `[batch, policy]`: the share of the legal moves that each output stands for; each row's sum is 1.
    pub legal: &'a [f32],
    /// `[batch]`: the output of the move that was played.
    pub actions: &'a [i64],
    /// `[batch]`: what it was worth to the mover.
    pub targets: &'a [f32],
}

impl Trainable {
    /// A step towards the targets, by the mean squared error of Q. The loss is a value's.
    pub fn step_choices(&mut self, batch: &Choices<'_>) -> Result<Loss, DeviceError> {
        let plan = &self.plan;
        let (rows, outputs) = (batch.targets.len(), plan.policy_outputs());
        let whole = batch.inputs.len() == rows * plan.input().len()
            && batch.legal.len() == rows * outputs
            && batch.signs.len() == rows
            && batch.actions.len() == rows;
        let known = |action: &i64| (0..outputs as i64).contains(action);
        if rows == 0 || outputs == 0 || !whole || !batch.actions.iter().all(known) {
            return wrong("a batch of moves that does not fit the network");
        }
        let plan = plan.clone();
        self.begin(batch.inputs)?;
        let device = self.device;
        let (loss, gradients) = guarded(|| {
            let tensor = |data: &[f32]| Tensor::f_from_slice(data)?.f_to(device);
            let leaves = planes::leaves(&self.weights)?;
            let net = self.net(&plan, &leaves, Mode::Learning)?;
            let inputs = Tensor::f_from_slice(batch.inputs)?.f_reshape([rows as i64, -1])?;
            let (values, logits) = net.forward(&inputs, device, true)?;
            let logits = logits.unwrap_or_else(Tensor::new);
            let legal = tensor(batch.legal)?.f_reshape([rows as i64, -1])?;
            let mean = logits
                .f_mul(&legal)?
                .f_sum_dim_intlist(1, false, Kind::Float)?;
            let actions = Tensor::f_from_slice(batch.actions)?.f_to(device)?;
            let chosen = logits.f_gather(1, &actions.f_reshape([-1, 1])?, false)?;
            let own = values.f_mul(&tensor(batch.signs)?)?;
            let q = own.f_add(&chosen.f_reshape([-1])?)?.f_sub(&mean)?;
            let errors = q.f_sub(&tensor(batch.targets)?)?;
            let sum = errors.f_mul(&errors)?.f_mean(Kind::Float)?;
            let loss = Loss {
                value: sum.f_double_value(&[])?,
                policy: 0.0,
            };
            sum.f_backward()?;
            Ok((loss, planes::collected(leaves)?))
        })?;
        finite(loss)?;
        self.follow(gradients)?;
        Ok(loss)
    }
}
