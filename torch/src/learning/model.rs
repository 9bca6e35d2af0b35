//! A learned model's three networks, trained together (Schrittwieser et al. 2020): representation, dynamics, prediction.
//!
//! A state is what comes out of the policy head of the representation or the dynamics, each plane stretched to [0, 1] by its
//! smallest and largest number, as in muzero-general (published: all planes alike, but behind batch norms); the dynamics' value
//! head says whose turn it is then. From each position the model is unrolled along the moves that were played. As published,
//! the losses of K unrolled steps count 1/K each, and half of the gradient goes back through the dynamics' input. Values are numbers, or distributions over a support of S numbers evenly from -1 to 1,
//! whose logits come after those of the prediction's policy: their targets are two-hot (appendix F), the loss is a cross-entropy.
//! A state that was unrolled may have to be, besides, what the representation makes of the position that was there (Ye et al.
//! 2021, EfficientZero; there by a projection and the cosine): the squares of the differences, summed over the planes, their mean over
//! the cells; no gradient goes into what is to be reached.

use super::{Learning, Loss, Trainable, finite, planes, wrong};
use crate::guarded;
use crate::net::Net;
use crate::training::Mode;
use tch::{Kind, TchError, Tensor};
use treeline_nets::arch::Network;
use treeline_nets::device::{DeviceError, Precision};
use treeline_nets::file::Tensors;
use treeline_nets::plan::Plan;

/// Positions, the actions that followed, and what is known of each state.
#[derive(Debug, Clone, Copy)]
pub struct Unrolled<'a> {
    /// Unrolled steps K, at least 1.
    pub steps: usize,
    /// `[batch, planes, rows, columns]`.
    pub inputs: &'a [f32],
    /// `[batch, K, action planes, rows, columns]`.
    pub actions: &'a [f32],
    /// `[batch, K]`: 1 where the same player moves on after the action, -1 where it is the other's turn.
    pub turns: &'a [f32],
    /// `[batch, K + 1]`: for the player to move in the state.
    pub values: &'a [f32],
    /// `[batch, K + 1, policy]`: probabilities, or zeros where none is to be learned.
    pub policies: &'a [f32],
    /// `[batch]`: what each row counts; 1 on average.
    pub weights: &'a [f32],
    /// `[batch, K, planes, rows, columns]`: the positions after the actions; empty where states need not be theirs.
    pub later: &'a [f32],
    /// What it counts that states are theirs, beside the value's loss.
    pub consistency: f64,
}

/// How far off it was before the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelLoss {
    /// The means over all states: squared errors, or cross-entropies over the support, and the policies' cross-entropies, in nats.
    pub loss: Loss,
    /// The mean squared error of the turns.
    pub turn: f64,
    /// How far the unrolled states are from those of the positions; 0 where that is not asked.
    pub consistency: f64,
}

/// Representation, dynamics and prediction.
#[derive(Debug)]
pub struct Model {
    parts: [Trainable; 3],
    policy_factor: f64,
    /// S; 0 where values are numbers.
    support: usize,
}

/// Their names before those of their tensors, in a state.
const NAMES: [&str; 3] = ["representation", "dynamics", "prediction"];

impl Model {
    /// As [`Trainable::new`], of networks over planes that fit together; `support` is 0 or at least 2.
    pub fn new(
        networks: [&Network; 3],
        support: usize,
        gpu: Option<usize>,
        learning: Learning,
    ) -> Result<Model, DeviceError> {
        // Each network is asked several times in a step, of states that differ in kind: none has norms or dropout. What goes
        // from one to the next is not rounded on the way.
        let learning = Learning {
            norm: false,
            dropout: 0.0,
            precision: Precision::F32,
            ..learning
        };
        let part = |network: &Network| Trainable::new(network, gpu, learning);
        let [h, g, f] = networks;
        let model = Model {
            parts: [part(h)?, part(g)?, part(f)?],
            policy_factor: learning.policy_factor,
            support,
        };
        let [h, g, f] = model.plans();
        let latent = h.policy_outputs();
        let cells = h.rows * h.columns;
        let fits = latent > 0
            && g.policy_outputs() == latent
            && f.input().len() == latent
            && g.input().len() > latent
            && [g, f].iter().all(|plan| plan.rows * plan.columns == cells);
        match fits && f.policy_outputs() > support && support != 1 {
            true => Ok(model),
            false => wrong("the networks of a model do not fit together"),
        }
    }

    fn plans(&self) -> [&Plan; 3] {
        self.parts.each_ref().map(|part| &part.plan)
    }

    /// The step size from now on.
    pub fn set_rate(&mut self, rate: f64) {
        self.parts.iter_mut().for_each(|part| part.set_rate(rate));
    }

