//! A learned model of an environment: MuZero's representation, dynamics and prediction (Schrittwieser et al. 2020), over a latent state of
//! numbers; without dynamics, what AlphaZero asks.
//!
//! The representation is the layers of `trunk` and one more; a dense layer each stands before the next state and the reward, and
//! before policy and value. A state is stretched to [0, 1] by its smallest and largest number. Rewards and values are
//! distributions over the whole numbers from -S to S of h(x) = sign(x)(sqrt(|x| + 1) - 1) + 0.001 x (appendix F). The losses of
//! K unrolled steps count 1/K each, and half of the gradient goes back through the dynamics' input (appendix G).

use super::adam::Adam;
use super::model::{stretched, two_hot};
use super::trunk::{Layer, Seen, Sees, brought, dense, follow, fresh, same, tensors};
use super::{Named, planes, wrong};
use crate::compute::device;
use crate::guarded;
use tch::{Device, Kind, TchError, Tensor};
use treeline_nets::device::DeviceError;
use treeline_nets::file::Tensors;

/// The sizes of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LatentShape {
    /// What goes in.
    pub sees: Sees,
    /// Numbered from 0.
    pub actions: usize,
    /// Every hidden layer.
    pub hidden: usize,
    /// Numbers of a latent state.
    pub latent: usize,
    /// S.
    pub support: usize,
    /// Whether there are dynamics.
    pub dynamics: bool,
}

impl LatentShape {
    fn layers(&self) -> Vec<Layer> {
        let sizes = [self.hidden, self.latent, self.actions];
        let [hidden, latent, actions] = sizes.map(|size| size as i64);
        let support = 2 * self.support as i64 + 1;
        let mut layers = self.sees.layers(hidden);
        layers.push(("state", vec![latent, hidden]));
        layers.push(("prediction", vec![hidden, latent]));
        layers.push(("policy", vec![actions, hidden]));
        layers.push(("value", vec![support, hidden]));
        if self.dynamics {
            layers.push(("dynamics", vec![hidden, latent + actions]));
            layers.push(("next", vec![latent, hidden]));
            layers.push(("reward", vec![support, hidden]));
        }
        layers
    }
}

/// Observations, the actions that followed, and what is known of each state.
#[derive(Debug, Clone, Copy)]
pub struct Followed<'a> {
    /// Unrolled steps K; 0 without dynamics.
    pub steps: usize,
    /// A row for each.
    pub seen: Seen<'a>,
    /// `[batch, K]`.
    pub actions: &'a [i64],
    /// `[batch, K]`: what each action brought.
    pub rewards: &'a [f32],
    /// `[batch, K + 1]`.
    pub values: &'a [f32],
    /// `[batch, K + 1, actions]`: probabilities, or zeros where none is to be learned; times an advantage for policy gradient, which may
    /// be negative.
    pub policies: &'a [f32],
    /// `[batch, K + 1]`: 1 where the value, and the reward before it, are known, else 0.
    pub known: &'a [f32],
    /// `[batch]`: what each row counts; 1 on average.
    pub weights: &'a [f32],
}

/// Cross-entropies before the step, in nats: means over all states and steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatentLoss {
    /// Over the values' support.
    pub value: f64,
    /// Over the rewards' support.
    pub reward: f64,
    /// Over the actions.
    pub policy: f64,
}

/// How a model learns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatentLearning {
    /// Adam's step size.
    pub rate: f64,
    /// The largest length of all gradients together; none: any.
    pub clip: Option<f64>,
    /// What the loss of values counts.
    pub value_factor: f64,
}

/// What the dynamics say.
#[derive(Debug, Clone, PartialEq)]
pub struct NextState {
    /// The state after the action.
    pub state: Vec<f32>,
    /// What the action brings.
    pub reward: f32,
}

/// A model that learns, and Adam's memory; for one thread.
#[derive(Debug)]
pub struct LatentModel {
    shape: LatentShape,
    weights: Named,
    adam: Adam,
    device: Device,
    learning: LatentLearning,
}

impl LatentModel {
    /// Random weights by `seed`, uniform within the inverse root of what a number sees (PyTorch's default). `gpu` is a GPU's number,
    /// none the CPU.
    ///
    /// # Errors
    /// Frames that are too small for the convolutions; sizes of 0; a device that is not there.
    pub fn new(
        shape: LatentShape,
        learning: LatentLearning,
        seed: i64,
        gpu: Option<usize>,
    ) -> Result<LatentModel, DeviceError> {
        shape.sees.check()?;
        if [shape.actions, shape.hidden, shape.latent, shape.support].contains(&0) {
            return wrong("a model without actions, hidden layer, latent state or support");
        }
        let device = device(gpu)?;
        Ok(LatentModel {
            shape,
            weights: fresh(shape.layers(), seed, device)?,
            adam: Adam::default(),
            device,
            learning,
        })
    }

    /// h: the latent state of one observation.
    ///
    /// # Errors
    /// Observations of another kind or length than the network's; a failing device.
    pub fn represent(&self, seen: Seen<'_>) -> Result<Vec<f32>, DeviceError> {
        guarded(|| {
            let _no_gradients = tch::no_grad_guard();
            numbers(&self.first(&self.weights, seen)?)
        })
    }

