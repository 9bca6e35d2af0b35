//! Batching: many threads share one device, which is fast only with many rows at a time.
//!
//! Each searching thread has a [`Shared`] of its own and calls it like any other [`Runner`]. A call becomes a request in a
//! channel; a few workers gather requests into batches (`gather` has the rule when a batch goes), hand them to a [`Compute`]
//! and send the answers back. Several workers keep as many batches in flight: one is gathered and handed over while the device
//! works on another.
//!
//! A device that fails, or does not answer at all, is given up for good: the failure is logged once, and every call, those
//! that were waiting included, is answered by the fallback. Knows no device.

mod gather;
mod worker;

use crate::Runner;
use crate::device::DeviceError;
use crossbeam_channel::{self as channel, Receiver, Sender};
use gather::Gather;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// A device, or one of the queues to it. Each worker thread owns one.
pub trait Compute: Send {
    /// Called once before anything else, on the thread that will compute: what takes long and can be done ahead.
    fn prepare(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Where the inputs of the next batch are put: `[capacity, planes, rows, columns]`.
    fn inputs(&mut self) -> &mut [f32];

    /// Evaluates the first `batch` of the inputs. Fills `values`, `[batch]`, and, where it is not empty, `policies`,
    /// `[batch, policy]`. After an error it is not asked again.
    fn compute(
        &mut self,
        batch: usize,
        values: &mut [f32],
        policies: &mut [f32],
    ) -> Result<(), DeviceError>;
}

/// How requests are gathered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The numbers of one position's planes.
    pub input: usize,
    /// The logits of one position; 0 without a policy head.
    pub policy: usize,
    /// The most positions in a batch; at least 1.
    pub capacity: usize,
    /// How long a request waits for others to join it, at most, while a worker is free.
    pub wait: Duration,
    /// After how long without an answer a device counts as lost.
    pub patience: Duration,
}

/// One thread's way to a device that many threads share.
pub struct Shared {
    hub: Arc<Hub>,
    caller: u64,
    fallback: Box<dyn Runner>,
    /// The request between two calls, with its buffers and the only sender of `answers`: while a worker has it, a dropped
    /// request closes the channel, so that nobody waits for ever.
    request: Option<Request>,
    answers: Receiver<Request>,
}

/// What goes to a worker and comes back. The buffers only ever grow.
struct Request {
    caller: u64,
    batch: usize,
    inputs: Vec<f32>,
    values: Vec<f32>,
    policies: Vec<f32>,
    with_policy: bool,
    answered: bool,
    answer: Sender<Request>,
}

/// What handles send.
enum Message {
    Ask(Request),
    /// This caller will not ask again: nobody should wait for it.
    Gone(u64),
}

/// What the handles share. The last one to go ends the workers.
struct Hub {
    limits: Limits,
    messages: Option<Sender<Message>>,
    workers: Mutex<Vec<JoinHandle<()>>>,
    status: Arc<Status>,
    callers: AtomicU64,
}

/// What workers and handles tell each other.
#[derive(Default)]
struct Status {
    /// Requests in batches that the device is working on.
    in_flight: AtomicUsize,
    /// Why the device was given up.
    failure: OnceLock<DeviceError>,
    /// Set with `failure` if a worker may never return.
    stuck: OnceLock<()>,
}

impl Status {
    fn fail(&self, error: DeviceError) {
        let mut first = false;
        let kept = self.failure.get_or_init(|| {
            first = true;
            error
        });
        if first {
            log::warn!("{kept}; the network runs on the CPU from here on");
        }
    }
}

impl Shared {
    /// Starts one worker for each of `devices`, all with the same network, which `fallback` runs, too, and waits until they
    /// are prepared.
    pub fn start(
        devices: Vec<Box<dyn Compute>>,
        limits: Limits,
        fallback: Box<dyn Runner>,
    ) -> Result<Shared, DeviceError> {
        if limits.input == 0 || limits.capacity == 0 || devices.is_empty() {
            return Err(DeviceError(
                "a batch of nothing, or no device for it".into(),
            ));
        }
        let (sender, receiver) = channel::unbounded();
        let gather = Arc::new(Mutex::new(Gather::new(receiver, limits)));
        let status = Arc::new(Status::default());
        let mut hub = Hub {
            limits,
            messages: Some(sender),
            workers: Mutex::default(),
            status: Arc::clone(&status),
            callers: AtomicU64::new(0),
        };
        let (ready, prepared) = channel::unbounded();
        for device in devices {
            let (gather, status) = (Arc::clone(&gather), Arc::clone(&status));
            let worker = worker::start(device, gather, status, limits, ready.clone())
                .map_err(|error| DeviceError(format!("no thread for the device: {error}")))?;
            let workers = hub.workers.get_mut();
            workers.unwrap_or_else(PoisonError::into_inner).push(worker);
        }
        drop(ready);
        prepared.iter().collect::<Result<(), DeviceError>>()?;
        Ok(Shared::handle(Arc::new(hub), fallback))
    }

