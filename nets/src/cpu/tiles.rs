//! Whether this process may use matrix tiles of bytes: the processor must have AMX and the operating system must grant it.

use std::arch::asm;
use std::arch::x86_64::{__cpuid, __cpuid_count};
use std::sync::OnceLock;

/// Whether the processor has tiles of bytes and the kernel gives them to this process.
pub(super) fn are_available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| is_x86_feature_detected!("avx512vnni") && has_tiles() && permitted())
}

fn has_tiles() -> bool {
    const AMX_TILE: u32 = 1 << 24;
    const AMX_INT8: u32 = 1 << 25;
    __cpuid(0).eax >= 7 && __cpuid_count(7, 0).edx & (AMX_TILE | AMX_INT8) == AMX_TILE | AMX_INT8
}

/// Asks Linux for the registers, once for all threads of the process.
#[cfg(target_os = "linux")]
fn permitted() -> bool {
    const ARCH_PRCTL: usize = 158;
    const ARCH_REQ_XCOMP_PERM: usize = 0x1023;
    const TILE_DATA: usize = 18;
    let answer: isize;
    // SAFETY: a system call without pointers; the kernel clobbers rcx and r11 and no memory.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") ARCH_PRCTL => answer,
            in("rdi") ARCH_REQ_XCOMP_PERM,
            in("rsi") TILE_DATA,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    answer == 0
}

#[cfg(not(target_os = "linux"))]
fn permitted() -> bool {
    false
}
