//! A plan as calls of libtorch: weights as tensors on a device, and the forward pass.
//!
//! Activations lie in memory channels last, the order in which GPUs convolve fastest; the tensors' shapes are PyTorch's all
//! the same. With 16-bit floats on a GPU, convolution, bias, residual and ReLU are one kernel of cuDNN where it has one.

use super::training::{Mode, Norm, Training, drop_out, norm_of};
use tch::{Device, Kind, TchError, Tensor};
use treeline_nets::plan::{Plan, Step};

/// What is to be computed, on tensors of one device and kind.
#[derive(Debug)]
pub(super) struct Net {
    input: [i64; 3],
    kind: Kind,
    trunk: Vec<Op>,
    value: Vec<Op>,
    policy: Option<Vec<Op>>,
    /// Whether the value ends in a tanh, which is taken of 32-bit floats.
    squashed: bool,
    /// Whether cuDNN's joined kernels are used.
    pub joined: bool,
    /// Whether a GPU may convolve in TF32, as PyTorch does unless told otherwise: only while it learns.
    rounds: bool,
}

#[derive(Debug)]
enum Op {
    Conv {
        weight: Tensor,
        bias: Tensor,
        padding: i64,
        relu: bool,
        /// Whether cuDNN may have a joined kernel: its channels go by eights.
        joinable: bool,
    },
    Dense {
        weight: Tensor,
        bias: Tensor,
    },
    Norm {
        norm: Norm,
        mode: Mode,
        relu: bool,
    },
    /// Each number is left out with this chance, and the others count the more.
    Drop {
        share: f64,
        seed: u64,
    },
    Relu,
    Tanh,
    Residual {
        body: Vec<Op>,
        relu: bool,
    },
    GlobalPool,
}

/// Gives the tensor of a name.
pub(super) type Find<'a> = dyn FnMut(&str) -> Result<Tensor, TchError> + 'a;

impl Net {
    /// `find` gives tensors of `kind`, all on one device.
    pub fn new(plan: &Plan, kind: Kind, find: &mut Find<'_>) -> Result<Net, TchError> {
        Net::learning(plan, kind, find, None)
    }

    /// The same as it learns.
    pub fn learning(
        plan: &Plan,
        kind: Kind,
        find: &mut Find<'_>,
        training: Option<Training>,
    ) -> Result<Net, TchError> {
        let mut make = Make { find, training };
        let (value, squashed) = match plan.value.split_last() {
            Some((Step::Tanh, before)) => (before, true),
            _ => (&plan.value[..], false),
        };
        let policy = plan.policy.as_ref();
        Ok(Net {
            input: [plan.planes, plan.rows, plan.columns].map(|size| size as i64),
            kind,
            trunk: make.ops(&plan.trunk, false)?,
            value: make.ops(value, false)?,
            policy: policy.map(|steps| make.ops(steps, true)).transpose()?,
            squashed,
            joined: false,
            rounds: training.is_some(),
        })
    }

    /// What it computes in.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The same network on the same tensors.
    pub fn share(&self) -> Net {
        Net {
            input: self.input,
            kind: self.kind,
            trunk: share(&self.trunk),
            value: share(&self.value),
            policy: self.policy.as_deref().map(share),
            squashed: self.squashed,
            joined: self.joined,
            rounds: self.rounds,
        }
    }

    /// `inputs` is `[batch, planes · rows · columns]` in 32-bit floats, on any device; what comes out is `[batch]` values
    /// and, if asked for and there, `[batch, policy]` logits, both in 32-bit floats on `device`.
    pub fn forward(
        &self,
        inputs: &Tensor,
        device: Device,
        with_policy: bool,
    ) -> Result<(Tensor, Option<Tensor>), TchError> {
        let [planes, rows, columns] = self.input;
        // libtorch's copy lets no gradient through: what is there already must stay what it is.
        let inputs = match inputs.f_kind()? == Kind::Float && inputs.device() == device {
            true => inputs.shallow_clone(),
            false => inputs.f_internal_to_copy((Kind::Float, device), true)?,
        };
        let inputs = inputs.f_reshape([-1, planes, rows, columns])?;
        let inputs = channels_last(&inputs)?;
        let seen = self.ops(&self.trunk, to_kind(inputs, self.kind)?)?;
        let value = self.ops(&self.value, seen.shallow_clone())?;
        let mut value = to_kind(value.f_reshape([-1])?, Kind::Float)?;
        if self.squashed {
            value = value.f_tanh()?;
        }
        let policy = match (&self.policy, with_policy) {
            (Some(policy), true) => {
                let logits = self.ops(policy, seen)?.f_flatten(1, -1)?;
                Some(to_kind(logits, Kind::Float)?)
            }
            _ => None,
        };
        Ok((value, policy))
    }

