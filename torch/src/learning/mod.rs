//! Networks that learn: a step of Adam on a batch of targets. Knows nothing of where targets come from.
//!
//! `planes` gives the gradients of a network over planes, `choices` those of a learned Q, `q` a network of Q for environments and `latent` a model of
//! one, which see them by `trunk`, `model` learns the three
//! networks of a model together, `loss` what is wrong with an answer, `adam` the step,
//! `average` the mean over many steps. What sees features is learned without libtorch.

mod adam;
mod average;
mod choices;
mod latent;
mod loss;
mod model;
mod norms;
mod planes;
mod q;
mod trunk;

pub use choices::Choices;
pub use latent::{Followed, LatentLearning, LatentLoss, LatentModel, LatentShape, NextState};
pub use model::{Model, ModelLoss, Unrolled};
pub use q::{QLearning, QNetwork, QShape, Transitions};
pub use trunk::{Seen, Sees};

use super::compute::{device, host, kind};
use super::guarded;
use super::net::Net;
use super::training::{Mode, Training};
use adam::{Adam, Pace};
use average::Average;
use loss::Wanted;
use std::collections::BTreeMap;
use std::sync::Once;
use tch::{Device, TchError, Tensor};
use treeline_nets::Bound;
use treeline_nets::arch::Network;
use treeline_nets::device::{DeviceError, Precision};
use treeline_nets::file::{self, Tensors};
use treeline_nets::plan::Plan;

/// How it learns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learning {
    /// Adam's step size.
    pub rate: f64,
    /// What is added to the gradient for each unit of a weight (L2).
    pub weight_decay: f64,
    /// What part of a weight, times the rate, each step takes off it, aside from Adam (as AdamW does).
    pub decoupled_decay: f64,
    /// What the policy's loss counts beside the value's.
    pub policy_factor: f64,
    /// A batch norm behind each convolution of a network over planes but one that gives a head's answer; folded in what
    /// [`Trainable::network`] gives.
    pub norm: bool,
    /// The chance with which each number that a dense layer of a network over planes sees is left out of a step, below 1.
    pub dropout: f64,
    /// Over how many steps [`Trainable::averaged`] takes the mean, at least 1.
    pub average: f64,
    /// What a network over planes computes in, gradients too. Weights, what Adam keeps and losses are 32-bit floats in any case,
    /// and so are the sums of a convolution or a dense layer inside.
    pub precision: Precision,
}

impl Default for Learning {
    fn default() -> Learning {
        Learning {
            rate: 0.001,
            weight_decay: 0.0,
            decoupled_decay: 0.0,
            policy_factor: 1.0,
            norm: false,
            dropout: 0.0,
            average: 1.0,
            precision: Precision::F32,
        }
    }
}

/// Positions and what the network should have said of them.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// `[batch, planes, rows, columns]`.
    pub inputs: &'a [f32],
    /// `[batch]`, in the units in which the network answers: before its file's scale, for whose view the file says.
    pub values: &'a [f32],
    /// `[batch]`; none: all exact. A value on the right side of its bound has no error.
    pub bounds: Option<&'a [Bound]>,
    /// `[batch, policy]`, each row probabilities; by policy gradient the advantage of the move that was played, at that move alone.
    /// None for networks without a policy, or to leave it alone.
    pub policies: Option<&'a [f32]>,
    /// `[batch, policy]`: 1 for the outputs that the policy is a softmax over, 0 for others; none: all.
    pub legal: Option<&'a [f32]>,
    /// `[batch]`, not negative: what each row's policy counts, 0 to leave it alone; none: 1 each.
    pub policy_weights: Option<&'a [f32]>,
}

/// How far off it was before the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loss {
    /// The mean of the squared errors.
    pub value: f64,
    /// The mean of the cross-entropies in nats, weighted by what each row counts; 0 without targets.
    pub policy: f64,
}

/// The threads that libtorch computes with on the CPU, from now on and in the whole program, 1 to 1024; until this is called
/// learners use 1, since they share the machine with self-play. Only with 1 does the same run give the same numbers.
pub fn set_threads(threads: usize) {
    THREADS.call_once(|| ());
    tch::set_num_threads(threads.clamp(1, 1024) as i32);
}

/// Done once somebody has said how many.
static THREADS: Once = Once::new();

/// Tensors by name.
type Named = BTreeMap<String, Tensor>;

/// A network that learns; for one thread.
#[derive(Debug)]
pub struct Trainable {
    meta: file::Meta,
    plan: Plan,
    weights: Named,
    /// Running statistics of batch norms, which their weights are among the others for.
    running: Named,
    /// Whether the norms are those of a network that has been folded, or never had any.
    begins: bool,
    adam: Adam,
    average: Average,
    device: Device,
    learning: Learning,
}

