//! When a search ends: limits that compose, a deadline, and a flag that another thread raises.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Raised by another thread to end a search at once, or by a given moment.
#[derive(Debug, Clone)]
pub struct Stop(Arc<StopState>);

#[derive(Debug)]
struct StopState {
    now: AtomicBool,
    /// Microseconds after `epoch` by which to end; `u64::MAX` for never.
    by: AtomicU64,
    epoch: Instant,
}

impl Default for Stop {
    fn default() -> Self {
        Stop(Arc::new(StopState {
            now: AtomicBool::new(false),
            by: AtomicU64::new(u64::MAX),
            epoch: Instant::now(),
        }))
    }
}

impl Stop {
    /// Ends the search as soon as it looks.
    pub fn stop(&self) {
        self.0.now.store(true, Ordering::Release);
    }

    /// Ends any search that still runs after `patience`.
    pub fn stop_within(&self, patience: Duration) {
        let by = (self.0.epoch.elapsed() + patience).as_micros();
        self.0
            .by
            .fetch_min(u64::try_from(by).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Forgets [`Stop::stop`], so that the next search runs.
    pub fn clear(&self) {
        self.0.now.store(false, Ordering::Release);
    }

    #[inline]
    pub fn is_raised(&self) -> bool {
        self.0.now.load(Ordering::Relaxed)
    }

    #[inline]
    fn is_past(&self, now: Instant) -> bool {
        let by = self.0.by.load(Ordering::Relaxed);
        by != u64::MAX && now.saturating_duration_since(self.0.epoch).as_micros() as u64 >= by
    }
}

/// What a search may spend; `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    pub time: Option<Duration>,
    pub simulations: Option<u64>,
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
}

/// What a search polls.
#[derive(Debug, Clone)]
pub struct Control {
    begin: Instant,
    deadline: Option<Instant>,
    stop: Stop,
    simulations: u64,
    nodes: u64,
    depth: u32,
    report_every: Option<Duration>,
}

impl Control {
    /// The clock starts now.
    pub fn new(limits: Limits, stop: Stop) -> Self {
        let begin = Instant::now();
        Control {
            begin,
            // A time beyond what the clock can express is no limit.
            deadline: limits.time.and_then(|time| begin.checked_add(time)),
            stop,
            simulations: limits.simulations.unwrap_or(u64::MAX),
            nodes: limits.nodes.unwrap_or(u64::MAX),
            depth: limits.depth.unwrap_or(u32::MAX),
            report_every: None,
        }
    }

    /// The same, with progress reports.
    pub fn reporting(mut self, every: Duration) -> Self {
        self.report_every = Some(every);
        self
    }

    /// How often to report, if at all.
    pub fn report_every(&self) -> Option<Duration> {
        self.report_every
    }

    /// Seconds since the search began.
    pub fn seconds(&self) -> f64 {
        self.begin.elapsed().as_secs_f64()
    }

    pub fn simulations(&self) -> u64 {
        self.simulations
    }

    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Whether nothing but the stop flag ends this search.
    pub fn is_unlimited(&self) -> bool {
        self.deadline.is_none()
            && self.simulations == u64::MAX
            && self.nodes == u64::MAX
            && self.depth == u32::MAX
    }

    /// Whether the flag is up: one load, for every iteration.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.stop.is_raised()
    }

    /// Whether the flag is up or time is over: reads the clock, for every few microseconds of work.
    #[inline]
    pub fn is_over(&self) -> bool {
        if self.stop.is_raised() {
            return true;
        }
        let now = Instant::now();
        self.deadline.is_some_and(|deadline| now >= deadline) || self.stop.is_past(now)
    }
}

/// Decides when the next progress report is due.
#[derive(Debug)]
pub struct Reporter {
    next: Option<Instant>,
    every: Duration,
}

impl Reporter {
    pub fn new(control: &Control) -> Self {
        let every = control.report_every.unwrap_or(Duration::MAX);
        let next = control
            .report_every
            .and_then(|every| Instant::now().checked_add(every));
        Reporter { next, every }
    }

    /// Whether a report is due; then the next one is due a period later.
    pub fn is_due(&mut self) -> bool {
        let Some(next) = self.next else { return false };
        let now = Instant::now();
        if now < next {
            return false;
        }
        self.next = now.checked_add(self.every);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_compose() {
        let stop = Stop::default();
        let free = Control::new(Limits::default(), stop.clone());
        assert!(free.is_unlimited() && !free.is_over());
        stop.stop();
        assert!(free.is_over() && free.is_raised());
        stop.clear();
        assert!(!free.is_over());
        stop.stop_within(Duration::ZERO);
        assert!(free.is_over() && !free.is_raised());
        let timed = Limits {
            time: Some(Duration::ZERO),
            ..Limits::default()
        };
        assert!(Control::new(timed, Stop::default()).is_over());
        let huge = Limits {
            time: Some(Duration::MAX),
            ..Limits::default()
        };
        assert!(!Control::new(huge, Stop::default()).is_over());
    }
}