    fn ops(&self, ops: &[Op], input: Tensor) -> Result<Tensor, TchError> {
        ops.iter().try_fold(input, |input, op| self.op(op, &input))
    }

    fn op(&self, op: &Op, input: &Tensor) -> Result<Tensor, TchError> {
        match op {
            Op::Conv {
                weight,
                bias,
                padding,
                relu,
                joinable,
            } => {
                let joined = self.joined && *joinable && *relu;
                match joined {
                    true => joined_conv(input, weight, bias, *padding),
                    false => self.conv(input, weight, bias, *padding, *relu),
                }
            }
            Op::Dense { weight, bias } => input.f_flatten(1, -1)?.f_linear(weight, Some(bias)),
            Op::Norm { norm, mode, relu } => {
                let out = norm.forward(input, *mode)?;
                if *relu { out.f_relu() } else { Ok(out) }
            }
            Op::Drop { share, seed } => drop_out(&input.f_flatten(1, -1)?, *share, *seed),
            Op::Relu => input.f_relu(),
            Op::Tanh => input.f_tanh(),
            Op::Residual { body, relu } => self.residual(input, body, *relu),
            Op::GlobalPool => {
                let means = input.f_mean_dim(&[2i64, 3][..], false, None)?;
                let maxima = input.f_amax([2, 3], false)?;
                Tensor::f_cat(&[means, maxima], 1)
            }
        }
    }

    fn conv(
        &self,
        input: &Tensor,
        weight: &Tensor,
        bias: &Tensor,
        padding: i64,
        relu: bool,
    ) -> Result<Tensor, TchError> {
        let (benchmark, deterministic, cudnn, tf32) = (true, false, true, self.rounds);
        let mut out = input.f_internal_convolution(
            weight,
            Some(bias),
            [1; 2],
            [padding; 2],
            [1; 2],
            false,
            [0; 2],
            1,
            benchmark,
            deterministic,
            cudnn,
            tf32,
        )?;
        match relu {
            true => out.f_relu_(),
            false => Ok(out),
        }
    }

    fn residual(&self, input: &Tensor, body: &[Op], relu: bool) -> Result<Tensor, TchError> {
        if let (true, true, Some((last, before))) = (self.joined, relu, body.split_last())
            && let Op::Conv {
                weight,
                bias,
                padding,
                relu: false,
                joinable: true,
            } = last
        {
            let made = self.ops(before, input.shallow_clone())?;
            let padding = [*padding; 2];
            return made.f_cudnn_convolution_add_relu(
                weight,
                input,
                1.0,
                Some(bias),
                [1; 2],
                padding,
                [1; 2],
                1,
            );
        }
        let mut sum = input.f_add(&self.ops(body, input.shallow_clone())?)?;
        match relu {
            true => sum.f_relu_(),
            false => Ok(sum),
        }
    }
}

/// cuDNN's kernel of convolution, bias and ReLU.
fn joined_conv(
    input: &Tensor,
    weight: &Tensor,
    bias: &Tensor,
    padding: i64,
) -> Result<Tensor, TchError> {
    input.f_cudnn_convolution_relu(weight, Some(bias), [1; 2], [padding; 2], [1; 2], 1)
}

/// Makes calls of steps.
struct Make<'a, 'f> {
    find: &'a mut Find<'f>,
    training: Option<Training>,
}

impl Make<'_, '_> {
    /// The batch norm behind a convolution of this name, where there is to be one.
    fn norm(&mut self, convolution: &str) -> Result<Option<Op>, TchError> {
        let training = self.training.filter(|training| training.norm);
        let (Some(training), Some(name)) = (training, norm_of(convolution)) else {
            return Ok(None);
        };
        let mut part = |part: &str| (self.find)(&format!("{name}.{part}"));
        let norm = Norm {
            factor: part("weight")?,
            summand: part("bias")?,
            mean: part("running_mean")?,
            variance: part("running_var")?,
        };
        Ok(Some(Op::Norm {
            norm,
            mode: training.mode,
            relu: false,
        }))
    }

