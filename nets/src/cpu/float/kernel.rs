//! What the f32 kernels of all instruction sets have in common: several places times several vectors of outputs, the sums
//! kept in registers while the inputs of a place pass.

use super::super::isa::Isa;
use super::portable;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

/// Numbers of the input that lie side by side, counted from where a place's inputs begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cpu) struct Run {
    pub start: u32,
    pub len: u32,
}

/// Where the inputs, outputs and residuals of one place begin.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::cpu) struct Place {
    pub input: u32,
    pub output: u32,
    pub residual: u32,
}

/// Work for a kernel: each output of each place is the bias and the sum over all inputs of input times weight, then the
/// residual is added and ReLU applied.
pub(in crate::cpu) struct Tile<'a> {
    pub input: *const f32,
    pub runs: &'a [Run],
    /// As many as the kernel's places.
    pub places: *const Place,
    /// For each input in the order of `runs` the kernel's vectors.
    pub weights: *const f32,
    /// The kernel's vectors.
    pub bias: *const f32,
    /// Null if there is none.
    pub residual: *const f32,
    pub output: *mut f32,
    /// Outputs wanted: they end in the kernel's last vector.
    pub outputs: usize,
    pub relu: bool,
}

/// # Safety
/// The machine has the kernel's instruction set. For the kernel's number of places and vectors, `places`, `weights` and
/// `bias` are readable; for each place and run `input` is readable, `residual`, unless null, for `outputs` numbers, and
/// `output` is writable for as many and overlaps nothing else.
pub(in crate::cpu) type Kernel = unsafe fn(&Tile);

/// The kernels of an instruction set by places and vectors, each less one.
macro_rules! table {
    ($kernel:ident, [$($p:literal),*], $vectors:tt) => {
        [$(table!(@row $kernel, $p, $vectors)),*]
    };
    (@row $kernel:ident, $p:literal, [$($v:literal),*]) => {
        [$($kernel::<$p, $v>),*]
    };
}
pub(in crate::cpu) use table;

/// The kernels of one instruction set.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Kernels {
    /// Numbers in a vector.
    pub lanes: usize,
    /// Most vectors of a call.
    pub vectors: usize,
    /// Most places of a call.
    pub places: usize,
    table: fn(usize, usize) -> Kernel,
}

impl Kernels {
    pub fn of(isa: Isa) -> Kernels {
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 | Isa::Vnni | Isa::Amx => Kernels {
                lanes: avx512::LANES,
                vectors: avx512::VECTORS,
                places: avx512::PLACES,
                table: |p, v| avx512::KERNELS[p - 1][v - 1],
            },
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => Kernels {
                lanes: avx2::LANES,
                vectors: avx2::VECTORS,
                places: avx2::PLACES,
                table: |p, v| avx2::KERNELS[p - 1][v - 1],
            },
            _ => Kernels {
                lanes: portable::LANES,
                vectors: portable::VECTORS,
                places: portable::PLACES,
                table: |p, v| portable::KERNELS[p - 1][v - 1],
            },
        }
    }

    /// The kernel for so many places and vectors, both from 1 to their most.
    pub fn kernel(&self, places: usize, vectors: usize) -> Kernel {
        (self.table)(places, vectors)
    }
}
