//! Positions that wait to be analysed: the highest priority first, then in order of arrival; bounded in bytes.

use super::request::Request;
use crate::search::Stop;
use parking_lot::{Condvar, Mutex};
use std::collections::BinaryHeap;
use std::sync::Arc;

/// One request with its turns, as long as one of them waits.
#[derive(Debug)]
pub struct Query {
    pub id: String,
    pub request: Request,
    /// What it takes in memory, about.
    pub bytes: usize,
}

/// One position of a query.
#[derive(Debug)]
pub struct Task {
    pub priority: i64,
    /// Earlier ones have smaller numbers.
    pub number: u64,
    pub turn: usize,
    pub query: Arc<Query>,
}

impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Task {}

impl PartialOrd for Task {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Task {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |task: &Task| (task.priority, std::cmp::Reverse(task.number));
        key(self).cmp(&key(other))
    }
}

#[derive(Default)]
struct State {
    waiting: BinaryHeap<Task>,
    bytes: usize,
    /// What is searched now.
    running: Vec<(Arc<Query>, usize, Stop)>,
    next: u64,
    /// No further task will come.
    closed: bool,
    /// Nobody reads the answers any more.
    abandoned: bool,
}

/// Bytes of waiting queries above which adding pauses.
const FULL: usize = 16 << 20;
/// What a task takes besides its query.
const TASK: usize = 64;

#[derive(Default)]
pub struct Queue {
    state: Mutex<State>,
    more: Condvar,
    less: Condvar,
}

impl Queue {
    /// Adds a task for each turn; waits for room. False if nobody takes tasks any more.
    pub fn add(&self, query: &Arc<Query>, turns: &[(usize, i64)]) -> bool {
        let mut state = self.state.lock();
        while state.bytes > FULL && !state.abandoned {
            self.less.wait(&mut state);
        }
        // The query's own bytes go with its first task, which is near enough.
        state.bytes += query.bytes + TASK * turns.len();
        for (turn, priority) in turns {
            state.next += 1;
            let task = Task {
                priority: *priority,
                number: state.next,
                turn: *turn,
                query: query.clone(),
            };
            state.waiting.push(task);
        }
        self.more.notify_all();
        !state.abandoned
    }

    /// The next task with the flag that stops it; waits for it. `None` when there will be none.
    pub fn take(&self) -> Option<(Task, Stop)> {
        let mut state = self.state.lock();
        loop {
            if state.abandoned {
                return None;
            }
            if let Some(task) = state.waiting.pop() {
                self.freed(&mut state, &task.query);
                let stop = Stop::default();
                let running = (task.query.clone(), task.turn, stop.clone());
                state.running.push(running);
                return Some((task, stop));
            }
            if state.closed {
                return None;
            }
            self.more.wait(&mut state);
        }
    }

    /// A task has left the queue.
    fn freed(&self, state: &mut State, query: &Arc<Query>) {
        // The queue, the caller and nobody else hold it: this was its last turn.
        let last = Arc::strong_count(query) <= 2;
        let bytes = TASK + if last { query.bytes } else { 0 };
        state.bytes = state.bytes.saturating_sub(bytes);
        if state.waiting.is_empty() {
            state.bytes = 0;
        }
        self.less.notify_all();
    }

    pub fn done(&self, task: &Task) {
        let mut state = self.state.lock();
        let mine = |(query, turn, _): &(Arc<Query>, usize, Stop)| {
            Arc::ptr_eq(query, &task.query) && *turn == task.turn
        };
        state.running.retain(|running| !mine(running));
    }

    /// Ends the searches of which `is_meant` is true, and takes the tasks that wait out of the queue.
    pub fn terminate(&self, is_meant: impl Fn(&str, usize) -> bool) -> Vec<Task> {
        let mut state = self.state.lock();
        for (query, turn, stop) in &state.running {
            if is_meant(&query.id, *turn) {
                stop.terminate();
            }
        }
        let waiting = std::mem::take(&mut state.waiting);
        let (out, stays): (Vec<_>, Vec<_>) = waiting
            .into_iter()
            .partition(|task| is_meant(&task.query.id, task.turn));
        state.waiting = stays.into();
        for task in &out {
            self.freed(&mut state, &task.query);
        }
        out
    }

    /// No further task will come; those that wait are still done.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.more.notify_all();
    }

    /// Nobody reads the answers: everything ends.
    pub fn abandon(&self) {
        let mut state = self.state.lock();
        state.abandoned = true;
        for (_, _, stop) in &state.running {
            stop.terminate();
        }
        self.more.notify_all();
        self.less.notify_all();
    }
}
