//! Instruction sets: which the machine has, and which one a network is compiled for.

use std::fmt;

/// An instruction set that kernels exist for, each including what stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isa {
    /// What the compiler makes of plain code.
    Portable,
    /// 256-bit vectors: AVX2 and FMA.
    Avx2,
    /// 512-bit vectors: AVX-512 F, BW, DQ and VL.
    Avx512,
    /// And dot products of bytes: AVX-512 VNNI. In f32 the same as `Avx512`.
    Vnni,
    /// And matrix tiles of bytes: AMX-INT8. In f32 the same as `Avx512`.
    Amx,
}

impl Isa {
    /// All there are, weakest first.
    pub const ALL: [Isa; 5] = [Isa::Portable, Isa::Avx2, Isa::Avx512, Isa::Vnni, Isa::Amx];

    /// The strongest that this machine has.
    pub fn best() -> Isa {
        Isa::available().last().unwrap_or(Isa::Portable)
    }

    /// Those that this machine has, weakest first.
    pub fn available() -> impl Iterator<Item = Isa> {
        Isa::ALL.into_iter().take_while(|isa| isa.is_available())
    }

    #[cfg(target_arch = "x86_64")]
    fn is_available(self) -> bool {
        match self {
            Isa::Portable => true,
            Isa::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            Isa::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            Isa::Vnni => is_x86_feature_detected!("avx512vnni"),
            Isa::Amx => super::tiles::are_available(),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_available(self) -> bool {
        self == Isa::Portable
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Isa::Portable => "portable",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Vnni => "avx512-vnni",
            Isa::Amx => "amx-int8",
        })
    }
}
