//! One queue of batches to a device: staging memory, the network, and the way back.
//!
//! libtorch puts all work of a device into one stream. With two queues, each on a thread of its own, the inputs and kernels
//! of one batch are handed over while the device still works on the other; a lock keeps them from being interleaved.

use super::net::Net;
use super::{Options, library, plainly};
use std::sync::{Arc, Mutex, PoisonError};
use tch::{Device, Kind, TchError, Tensor};
use treeline_nets::batching::Compute;
use treeline_nets::device::{DeviceError, Precision};
use treeline_nets::file::{self, Tensors};
use treeline_nets::plan::Plan;

/// A network on a device, for one thread.
#[derive(Debug)]
pub struct Queue {
    net: Net,
    device: Device,
    staging: Staging,
    sizes: Vec<usize>,
    policy: usize,
    /// Held while a batch is handed to the device.
    turn: Arc<Mutex<()>>,
}

impl Queue {
    pub(super) fn several(
        plan: &Plan,
        weights: &Tensors,
        options: &Options,
    ) -> Result<Vec<Queue>, DeviceError> {
        let device = device(options.gpu)?;
        let mut sizes = options.sizes.clone();
        sizes.sort_unstable();
        if sizes.first().is_none_or(|size| *size == 0) || options.in_flight == 0 {
            let text = "batch sizes and batches in flight must be at least 1";
            return Err(DeviceError(text.into()));
        }
        if device.is_cuda() {
            // Batches have few shapes, so that it pays to try which kernel is fastest for each.
            tch::Cuda::cudnn_set_benchmark(true);
        }
        let _no_gradients = tch::no_grad_guard();
        let net = load(plan, weights, device, options.precision).map_err(plainly)?;
        let first = Queue {
            net,
            device,
            staging: Staging::new(*sizes.last().unwrap_or(&1), plan.input().len(), device)
                .map_err(plainly)?,
            sizes,
            policy: plan.policy_outputs(),
            turn: Arc::default(),
        };
        let mut queues = vec![first];
        while queues.len() < options.in_flight {
            let another = queues[0].another().map_err(plainly)?;
            queues.push(another);
        }
        Ok(queues)
    }

    /// Another queue to the same device with the same weights.
    fn another(&self) -> Result<Queue, TchError> {
        Ok(Queue {
            net: self.net.share(),
            device: self.device,
            staging: Staging::new(self.staging.rows, self.staging.input, self.device)?,
            sizes: self.sizes.clone(),
            policy: self.policy,
            turn: Arc::clone(&self.turn),
        })
    }

    /// Runs every size once, so that memory and kernels are ready: libtorch keeps what it finds out of kernels to a thread.
    /// On a GPU with 16-bit floats, tries cuDNN's joined kernels and keeps them if they exist here and say the same.
    fn warm_up(&mut self) -> Result<(), TchError> {
        let _no_gradients = tch::no_grad_guard();
        // Any planes will do; of zeros and ones, as games have them.
        for (at, input) in self.staging.slice().iter_mut().enumerate() {
            *input = f32::from((at as u32).wrapping_mul(2_654_435_761) >> 30 == 0);
        }
        // Alone, since kernels are timed.
        let turn = Arc::clone(&self.turn);
        let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        if self.device.is_cuda() && self.net.kind() != Kind::Float {
            let plain = self.answers(self.sizes[0])?;
            self.net.joined = true;
            let same = self.answers(self.sizes[0]);
            let same = same.is_ok_and(|joined| close(&plain, &joined));
            self.net.joined = same && self.every_size().is_ok();
        }
        self.every_size()
    }

    fn every_size(&self) -> Result<(), TchError> {
        let mut sizes = self.sizes.iter();
        sizes.try_for_each(|size| self.answers(*size).map(drop))
    }

    /// Values and logits of the first inputs, whose number is one of the sizes.
    fn answers(&self, batch: usize) -> Result<Vec<f32>, TchError> {
        let (values, policies) = self.forward(batch, true)?;
        let mut all = Vec::<f32>::try_from(values)?;
        if let Some(policies) = policies {
            all.extend(Vec::<f32>::try_from(policies.f_reshape([-1])?)?);
        }
        Ok(all)
    }

    /// On the device.
    fn forward(
        &self,
        batch: usize,
        with_policy: bool,
    ) -> Result<(Tensor, Option<Tensor>), TchError> {
        let inputs = self.staging.tensor.f_narrow(0, 0, batch as i64)?;
        self.net.forward(&inputs, self.device, with_policy)
    }

