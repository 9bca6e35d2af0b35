//! When a search ends: limits that compose, a deadline, and a flag that another thread raises.

use super::Stats;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The line to whoever may interrupt. Commands are numbered in the order they arrive, so that an interrupt stops the
/// commands before it and no later one, whether they run already or still wait.
#[derive(Debug, Clone)]
pub struct Stop(Arc<StopState>);

#[derive(Debug)]
struct StopState {
    /// Commands with numbers up to this one are to end now.
    interrupted: AtomicU64,
    /// The number of the newest line; analysis ends when a further one arrives.
    newest: AtomicU64,
    /// Microseconds after `epoch` at which input ended; `u64::MAX` for not yet.
    deserted: AtomicU64,
    terminated: AtomicBool,
    epoch: Instant,
}

impl Default for Stop {
    fn default() -> Self {
        Stop(Arc::new(StopState {
            interrupted: AtomicU64::new(0),
            newest: AtomicU64::new(0),
            deserted: AtomicU64::new(u64::MAX),
            terminated: AtomicBool::new(false),
            epoch: Instant::now(),
        }))
    }
}

impl Stop {
    /// Announces a further line; returns its number, from 1.
    pub fn announce(&self) -> u64 {
        self.0.newest.fetch_add(1, Relaxed) + 1
    }

    /// Ends the commands that have arrived so far.
    pub fn interrupt(&self) {
        let newest = self.0.newest.load(Relaxed);
        self.0.interrupted.fetch_max(newest, Relaxed);
    }

