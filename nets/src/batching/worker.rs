//! A worker's life: gather, compute, answer, until no handle is left.

use super::gather::Gather;
use super::{Compute, Limits, Request, Status};
use crate::device::DeviceError;
use crossbeam_channel::Sender;
use std::io;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

struct Worker {
    device: Box<dyn Compute>,
    status: Arc<Status>,
    limits: Limits,
    values: Vec<f32>,
    policies: Vec<f32>,
}

pub(super) fn start(
    device: Box<dyn Compute>,
    gather: Arc<Mutex<Gather>>,
    status: Arc<Status>,
    limits: Limits,
    ready: Sender<Result<(), DeviceError>>,
) -> io::Result<JoinHandle<()>> {
    let mut worker = Worker {
        device,
        status,
        limits,
        values: vec![0.0; limits.capacity],
        policies: vec![0.0; limits.capacity * limits.policy],
    };
    let life = move || {
        let prepared = guarded(|| worker.device.prepare());
        if let Err(error) = &prepared {
            let _ = worker.status.failure.set(error.clone());
        }
        let _ = ready.send(prepared);
        drop(ready);
        let mut batch = Vec::new();
        loop {
            let mut turn = gather.lock().unwrap_or_else(PoisonError::into_inner);
            let more = turn.next(&mut batch, &worker.status);
            drop(turn);
            if !more {
                break;
            }
            worker.serve(&mut batch);
        }
        // A broken device's memory cannot be given back: the binding would panic over it, possibly twice.
        if worker.status.failure.get().is_some() {
            mem::forget(worker.device);
        }
    };
    thread::Builder::new().name("network".into()).spawn(life)
}

/// A binding that panics must not take the waiting threads with it.
fn guarded(work: impl FnOnce() -> Result<(), DeviceError>) -> Result<(), DeviceError> {
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    done.unwrap_or_else(|_| Err(DeviceError("the device's library panicked".into())))
}

impl Worker {
    /// Answers the requests of a batch; all are sent back, come what may.
    fn serve(&mut self, batch: &mut Vec<Request>) {
        if self.status.failure.get().is_none()
            && let Err(error) = guarded(|| self.compute(batch))
        {
            self.status.fail(error);
            batch
                .iter_mut()
                .for_each(|request| request.answered = false);
        }
        self.status
            .in_flight
            .fetch_sub(batch.len(), Ordering::AcqRel);
        batch.drain(..).for_each(Request::give_back);
    }

    fn compute(&mut self, batch: &mut [Request]) -> Result<(), DeviceError> {
        let input = self.limits.input;
        let inputs = self.device.inputs();
        let mut rows = 0;
        for request in &*batch {
            let to = &mut inputs[rows * input..(rows + request.batch) * input];
            to.copy_from_slice(&request.inputs);
            rows += request.batch;
        }
        let with_policy = batch.iter().any(|request| request.with_policy);
        let policy = if with_policy { self.limits.policy } else { 0 };
        let values = &mut self.values[..rows];
        let policies = &mut self.policies[..rows * policy];
        self.device.compute(rows, values, policies)?;
        // Searchers must never see infinities or worse; 16-bit floats can overflow.
        if values.iter().chain(&*policies).any(|x| !x.is_finite()) {
            let text = "the device gave an answer that is no finite number";
            return Err(DeviceError(text.into()));
        }
        let mut row = 0;
        for request in batch {
            let end = row + request.batch;
            request.values.clear();
            request.values.extend_from_slice(&values[row..end]);
            request.policies.clear();
            if request.with_policy {
                let policies = &policies[row * policy..end * policy];
                request.policies.extend_from_slice(policies);
            }
            request.answered = true;
            row = end;
        }
        Ok(())
    }
}
