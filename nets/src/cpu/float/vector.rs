//! Vectors of floats of several widths under the same names.

/// Some floats in a register.
pub(super) trait Vector: Copy {
    /// Floats in it.
    const LANES: usize;

    /// # Safety
    /// The machine has the vector's instruction set, as for all functions here.
    unsafe fn zero() -> Self;
    /// # Safety
    /// `LANES` floats are readable.
    unsafe fn load(from: *const f32) -> Self;
    /// # Safety
    /// `LANES` floats are writable.
    unsafe fn store(self, to: *mut f32);
    /// # Safety
    /// As `zero`.
    unsafe fn plus(self, other: Self) -> Self;
    /// # Safety
    /// As `zero`.
    unsafe fn less(self, other: Self) -> Self;
    /// The larger of each two.
    ///
    /// # Safety
    /// As `zero`.
    unsafe fn most(self, other: Self) -> Self;
}

#[cfg(target_arch = "x86_64")]
macro_rules! vector {
    ($kind:ident, $lanes:literal, $zero:ident $load:ident $store:ident $add:ident $sub:ident $max:ident) => {
        // SAFETY: in all of them, as the caller promises. Always inlined, into functions that have the instruction set.
        impl Vector for std::arch::x86_64::$kind {
            const LANES: usize = $lanes;
            #[inline(always)]
            unsafe fn zero() -> Self {
                unsafe { std::arch::x86_64::$zero() }
            }
            #[inline(always)]
            unsafe fn load(from: *const f32) -> Self {
                unsafe { std::arch::x86_64::$load(from) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut f32) {
                unsafe { std::arch::x86_64::$store(to, self) }
            }
            #[inline(always)]
            unsafe fn plus(self, other: Self) -> Self {
                unsafe { std::arch::x86_64::$add(self, other) }
            }
            #[inline(always)]
            unsafe fn less(self, other: Self) -> Self {
                unsafe { std::arch::x86_64::$sub(self, other) }
            }
            #[inline(always)]
            unsafe fn most(self, other: Self) -> Self {
                unsafe { std::arch::x86_64::$max(self, other) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
vector!(__m512, 16, _mm512_setzero_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_sub_ps _mm512_max_ps);
#[cfg(target_arch = "x86_64")]
vector!(__m256, 8, _mm256_setzero_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_sub_ps _mm256_max_ps);
