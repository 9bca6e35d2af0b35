//! One stretch of zeroed memory for a tree or a table, taken from the system whole and given back whole, so that one that
//! was dropped leaves nothing behind in the allocator's pools. Knows nothing of what lies in it.
//!
//! Pages are there once they are touched, or before that where somebody calls [`get_ready`] (`ready`). Tables that use
//! little of their memory at first say with `reach` how much they use.

pub mod machine;
mod pages;
mod prefetch;
pub mod reach;
mod ready;

pub use prefetch::prefetch;
pub use ready::{Held, get_ready, hold, is_ready, make_small_ready, searching, wait_until_ready};

use pages::Pages;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// What is valid when all its bytes are zero, and needs no drop.
///
/// # Safety
/// Both must hold.
pub unsafe trait Zeroed: Sync {}

// SAFETY: an integer.
unsafe impl Zeroed for u64 {}
// SAFETY: an integer.
unsafe impl Zeroed for AtomicU32 {}
// SAFETY: an integer.
unsafe impl Zeroed for AtomicU64 {}
// SAFETY: nothing but such units.
unsafe impl<U: Zeroed, const N: usize> Zeroed for [U; N] {}

/// A boxed slice of units whose pages come when they are first touched.
///
/// The pages are mapped from the system itself. The allocator would write zeroes over all of them where they need more than
/// its own alignment, so that a table would cost seconds before its first use.
#[derive(Debug)]
pub struct Units<U> {
    start: NonNull<U>,
    length: usize,
    /// What `start` points into; none for no bytes.
    pages: Option<Arc<Pages>>,
}

// SAFETY: this owns its units as a boxed slice would.
unsafe impl<U: Zeroed + Send> Send for Units<U> {}
// SAFETY: as above; the units are `Sync`.
unsafe impl<U: Zeroed> Sync for Units<U> {}

impl<U: Zeroed> Units<U> {
    /// `length` units, all zero; `None` if the system has not so much.
    pub fn new(length: usize) -> Option<Self> {
        const { assert!(align_of::<U>() <= pages::SMALL) };
        let bytes = length.checked_mul(size_of::<U>())?;
        if bytes == 0 {
            return Some(Self::none());
        }
        let pages = Arc::new(Pages::new(bytes)?);
        ready::announce(&pages);
        Some(Units {
            start: pages.start().cast(),
            length,
            pages: Some(pages),
        })
    }

    /// No units.
    pub const fn none() -> Self {
        Units {
            start: NonNull::dangling(),
            length: 0,
            pages: None,
        }
    }

    /// All zero again, at once where the system takes pages back.
    pub fn clear(&mut self) {
        let Some(pages) = &self.pages else { return };
        if pages.forget() {
            ready::announce(pages);
        } else {
            // SAFETY: the units are borrowed alone and need no drop; all zeroes are valid ones.
            unsafe { self.start.as_ptr().write_bytes(0, self.length) };
        }
    }
}

impl<U> Deref for Units<U> {
    type Target = [U];

    #[inline(always)]
    fn deref(&self) -> &[U] {
        // SAFETY: `length` units from `start` on are mapped, and all zeroes are a valid unit.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl<U> DerefMut for Units<U> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [U] {
        // SAFETY: as above, and borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_zero_at_first_and_after_clearing() {
        // A few bytes, a page and some, large pages and some.
        for length in [1, 700, (5 << 20) / 8 + 3] {
            let mut units = Units::<u64>::new(length).unwrap();
            assert!(units.iter().all(|unit| *unit == 0));
            units.fill(7);
            units.clear();
            assert!(units.len() == length && units.iter().all(|unit| *unit == 0));
            units[length - 1] = 1;
            assert_eq!(units.iter().sum::<u64>(), 1);
        }
        Units::<u64>::none().clear();
    }

    #[test]
    fn what_the_system_has_not_is_refused() {
        for length in [usize::MAX, usize::MAX / 8, 1 << 58] {
            assert!(Units::<u64>::new(length).is_none(), "{length}");
        }
    }
}
