//! From an instruction set to its int8 kernels.

use super::kernel::Kernel;
use super::portable;
#[cfg(target_arch = "x86_64")]
use super::{avx_vnni, avx2, vnni};
use crate::cpu::isa::Isa;

/// The kernels of one instruction set.
#[derive(Clone, Copy)]
pub(super) struct Kernels {
    /// Most tiles of a call.
    pub tiles: usize,
    /// Most places of a call.
    pub places: usize,
    table: fn(usize, usize) -> Kernel,
}

impl Kernels {
    pub fn of(isa: Isa) -> Kernels {
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Vnni | Isa::Amx => Kernels {
                tiles: vnni::TILES,
                places: vnni::PLACES,
                table: |p, v| vnni::KERNELS[p - 1][v - 1],
            },
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 if is_x86_feature_detected!("avxvnni") => Kernels {
                tiles: avx_vnni::TILES,
                places: avx_vnni::PLACES,
                table: |p, v| avx_vnni::KERNELS[p - 1][v - 1],
            },
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 | Isa::Avx512 => Kernels {
                tiles: avx2::TILES,
                places: avx2::PLACES,
                table: |p, v| avx2::KERNELS[p - 1][v - 1],
            },
            _ => Kernels {
                tiles: portable::TILES,
                places: portable::PLACES,
                table: |p, v| portable::KERNELS[p - 1][v - 1],
            },
        }
    }

    /// The kernel for so many places and tiles, both from 1 to their most.
    pub fn kernel(&self, places: usize, tiles: usize) -> Kernel {
        (self.table)(places, tiles)
    }
}
