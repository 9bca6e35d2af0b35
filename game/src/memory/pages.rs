//! Pages of memory as the system gives them.

use memmap2::{MmapMut, MmapOptions};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Mapped memory begins at a multiple of this; no type wants more.
pub const SMALL: usize = 4096;
/// Pages that the system has only in large are asked for in large.
pub const LARGE: usize = 2 << 20;

/// One mapping, given back to the system when it is dropped.
#[derive(Debug)]
pub struct Pages {
    map: MmapMut,
    start: NonNull<u8>,
    /// Bytes from the start on that somebody has made ready, or was asked to.
    asked: AtomicUsize,
}

// SAFETY: whoever has it may only learn the address, advise the system, and give all of it back.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

impl Pages {
    /// All zero; `None` if the system has not so much.
    pub fn new(bytes: usize) -> Option<Self> {
        let mut map = MmapOptions::new().len(bytes).map_anon().ok()?;
        prefer_large_pages(&map);
        Some(Pages {
            start: NonNull::new(map.as_mut_ptr())?,
            map,
            asked: AtomicUsize::new(0),
        })
    }

    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub fn bytes(&self) -> usize {
        self.map.len()
    }

    /// Bytes that nobody was asked to make ready yet.
    pub fn left(&self) -> usize {
        self.bytes().saturating_sub(self.asked.load(Relaxed))
    }

    /// How far the first `asked` bytes go.
    pub fn asked(&self) -> usize {
        self.asked.load(Relaxed)
    }

    /// Hands out the next bytes to be made ready, `most` or fewer: where they begin and their number.
    pub fn ask(&self, most: usize) -> Option<(usize, usize)> {
        let from = self.asked.fetch_add(most, Relaxed);
        let bytes = most.min(self.bytes().saturating_sub(from));
        (bytes > 0).then_some((from, bytes))
    }

    /// Makes pages ready, which changes nothing of what lies in them; whether the system can.
    #[cfg(target_os = "linux")]
    pub fn populate(&self, from: usize, bytes: usize) -> bool {
        let done = self
            .map
            .advise_range(memmap2::Advice::PopulateWrite, from, bytes);
        done.inspect_err(|error| log::debug!("pages are not made ready: {error}"))
            .is_ok()
    }

    #[cfg(not(target_os = "linux"))]
    pub fn populate(&self, _from: usize, _bytes: usize) -> bool {
        false
    }

    /// Gives pages back to the system, which fills them with zeroes when they are touched again; whether it did. Only for who
    /// borrows what lies in them alone.
    #[cfg(target_os = "linux")]
    pub fn forget(&self) -> bool {
        // SAFETY: a private mapping of its own, borrowed alone; what becomes of its bytes is zeroes, which are valid bytes.
        let done = unsafe {
            self.map
                .unchecked_advise(memmap2::UncheckedAdvice::DontNeed)
        };
        if done.is_ok() {
            self.asked.store(0, Relaxed);
        }
        done.is_ok()
    }

    #[cfg(not(target_os = "linux"))]
    pub fn forget(&self) -> bool {
        false
    }
}

/// Asks for large pages: searches jump about, so that small ones cost a miss of the address tables at each step.
#[cfg(target_os = "linux")]
fn prefer_large_pages(map: &MmapMut) {
    let address = map.as_ptr() as usize;
    let from = address.next_multiple_of(LARGE);
    let to = (address + map.len()) / LARGE * LARGE;
    if to > from
        && let Err(error) = map.advise_range(memmap2::Advice::HugePage, from - address, to - from)
    {
        log::debug!("no large pages: {error}");
    }
}

#[cfg(not(target_os = "linux"))]
fn prefer_large_pages(_map: &MmapMut) {}
