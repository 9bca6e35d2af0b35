//! One stretch of zeroed memory for a tree or a table, taken from the system whole and given back whole, so that one that
//! was dropped leaves nothing behind in the allocator's pools. Knows nothing of what lies in it.

use std::alloc::Layout;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

/// What is valid when all its bytes are zero, and needs no drop.
///
/// # Safety
/// Both must hold.
pub unsafe trait Zeroed: Sync {}

// SAFETY: an integer.
unsafe impl Zeroed for u64 {}
// SAFETY: an integer.
unsafe impl Zeroed for AtomicU64 {}
// SAFETY: nothing but such units.
unsafe impl<U: Zeroed, const N: usize> Zeroed for [U; N] {}

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
        let start = system::take(layout)?;
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

    /// All zero again, at once where the system takes pages back.
    pub fn clear(&mut self) {
        let bytes = size_of_val::<[U]>(self);
        // SAFETY: the units are borrowed alone and need no drop; all zeroes are valid ones.
        unsafe {
            if bytes > 0 && !forget(self.start.cast(), bytes) {
                self.start.as_ptr().write_bytes(0, self.length);
            }
        }
    }
}

/// Pages from the system itself. The allocator would write zeroes over all of them where they need more than its own
/// alignment, so that a table would cost seconds before its first use.
#[cfg(unix)]
mod system {
    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
    use std::alloc::Layout;
    use std::ptr::{NonNull, null_mut};

    /// No type wants more.
    const PAGE: usize = 4096;

    /// Zeroed memory; the layout's size is not 0.
    pub fn take(layout: Layout) -> Option<NonNull<u8>> {
        if layout.align() > PAGE {
            return None;
        }
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new private mapping at an address of the system's choice touches nothing that exists.
        let taken = unsafe { mmap_anonymous(null_mut(), layout.size(), access, MapFlags::PRIVATE) };
        NonNull::new(taken.ok()?.cast())
    }

    /// # Safety
    /// `start` came from [`take`] with this layout and is not used any more.
    pub unsafe fn give_back(start: NonNull<u8>, layout: Layout) {
        // SAFETY: the whole of a mapping that nobody uses.
        if let Err(error) = unsafe { munmap(start.as_ptr().cast(), layout.size()) } {
            log::warn!("memory stays taken: {error}");
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    /// Zeroed memory; the layout's size is not 0.
    pub fn take(layout: Layout) -> Option<NonNull<u8>> {
        // SAFETY: the size is not zero.
        NonNull::new(unsafe { alloc_zeroed(layout) })
    }

    /// # Safety
    /// `start` came from [`take`] with this layout and is not used any more.
    pub unsafe fn give_back(start: NonNull<u8>, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { dealloc(start.as_ptr(), layout) };
    }
}

/// Asks for large pages: searches jump about, so that small ones cost a miss of the address tables at each step.
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

/// Gives pages back to the system, which fills them with zeroes when they are touched again; whether it did.
///
/// # Safety
/// The bytes are the whole of what [`system::take`] gave and hold nothing that is needed.
#[cfg(target_os = "linux")]
unsafe fn forget(start: NonNull<u8>, bytes: usize) -> bool {
    // SAFETY: a private mapping of its own, as the caller promises.
    let forgotten = unsafe {
        rustix::mm::madvise(
            start.as_ptr().cast(),
            bytes,
            rustix::mm::Advice::LinuxDontNeed,
        )
    };
    forgotten.is_ok()
}

#[cfg(not(target_os = "linux"))]
unsafe fn forget(_start: NonNull<u8>, _bytes: usize) -> bool {
    false
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

impl<U> DerefMut for Units<U> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [U] {
        // SAFETY: as above, and borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }
}

impl<U> Drop for Units<U> {
    fn drop(&mut self) {
        if let Ok(layout) = Layout::array::<U>(self.length)
            && layout.size() > 0
        {
            // SAFETY: taken by `new` with this layout; units need no drop.
            unsafe { system::give_back(self.start.cast(), layout) };
        }
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
}
