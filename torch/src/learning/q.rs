//! A Q network for environments that show frames or numbers, and DQN's step: Mnih et al. 2015 (Nature 518), double DQN (van Hasselt
//! et al. 2016), dueling heads (Wang et al. 2016).
//!
//! Frames go through three convolutions (32 of 8x8 by 4, 64 of 4x4 by 2, 64 of 3x3 by 1), numbers through two dense layers; both
//! then through one dense layer of `hidden`, and Q or, dueling, V + A - mean A.

use super::adam::{Adam, Pace};
use super::{Named, THREADS, planes, saved, wrong};
use crate::compute::{device, host};
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
    /// Its layers: name, and the shape of the weight.
    fn layers(&self) -> Vec<(&'static str, Vec<i64>)> {
        let hidden = self.hidden as i64;
        let mut layers = Vec::new();
        let flat = match self.sees {
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
        layers.push(("advantage", vec![self.actions as i64, hidden]));
        if self.dueling {
            layers.push(("value", vec![1, hidden]));
        }
        layers
    }

    /// Numbers of one observation.
    fn row(&self) -> usize {
        match self.sees {
            Sees::Frames { stack, side } => stack * side * side,
            Sees::Numbers(count) => count,
        }
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
        if matches!(shape.sees, Sees::Frames { side, .. } if side < 36) {
            return wrong("frames of at least 36x36 pixels are needed");
        }
        if shape.row() == 0 || shape.actions == 0 || shape.hidden == 0 {
            return wrong("a Q network without inputs, actions or hidden layer");
        }
        let device = device(gpu)?;
        guarded(|| {
            THREADS.call_once(|| tch::set_num_threads(1));
            tch::manual_seed(seed);
            let mut weights = Named::new();
            for (name, size) in shape.layers() {
                let inputs: i64 = size[1..].iter().product();
                let reach = 1.0 / (inputs as f64).sqrt();
                for (part, size) in [("weight", size.clone()), ("bias", vec![size[0]])] {
                    let mut drawn = Tensor::f_zeros(size, (Kind::Float, Device::Cpu))?;
                    let drawn = drawn.f_uniform_(-reach, reach)?.f_to(device)?;
                    weights.insert(format!("{name}.{part}"), drawn);
                }
            }
            Ok(QNetwork {
                target: copied(&weights)?,
                shape,
                weights,
                adam: Adam::default(),
                device,
                learning,
            })
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
        let pace = Pace {
            rate: self.learning.rate,
            weight_decay: 0.0,
            decoupled_decay: 0.0,
        };
        guarded(|| {
            let _no_gradients = tch::no_grad_guard();
            let gradients = clipped(gradients, self.learning.clip)?;
            self.adam.step(&mut self.weights, gradients, pace)
        })?;
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
        let same = |found: &Tensors| {
            found.len() == self.weights.len()
                && self.weights.iter().all(|(name, weight)| {
                    let shape = weight.size().into_iter().map(|size| size as usize);
                    found
                        .get(name)
                        .is_some_and(|t| shape.eq(t.shape.iter().copied()))
                })
        };
        if !same(weights) || !same(&target) {
            return wrong("the weights are those of another network");
        }
        let (weights, target, adam) = guarded(|| {
            let weights = self.brought(weights)?;
            Ok((
                Adam::restored(&adam, &weights).map(|adam| (weights, adam))?,
                self.brought(&target)?,
            ))
        })
        .map(|((weights, adam), target)| (weights, target, adam))?;
        (self.weights, self.target, self.adam) = (weights, target, adam);
        Ok(())
    }

    fn brought(&self, tensors: &Tensors) -> Result<Named, TchError> {
        let one =
            |(name, tensor): (&String, _)| Ok((name.clone(), host(tensor)?.f_to(self.device)?));
        tensors.iter().map(one).collect()
    }

    /// Observations as the network sees them.
    fn input(&self, seen: Seen<'_>) -> Result<Tensor, TchError> {
        let wrong = || TchError::Shape("observations that do not fit the network".into());
        match (seen, self.shape.sees) {
            (Seen::Frames(bytes), Sees::Frames { stack, side }) => {
                if bytes.is_empty() || !bytes.len().is_multiple_of(self.shape.row()) {
                    return Err(wrong());
                }
                let [stack, side] = [stack, side].map(|size| size as i64);
                let bytes = Tensor::f_from_slice(bytes)?.f_to(self.device)?;
                let frames = bytes.f_reshape([-1, stack, side, side])?;
                frames.f_to_kind(Kind::Float)?.f_mul_scalar(1.0 / 255.0)
            }
            (Seen::Numbers(numbers), Sees::Numbers(count)) => {
                if numbers.is_empty() || !numbers.len().is_multiple_of(count) {
                    return Err(wrong());
                }
                let numbers = Tensor::f_from_slice(numbers)?.f_to(self.device)?;
                numbers.f_reshape([-1, count as i64])
            }
            _ => Err(wrong()),
        }
    }

    fn forward(&self, weights: &Named, input: &Tensor) -> Result<Tensor, TchError> {
        let find = |name: String| {
            let missing = || TchError::Shape(format!("the network has no tensor {name}"));
            weights.get(&name).ok_or_else(missing)
        };
        let dense = |name: &str, input: &Tensor| {
            let bias = find(format!("{name}.bias"))?;
            input.f_linear(find(format!("{name}.weight"))?, Some(bias))
        };
        let convolved = |name: &str, input: &Tensor, stride: i64| {
            let (weight, bias) = (
                find(format!("{name}.weight"))?,
                find(format!("{name}.bias"))?,
            );
            let made = input.f_conv2d(weight, Some(bias), [stride; 2], [0; 2], [1; 2], 1)?;
            made.f_relu()
        };
        let mut x = match self.shape.sees {
            Sees::Frames { .. } => {
                let x = convolved("conv1", input, 4)?;
                let x = convolved("conv2", &x, 2)?;
                convolved("conv3", &x, 1)?.f_flatten(1, -1)?
            }
            Sees::Numbers(_) => dense("dense1", input)?.f_relu()?,
        };
        x = dense("dense2", &x)?.f_relu()?;
        let advantage = dense("advantage", &x)?;
        if !self.shape.dueling {
            return Ok(advantage);
        }
        let mean = advantage.f_mean_dim(1i64, true, Kind::Float)?;
        dense("value", &x)?.f_add(&advantage.f_sub(&mean)?)
    }
}

fn copied(weights: &Named) -> Result<Named, TchError> {
    let one = |(name, tensor): (&String, &Tensor)| {
        let mut copy = tensor.f_zeros_like()?;
        copy.f_copy_(tensor)?;
        Ok((name.clone(), copy))
    };
    let _no_gradients = tch::no_grad_guard();
    weights.iter().map(one).collect()
}

fn tensors(weights: &Named, before: &str) -> Result<Tensors, TchError> {
    let one = |(name, tensor): (&String, &Tensor)| Ok((format!("{before}{name}"), saved(tensor)?));
    weights.iter().map(one).collect()
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
