//! Makes pages ready before they are needed, in the background.
//!
//! The first touch of a page costs a call of the system, which fills it with zeroes: milliseconds for a large page where the
//! machine itself is a guest whose memory is cold. Threads of this room touch them ahead of time: from the start of each
//! mapping on, as trees and tables use them. They rest while a search uses all cores, take no more than half of what the
//! machine has free, and end when there is nothing left to do.

use super::machine;
use super::pages::{LARGE, Pages};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Bytes that a thread makes ready at a time. Who ends the process waits for them.
const PIECE: usize = 2 * LARGE;
/// Smaller mappings are not worth it.
const LEAST: usize = 256 << 10;
/// One part in so many of what is free is taken: what else runs on the machine has its needs, too.
const PART: u64 = 2;
/// No machine zeroes faster with more threads than this.
const MOST_THREADS: usize = 8;

#[derive(Debug)]
struct Work {
    /// Mappings with pages that nobody has touched, as far as is known.
    waiting: Vec<Weak<Pages>>,
    /// Threads at work.
    threads: usize,
    /// Threads that search.
    searching: usize,
    /// Bytes that may still be made ready; `None` if that has to be found out.
    allowance: Option<usize>,
}

static WORK: Mutex<Work> = Mutex::new(Work {
    waiting: Vec::new(),
    threads: 0,
    searching: 0,
    allowance: None,
});
/// Told when a search ends, and when the work is done.
static NEWS: Condvar = Condvar::new();

fn work() -> MutexGuard<'static, Work> {
    WORK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes a mapping whose pages may be made ready.
pub(super) fn announce(pages: &Arc<Pages>) {
    if pages.bytes() >= LEAST {
        let mut work = work();
        work.waiting.retain(|other| {
            other
                .upgrade()
                .is_some_and(|other| other.left() > 0 && !Arc::ptr_eq(&other, pages))
        });
        work.waiting.push(Arc::downgrade(pages));
    }
}

/// Begins to make the pages of all trees and tables ready, and returns at once.
pub fn get_ready() {
    let mut work = work();
    if work.waiting.is_empty() {
        return;
    }
    work.allowance = None;
    let wanted = (cores() / 2).clamp(1, MOST_THREADS);
    while work.threads < wanted {
        let spawned = std::thread::Builder::new()
            .name("memory".into())
            .stack_size(64 << 10)
            .spawn(make_ready);
        match spawned {
            Ok(_) => work.threads += 1,
            Err(error) => {
                log::debug!("memory is not made ready: {error}");
                return;
            }
        }
    }
}

/// Makes the pages of trees and tables of at most so many bytes ready, here and now. Touched one by one, as by games of a learning run
/// that each begin with fresh tables, they cost more: where several threads do so, the system has each stop for the others.
pub fn make_small_ready(most: usize) {
    loop {
        let waiting = work().small(most);
        let Some(pages) = waiting else { return };
        while let Some((from, bytes)) = pages.ask(most) {
            if !pages.populate(from, bytes) {
                return;
            }
        }
    }
}

/// Whether nothing is left to be made ready, of what [`get_ready`] began with.
pub fn is_ready() -> bool {
    work().threads == 0
}

/// Waits until it is, but for no longer than this; whether it is.
pub fn wait_until_ready(longest: Duration) -> bool {
    let end = Instant::now() + longest;
    let mut work = work();
    while work.threads > 0 {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        work = NEWS
            .wait_timeout(work, left)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
    }
    true
}

/// Says that so many threads search, until the guard is dropped: a search has the cores before anybody who gets memory ready.
pub fn searching(threads: usize) -> impl Drop {
    work().searching += threads;
    Searching(threads)
}

