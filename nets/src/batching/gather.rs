//! When a batch goes. Owns the receiving end of the requests and what is known of who asks.

use super::{Limits, Message, Request, Status};
use crossbeam_channel::Receiver;
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// A caller not seen for this many batches is not waited for.
const FORGOTTEN_AFTER: u64 = 8;

/// Gathers requests into batches; one worker at a time.
pub(super) struct Gather {
    messages: Receiver<Message>,
    limits: Limits,
    /// A request that did not fit into the last batch.
    held: Option<Request>,
    batches: u64,
    /// The batch that each caller was last seen in.
    seen: HashMap<u64, u64>,
}

impl Gather {
    pub fn new(messages: Receiver<Message>, limits: Limits) -> Gather {
        Gather {
            messages,
            limits,
            held: None,
            batches: 0,
            seen: HashMap::new(),
        }
    }

    /// Waits for requests and fills `batch`, which is empty, with at least one. False when no more can come.
    pub fn next(&mut self, batch: &mut Vec<Request>, status: &Status) -> bool {
        let Some(first) = self.first() else {
            return false;
        };
        let deadline = Instant::now() + self.limits.wait;
        let mut rows = self.take(first, batch);
        while rows < self.limits.capacity {
            let message = match self.messages.try_recv() {
                Ok(message) => message,
                Err(_) if self.enough(batch.len(), status) => break,
                Err(_) => match self.messages.recv_deadline(deadline) {
                    Ok(message) => message,
                    Err(_) => break,
                },
            };
            match message {
                Message::Ask(next) if rows + next.batch > self.limits.capacity => {
                    self.held = Some(next);
                    break;
                }
                Message::Ask(next) => rows += self.take(next, batch),
                Message::Gone(caller) => drop(self.seen.remove(&caller)),
            }
        }
        self.batches += 1;
        let batches = self.batches;
        self.seen
            .retain(|_, last| *last + FORGOTTEN_AFTER >= batches);
        // Before the next worker gathers: it must know that these callers cannot ask.
        status.in_flight.fetch_add(batch.len(), Ordering::AcqRel);
        true
    }

    fn first(&mut self) -> Option<Request> {
        let mut first = self.held.take();
        while first.is_none() {
            match self.messages.recv().ok()? {
                Message::Ask(request) => first = Some(request),
                Message::Gone(caller) => drop(self.seen.remove(&caller)),
            }
        }
        first
    }

    fn take(&mut self, request: Request, batch: &mut Vec<Request>) -> usize {
        self.seen.insert(request.caller, self.batches);
        let rows = request.batch;
        batch.push(request);
        rows
    }

    /// Whether waiting longer is in vain or idle: every caller of late waits for an answer, or the device has nothing to
    /// do and half of them do.
    fn enough(&self, asking: usize, status: &Status) -> bool {
        let in_flight = status.in_flight.load(Ordering::Acquire);
        asking + in_flight >= self.seen.len() || (in_flight == 0 && 2 * asking >= self.seen.len())
    }
}
