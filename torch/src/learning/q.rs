//! A Q network for environments that show frames or numbers, and DQN's step: Mnih et al. 2015 (Nature 518), double DQN (van Hasselt
//! et al. 2016), dueling heads (Wang et al. 2016).
//!
//! Behind the layers of `trunk` comes Q or, dueling, V + A - mean A.

use super::adam::Adam;
use super::trunk::{Layer, Seen, Sees, brought, copied, dense, follow, fresh, same, tensors};
use super::{Named, planes, wrong};
use crate::compute::device;
use crate::guarded;
use tch::{Device, Kind, TchError, Tensor};
use treeline_nets::device::DeviceError;
use treeline_nets::file::Tensors;

/// The sizes of a Q network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QShape {
    /// What goes in.
    pub sees: Sees,
    /// What comes out: a number for each action.
    pub actions: usize,
    /// The last hidden layer.
    pub hidden: usize,
    /// Whether a value and advantages make Q.
    pub dueling: bool,
}

impl QShape {
    fn layers(&self) -> Vec<Layer> {
        let hidden = self.hidden as i64;
        let mut layers = self.sees.layers(hidden);
        layers.push(("advantage", vec![self.actions as i64, hidden]));
        if self.dueling {
            layers.push(("value", vec![1, hidden]));
        }
        layers
    }
}

/// What was done, and what came of it.
#[derive(Debug, Clone, Copy)]
pub struct Transitions<'a> {
    /// Where.
    pub before: Seen<'a>,
    /// `[batch]`: the action that was taken.
    pub actions: &'a [i64],
    /// `[batch]`: the discounted rewards until `after`.
    pub rewards: &'a [f32],
    /// `[batch]`: what the best action in `after` counts; 0 where the episode is over.
    pub discounts: &'a [f32],
    /// Where that led.
    pub after: Seen<'a>,
}

/// How a Q network learns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QLearning {
    /// Adam's step size.
    pub rate: f64,
    /// Whether the learning network chooses the action that the target network judges.
    pub double: bool,
    /// The largest length of all gradients together; none: any.
    pub clip: Option<f64>,
}

/// A Q network that learns, its target network, and Adam's memory; for one thread.
#[derive(Debug)]
pub struct QNetwork {
    shape: QShape,
    weights: Named,
    target: Named,
    adam: Adam,
    device: Device,
    learning: QLearning,
}

/// Before the names of the target network's tensors in the state.
const TARGET: &str = "target.";

impl QNetwork {
    /// Random weights by `seed`, uniform within the inverse root of what a number sees (PyTorch's default). `gpu` is a GPU's number,
    /// none the CPU.
    ///
    /// # Errors
    /// Frames that are too small for the convolutions; a device that is not there.
    pub fn new(
        shape: QShape,
        learning: QLearning,
        seed: i64,
        gpu: Option<usize>,
    ) -> Result<QNetwork, DeviceError> {
        shape.sees.check()?;
        if shape.actions == 0 || shape.hidden == 0 {
            return wrong("a Q network without actions or hidden layer");
        }
        let device = device(gpu)?;
        let weights = fresh(shape.layers(), seed, device)?;
        Ok(QNetwork {
            target: guarded(|| copied(&weights))?,
            shape,
            weights,
            adam: Adam::default(),
            device,
            learning,
        })
    }

    /// Q of every action, `[batch, actions]`.
    ///
    /// # Errors
    /// Observations of another kind or length than the network's; a failing device.
    pub fn answers(&self, seen: Seen<'_>) -> Result<Vec<f32>, DeviceError> {
        guarded(|| {
            let _no_gradients = tch::no_grad_guard();
            let q = self.forward(&self.weights, &self.input(seen)?)?;
            Vec::try_from(q.f_reshape([-1])?)
        })
    }

    /// Learns from a batch by Huber's loss of Q, whose mean it returns, with the mean of Q.
    ///
    /// # Errors
    /// A batch whose parts do not fit each other or the network; a loss that is not finite, and then nothing is learned.
    pub fn step(&mut self, batch: &Transitions<'_>) -> Result<(f64, f64), DeviceError> {
        let rows = batch.actions.len();
        let known = |action: &i64| (0..self.shape.actions as i64).contains(action);
        let whole = rows > 0 && batch.rewards.len() == rows && batch.discounts.len() == rows;
        if !whole || !batch.actions.iter().all(known) {
            return wrong("a batch of actions that does not fit the network");
        }
        let (loss, q, gradients) = guarded(|| self.gradients(batch))?;
        if !loss.is_finite() {
            return wrong("the loss is not a finite number");
        }
        let (rate, clip) = (self.learning.rate, self.learning.clip);
        follow(&mut self.adam, &mut self.weights, gradients, (rate, clip))?;
        Ok((loss, q))
    }