impl Trainable {
    /// Learning begins at the weights of a network over planes, without any memory of earlier steps. `gpu` is a GPU's number, none
    /// the CPU.
    pub fn new(
        network: &Network,
        gpu: Option<usize>,
        learning: Learning,
    ) -> Result<Trainable, DeviceError> {
        let Network::Planes { meta, plan, .. } = network else {
            return wrong("only networks over planes learn by libtorch");
        };
        let device = device(gpu)?;
        guarded(|| {
            THREADS.call_once(|| tch::set_num_threads(1));
            let one = |(name, tensor): (&String, &file::Tensor)| {
                Ok((name.clone(), host(tensor)?.f_to(device)?))
            };
            let tensors = network.tensors().iter().map(one);
            let mut weights: Named = tensors.collect::<Result<_, TchError>>()?;
            let running = norms::fresh(plan, learning.norm, &mut weights, device)?;
            Ok(Trainable {
                weights,
                begins: !running.is_empty(),
                running,
                meta: meta.clone(),
                plan: plan.clone(),
                adam: Adam::default(),
                average: Average::default(),
                device,
                learning,
            })
        })
    }

    /// The step size from now on; for schedules.
    pub fn set_rate(&mut self, rate: f64) {
        self.learning.rate = rate;
    }

    /// Learns from a batch, whose shapes must be as described. A loss that is not a finite number is an error, and then
    /// nothing is learned.
    pub fn step(&mut self, batch: &Batch<'_>) -> Result<Loss, DeviceError> {
        self.check(batch)?;
        self.begin(batch.inputs)?;
        let (loss, gradients) = guarded(|| self.gradients(batch))?;
        finite(loss)?;
        self.follow(gradients)?;
        Ok(loss)
    }

    /// A step down these gradients.
    fn follow(&mut self, gradients: Named) -> Result<(), DeviceError> {
        let pace = Pace {
            rate: self.learning.rate,
            weight_decay: self.learning.weight_decay,
            decoupled_decay: self.learning.decoupled_decay,
        };
        guarded(|| {
            let _no_gradients = tch::no_grad_guard();
            self.adam.step(&mut self.weights, gradients, pace)
        })?;
        if self.learning.average > 1.0 {
            // At first the mean of all steps there were: the weights before them are forgotten at once.
            let share = 1.0 / self.learning.average.min(self.adam.steps() as f64);
            guarded(|| {
                let _no_gradients = tch::no_grad_guard();
                self.average.step(&self.weights, share)
            })?;
        }
        Ok(())
    }

    /// What a network over planes says of `inputs`, `[batch, planes, rows, columns]`: the values, `[batch]`, and its logits,
    /// `[batch, policy]`, none without a policy.
    pub fn answers(&self, inputs: &[f32]) -> Result<(Vec<f32>, Vec<f32>), DeviceError> {
        let plan = &self.plan;
        guarded(|| {
            let _no_gradients = tch::no_grad_guard();
            let rows = (inputs.len() / plan.input().len()) as i64;
            let inputs = Tensor::f_from_slice(inputs)?.f_reshape([rows, -1])?;
            let net = self.net(plan, &self.weights, Mode::Asked)?;
            let (values, logits) = net.forward(&inputs, self.device, true)?;
            let logits = match logits {
                Some(logits) => Vec::try_from(logits.f_reshape([-1])?)?,
                None => Vec::new(),
            };
            Ok((Vec::try_from(values)?, logits))
        })
    }

    /// The network on these tensors, as it learns or is asked.
    fn net(&self, plan: &Plan, weights: &Named, mode: Mode) -> Result<Net, TchError> {
        let training = Training {
            norm: self.learning.norm,
            dropout: self.learning.dropout,
            mode,
            seed: self.adam.steps(),
        };
        let tensors = [weights, &self.running];
        planes::net(plan, kind(self.learning.precision), tensors, training)
    }

    /// Before the first step norms become such that they change nothing of what the network says of `inputs`.
    fn begin(&mut self, inputs: &[f32]) -> Result<(), DeviceError> {
        if !self.begins {
            return Ok(());
        }
        self.begins = false;
        let plan = &self.plan;
        guarded(|| {
            let _no_gradients = tch::no_grad_guard();
            let rows = (inputs.len() / plan.input().len()) as i64;
            let inputs = Tensor::f_from_slice(inputs)?.f_reshape([rows, -1])?;
            let net = self.net(plan, &self.weights, Mode::Begun)?;
            net.forward(&inputs, self.device, true).map(drop)
        })
    }

    fn gradients(&self, batch: &Batch<'_>) -> Result<(Loss, Named), TchError> {
        let (device, plan) = (self.device, &self.plan);
        let wanted = Wanted::new(batch, device)?;
        let rows = (batch.inputs.len() / plan.input().len()) as i64;
        let inputs = Tensor::f_from_slice(batch.inputs)?.f_reshape([rows, -1])?;
        let leaves = planes::leaves(&self.weights)?;
        let net = self.net(plan, &leaves, Mode::Learning)?;
        let factor = self.learning.policy_factor;
        let loss = planes::descend(&net, &inputs, &wanted, factor, device)?;
        Ok((loss, planes::collected(leaves)?))
    }