    /// f: the value of a state, and the logit of every action.
    ///
    /// # Errors
    /// A state of another length; a failing device.
    pub fn predict(&self, state: &[f32]) -> Result<(f32, Vec<f32>), DeviceError> {
        guarded(|| {
            let _no_gradients = tch::no_grad_guard();
            let (policy, value) = self.prediction(&self.weights, &self.row(state)?)?;
            Ok((self.mean(&value)?, numbers(&policy)?))
        })
    }

    /// g: where an action leads from a state.
    ///
    /// # Errors
    /// A model without dynamics; a state of another length, or an action that there is not; a failing device.
    pub fn advance(&self, state: &[f32], action: usize) -> Result<NextState, DeviceError> {
        if action >= self.shape.actions {
            return wrong("an action that the model does not know");
        }
        guarded(|| {
            let _no_gradients = tch::no_grad_guard();
            let state = self.row(state)?;
            let action = Tensor::f_from_slice(&[action as i64])?.f_to(self.device)?;
            let (next, reward) = self.dynamics(&self.weights, &state, &action)?;
            Ok(NextState {
                state: numbers(&next)?,
                reward: self.mean(&reward)?,
            })
        })
    }

    /// The step size from now on.
    pub fn set_rate(&mut self, rate: f64) {
        self.learning.rate = rate;
    }

    /// Learns from a batch.
    ///
    /// # Errors
    /// A batch whose parts do not fit each other or the model; a loss that is not finite, and then nothing is learned.
    pub fn step(&mut self, batch: &Followed<'_>) -> Result<LatentLoss, DeviceError> {
        let (rows, k) = (batch.weights.len(), batch.steps);
        let known = |action: &i64| (0..self.shape.actions as i64).contains(action);
        let whole = rows > 0
            && batch.actions.len() == rows * k
            && batch.rewards.len() == rows * k
            && batch.values.len() == rows * (k + 1)
            && batch.known.len() == rows * (k + 1)
            && batch.policies.len() == rows * (k + 1) * self.shape.actions
            && batch.actions.iter().all(known)
            && (k == 0 || self.shape.dynamics);
        if !whole {
            return wrong("a batch of unrolled observations that does not fit the model");
        }
        let (loss, gradients) = guarded(|| self.gradients(batch))?;
        if ![loss.value, loss.reward, loss.policy]
            .iter()
            .all(|loss| loss.is_finite())
        {
            return wrong("the loss is not a finite number");
        }
        let (rate, clip) = (self.learning.rate, self.learning.clip);
        follow(&mut self.adam, &mut self.weights, gradients, (rate, clip))?;
        Ok(loss)
    }

    fn gradients(&self, batch: &Followed<'_>) -> Result<(LatentLoss, Named), TchError> {
        let (rows, k) = (batch.weights.len() as i64, batch.steps as i64);
        let tensor = |data: &[f32], shape: &[i64]| {
            let tensor = Tensor::f_from_slice(data)?.f_reshape(shape)?;
            tensor.f_to(self.device)
        };
        let hot = |data: &[f32], steps: i64| {
            let outputs = 2 * self.shape.support + 1;
            let mut hot = vec![0.0; data.len() * outputs];
            for (number, row) in data.iter().zip(hot.chunks_mut(outputs)) {
                two_hot(squeezed(*number) / self.shape.support as f32, row);
            }
            tensor(&hot, &[rows, steps, outputs as i64])
        };
        let (values, rewards) = (hot(batch.values, k + 1)?, hot(batch.rewards, k)?);
        let policies = tensor(batch.policies, &[rows, k + 1, -1])?;
        let known = tensor(batch.known, &[rows, k + 1])?;
        let weights = tensor(batch.weights, &[rows])?;
        let actions = Tensor::f_from_slice(batch.actions)?.f_reshape([rows, k])?;
        let actions = actions.f_to(self.device)?;
        let leaves = planes::leaves(&self.weights)?;
        let mut sum = Tensor::f_zeros([1], (Kind::Float, self.device))?;
        let mut told = [0.0; 3];
        let mut add = |which: usize, errors: Tensor, share: f64| -> Result<(), TchError> {
            told[which] += errors.f_mean(Kind::Float)?.f_double_value(&[])?;
            let weighed = errors.f_mul(&weights)?.f_mean(Kind::Float)?;
            sum = sum.f_add(&weighed.f_mul_scalar(share)?)?;
            Ok(())
        };
        let mut state = self.first(&leaves, batch.seen)?;
        for at in 0..=k {
            let share = if at == 0 { 1.0 } else { 1.0 / k as f64 };
            let there = known.f_select(1, at)?;
            let (policy, value) = self.prediction(&leaves, &state)?;
            let error = crossed(&value, &values.f_select(1, at)?)?.f_mul(&there)?;
            add(0, error, share * self.learning.value_factor)?;
            add(1, crossed(&policy, &policies.f_select(1, at)?)?, share)?;
            if at == k {
                break;
            }
            let half = state.f_add(&state.f_detach()?)?.f_mul_scalar(0.5)?;
            let (next, reward) = self.dynamics(&leaves, &half, &actions.f_select(1, at)?)?;
            let there = known.f_select(1, at + 1)?;
            let error = crossed(&reward, &rewards.f_select(1, at)?)?.f_mul(&there)?;
            add(2, error, 1.0 / k as f64)?;
            state = next;
        }
        sum.f_backward()?;
        let states = (k + 1) as f64;
        let loss = LatentLoss {
            value: told[0] / states,
            policy: told[1] / states,
            reward: told[2] / k.max(1) as f64,
        };
        Ok((loss, planes::collected(leaves)?))
    }