    /// Input has ended or is to end: searches without a limit last no longer than their control's `linger` from now on.
    pub fn desert(&self) {
        let now = u64::try_from(self.0.epoch.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.0.deserted.fetch_min(now, Relaxed);
    }

    /// Ends every search, present and future, at once.
    pub fn terminate(&self) {
        self.0.terminated.store(true, Relaxed);
    }

    /// Whether command `number` is to end; `analysis` also ends when a further line has arrived.
    #[inline]
    pub fn is_raised(&self, number: u64, analysis: bool) -> bool {
        self.0.terminated.load(Relaxed)
            || self.0.interrupted.load(Relaxed) >= number
            || analysis && self.0.newest.load(Relaxed) > number
    }

    /// When input ended.
    fn deserted_at(&self) -> Option<Instant> {
        match self.0.deserted.load(Relaxed) {
            u64::MAX => None,
            at => self.0.epoch.checked_add(Duration::from_micros(at)),
        }
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
    /// The number of the command that searches.
    command: u64,
    analysis: bool,
    every_move: bool,
    full_strength: bool,
    multipv: usize,
    linger: Duration,
    limits: Limits,
    report_every: Option<Duration>,
}

impl Control {
    /// The clock starts now, for the command with number `command`.
    pub fn new(limits: Limits, stop: Stop, command: u64) -> Self {
        let begin = Instant::now();
        Control {
            begin,
            // A time beyond what the clock can express is no limit.
            deadline: limits.time.and_then(|time| begin.checked_add(time)),
            stop,
            command,
            analysis: false,
            every_move: false,
            full_strength: false,
            multipv: 1,
            linger: Duration::ZERO,
            limits,
            report_every: None,
        }
    }

    /// The same; without any limit it goes on for `linger` once input has ended.
    pub fn lingering(mut self, linger: Duration) -> Self {
        self.linger = linger;
        self
    }

    /// The same for an analysis: reports progress, and ends when a further line arrives.
    pub fn analysing(mut self, every: Duration) -> Self {
        self.analysis = true;
        self.at_full_strength().for_every_move().reporting(every)
    }

    /// The same on the opponent's time: it ends when a further line arrives, and tells nothing.
    pub fn pondering(mut self) -> Self {
        self.analysis = true;
        self.at_full_strength()
    }

    /// The same; levels make nobody weaker.
    pub fn at_full_strength(mut self) -> Self {
        self.full_strength = true;
        self
    }

    /// The same; where the best move is proven, what is left of the limits goes to proofs of the others.
    pub fn for_every_move(mut self) -> Self {
        self.every_move = true;
        self
    }

    /// The same; the `count` best moves get exact values, where a searcher would be content with bounds for all but the best.
    pub fn with_multipv(mut self, count: usize) -> Self {
        self.multipv = count.max(1);
        self
    }

    /// The same, reporting progress now and then.
    pub fn reporting(mut self, every: Duration) -> Self {
        self.report_every = Some(every);
        self
    }

    /// The same with at most `nodes` positions to enter.
    pub fn within_nodes(&self, nodes: u64) -> Self {
        let mut control = self.clone();
        if nodes < control.nodes() {
            control.limits.nodes = Some(nodes);
        }
        control
    }

    /// The same with what is left of the limits after so much work.
    pub fn after(&self, work: &Stats) -> Self {
        let mut control = self.clone();
        let limits = &mut control.limits;
        for (limit, done) in [
            (&mut limits.nodes, work.nodes),
            (&mut limits.simulations, work.simulations),
        ] {
            *limit = limit.map(|limit| limit.saturating_sub(done));
        }
        control
    }

    /// The same with at most so many seconds from now on.
    pub fn within_seconds(&self, seconds: f64) -> Self {
        let mut control = self.clone();
        let end = Duration::try_from_secs_f64(seconds).ok();
        let end = end.and_then(|time| Instant::now().checked_add(time));
        control.deadline = match (control.deadline, end) {
            (Some(deadline), Some(end)) => Some(deadline.min(end)),
            (deadline, end) => deadline.or(end),
        };
        control
    }

    /// Whether somebody watches how the search stands.
    pub fn is_reporting(&self) -> bool {
        self.report_every.is_some()
    }

    /// Whether somebody wants to know the truth, and no move of a level.
    pub fn is_at_full_strength(&self) -> bool {
        self.full_strength
    }

    /// Whether each move is to be proven as far as the limits allow, and not the best one only.
    pub fn is_for_every_move(&self) -> bool {
        self.every_move
    }

    /// How many moves are to get exact values, at least 1.
    pub fn multipv(&self) -> usize {
        self.multipv
    }

    /// Seconds after the search began.
    pub fn at(&self, seconds: f64) -> Option<Instant> {
        let after = Duration::try_from_secs_f64(seconds).ok()?;
        self.begin.checked_add(after)
    }

    /// Whether somebody watches the search think and says when it is enough.
    pub fn is_analysis(&self) -> bool {
        self.analysis
    }

    /// Whether only its stop flag would end this search.
    fn is_endless(&self) -> bool {
        let Limits {
            time: _,
            simulations,
            nodes,
            depth,
        } = self.limits;
        self.deadline.is_none() && simulations.is_none() && nodes.is_none() && depth.is_none()
    }

    /// Seconds since the search began.
    pub fn seconds(&self) -> f64 {
        self.begin.elapsed().as_secs_f64()
    }

    /// Seconds until the deadline, where there is one.
    pub fn seconds_left(&self) -> Option<f64> {
        let deadline = self.deadline?;
        Some(
            deadline
                .saturating_duration_since(Instant::now())
                .as_secs_f64(),
        )
    }

    /// Descents to make at most.
    pub fn simulations(&self) -> u64 {
        self.limits.simulations.unwrap_or(u64::MAX)
    }

    /// Positions to enter at most.
    pub fn nodes(&self) -> u64 {
        self.limits.nodes.unwrap_or(u64::MAX)
    }

    /// Plies to look ahead at most.
    pub fn depth(&self) -> u32 {
        self.limits.depth.unwrap_or(u32::MAX)
    }

    /// Whether nothing but the positions that it enters, or their depth, would end this search: none would where there are no new
    /// ones.
    pub fn ends_by_positions(&self) -> bool {
        let Limits { simulations, .. } = self.limits;
        let counts = self.limits.nodes.is_some() || self.limits.depth.is_some();
        counts && simulations.is_none() && self.deadline.is_none() && !self.analysis
    }

    /// Whether the flag is up: two loads, for every iteration.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.stop.is_raised(self.command, self.analysis)
    }

    /// Whether the flag is up or time is over: reads the clock, for every few microseconds of work.
    #[inline]
    pub fn is_over(&self) -> bool {
        if self.is_raised() {
            return true;
        }
        let now = Instant::now();
        let alone = || {
            let at = self.stop.deserted_at();
            self.is_endless() && at.is_some_and(|at| now >= at.max(self.begin) + self.linger)
        };
        self.deadline.is_some_and(|deadline| now >= deadline) || alone()
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
        Reporter {
            next: Instant::now().checked_add(every),
            every,
        }
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
    fn an_interrupt_ends_the_commands_before_it_only() {
        let stop = Stop::default();
        let first = Control::new(Limits::default(), stop.clone(), stop.announce());
        let second = Control::new(Limits::default(), stop.clone(), stop.announce());
        assert!(!first.is_over() && !second.is_over());
        stop.interrupt();
        assert!(first.is_over() && second.is_over());
        let third = Control::new(Limits::default(), stop.clone(), stop.announce());
        assert!(!third.is_over());
        let analysis = third.clone().analysing(Duration::from_secs(1));
        assert!(!analysis.is_over());
        stop.announce();
        assert!(analysis.is_over() && !third.is_over());
        let patient = third.clone().lingering(Duration::from_secs(1000));
        let asked = Limits {
            nodes: Some(1 << 40),
            ..Limits::default()
        };
        let limited = Control::new(asked, stop.clone(), stop.announce());
        stop.desert();
        assert!(!limited.is_over(), "what was asked for is searched");
        assert!(third.is_over() && !third.is_raised());
        assert!(!patient.is_over());
        stop.terminate();
        assert!(patient.is_raised());
    }

    #[test]
    fn a_part_of_the_time_is_no_more_than_the_whole() {
        let limits = Limits {
            time: Some(Duration::from_secs(100)),
            ..Limits::default()
        };
        let whole = Control::new(limits, Stop::default(), 1);
        assert!(whole.within_seconds(0.0).is_over() && !whole.is_over());
        let left = |control: Control| control.seconds_left().unwrap();
        assert!(left(whole.within_seconds(10.0)) <= 10.0);
        assert!(left(whole.within_seconds(1000.0)) <= 100.0);
        let endless = Control::new(Limits::default(), Stop::default(), 1);
        assert!(left(endless.within_seconds(10.0)) <= 10.0);
    }

    #[test]
    fn time_ends_a_search_and_a_huge_time_does_not() {
        let limits = |time| Limits {
            time: Some(time),
            ..Limits::default()
        };
        assert!(Control::new(limits(Duration::ZERO), Stop::default(), 1).is_over());
        assert!(!Control::new(limits(Duration::MAX), Stop::default(), 1).is_over());
    }
}