    /// Learns from a batch.
    pub fn step(&mut self, batch: &Unrolled<'_>) -> Result<ModelLoss, DeviceError> {
        let plans = self.plans();
        let [h, g, f] = plans;
        let (rows, k) = (batch.weights.len(), batch.steps);
        let action = g.input().len() - h.policy_outputs();
        let whole = rows > 0
            && k > 0
            && batch.inputs.len() == rows * h.input().len()
            && batch.actions.len() == rows * k * action
            && batch.turns.len() == rows * k
            && batch.values.len() == rows * (k + 1)
            && batch.policies.len() == rows * (k + 1) * (f.policy_outputs() - self.support)
            && (batch.later.is_empty() || batch.later.len() == rows * k * h.input().len());
        if !whole {
            return wrong("a batch of unrolled positions that does not fit the model");
        }
        let (made, gradients) = guarded(|| self.gradients(plans, batch))?;
        finite(made.loss)?;
        for (part, gradients) in self.parts.iter_mut().zip(gradients) {
            part.follow(gradients)?;
        }
        Ok(made)
    }

    fn gradients(
        &self,
        plans: [&Plan; 3],
        batch: &Unrolled<'_>,
    ) -> Result<(ModelLoss, Vec<super::Named>), TchError> {
        let device = self.parts[0].device;
        let (rows, k) = (batch.weights.len() as i64, batch.steps as i64);
        let tensor = |data: &[f32], shape: &[i64]| {
            let tensor = Tensor::f_from_slice(data)?.f_reshape(shape)?;
            tensor.f_to(device)
        };
        let inputs = tensor(batch.inputs, &[rows, -1])?;
        let actions = tensor(batch.actions, &[rows, k, -1])?;
        let turns = tensor(batch.turns, &[rows, k])?;
        let values = tensor(batch.values, &[rows, k + 1])?;
        let policies = tensor(batch.policies, &[rows, k + 1, -1])?;
        let weights = tensor(batch.weights, &[rows])?;
        let support = self.support as i64;
        let mut hot = vec![0.0; batch.values.len() * self.support];
        for (value, row) in batch.values.iter().zip(hot.chunks_mut(self.support.max(1))) {
            two_hot(*value, row);
        }
        let hot = tensor(&hot, &[rows, k + 1, support])?;
        let leaves = [0, 1, 2].map(|part| planes::leaves(&self.parts[part].weights));
        let [h, g, f] = leaves;
        let leaves = [h?, g?, f?];
        let net = |part: usize| self.parts[part].net(plans[part], &leaves[part], Mode::Learning);
        let nets = [0, 1, 2].map(net);
        let [h, g, f] = nets;
        let (h, g, f) = (h?, g?, f?);
        let (_, state) = h.forward(&inputs, device, true)?;
        let mut states = vec![by_plane(&state.unwrap_or_else(Tensor::new), plans[0])?];
        let mut turn_errors = Vec::new();
        for at in 0..k {
            let state = &states[at as usize];
            let half = state.f_add(&state.f_detach()?)?.f_mul_scalar(0.5)?;
            let seen = Tensor::f_cat(&[half, actions.f_select(1, at)?], 1)?;
            let (turn, next) = g.forward(&seen, device, true)?;
            let error = turn.f_sub(&turns.f_select(1, at)?)?;
            turn_errors.push(error.f_mul(&error)?);
            states.push(by_plane(&next.unwrap_or_else(Tensor::new), plans[0])?);
        }
        let apart = match batch.later.is_empty() {
            true => None,
            false => {
                let later = tensor(batch.later, &[rows, k, -1])?.f_transpose(0, 1)?;
                let later = later.f_reshape([k * rows, -1])?;
                Some(apart(&h, plans[0], &states[1..], &later)?)
            }
        };
        // All states are judged together, the first of every row first: six times the rows cost less than six times the calls.
        let by_step = |known: &Tensor| known.f_transpose(0, 1)?.f_reshape([(k + 1) * rows, -1]);
        let (value, logits) = f.forward(&Tensor::f_cat(&states, 0)?, device, true)?;
        let logits = logits.unwrap_or_else(Tensor::new);
        let outputs = logits.size().last().copied().unwrap_or(0) - support;
        let cross = |first: i64, count: i64, target: &Tensor| {
            let likely = logits.f_narrow(1, first, count)?;
            let likely = likely.f_log_softmax(-1, Kind::Float)?;
            let cross = likely.f_mul(&by_step(target)?)?;
            cross.f_sum_dim_intlist(1, false, Kind::Float)?.f_neg()
        };
        let value_errors = match support {
            0 => {
                let error = value.f_sub(&by_step(&values)?.f_reshape([-1])?)?;
                error.f_mul(&error)?
            }
            _ => cross(outputs, support, &hot)?,
        };
        let policy_errors = cross(0, outputs, &policies)?;
        // The sum that is learned from, and the mean errors to tell: of values, policies and turns.
        let mut sum = Tensor::f_zeros([1], (Kind::Float, device))?;
        let mut mean = |errors: &Tensor, shares: &[f32]| -> Result<f64, TchError> {
            let errors = errors.f_reshape([-1, rows])?;
            let weighed = errors.f_mul(&weights)?.f_mean_dim(1, false, Kind::Float)?;
            let shares = tensor(shares, &[-1])?;
            sum = sum.f_add(&weighed.f_dot(&shares)?)?;
            errors.f_mean(Kind::Float)?.f_double_value(&[])
        };
        let later = vec![1.0 / k as f32; k as usize];
        let all = [&[1.0], &later[..]].concat();
        let of_policies: Vec<f32> = all
            .iter()
            .map(|share| share * self.policy_factor as f32)
            .collect();
        let loss = ModelLoss {
            loss: Loss {
                value: mean(&value_errors, &all)?,
                policy: mean(&policy_errors, &of_policies)?,
            },
            turn: mean(&Tensor::f_cat(&turn_errors, 0)?, &later)?,
            consistency: match apart {
                Some(apart) => {
                    let share = batch.consistency as f32 / k as f32;
                    mean(&apart, &vec![share; k as usize])?
                }
                None => 0.0,
            },
        };
        sum.f_backward()?;
        let gradients = leaves.into_iter().map(planes::collected);
        Ok((loss, gradients.collect::<Result<_, _>>()?))
    }

