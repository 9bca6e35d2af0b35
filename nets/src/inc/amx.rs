//! The kernel for AMX: the accumulators as with AVX-512, the second layer of up to sixteen positions as products of tiles.
//! Equal to `plain`, bit for bit.
//!
//! The compiler has no stable words for tiles, so that these are assembly; it never uses them itself.

use super::accumulator::Accumulator;
use super::avx512::{self, Last, activate, totals};
use super::batch::{Batch, GROUP};
use super::layout::LANES;
use super::net::Net;
use super::tail;
use std::arch::asm;
use std::arch::x86_64::*;

/// Whether the processor has tiles of bytes and the system lets this process use them.
pub fn is_allowed() -> bool {
    #[cfg(target_os = "linux")]
    {
        use std::sync::OnceLock;
        static ALLOWED: OnceLock<bool> = OnceLock::new();
        *ALLOWED.get_or_init(|| has_tiles() && ask_system())
    }
    #[cfg(not(target_os = "linux"))]
    false
}

#[cfg(target_os = "linux")]
fn has_tiles() -> bool {
    const TILES_AND_BYTES: u32 = 0b11 << 24;
    __cpuid(0).eax >= 7 && __cpuid_count(7, 0).edx & TILES_AND_BYTES == TILES_AND_BYTES
}

/// Linux keeps room for a thread's tiles only after a process has asked for it.
#[cfg(target_os = "linux")]
fn ask_system() -> bool {
    const ARCH_PRCTL: u64 = 158;
    const REQUEST_PERMISSION: u64 = 0x1023;
    const TILE_DATA: u64 = 18;
    let mut result = ARCH_PRCTL;
    // SAFETY: this system call takes two numbers and touches no memory of the process; an unknown request is an error.
    unsafe {
        asm!("syscall", inout("rax") result, in("rdi") REQUEST_PERMISSION, in("rsi") TILE_DATA,
            out("rcx") _, out("r11") _, options(nostack));
    }
    result == 0
}

/// The shapes of the tiles, as the processor reads them.
#[repr(C, align(64))]
struct Shapes {
    palette: u8,
    start: u8,
    reserved: [u8; 14],
    bytes: [u16; 16],
    rows: [u8; 16],
}

/// Fills the batch's values.
///
/// # Safety
///
/// The machine has the instructions and the system allows them, and `base` and `batch` are of the network's sizes, as
/// [`Net::evaluate`] checks.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub unsafe fn evaluate(net: &Net, base: &Accumulator, batch: &mut Batch) {
    let count = batch.known;
    // Groups of about the same size, as a tile's time goes with its rows.
    let rows = count.div_ceil(count.div_ceil(GROUP));
    let mut shapes = Shapes {
        palette: 1,
        start: 0,
        reserved: [0; 14],
        bytes: [0; 16],
        rows: [0; 16],
    };
    // Sums in 0 and 1, activations in 2 and 3, weights in 4 and 5.
    for tile in 0..6 {
        shapes.bytes[tile] = 64;
        shapes.rows[tile] = if tile < 4 { rows as u8 } else { 16 };
    }
    // SAFETY: `shapes` is a description of tiles within what palette 1 allows.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &shapes, options(nostack, readonly)) };
    let mut first = 0;
    while first < count {
        let group = rows.min(count - first);
        // SAFETY: as the caller promises; the tiles were shaped above, for at least as many rows as the group has.
        unsafe {
            activate(net, base, batch, first, group);
            layers(net, batch, first, group);
        }
        first += group;
    }
    // SAFETY: gives the tiles back, so that switching threads stays cheap.
    unsafe { asm!("tilerelease", options(nostack, nomem)) };
    tail::tanh_all(batch.padded());
}

/// Second and third layer of positions `first..first + group`.
///
/// # Safety
///
/// As for [`evaluate`]; the tiles are shaped, and the activations written.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
unsafe fn layers(net: &Net, batch: &mut Batch, first: usize, group: usize) {
    let numbers = &net.numbers;
    let inputs = 2 * numbers.width;
    let mut terms = [_mm512_setzero_ps(); GROUP];
    for block in 0..numbers.padded / LANES {
        let sums = batch.room.sums.as_mut_ptr().cast::<i32>();
        // SAFETY: there are `inputs` bytes of activations for each of [`GROUP`] rows, a tile of weights for each 64 inputs
        // and block, and `inputs` is a multiple of 128; the sums have room for two tiles.
        unsafe {
            let weights = net.packed.as_ptr().add(block * inputs / 4);
            asm!(
                "tilezero tmm0",
                "tilezero tmm1",
                "2:",
                "tileloadd tmm2, [{acts} + {stride}]",
                "tileloadd tmm4, [{weights} + {line}]",
                "tdpbusd tmm0, tmm2, tmm4",
                "tileloadd tmm3, [{acts} + {stride} + 64]",
                "tileloadd tmm5, [{weights} + {line} + 1024]",
                "tdpbusd tmm1, tmm3, tmm5",
                "add {acts}, 128",
                "add {weights}, 2048",
                "dec {left}",
                "jnz 2b",
                "tilestored [{sums} + {line}], tmm0",
                "tilestored [{sums} + {line} + 1024], tmm1",
                acts = inout(reg) batch.room.activations.as_ptr() => _,
                weights = inout(reg) weights => _,
                left = inout(reg) inputs / 128 => _,
                stride = in(reg) inputs,
                line = in(reg) 64usize,
                sums = in(reg) sums,
                options(nostack),
            );
            let last = Last::new(numbers, block);
            for (i, term) in terms.iter_mut().enumerate().take(group) {
                let parts = [0, 256].map(|at| _mm512_load_si512(sums.add(at + 16 * i).cast()));
                *term = last.add(*term, _mm512_add_epi32(parts[0], parts[1]));
            }
        }
    }
    for i in (0..group).step_by(avx512::GROUP) {
        let four = [terms[i], terms[i + 1], terms[i + 2], terms[i + 3]];
        let values = &mut batch.values[first + i..];
        for (value, total) in values.iter_mut().zip(totals(four, numbers.layer2_bias)) {
            *value = total;
        }
    }
}
