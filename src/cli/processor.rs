//! What the build asks of the processor, and what it says of itself.
//!
//! A build for newer processors must not die of an illegal instruction. So the check runs before anything else, asks the
//! processor itself (the library's macro answers from what the build assumes), and uses no code that could be vectorised
//! before it knows: no formatting, no allocation.

/// What `--version` prints.
#[cfg(not(target_arch = "x86_64"))]
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// What `--version` prints.
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    target_feature = "bmi2"
))]
pub const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nbuilt for x86-64 processors with AVX2 and BMI2 (since 2013)"
);
/// What `--version` prints.
#[cfg(all(
    target_arch = "x86_64",
    not(all(target_feature = "avx2", target_feature = "bmi2"))
))]
pub const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nbuilt for every x86-64 processor, slower than need be: on those since 2013 build with ",
    "RUSTFLAGS=\"-C target-cpu=x86-64-v3\""
);

/// Ends the process, with exit status 1 and what is missing, where the build uses instructions that the processor lacks.
#[inline(never)]
pub fn check() {
    #[cfg(target_arch = "x86_64")]
    x86::check();
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
    use std::io::Write;

    /// Leaf 1, register ECX: the system lets programs ask which registers it keeps.
    const OSXSAVE: u32 = 1 << 27;
    /// What the system must keep for 256 bits: the registers of SSE and of AVX.
    const KEPT: u64 = 0b110;

    pub fn check() {
        let has = |most: u32, leaf: u32| __cpuid(most).eax >= leaf;
        let basic = __cpuid(1).ecx;
        let extended = match has(0, 7) {
            true => __cpuid_count(7, 0).ebx,
            false => 0,
        };
        let late = match has(0x8000_0000, 0x8000_0001) {
            true => __cpuid(0x8000_0001).ecx,
            false => 0,
        };
        let mut missing = false;
        let mut lacks = |name| {
            tell(match missing {
                true => ", ",
                false => "treeline: this build is for newer processors; this one lacks ",
            });
            tell(name);
            missing = true;
        };
        // Constant bits, since a shift by a variable would be an instruction of BMI2.
        macro_rules! need {
            ($($name:tt: $register:ident $bit:literal;)*) => {
                $(if cfg!(target_feature = $name) && $register & (1 << $bit) == 0 {
                    lacks($name);
                })*
            };
        }
        // All of x86-64-v3 and what v4 adds.
        need! {
            "sse3": basic 0;
            "ssse3": basic 9;
            "fma": basic 12;
            "cmpxchg16b": basic 13;
            "sse4.1": basic 19;
            "sse4.2": basic 20;
            "movbe": basic 22;
            "popcnt": basic 23;
            "avx": basic 28;
            "f16c": basic 29;
            "bmi1": extended 3;
            "avx2": extended 5;
            "bmi2": extended 8;
            "avx512f": extended 16;
            "avx512dq": extended 17;
            "avx512cd": extended 28;
            "avx512bw": extended 30;
            "avx512vl": extended 31;
            "lzcnt": late 5;
        }
        if !missing && cfg!(target_feature = "avx") && !keeps_wide_registers(basic) {
            tell("treeline: this build uses AVX, which the system keeps off");
            missing = true;
        }
        if missing {
            tell("; a build with RUSTFLAGS=\"-C target-cpu=x86-64\" runs here\n");
            std::process::exit(1);
        }
    }

    fn keeps_wide_registers(basic: u32) -> bool {
        // SAFETY: the instruction is there where the system has switched it on.
        basic & OSXSAVE != 0 && unsafe { xcr0() } & KEPT == KEPT
    }

    /// # Safety
    /// The processor says OSXSAVE.
    #[target_feature(enable = "xsave")]
    unsafe fn xcr0() -> u64 {
        // SAFETY: register 0 is there wherever the instruction is.
        unsafe { _xgetbv(0) }
    }

    /// Nobody may be listening.
    fn tell(text: &str) {
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}
