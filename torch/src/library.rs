//! The CUDA half of libtorch, which a program is not linked to: it is opened at the first use, where it can be.
//!
//! `libtorch_cuda.so` needs gigabytes of CUDA libraries. A machine that has them makes the GPU known to libtorch merely by
//! opening it; on another the program goes on without.

use std::error::Error;
use std::panic;
use std::sync::OnceLock;
use treeline_nets::device::DeviceError;

/// The GPUs that libtorch can use, at least one, or why there is none. To be asked before anything else is done with
/// libtorch, which looks once and for all whether its CUDA half is there.
pub fn gpus() -> Result<usize, DeviceError> {
    static GPUS: OnceLock<Result<usize, DeviceError>> = OnceLock::new();
    GPUS.get_or_init(|| {
        open().map_err(|error| {
            // What is missing stands in the source.
            let why = error
                .source()
                .map_or(error.to_string(), ToString::to_string);
            DeviceError(format!("libtorch's CUDA half cannot be opened: {why}"))
        })?;
        // libtorch asks the driver here; its binding would panic over an unforeseen answer.
        let count = panic::catch_unwind(tch::Cuda::device_count);
        match count.map(usize::try_from) {
            Ok(Ok(count)) if count > 0 => Ok(count),
            Ok(_) => Err(DeviceError(
                "there is no CUDA GPU that libtorch can use".into(),
            )),
            Err(_) => Err(DeviceError("libtorch could not look for GPUs".into())),
        }
    })
    .clone()
}

/// Whether this processor has instructions for bfloat16, which libtorch's convolutions are faster with (docs/results/learning.md).
pub fn bf16_pays() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512bf16");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(target_os = "linux")]
fn open() -> Result<(), libloading::Error> {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    // SAFETY: opening runs the initialisers of PyTorch's own library of the same release, which register its kernels with
    // the libtorch this program is linked to; that is what the library is for, and it is never closed again.
    let library = unsafe { Library::open(Some("libtorch_cuda.so"), RTLD_NOW | RTLD_GLOBAL) }?;
    std::mem::forget(library);
    Ok(())
}

/// Elsewhere programs are linked to all of libtorch.
#[cfg(not(target_os = "linux"))]
fn open() -> Result<(), libloading::Error> {
    Ok(())
}