/// The background, held still: none of its threads takes or finishes anything while this is there.
pub struct Held(MutexGuard<'static, Work>);

/// Holds the background still, for a fork of the process.
pub fn hold() -> Held {
    Held(work())
}

impl Held {
    /// In the process that the fork made, which has none of the threads: nothing waits and nobody works or searches.
    pub fn start_anew(mut self) {
        self.0.waiting.clear();
        self.0.allowance = None;
        (self.0.threads, self.0.searching) = (0, 0);
    }
}

struct Searching(usize);

impl Drop for Searching {
    fn drop(&mut self) {
        work().searching -= self.0;
        NEWS.notify_all();
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// One thread of the background.
fn make_ready() {
    let cores = cores();
    let mut work = work();
    loop {
        if work.searching >= cores {
            work = NEWS.wait(work).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        let Some((pages, from, bytes)) = work.next_piece() else {
            break;
        };
        drop(work);
        let done = pages.populate(from, bytes);
        drop(pages);
        work = self::work();
        if !done {
            work.waiting.clear();
        }
    }
    work.threads -= 1;
    drop(work);
    NEWS.notify_all();
}

impl Work {
    /// A mapping of at most so many bytes that is not ready.
    fn small(&self, most: usize) -> Option<Arc<Pages>> {
        let mut alive = self.waiting.iter().filter_map(Weak::upgrade);
        alive.find(|pages| pages.bytes() <= most && pages.left() > 0)
    }

    /// What is to be made ready next: of the mapping that is least so.
    fn next_piece(&mut self) -> Option<(Arc<Pages>, usize, usize)> {
        let allowance = *self.allowance.get_or_insert_with(allowance);
        let alive: Vec<_> = self.waiting.iter().filter_map(Weak::upgrade).collect();
        let open = alive.into_iter().filter(|pages| pages.left() > 0);
        let pages = open.min_by_key(|pages| pages.asked())?;
        let (from, bytes) = pages.ask(PIECE.min(allowance))?;
        self.allowance = Some(allowance - bytes);
        Some((pages, from, bytes))
    }
}

/// What may be made ready of all that is free.
fn allowance() -> usize {
    machine::free().map_or(usize::MAX, |free| (free / PART) as usize)
}

#[cfg(test)]
mod tests {
    use super::super::Units;
    use super::*;

    /// Bytes of the mapping around `units` that are there.
    #[cfg(target_os = "linux")]
    fn resident(units: &Units<u64>) -> usize {
        let address = units.as_ptr() as usize;
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut inside = false;
        for line in maps.lines() {
            let range = line.split_whitespace().next().unwrap_or_default();
            if let Some((from, to)) = range.split_once('-')
                && let (Ok(from), Ok(to)) = (
                    usize::from_str_radix(from, 16),
                    usize::from_str_radix(to, 16),
                )
            {
                inside = (from..to).contains(&address);
            }
            if inside && let Some(rest) = line.strip_prefix("Rss:") {
                let kibibytes = rest.split_whitespace().next().unwrap();
                return kibibytes.parse::<usize>().unwrap() << 10;
            }
        }
        0
    }

    /// In one test, since what waits is the whole process's.
    #[test]
    #[cfg(target_os = "linux")]
    fn pages_are_there_before_they_are_touched_unless_a_search_needs_the_cores() {
        const BYTES: usize = 64 << 20;
        let mut units = Units::<u64>::new(BYTES / 8).unwrap();
        assert!(resident(&units) < BYTES / 8);
        let guard = searching(usize::MAX / 2);
        get_ready();
        assert!(!wait_until_ready(Duration::from_millis(20)));
        assert!(resident(&units) < BYTES / 8);
        drop(guard);
        assert!(wait_until_ready(Duration::from_secs(600)) && is_ready());
        assert!(resident(&units) >= BYTES);
        assert!(units.iter().all(|unit| *unit == 0));
        // What is small is ready at once where that is asked for.
        let [small, large] = [BYTES / 16, BYTES].map(|bytes| Units::<u64>::new(bytes / 8).unwrap());
        make_small_ready(BYTES / 16);
        let left = |units: &Units<u64>| units.pages.as_ref().unwrap().left();
        assert_eq!([left(&small), left(&large)], [0, BYTES]);
        drop((small, large));
        // What is cleared is made ready again, and what is gone is nobody's business.
        units.fill(7);
        units.clear();
        get_ready();
        assert!(wait_until_ready(Duration::from_secs(600)));
        assert!(resident(&units) >= BYTES && units.iter().all(|unit| *unit == 0));
        units.clear();
        get_ready();
        drop(units);
        assert!(wait_until_ready(Duration::from_secs(600)));
    }
}
