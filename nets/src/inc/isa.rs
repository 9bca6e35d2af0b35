//! Which instructions the kernels may use.

/// An instruction set with a kernel of its own. All give the same results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Isa {
    /// Whatever the compiler makes of plain loops.
    Portable,
    /// 256-bit vectors.
    Avx2,
    /// 512-bit vectors with byte products (AVX-512 F, BW, VL and VNNI).
    Avx512,
}

impl Isa {
    /// Every one, the fastest last.
    pub const ALL: [Isa; 3] = [Isa::Portable, Isa::Avx2, Isa::Avx512];

    /// Whether this machine has it.
    pub fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return match self {
            Isa::Portable => true,
            Isa::Avx2 => is_x86_feature_detected!("avx2"),
            Isa::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vnni")
            }
        };
        #[cfg(not(target_arch = "x86_64"))]
        return self == Isa::Portable;
    }

    /// The fastest of this machine.
    pub fn best() -> Isa {
        let mut all = Isa::ALL.into_iter().rev();
        all.find(|isa| isa.is_available()).unwrap_or(Isa::Portable)
    }

    /// Its name, as benchmarks print it.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512-vnni",
        }
    }
}