    /// The networks with the weights as they are.
    pub fn networks(&self) -> Result<[Network; 3], DeviceError> {
        let [h, g, f] = self.parts.each_ref().map(Trainable::network);
        Ok([h?, g?, f?])
    }

    /// The networks with the means of their weights.
    pub fn averaged(&self) -> Result<[Network; 3], DeviceError> {
        let [h, g, f] = self.parts.each_ref().map(Trainable::averaged);
        Ok([h?, g?, f?])
    }

    /// What is to be kept beside the networks.
    pub fn state(&self) -> Result<Tensors, DeviceError> {
        let mut all = Tensors::new();
        for (name, part) in NAMES.iter().zip(&self.parts) {
            let own = part.state()?.into_iter();
            all.extend(own.map(|(tensor, data)| (format!("{name}.{tensor}"), data)));
        }
        Ok(all)
    }

    /// Goes on where [`Model::state`] was given.
    pub fn restore(&mut self, state: &Tensors) -> Result<(), DeviceError> {
        for (name, part) in NAMES.iter().zip(&mut self.parts) {
            let own = state.iter().filter_map(|(tensor, data)| {
                let tensor = tensor.strip_prefix(name)?.strip_prefix('.')?;
                Some((tensor.to_string(), data.clone()))
            });
            part.restore(&own.collect())?;
        }
        Ok(())
    }
}

/// How far unrolled states are from those that the representation makes of the positions there, a number a state.
fn apart(h: &Net, plan: &Plan, states: &[Tensor], later: &Tensor) -> Result<Tensor, TchError> {
    let wanted = {
        let _no_gradients = tch::no_grad_guard();
        let (_, state) = h.forward(later, later.device(), true)?;
        by_plane(&state.unwrap_or_else(Tensor::new), plan)?
    };
    let error = Tensor::f_cat(states, 0)?.f_sub(&wanted)?;
    let squares = error.f_mul(&error)?;
    let sums = squares.f_sum_dim_intlist(1, false, Kind::Float)?;
    sums.f_div_scalar((plan.rows * plan.columns) as f64)
}

/// The two numbers of the support that are next to a value, so weighed that their mean is the value.
pub(super) fn two_hot(value: f32, out: &mut [f32]) {
    let place = (value.clamp(-1.0, 1.0) + 1.0) / 2.0 * (out.len().max(2) - 1) as f32;
    let below = (place.floor() as usize).min(out.len().saturating_sub(2));
    let above = place - below as f32;
    if let Some([low, high]) = out.get_mut(below..below + 2) {
        (*low, *high) = (1.0 - above, above);
    }
}

/// Each plane stretched to [0, 1] by its own smallest and largest number.
fn by_plane(state: &Tensor, plan: &Plan) -> Result<Tensor, TchError> {
    let cells = (plan.rows * plan.columns) as i64;
    stretched(&state.f_reshape([-1, cells])?)?.f_reshape([-1, plan.policy_outputs() as i64])
}

/// `[batch, numbers]` stretched to [0, 1], each row by its own smallest and largest; equal numbers become 0.
pub(super) fn stretched(state: &Tensor) -> Result<Tensor, TchError> {
    let least = state.f_amin([1], true)?;
    let range = state.f_amax([1], true)?.f_sub(&least)?;
    let flat = range.f_le(0.0)?.f_to_kind(Kind::Float)?;
    state.f_sub(&least)?.f_div(&range.f_add(&flat)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_the_mean_of_its_two_neighbours() {
        let hot = |value| {
            let mut out = [0.0; 5];
            two_hot(value, &mut out);
            out
        };
        // The support is -1, -1/2, 0, 1/2, 1.
        assert_eq!(hot(0.25), [0.0, 0.0, 0.5, 0.5, 0.0]);
        assert_eq!(hot(-0.875), [0.75, 0.25, 0.0, 0.0, 0.0]);
        assert_eq!(hot(1.0), [0.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!((hot(-1.0)[0], hot(-3.0)[0]), (1.0, 1.0));
        // Without a support there is nothing to fill in.
        two_hot(0.5, &mut []);
    }
}
