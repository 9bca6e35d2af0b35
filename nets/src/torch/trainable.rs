//! A plan with gradients: a step of Adam on a batch of targets. Knows nothing of where targets come from.

use super::compute::{device, host};
use super::guarded;
use super::net::Net;
use crate::device::DeviceError;
use crate::file::{self, Tensors};
use crate::plan::Plan;
use tch::nn::{self, OptimizerConfig, VarStore};
use tch::{Device, Kind, Reduction, TchError, Tensor};

/// A network that learns, in 32-bit floats; for one thread.
#[derive(Debug)]
pub struct Trainable {
    plan: Plan,
    variables: VarStore,
    optimizer: nn::Optimizer,
    device: Device,
    policy_factor: f64,
}

/// How it learns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learning {
    /// Adam's step size.
    pub rate: f64,
    /// What is added to the gradient for each unit of a weight.
    pub weight_decay: f64,
    /// What the policy's loss counts beside the value's.
    pub policy_factor: f64,
}

/// Positions and what the network should have said of them.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// `[batch, planes, rows, columns]`.
    pub inputs: &'a [f32],
    /// `[batch]`, in the units in which the network answers.
    pub values: &'a [f32],
    /// `[batch, policy]`, each row probabilities; none for networks without a policy, or to leave it alone.
    pub policies: Option<&'a [f32]>,
}

/// How far off it was before the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loss {
    /// The mean of the squared errors.
    pub value: f64,
    /// The mean of the cross-entropies, in nats; 0 without targets.
    pub policy: f64,
}

impl Trainable {
    /// `weights` has every tensor of `plan`; they are where learning begins. `gpu` is a GPU's number, none the CPU.
    pub fn new(
        plan: &Plan,
        weights: &Tensors,
        gpu: Option<usize>,
        learning: Learning,
    ) -> Result<Trainable, DeviceError> {
        let device = device(gpu)?;
        guarded(|| {
            let variables = VarStore::new(device);
            for (name, tensor) in weights {
                // The store joins the parts of a path by dots, and takes no dots inside of them.
                let (path, last) = name.rsplit_once('.').unwrap_or(("", name));
                let parts = path.split('.').filter(|part| !part.is_empty());
                let path = parts.fold(variables.root(), |path, part| path.sub(part));
                let _ = path.f_var_copy(last, &host(tensor)?)?;
            }
            let adam = nn::Adam::default().wd(learning.weight_decay);
            let optimizer = adam.build(&variables, learning.rate)?;
            let made = Trainable {
                plan: plan.clone(),
                variables,
                optimizer,
                device,
                policy_factor: learning.policy_factor,
            };
            made.net()?;
            Ok(made)
        })
    }

    /// From now on; for schedules.
    pub fn set_rate(&mut self, rate: f64) {
        self.optimizer.set_lr(rate);
    }

    /// Learns from a batch, whose shapes must be as described.
    pub fn step(&mut self, batch: &Batch<'_>) -> Result<Loss, DeviceError> {
        let (input, policy) = (self.plan.input().len(), self.plan.policy_outputs());
        let rows = batch.values.len();
        let fits = batch.inputs.len() == rows * input
            && batch
                .policies
                .is_none_or(|rows_of| policy > 0 && rows_of.len() == rows * policy);
        if rows == 0 || !fits {
            let text = format!("{rows} values do not go with the inputs or policies beside them");
            return Err(DeviceError(text));
        }
        guarded(|| self.learn(batch))
    }

    fn learn(&mut self, batch: &Batch<'_>) -> Result<Loss, TchError> {
        let tensor = |data: &[f32]| Tensor::f_from_slice(data);
        let rows = [batch.values.len() as i64, -1];
        let inputs = tensor(batch.inputs)?.f_reshape(rows)?;
        let wanted = tensor(batch.values)?.f_to(self.device)?;
        let (values, logits) =
            self.net()?
                .forward(&inputs, self.device, batch.policies.is_some())?;
        let value_loss = values.f_mse_loss(&wanted, Reduction::Mean)?;
        let mut loss = value_loss.shallow_clone();
        let mut policy = 0.0;
        if let (Some(logits), Some(wanted)) = (logits, batch.policies) {
            let wanted = tensor(wanted)?.f_to(self.device)?.f_reshape(rows)?;
            let likely = logits.f_log_softmax(-1, Kind::Float)?;
            let entropies = wanted.f_mul(&likely)?.f_sum(Kind::Float)?.f_neg()?;
            let policy_loss = entropies.f_div_scalar(batch.values.len() as f64)?;
            policy = policy_loss.f_double_value(&[])?;
            loss = loss.f_add(&policy_loss.f_mul_scalar(self.policy_factor)?)?;
        }
        let value = value_loss.f_double_value(&[])?;
        self.optimizer.zero_grad();
        loss.f_backward()?;
        self.optimizer.step();
        Ok(Loss { value, policy })
    }

    /// The weights as they are, for a file or a backend.
    pub fn weights(&self) -> Result<Tensors, DeviceError> {
        guarded(|| {
            let one = |(name, tensor): (String, Tensor)| {
                let shape = tensor.size().iter().map(|size| *size as usize).collect();
                let data = Vec::<f32>::try_from(tensor.f_detach()?.f_reshape([-1])?)?;
                Ok((name, file::Tensor { shape, data }))
            };
            self.variables.variables().into_iter().map(one).collect()
        })
    }

    /// The network on the variables; made anew for each step, since gradients follow the way that weights were laid out.
    fn net(&self) -> Result<Net, TchError> {
        let variables = self.variables.variables();
        let mut find = |name: &str| {
            let missing = || TchError::Shape(format!("the network has no tensor {name}"));
            variables
                .get(name)
                .map(Tensor::shallow_clone)
                .ok_or_else(missing)
        };
        Net::new(&self.plan, Kind::Float, &mut find)
    }
}