    fn gradients(&self, batch: &Transitions<'_>) -> Result<(f64, f64, Named), TchError> {
        let row = |data: &[f32]| Tensor::f_from_slice(data)?.f_to(self.device);
        let wanted = {
            let _no_gradients = tch::no_grad_guard();
            let after = self.input(batch.after)?;
            let judged = self.forward(&self.target, &after)?;
            let chooser = match self.learning.double {
                true => self.forward(&self.weights, &after)?,
                false => judged.shallow_clone(),
            };
            let best = chooser.f_argmax(1, true)?;
            let worth = judged.f_gather(1, &best, false)?.f_reshape([-1])?;
            row(batch.rewards)?.f_add(&worth.f_mul(&row(batch.discounts)?)?)?
        };
        let leaves = planes::leaves(&self.weights)?;
        let actions = Tensor::f_from_slice(batch.actions)?.f_to(self.device)?;
        let q = self.forward(&leaves, &self.input(batch.before)?)?;
        let chosen = q.f_gather(1, &actions.f_reshape([-1, 1])?, false)?;
        let chosen = chosen.f_reshape([-1])?;
        let loss = chosen.f_smooth_l1_loss(&wanted, tch::Reduction::Mean, 1.0)?;
        let found = (
            loss.f_double_value(&[])?,
            chosen.f_mean(Kind::Float)?.f_double_value(&[])?,
        );
        loss.f_backward()?;
        Ok((found.0, found.1, planes::collected(leaves)?))
    }

    /// The target network becomes the learning one.
    ///
    /// # Errors
    /// A failing device.
    pub fn refresh_target(&mut self) -> Result<(), DeviceError> {
        self.target = guarded(|| copied(&self.weights))?;
        Ok(())
    }

    /// The weights.
    ///
    /// # Errors
    /// A failing device.
    pub fn weights(&self) -> Result<Tensors, DeviceError> {
        guarded(|| tensors(&self.weights, ""))
    }

    /// What besides the weights the next step depends on: the target network and Adam's memory.
    ///
    /// # Errors
    /// A failing device.
    pub fn state(&self) -> Result<Tensors, DeviceError> {
        guarded(|| {
            let mut state = self.adam.state()?;
            state.extend(tensors(&self.target, TARGET)?);
            Ok(state)
        })
    }

    /// Goes on with what [`QNetwork::weights`] and [`QNetwork::state`] gave.
    ///
    /// # Errors
    /// Those of another network, and then nothing changes.
    pub fn restore(&mut self, weights: &Tensors, state: &Tensors) -> Result<(), DeviceError> {
        let (target, adam): (Tensors, Tensors) =
            (state.clone().into_iter()).partition(|(name, _)| name.starts_with(TARGET));
        let unnamed = |(name, tensor): (String, _)| (name[TARGET.len()..].to_string(), tensor);
        let target: Tensors = target.into_iter().map(unnamed).collect();
        if !same(&self.weights, weights) || !same(&self.weights, &target) {
            return wrong("the weights are those of another network");
        }
        let (weights, target, adam) = guarded(|| {
            let weights = brought(weights, self.device)?;
            let adam = Adam::restored(&adam, &weights)?;
            Ok((weights, brought(&target, self.device)?, adam))
        })?;
        (self.weights, self.target, self.adam) = (weights, target, adam);
        Ok(())
    }

    fn input(&self, seen: Seen<'_>) -> Result<Tensor, TchError> {
        self.shape.sees.input(seen, self.device)
    }

    fn forward(&self, weights: &Named, input: &Tensor) -> Result<Tensor, TchError> {
        let x = self.shape.sees.forward(weights, input)?;
        let advantage = dense(weights, "advantage", &x)?;
        if !self.shape.dueling {
            return Ok(advantage);
        }
        let mean = advantage.f_mean_dim(1i64, true, Kind::Float)?;
        dense(weights, "value", &x)?.f_add(&advantage.f_sub(&mean)?)
    }
}