    /// The weights.
    ///
    /// # Errors
    /// A failing device.
    pub fn weights(&self) -> Result<Tensors, DeviceError> {
        guarded(|| tensors(&self.weights, ""))
    }

    /// What besides the weights the next step depends on: Adam's memory.
    ///
    /// # Errors
    /// A failing device.
    pub fn state(&self) -> Result<Tensors, DeviceError> {
        guarded(|| self.adam.state())
    }

    /// Goes on with what [`LatentModel::weights`] and [`LatentModel::state`] gave.
    ///
    /// # Errors
    /// Those of another model, and then nothing changes.
    pub fn restore(&mut self, weights: &Tensors, state: &Tensors) -> Result<(), DeviceError> {
        if !same(&self.weights, weights) {
            return wrong("the weights are those of another network");
        }
        let (weights, adam) = guarded(|| {
            let weights = brought(weights, self.device)?;
            let adam = Adam::restored(state, &weights)?;
            Ok((weights, adam))
        })?;
        (self.weights, self.adam) = (weights, adam);
        Ok(())
    }

    /// A state as a batch of one.
    fn row(&self, state: &[f32]) -> Result<Tensor, TchError> {
        let row = Tensor::f_from_slice(state)?.f_reshape([1, self.shape.latent as i64])?;
        row.f_to(self.device)
    }

    fn first(&self, weights: &Named, seen: Seen<'_>) -> Result<Tensor, TchError> {
        let input = self.shape.sees.input(seen, self.device)?;
        let x = self.shape.sees.forward(weights, &input)?;
        stretched(&dense(weights, "state", &x)?)
    }

    /// Logits of policy and value.
    fn prediction(&self, weights: &Named, state: &Tensor) -> Result<(Tensor, Tensor), TchError> {
        let x = dense(weights, "prediction", state)?.f_relu()?;
        Ok((dense(weights, "policy", &x)?, dense(weights, "value", &x)?))
    }

    /// The next state, and the reward's logits.
    fn dynamics(
        &self,
        weights: &Named,
        state: &Tensor,
        actions: &Tensor,
    ) -> Result<(Tensor, Tensor), TchError> {
        let action = actions.f_one_hot(self.shape.actions as i64)?;
        let seen = Tensor::f_cat(&[state, &action.f_to_kind(Kind::Float)?], 1)?;
        let x = dense(weights, "dynamics", &seen)?.f_relu()?;
        let next = stretched(&dense(weights, "next", &x)?.f_add(state)?)?;
        Ok((next, dense(weights, "reward", &x)?))
    }

    /// The number that a distribution over the support stands for.
    fn mean(&self, logits: &Tensor) -> Result<f32, TchError> {
        let shares = numbers(&logits.f_softmax(-1, Kind::Float)?)?;
        let first = -(self.shape.support as f32);
        let sum = shares
            .iter()
            .zip(0u16..)
            .map(|(p, i)| p * (first + f32::from(i)));
        Ok(unsqueezed(sum.sum()))
    }
}

fn numbers(tensor: &Tensor) -> Result<Vec<f32>, TchError> {
    Vec::try_from(tensor.f_reshape([-1])?)
}

/// The cross-entropy of each row.
fn crossed(logits: &Tensor, wanted: &Tensor) -> Result<Tensor, TchError> {
    let likely = logits.f_log_softmax(-1, Kind::Float)?;
    let sum = likely.f_mul(wanted)?;
    sum.f_sum_dim_intlist(1, false, Kind::Float)?.f_neg()
}

const SLOPE: f32 = 0.001;

/// h.
fn squeezed(x: f32) -> f32 {
    x.signum() * ((x.abs() + 1.0).sqrt() - 1.0) + SLOPE * x
}

/// The inverse of h.
fn unsqueezed(y: f32) -> f32 {
    let root = (1.0 + 4.0 * SLOPE * (y.abs() + 1.0 + SLOPE)).sqrt();
    let side = (root - 1.0) / (2.0 * SLOPE);
    y.signum() * (side * side - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_from_the_support() {
        assert!((squeezed(3.0) - 1.003).abs() < 1e-6);
        for x in [-300.0, -3.0, -0.5, 0.0, 0.25, 1.0, 21.0, 600.0f32] {
            let back = unsqueezed(squeezed(x));
            assert!((back - x).abs() < 2e-3 * (1.0 + x.abs()), "{x}: {back}");
        }
    }
}