    fn fill(
        &mut self,
        batch: usize,
        values: &mut [f32],
        policies: &mut [f32],
    ) -> Result<(), TchError> {
        let _no_gradients = tch::no_grad_guard();
        let padded = self.sizes.iter().copied().find(|size| *size >= batch);
        let padded = padded.unwrap_or(self.staging.rows);
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let (made, logits) = self.forward(padded, !policies.is_empty())?;
        // Values and logits of a position side by side, so that they come back in one copy.
        let made = match logits {
            Some(logits) => Tensor::f_cat(&[made.f_reshape([-1, 1])?, logits], 1)?,
            None => made,
        };
        let made = made.f_narrow(0, 0, batch as i64)?;
        drop(turn);
        let made = Vec::<f32>::try_from(made.f_reshape([-1])?)?;
        if policies.is_empty() {
            values.copy_from_slice(&made);
            return Ok(());
        }
        let rows = made.chunks_exact(1 + self.policy);
        for ((row, value), policy) in rows.zip(values).zip(policies.chunks_mut(self.policy)) {
            *value = row[0];
            policy.copy_from_slice(&row[1..]);
        }
        Ok(())
    }
}

impl Compute for Queue {
    fn prepare(&mut self) -> Result<(), DeviceError> {
        self.warm_up().map_err(plainly)
    }

    fn inputs(&mut self) -> &mut [f32] {
        self.staging.slice()
    }

    fn compute(
        &mut self,
        batch: usize,
        values: &mut [f32],
        policies: &mut [f32],
    ) -> Result<(), DeviceError> {
        self.fill(batch, values, policies).map_err(plainly)
    }
}

/// Inputs on their way: `[rows, input]` in 32-bit floats, in memory that a GPU reads by itself.
#[derive(Debug)]
struct Staging {
    tensor: Tensor,
    rows: usize,
    input: usize,
}

impl Staging {
    fn new(rows: usize, input: usize, device: Device) -> Result<Staging, TchError> {
        let shape = [rows as i64, input as i64];
        let mut tensor = Tensor::f_zeros(shape, (Kind::Float, Device::Cpu))?;
        if device.is_cuda() {
            tensor = tensor.f_pin_memory(device)?;
        }
        Ok(Staging {
            tensor,
            rows,
            input,
        })
    }

    fn slice(&mut self) -> &mut [f32] {
        let start = self.tensor.data_ptr().cast::<f32>();
        // SAFETY: the tensor is contiguous, on the CPU, of rows · input 32-bit floats, lives as long as `self` and shares its
        // memory with nobody but the copies to the device, all of which end before `fill` returns.
        unsafe { std::slice::from_raw_parts_mut(start, self.rows * self.input) }
    }
}

/// The GPU of this number, which must be there, or the CPU.
pub(super) fn device(gpu: Option<usize>) -> Result<Device, DeviceError> {
    let gpus = library::gpus();
    let Some(number) = gpu else {
        return Ok(Device::Cpu);
    };
    match gpus? {
        count if number < count => Ok(Device::Cuda(number)),
        1 => Err(DeviceError("there is 1 GPU, cuda:0".into())),
        count => Err(DeviceError(format!("there are {count} GPUs, from cuda:0"))),
    }
}

pub(super) fn kind(precision: Precision) -> Kind {
    match precision {
        Precision::F32 => Kind::Float,
        Precision::Bf16 => Kind::BFloat16,
        Precision::F16 => Kind::Half,
    }
}

fn load(
    plan: &Plan,
    weights: &Tensors,
    device: Device,
    precision: Precision,
) -> Result<Net, TchError> {
    let kind = kind(precision);
    let mut find = |name: &str| {
        let missing = || TchError::Shape(format!("the network has no tensor {name}"));
        let tensor = weights.get(name).ok_or_else(missing)?;
        host(tensor)?.f_internal_to_copy((kind, device), false)
    };
    Net::new(plan, kind, &mut find)
}

/// A tensor of a file as one of libtorch on the CPU.
pub(super) fn host(tensor: &file::Tensor) -> Result<Tensor, TchError> {
    let shape: Vec<i64> = tensor.shape.iter().map(|size| *size as i64).collect();
    Tensor::f_from_slice(&tensor.data)?.f_reshape(shape)
}

/// Whether two 16-bit computations of the same differ by no more than they may.
fn close(a: &[f32], b: &[f32]) -> bool {
    let largest = a.iter().fold(1.0f32, |most, x| most.max(x.abs()));
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|(a, b)| (a - b).abs() <= 0.05 * largest)
}
