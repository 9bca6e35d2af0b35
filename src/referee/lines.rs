//! Lines of an engine that speaks no GTP, read by a thread through a bounded queue: a writer without end waits at its own
//! full pipe.

use crate::threads::{self, Panicked};
use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

/// Longer lines are no replies.
pub const LONGEST: usize = 1 << 16;
/// Lines that may wait unread.
const QUEUE: usize = 256;

/// Why there is no line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoLine {
    Late,
    Closed,
    TooLong,
    /// The thread that reads them is gone: no fault of the engine.
    Broken(Panicked),
}

/// The output of an engine.
#[derive(Debug)]
pub struct Lines(Receiver<Result<String, NoLine>>);

impl Lines {
    pub fn new(output: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(QUEUE);
        thread::Builder::new()
            .name("engine-lines".into())
            .spawn(move || {
                let forward = || {
                    forward(output, &sender);
                    Ok(())
                };
                if let Err(panicked) = threads::caught(forward) {
                    let _ = sender.send(Err(NoLine::Broken(panicked)));
                }
            })?;
        Ok(Lines(receiver))
    }

    /// The next line that is not blank, without blanks at its ends.
    pub fn next(&self, deadline: Instant) -> Result<String, NoLine> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            // Whoever never stops writing always has a line waiting: what is queued does not put off the end.
            if left.is_zero() {
                return Err(NoLine::Late);
            }
            let line = match self.0.recv_timeout(left) {
                Ok(line) => line?,
                Err(RecvTimeoutError::Timeout) => return Err(NoLine::Late),
                Err(RecvTimeoutError::Disconnected) => return Err(NoLine::Closed),
            };
            if !line.is_empty() {
                return Ok(line);
            }
        }
    }
}

fn forward(output: impl Read, sender: &SyncSender<Result<String, NoLine>>) {
    let mut reader = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = reader
            .by_ref()
            .take(LONGEST as u64)
            .read_until(b'\n', &mut line);
        let whole = match read {
            Ok(0) | Err(_) => return,
            Ok(count) => count < LONGEST || line.ends_with(b"\n"),
        };
        let text = String::from_utf8_lossy(&line);
        let visible: String = text
            .chars()
            .filter(|c| !c.is_control() || *c == '\t')
            .collect();
        let item = match whole {
            true => Ok(visible.trim().to_string()),
            false => Err(NoLine::TooLong),
        };
        if sender.send(item).is_err() || !whole {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Lines without end.
    struct Endless;

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let line = b"info depth=1\n";
            let count = line.len().min(buffer.len());
            buffer[..count].copy_from_slice(&line[..count]);
            Ok(count)
        }
    }

    #[test]
    fn lines_without_end_end_at_the_deadline() {
        let lines = Lines::new(Endless).unwrap();
        let later = Instant::now() + Duration::from_secs(1000);
        assert_eq!(lines.next(later).as_deref(), Ok("info depth=1"));
        let past = Instant::now();
        for _ in 0..1000 {
            assert_eq!(lines.next(past), Err(NoLine::Late));
        }
        // The queue is full all the while.
        assert!(lines.next(later).is_ok());
    }
}
