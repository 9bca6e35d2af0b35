//! From an instruction set to its f32 kernels.

use super::super::isa::Isa;
use super::kernel::Kernel;
use super::portable;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

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
