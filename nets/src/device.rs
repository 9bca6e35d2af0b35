//! Where a network runs, as people choose it, and the way there: the CPU kernels, or a GPU with them in reserve.

use crate::Runner;
use crate::file::Tensors;
use crate::plan::Plan;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;
use thiserror::Error;

/// Where a network is to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Device {
    /// The first GPU if there is one that can be used, else the CPU.
    #[default]
    Auto,
    /// The CPU kernels.
    Cpu,
    /// The GPU of this number, from 0; the CPU with a notice where it cannot be had.
    Cuda(usize),
}

/// How exactly a GPU computes. The CPU kernels have precisions of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// 32-bit floats, without the rounding of TF32: agrees with the CPU to 1e-4.
    #[default]
    F32,
    /// bfloat16, several times as fast: 8 bits of mantissa, the range of 32-bit floats.
    Bf16,
    /// Half floats, as fast: 11 bits of mantissa, overflows above 65504.
    F16,
}

/// Why a device cannot be used, or not any longer; one sentence.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct DeviceError(pub String);

/// A network ready to run.
pub struct Opened {
    /// Runs it; take [`Runner::another`] for each thread.
    pub runner: Box<dyn Runner>,
    /// `cpu`, or the GPU and its precision, such as `cuda:0 (bf16)`.
    pub place: String,
    /// What the user should know: that it does not run where it was wanted, and why.
    pub notice: Option<String>,
}

impl Device {
    /// Puts a network there. `weights` has every tensor of `plan`, as [`crate::arch::Network::load`] sees to; `cpu` runs the
    /// same network on the CPU: it is the answer where there is no GPU, and the reserve of one that fails later.
    pub fn open(
        self,
        precision: Precision,
        plan: &Plan,
        weights: &Tensors,
        cpu: Box<dyn Runner>,
    ) -> Opened {
        let number = match self {
            Device::Cuda(number) => number,
            Device::Auto if gpus() > 0 => 0,
            Device::Auto | Device::Cpu => {
                let text = format!("precision {precision} is for GPUs; the CPU computes in f32");
                return on_cpu(cpu, (precision != Precision::F32).then_some(text));
            }
        };
        match gpu(number, precision, plan, weights, cpu.another()) {
            Ok(runner) => Opened {
                runner,
                place: format!("cuda:{number} ({precision})"),
                notice: None,
            },
            Err(error) => {
                let rounded = match precision {
                    Precision::F32 => "",
                    Precision::Bf16 | Precision::F16 => ", in f32",
                };
                let notice = format!("{error}; the network runs on the CPU{rounded}");
                on_cpu(cpu, Some(notice))
            }
        }
    }
}

fn on_cpu(runner: Box<dyn Runner>, notice: Option<String>) -> Opened {
    let place = "cpu".into();
    Opened {
        runner,
        place,
        notice,
    }
}

/// A library that runs networks on GPUs, which this crate does not know: the crate `treeline-torch` is one.
pub trait Gpus: Sync {
    /// The GPUs that can be used.
    fn count(&self) -> usize;

    /// Puts a network on the GPU of this number; `cpu` is the reserve of one that fails later.
    fn open(
        &self,
        number: usize,
        precision: Precision,
        plan: &Plan,
        weights: &Tensors,
        cpu: Box<dyn Runner>,
    ) -> Result<Box<dyn Runner>, DeviceError>;
}

static GPUS: OnceLock<&'static dyn Gpus> = OnceLock::new();

/// What every network of this process is opened with from now on; to be called before the first one. A second call changes
/// nothing.
pub fn install(gpus: &'static dyn Gpus) {
    let _ = GPUS.set(gpus);
}

/// The GPUs that can be used; none before [`install`].
pub fn gpus() -> usize {
    GPUS.get().map_or(0, |gpus| gpus.count())
}

fn gpu(
    number: usize,
    precision: Precision,
    plan: &Plan,
    weights: &Tensors,
    cpu: Box<dyn Runner>,
) -> Result<Box<dyn Runner>, DeviceError> {
    let Some(gpus) = GPUS.get() else {
        let text = "this program was built without libtorch (cargo's feature torch)";
        return Err(DeviceError(format!("cuda:{number}: {text}")));
    };
    gpus.open(number, precision, plan, weights, cpu)
}

impl FromStr for Device {
    type Err = DeviceError;

    fn from_str(text: &str) -> Result<Device, DeviceError> {
        let number = |text: &str| match text.bytes().all(|b| b.is_ascii_digit()) {
            true => text.parse().ok(),
            false => None,
        };
        let found = match text.split_once(':') {
            Some(("cuda", text)) => number(text).map(Device::Cuda),
            _ => match text {
                "auto" => Some(Device::Auto),
                "cpu" => Some(Device::Cpu),
                _ => None,
            },
        };
        found.ok_or_else(|| {
            let wanted = "auto, cpu or cuda:N (N a GPU's number, from 0)";
            DeviceError(format!("device {text:?}: {wanted} expected"))
        })
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Auto => f.write_str("auto"),
            Device::Cpu => f.write_str("cpu"),
            Device::Cuda(number) => write!(f, "cuda:{number}"),
        }
    }
}

impl FromStr for Precision {
    type Err = DeviceError;

    fn from_str(text: &str) -> Result<Precision, DeviceError> {
        match text {
            "f32" => Ok(Precision::F32),
            "bf16" => Ok(Precision::Bf16),
            "f16" => Ok(Precision::F16),
            _ => Err(DeviceError(format!(
                "precision {text:?}: f32, bf16 or f16 expected"
            ))),
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Precision::F32 => "f32",
            Precision::Bf16 => "bf16",
            Precision::F16 => "f16",
        })
    }
}
