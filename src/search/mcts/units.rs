//! One stretch of zeroed memory, taken from the system whole and given back whole, so that a tree that was dropped leaves
//! nothing behind in the allocator's pools.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Deref;
use std::ptr::NonNull;

/// What is valid when all its bytes are zero, and needs no drop.
///
/// # Safety
/// Both must hold.
pub unsafe trait Zeroed: Sync {}

/// A boxed slice of units whose pages come when they are first touched.
#[derive(Debug)]
pub struct Units<U> {
    start: NonNull<U>,
    length: usize,
}

// SAFETY: this owns its units as a boxed slice would.
unsafe impl<U: Zeroed + Send> Send for Units<U> {}
// SAFETY: as above; the units are `Sync`.
unsafe impl<U: Zeroed> Sync for Units<U> {}

/// Pages that the system has only in large are asked for in large.
const LARGE_PAGE: usize = 2 << 20;

impl<U: Zeroed> Units<U> {
    /// `length` units, all zero; `None` if the system has not so much.
    pub fn new(length: usize) -> Option<Self> {
        let layout = Layout::array::<U>(length).ok()?;
        if layout.size() == 0 {
            return Some(Self::none());
        }
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        prefer_large_pages(start, layout.size());
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

/// Asks for large pages: descents jump about, so that small ones cost a miss of the address tables at each step.
#[cfg(target_os = "linux")]
fn prefer_large_pages(start: NonNull<u8>, bytes: usize) {
    let address = start.as_ptr() as usize;
    let from = address.next_multiple_of(LARGE_PAGE);
    let to = (address + bytes) / LARGE_PAGE * LARGE_PAGE;
    if to > from {
        // SAFETY: the pages lie inside an allocation that nobody uses yet; the advice changes no content.
        let advised = unsafe {
            let first = start.as_ptr().add(from - address).cast();
            rustix::mm::madvise(first, to - from, rustix::mm::Advice::LinuxHugepage)
        };
        if let Err(error) = advised {
            log::debug!("no large pages: {error}");
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn prefer_large_pages(_start: NonNull<u8>, _bytes: usize) {}

impl<U> Deref for Units<U> {
    type Target = [U];

    #[inline(always)]
    fn deref(&self) -> &[U] {
        // SAFETY: `length` units from `start` on are allocated, and all zeroes are a valid unit.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl<U> Drop for Units<U> {
    fn drop(&mut self) {
        if let Ok(layout) = Layout::array::<U>(self.length)
            && layout.size() > 0
        {
            // SAFETY: allocated by `new` with this layout; units need no drop.
            unsafe { dealloc(self.start.as_ptr().cast(), layout) };
        }
    }
}
