//! Memory for numbers: aligned to cache lines, zero at first.

/// A cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Numbers that may be any bytes.
///
/// # Safety
/// Every pattern of bytes is a value, there is no padding, and the alignment is 64 at most.
pub(super) unsafe trait Plain: Copy {}
// SAFETY: numbers.
unsafe impl Plain for f32 {}
// SAFETY: numbers.
unsafe impl Plain for u8 {}
// SAFETY: numbers.
unsafe impl Plain for i8 {}
// SAFETY: numbers.
unsafe impl Plain for i16 {}
// SAFETY: numbers.
unsafe impl Plain for i32 {}

/// A fixed number of numbers from a multiple of 64 bytes on.
pub(super) struct Aligned<T> {
    lines: Vec<Line>,
    len: usize,
    kind: std::marker::PhantomData<T>,
}

impl<T: Plain> Aligned<T> {
    pub fn zeros(len: usize) -> Self {
        let lines = (len * size_of::<T>()).div_ceil(64);
        Aligned {
            lines: vec![Line([0; 64]); lines],
            len,
            kind: std::marker::PhantomData,
        }
    }

    pub fn from_slice(numbers: &[T]) -> Self {
        let mut aligned = Aligned::zeros(numbers.len());
        aligned.copy_from_slice(numbers);
        aligned
    }
}

impl Aligned<u8> {
    /// The bytes as floats.
    pub fn floats(&self) -> &[f32] {
        // SAFETY: aligned to 64, initialised, and any bytes are floats.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len / 4) }
    }

    pub fn floats_mut(&mut self) -> &mut [f32] {
        // SAFETY: as in `floats`; borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len / 4) }
    }
}

impl<T: Plain> std::ops::Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `lines` has at least `len` numbers, initialised, and `Plain` says any bytes are numbers.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl<T: Plain> std::ops::DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`; borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}
