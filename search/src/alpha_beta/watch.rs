//! When a thread looks up from its work: often enough to stop in time, seldom enough to cost nothing.

use super::tally::Tally;
use crate::Control;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The time between two looks is held between these.
const SOON: Duration = Duration::from_micros(100);
const LATE: Duration = Duration::from_micros(400);

/// Nodes after which a thread tells the others what it did, at most.
const STRIDE: u64 = 1 << 10;

/// What the threads of one search have together.
#[derive(Debug, Default)]
pub struct Shared {
    nodes: AtomicU64,
    evaluations: AtomicU64,
    stop: AtomicBool,
}

impl Shared {
    /// Ends the search of every thread.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }
}

/// One thread's view of the limits.
pub struct Watch<'a> {
    control: &'a Control,
    shared: &'a Shared,
    /// Nodes at which to look up next.
    due: u64,
    /// Nodes at which to compare with the limits that are counts next. It depends on counts alone, so that a search on one thread
    /// which such a limit ends repeats, whatever else the machine does.
    count_due: u64,
    /// Nodes between looks.
    interval: u64,
    looked: Instant,
    /// What of the tally is in `shared` already.
    told: Tally,
}

impl<'a> Watch<'a> {
    pub fn new(control: &'a Control, shared: &'a Shared) -> Self {
        Watch {
            control,
            shared,
            due: 1,
            count_due: 1,
            interval: 1,
            looked: Instant::now(),
            told: Tally::default(),
        }
    }

    #[inline(always)]
    pub fn is_due(&self, tally: &Tally) -> bool {
        tally.nodes >= self.due
    }

    /// Whether the search is over. An evaluation counts as a simulation, since each ends one line from the root; no node
    /// has more than one, so that neither limit is run over by more than a last ply.
    pub fn look_up(&mut self, tally: &Tally) -> bool {
        let now = Instant::now();
        let passed = now - self.looked;
        self.looked = now;
        if passed > LATE {
            self.interval = (self.interval / 2).max(1);
        } else if passed < SOON {
            self.interval = (self.interval * 2).min(1 << 16);
        }
        let spent = tally.nodes >= self.count_due && self.count(tally);
        self.due = (tally.nodes + self.interval).min(self.count_due);
        spent || self.shared.stop.load(Relaxed) || self.control.is_over()
    }

    /// Tells the other threads how much was done; whether all together did as much as the limits allow.
    fn count(&mut self, tally: &Tally) -> bool {
        let mut left = STRIDE;
        for (common, count, limit) in [
            (
                &self.shared.nodes,
                tally.nodes - self.told.nodes,
                self.control.nodes(),
            ),
            (
                &self.shared.evaluations,
                tally.evaluations - self.told.evaluations,
                self.control.simulations(),
            ),
        ] {
            let total = common.fetch_add(count, Relaxed) + count;
            left = left.min(limit.saturating_sub(total));
        }
        self.told = *tally;
        self.count_due = tally.nodes + left.max(1);
        left == 0
    }
}
