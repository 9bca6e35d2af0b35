//! One stretch of zeroed units, taken from the system whole and given back whole, so that a tree that was dropped leaves
//! nothing behind in the allocator's pools.

use super::unit::Unit;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Deref;
use std::ptr::NonNull;

/// A boxed slice of units whose pages come when they are first touched.
#[derive(Debug)]
pub struct Units<M> {
    start: NonNull<Unit<M>>,
    length: usize,
}

// SAFETY: this owns its units as a boxed slice would.
unsafe impl<M: Copy + Send + Sync> Send for Units<M> {}
// SAFETY: as above; `Unit` itself is `Sync`.
unsafe impl<M: Copy + Send + Sync> Sync for Units<M> {}

impl<M: Copy> Units<M> {
    /// `length` units, all zero; `None` if the system has not so much.
    pub fn new(length: usize) -> Option<Self> {
        let layout = Layout::array::<Unit<M>>(length).ok()?;
        if layout.size() == 0 {
            return Some(Self::none());
        }
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Units {
            start: start.cast(),
            length,
        })
    }

    /// No units.
    pub const fn none() -> Self {
        Units {
            start: NonNull::dangling(),
            length: 0,
        }
    }
}

impl<M> Deref for Units<M> {
    type Target = [Unit<M>];

    #[inline(always)]
    fn deref(&self) -> &[Unit<M>] {
        // SAFETY: `length` units from `start` on are allocated, and all zeroes are a valid unit: integers and a move that
        // may be uninitialised.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl<M> Drop for Units<M> {
    fn drop(&mut self) {
        if let Ok(layout) = Layout::array::<Unit<M>>(self.length)
            && layout.size() > 0
        {
            // SAFETY: allocated by `new` with this layout; units need no drop.
            unsafe { dealloc(self.start.as_ptr().cast(), layout) };
        }
    }
}