    /// Whether everything is there as often as there are values.
    fn check(&self, batch: &Batch<'_>) -> Result<(), DeviceError> {
        let rows = batch.values.len();
        let policy = self.plan.policy_outputs();
        let lengths = [
            (
                "numbers of planes",
                Some(batch.inputs.len()),
                rows * self.plan.input().len(),
            ),
            ("bounds", batch.bounds.map(<[_]>::len), rows),
            (
                "numbers of policies",
                batch.policies.map(<[_]>::len),
                rows * policy,
            ),
            (
                "numbers of legal moves",
                batch.legal.map(<[_]>::len),
                rows * policy,
            ),
            (
                "policies' weights",
                batch.policy_weights.map(<[_]>::len),
                rows,
            ),
        ];
        if rows == 0 {
            return wrong("a batch without positions");
        }
        for (what, found, wanted) in lengths {
            if let Some(found) = found.filter(|found| *found != wanted) {
                return wrong(&format!(
                    "{rows} values do not go with {found} {what}: {wanted} expected"
                ));
            }
        }
        if policy == 0 && batch.policies.is_some() {
            return wrong("the network has no policy that could learn");
        }
        let weights = batch.policy_weights.unwrap_or_default();
        match weights.iter().all(|weight| *weight >= 0.0) {
            true => Ok(()),
            false => wrong("a policy's weight is not 0 or more"),
        }
    }

    /// The network with the weights as they are.
    pub fn network(&self) -> Result<Network, DeviceError> {
        self.with(&self.weights)
    }

    /// The network with the means of the weights over the last steps; before any, with the weights.
    pub fn averaged(&self) -> Result<Network, DeviceError> {
        match self.learning.average > 1.0 && !self.average.means().is_empty() {
            true => self.with(self.average.means()),
            false => self.network(),
        }
    }

    fn with(&self, weights: &Named) -> Result<Network, DeviceError> {
        let one = |(name, tensor): (&String, &Tensor)| Ok((name.clone(), saved(tensor)?));
        let all = weights.iter().chain(&self.running);
        let weights: Tensors = guarded(|| all.map(one).collect())?;
        let finite = |tensor: &file::Tensor| tensor.data.iter().all(|weight| weight.is_finite());
        if let Some((name, _)) = weights.iter().find(|(_, tensor)| !finite(tensor)) {
            return wrong(&format!("{name} has a weight that is not a finite number"));
        }
        let (meta, tensors) = (self.meta.clone(), weights);
        // Batch norms are folded there.
        let loaded = Network::load(file::Weights { meta, tensors });
        loaded.map_err(|e| DeviceError(e.to_string()))
    }

    /// What is to be kept beside the network for learning to go on exactly: Adam's moments and counts of steps, and the means
    /// of the weights.
    pub fn state(&self) -> Result<Tensors, DeviceError> {
        guarded(|| {
            let mut state = self.adam.state()?;
            state.extend(self.average.state()?);
            if !self.running.is_empty() && !self.begins {
                for (name, tensor) in self.weights.iter().chain(&self.running) {
                    state.insert(format!("{name}{}", norms::RAW), saved(tensor)?);
                }
            }
            Ok(state)
        })
    }

    /// Goes on where a learner of the same network was when it gave this [`Trainable::state`]; another's is an error, and
    /// changes nothing.
    pub fn restore(&mut self, state: &Tensors) -> Result<(), DeviceError> {
        let (raw, state) = norms::parted(state);
        let has_norms = !raw.is_empty() && !self.running.is_empty();
        let (adam, average, unfolded) = guarded(|| {
            let (state, average) = Average::restored(&state, &self.weights)?;
            let unfolded = match has_norms {
                true => Some((
                    norms::unfolded(&raw, &self.weights)?,
                    norms::unfolded(&raw, &self.running)?,
                )),
                false => None,
            };
            Ok((Adam::restored(&state, &self.weights)?, average, unfolded))
        })?;
        (self.adam, self.average) = (adam, average);
        if let Some((weights, running)) = unfolded {
            (self.weights, self.running, self.begins) = (weights, running, false);
        }
        if self.learning.average <= 1.0 {
            // Means that nobody goes on with would be old ones some day.
            self.average = Average::default();
        }
        Ok(())
    }
}

fn finite(loss: Loss) -> Result<(), DeviceError> {
    let Loss { value, policy } = loss;
    match value.is_finite() && policy.is_finite() {
        true => Ok(()),
        false => wrong(&format!(
            "the losses are {value} and {policy}, not finite numbers"
        )),
    }
}

fn wrong<T>(text: &str) -> Result<T, DeviceError> {
    Err(DeviceError(text.into()))
}

/// A tensor of libtorch, on any device, as one of a file.
fn saved(tensor: &Tensor) -> Result<file::Tensor, TchError> {
    Ok(file::Tensor {
        shape: tensor.size().iter().map(|size| *size as usize).collect(),
        data: Vec::try_from(tensor.f_detach()?.f_reshape([-1])?)?,
    })
}