    fn handle(hub: Arc<Hub>, fallback: Box<dyn Runner>) -> Shared {
        let caller = hub.callers.fetch_add(1, Ordering::Relaxed);
        let (answer, answers) = channel::bounded(1);
        let request = Request {
            caller,
            batch: 0,
            inputs: Vec::new(),
            values: Vec::new(),
            policies: Vec::new(),
            with_policy: false,
            answered: false,
            answer,
        };
        Shared {
            hub,
            caller,
            fallback,
            request: Some(request),
            answers,
        }
    }

    /// Why the device was given up; none while it works.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.hub.status.failure.get()
    }

    /// Asks the device about at most `capacity` positions. An error leaves the slices as they come.
    fn ask(
        &mut self,
        inputs: &[f32],
        values: &mut [f32],
        policies: Option<&mut [f32]>,
    ) -> Result<(), DeviceError> {
        let status = &self.hub.status;
        if let Some(failure) = status.failure.get() {
            return Err(failure.clone());
        }
        let lost = || DeviceError("the device's thread ended".into());
        let mut request = self.request.take().ok_or_else(lost)?;
        request.fill(inputs, values.len(), policies.is_some());
        let messages = self.hub.messages.as_ref().ok_or_else(lost)?;
        messages.send(Message::Ask(request)).map_err(|_| lost())?;
        let request = match self.answers.recv_timeout(self.hub.limits.patience) {
            Ok(request) => request,
            Err(channel::RecvTimeoutError::Disconnected) => return Err(lost()),
            Err(channel::RecvTimeoutError::Timeout) => {
                let seconds = self.hub.limits.patience.as_secs_f32();
                let _ = status.stuck.set(());
                let text = format!("the device has not answered for {seconds} seconds");
                return Err(DeviceError(text));
            }
        };
        if request.answered {
            values.copy_from_slice(&request.values);
            if let Some(policies) = policies {
                policies.copy_from_slice(&request.policies);
            }
        }
        let answered = request.answered;
        self.request = Some(request);
        match answered {
            true => Ok(()),
            false => Err(status.failure.get().cloned().unwrap_or_else(lost)),
        }
    }
}

impl Runner for Shared {
    fn run(&mut self, inputs: &[f32], values: &mut [f32], mut policies: Option<&mut [f32]>) {
        let Limits {
            input,
            policy,
            capacity,
            ..
        } = self.hub.limits;
        let parts = inputs.chunks(capacity * input);
        for (part, (inputs, values)) in parts.zip(values.chunks_mut(capacity)).enumerate() {
            let at = part * capacity * policy;
            let mut policies = policies
                .as_deref_mut()
                .map(|all| &mut all[at..at + values.len() * policy]);
            if let Err(error) = self.ask(inputs, values, policies.as_deref_mut()) {
                self.hub.status.fail(error);
                self.fallback.run(inputs, values, policies);
            }
        }
    }

    fn another(&self) -> Box<dyn Runner> {
        let fallback = self.fallback.another();
        Box::new(Shared::handle(Arc::clone(&self.hub), fallback))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(messages) = &self.hub.messages {
            let _ = messages.send(Message::Gone(self.caller));
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = f.debug_struct("Shared");
        text.field("caller", &self.caller)
            .field("failure", &self.failure());
        text.finish_non_exhaustive()
    }
}

impl Request {
    fn fill(&mut self, inputs: &[f32], batch: usize, with_policy: bool) {
        self.batch = batch;
        self.with_policy = with_policy;
        self.answered = false;
        self.inputs.clear();
        self.inputs.extend_from_slice(inputs);
    }

    /// Sends the request back, answered or not. Its caller may have given up waiting.
    fn give_back(self) {
        let answer = self.answer.clone();
        let _ = answer.send(self);
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        // Workers end when the channel has no sender left.
        self.messages = None;
        let workers = self
            .workers
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        for worker in workers.drain(..) {
            // One that hangs in the device would hang the program's end, too.
            if self.status.stuck.get().is_none() {
                let _ = worker.join();
            }
        }
    }
}

#[cfg(test)]
mod tests;