    /// What is left out before a dense layer of this name.
    fn drop(&self, dense: &str) -> Option<Op> {
        let training = self.training?;
        let own = dense.bytes().fold(0u64, |seed, byte| {
            seed.wrapping_mul(31).wrapping_add(byte.into())
        });
        let learns = training.mode == Mode::Learning && training.dropout > 0.0;
        learns.then_some(Op::Drop {
            share: training.dropout,
            seed: training.seed ^ own.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        })
    }

    /// The steps; of a head that has no norm behind a last convolution.
    fn ops(&mut self, steps: &[Step], bare_end: bool) -> Result<Vec<Op>, TchError> {
        let mut out = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            if let Step::Dense { name, .. } = step {
                out.extend(self.drop(name));
            }
            if let Step::Residual { body } = step {
                let (body, relu) = (self.ops(body, false)?, false);
                out.push(Op::Residual { body, relu });
                continue;
            }
            op(step, &mut out, self.find)?;
            if let Step::Conv { name, .. } = step
                && !(bare_end && at + 1 == steps.len())
            {
                out.extend(self.norm(name)?);
            }
        }
        Ok(out)
    }
}

/// Adds a step, each ReLU drawn into the convolution, norm or block before it.
fn op(step: &Step, out: &mut Vec<Op>, find: &mut Find<'_>) -> Result<(), TchError> {
    let op = match (step, out.last_mut()) {
        (
            Step::Relu,
            Some(Op::Conv { relu, .. } | Op::Norm { relu, .. } | Op::Residual { relu, .. }),
        ) => {
            *relu = true;
            return Ok(());
        }
        (
            Step::Conv {
                name,
                inputs,
                outputs,
                padding,
                ..
            },
            _,
        ) => Op::Conv {
            joinable: inputs % 8 == 0 && outputs % 8 == 0,
            weight: channels_last(&find(&format!("{name}.weight"))?)?,
            bias: find(&format!("{name}.bias"))?,
            padding: *padding as i64,
            relu: false,
        },
        (Step::Dense { name, .. }, _) => Op::Dense {
            weight: find(&format!("{name}.weight"))?,
            bias: find(&format!("{name}.bias"))?,
        },
        (Step::Relu, _) => Op::Relu,
        (Step::Tanh, _) => Op::Tanh,
        // Its caller's affair.
        (Step::Residual { .. }, _) => return Ok(()),
        (Step::GlobalPool, _) => Op::GlobalPool,
    };
    out.push(op);
    Ok(())
}

fn share(ops: &[Op]) -> Vec<Op> {
    let one = |op: &Op| match op {
        Op::Conv {
            weight,
            bias,
            padding,
            relu,
            joinable,
        } => Op::Conv {
            weight: weight.shallow_clone(),
            bias: bias.shallow_clone(),
            padding: *padding,
            relu: *relu,
            joinable: *joinable,
        },
        Op::Dense { weight, bias } => Op::Dense {
            weight: weight.shallow_clone(),
            bias: bias.shallow_clone(),
        },
        Op::Norm { norm, mode, relu } => Op::Norm {
            norm: norm.share(),
            mode: *mode,
            relu: *relu,
        },
        Op::Drop { share, seed } => Op::Drop {
            share: *share,
            seed: *seed,
        },
        Op::Relu => Op::Relu,
        Op::Tanh => Op::Tanh,
        Op::Residual { body, relu } => Op::Residual {
            body: share(body),
            relu: *relu,
        },
        Op::GlobalPool => Op::GlobalPool,
    };
    ops.iter().map(one).collect()
}

/// The same numbers in the same shape, `[n, channels, rows, columns]`, with the channels side by side in memory.
fn channels_last(tensor: &Tensor) -> Result<Tensor, TchError> {
    let moved = tensor.f_permute([0, 2, 3, 1])?.f_contiguous()?;
    moved.f_permute([0, 3, 1, 2])
}

/// The same numbers in another kind; gradients go back through it.
pub(super) fn to_kind(tensor: Tensor, kind: Kind) -> Result<Tensor, TchError> {
    match tensor.f_kind()? == kind {
        true => Ok(tensor),
        false => tensor.f_to_kind(kind),
    }
}
