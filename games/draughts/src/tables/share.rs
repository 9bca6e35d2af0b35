//! Work on many positions, shared among threads.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Positions that a thread takes at a time.
const CHUNK: usize = 1 << 12;

/// Calls `work` with the parts of `0..length` on at most so many threads.
pub fn share(threads: usize, length: usize, work: impl Fn(Range<usize>) + Sync) {
    let next = AtomicUsize::new(0);
    let run = || {
        loop {
            let from = next.fetch_add(CHUNK, Relaxed);
            if from >= length {
                return;
            }
            work(from..(from + CHUNK).min(length));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(length.div_ceil(CHUNK)) {
            // One that cannot be had leaves its work to the others.
            let _ = std::thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
}
