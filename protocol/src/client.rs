//! The side that drives an engine: sends commands, waits for replies no longer than asked, trusts nothing it reads.
//!
//! A thread reads the engine's output and hands it on through a bounded queue. So every wait has a deadline, and an
//! engine that writes without end is stopped by its own full pipe. It knows no command and starts no clock of a game.

pub(crate) mod reply;

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::marker::PhantomData;
use std::process::{self, Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

pub use reply::MAX_REPLY;
use reply::{Assembler, Event};

use crate::command::MAX_ID;
use crate::{Command, Response, clean, parse};

/// Bytes read at once.
const CHUNK: usize = 8 << 10;
/// Chunks that may wait unread: half a mebibyte.
const QUEUE: usize = 64;

/// What can go wrong between a command and its reply.
#[derive(Debug, Error)]
pub enum ClientError {
    /// No whole reply within the time given. What has come of it is kept.
    #[error("no reply in time")]
    Timeout,
    /// The engine closed its output or no longer reads its input.
    #[error("the engine closed the connection")]
    Closed,
    /// The engine answered with a failure.
    #[error("the engine refused '{command}': {text}")]
    Refused {
        /// The command as it was given to [`Client::call`].
        command: String,
        /// What the engine said.
        text: String,
    },
    /// A reply with an id that is not the one that is due.
    #[error("expected a reply with id {expected}, found id {found}")]
    WrongId {
        /// The id that was due.
        expected: u32,
        /// The id that came.
        found: u32,
    },
    /// A line that starts no reply where a reply must start. The line is used up.
    #[error("expected a reply, found '{line}'")]
    Garbage {
        /// The line, shortened.
        line: String,
    },
    /// A reply beyond [`MAX_REPLY`] bytes. The rest of it will be skipped.
    #[error("the reply is longer than {MAX_REPLY} bytes")]
    TooLong,
    /// The pipe failed, or the line to send is not one command.
    #[error(transparent)]
    Io(io::Error),
}

impl From<io::Error> for ClientError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Io(error),
        }
    }
}

/// One engine's input and output.
///
/// Dropping it closes both. The reading thread ends at the next piece of output or when the engine closes its side.
#[derive(Debug)]
pub struct Client<R, W> {
    writer: W,
    chunks: Receiver<io::Result<Vec<u8>>>,
    /// The chunk in work and how much of it is used.
    chunk: Vec<u8>,
    used: usize,
    assembler: Assembler,
    last_id: u32,
    /// Ids of the commands without a reply so far, first sent first.
    pending: VecDeque<u32>,
    reader: PhantomData<fn(R)>,
}

impl<R: Read + Send + 'static, W: Write> Client<R, W> {
    /// Starts to read `reader`, the engine's output; commands go to `writer`.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub fn new(reader: R, writer: W) -> io::Result<Self> {
        let (sender, chunks) = sync_channel(QUEUE);
        thread::Builder::new()
            .name("gtp-client".to_owned())
            .spawn(move || forward(reader, &sender))?;
        Ok(Self {
            writer,
            chunks,
            chunk: Vec::new(),
            used: 0,
            assembler: Assembler::default(),
            last_id: 0,
            pending: VecDeque::new(),
            reader: PhantomData,
        })
    }

    /// Sends one command, given without an id, and returns the id that was put before it.
    ///
    /// The write itself has no deadline: it waits while the pipe is full, which takes an engine that has left some
    /// thousand commands unread.
    ///
    /// # Errors
    /// [`ClientError::Closed`], or [`ClientError::Io`]: a failing pipe, or `InvalidInput` where `line` is not exactly
    /// one command, since the engine's answers would then no longer fit the questions.
    pub fn send(&mut self, line: &str) -> Result<u32, ClientError> {
        let is_command = matches!(
            parse(&clean(line.as_bytes())),
            Ok(Some(Command { id: None, .. }))
        );
        if !is_command || line.contains('\n') {
            let message = format!("not one command without an id: {line:?}");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message).into());
        }
        let id = if self.last_id < MAX_ID {
            self.last_id + 1
        } else {
            1
        };
        self.writer.write_all(format!("{id} {line}\n").as_bytes())?;
        self.writer.flush()?;
        self.last_id = id;
        self.pending.push_back(id);
        Ok(id)
    }

    /// Sends the comment line that stops a running command in engines that know it. It has no reply.
    ///
    /// # Errors
    /// [`ClientError::Closed`] or [`ClientError::Io`].
    pub fn interrupt(&mut self) -> Result<(), ClientError> {
        self.writer.write_all(b"# interrupt\n")?;
        Ok(self.writer.flush()?)
    }

    /// Waits for the reply to the oldest command that has none. A failure (`?`) is a reply like any other here.
    ///
    /// # Errors
    /// Any [`ClientError`] but [`ClientError::Refused`].
    pub fn receive(&mut self, timeout: Duration) -> Result<Response, ClientError> {
        let expected = self.pending.front().copied();
        let response = match self.event(deadline(timeout))? {
            Event::Reply(response) => response,
            Event::TooLong { id } => {
                self.settle(id);
                return Err(ClientError::TooLong);
            }
            Event::Garbage(line) => return Err(ClientError::Garbage { line }),
        };
        self.settle(response.id);
        match (expected, response.id) {
            (Some(expected), Some(found)) if expected != found => {
                Err(ClientError::WrongId { expected, found })
            }
            _ => Ok(response),
        }
    }

    /// Sends a command and waits for its reply's text. Replies still due to earlier commands, such as one that was
    /// given up on, are skipped.
    ///
    /// # Errors
    /// Any [`ClientError`].
    pub fn call(&mut self, line: &str, timeout: Duration) -> Result<String, ClientError> {
        let deadline = deadline(timeout);
        let expected = self.send(line)?;
        loop {
            let (found, outcome) = match self.event(deadline)? {
                Event::Reply(Response { id, ok: true, text }) => (id, Ok(text)),
                Event::Reply(Response {
                    id,
                    ok: false,
                    text,
                }) => (
                    id,
                    Err(ClientError::Refused {
                        command: line.to_owned(),
                        text,
                    }),
                ),
                Event::TooLong { id } => (id, Err(ClientError::TooLong)),
                Event::Garbage(line) => return Err(ClientError::Garbage { line }),
            };
            match (self.settle(found), found) {
                (Some(answered), _) if answered == expected => return outcome,
                (None, Some(found)) => return Err(ClientError::WrongId { expected, found }),
                _ => {}
            }
        }
    }

    /// Says which command a reply answers, and takes it and those before it off the list: replies come in order. One
    /// without an id answers the oldest; an id that is not due answers none.
    fn settle(&mut self, found: Option<u32>) -> Option<u32> {
        let place = match found {
            Some(id) => self.pending.iter().position(|&due| due == id)?,
            None => 0,
        };
        let answered = self.pending.get(place).copied()?;
        self.pending.drain(..=place);
        Some(answered)
    }

    fn event(&mut self, deadline: Option<Instant>) -> Result<Event, ClientError> {
        // What waits in the queue at the deadline came in time; what a flooding engine adds meanwhile did not.
        let mut late = 0;
        loop {
            let (used, event) = self.assembler.push(&self.chunk[self.used..]);
            self.used += used;
            if let Some(event) = event {
                return Ok(event);
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            late += usize::from(left == Some(Duration::ZERO));
            if late > QUEUE {
                return Err(ClientError::Timeout);
            }
            let received = match left {
                Some(left) => self.chunks.recv_timeout(left),
                None => self.chunks.recv().map_err(RecvTimeoutError::from),
            };
            self.used = 0;
            self.chunk = Vec::new();
            self.chunk = match received {
                Ok(chunk) => chunk?,
                Err(RecvTimeoutError::Timeout) => return Err(ClientError::Timeout),
                Err(RecvTimeoutError::Disconnected) => return Err(ClientError::Closed),
            };
        }
    }
}

/// `None`, no deadline, where the timeout is beyond what the clock can say.
fn deadline(timeout: Duration) -> Option<Instant> {
    Instant::now().checked_add(timeout)
}

/// The reading thread: passes chunks on until the reader ends or fails, or nobody listens.
fn forward(mut reader: impl Read, chunks: &SyncSender<io::Result<Vec<u8>>>) {
    let mut buffer = vec![0; CHUNK];
    loop {
        let chunk = match reader.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => Ok(buffer[..count].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let failed = chunk.is_err();
        if chunks.send(chunk).is_err() || failed {
            return;
        }
    }
}

/// Starts an engine with its input and output connected to a client; its standard error stays as `command` says.
///
/// The child is not ended when the client is dropped: kill it, or send `quit`, and wait for it.
///
/// # Errors
/// Where the program or the reading thread cannot be started.
pub fn spawn(
    command: &mut process::Command,
) -> io::Result<(Child, Client<ChildStdout, ChildStdin>)> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let client = match (child.stdout.take(), child.stdin.take()) {
        (Some(output), Some(input)) => Client::new(output, input),
        _ => Err(io::Error::other("the child has no pipes")),
    };
    match client {
        Ok(client) => Ok((child, client)),
        Err(error) => {
            // Without its client nobody could end it; the first error says more than these two would.
            let _ = child.kill();
            let _ = child.wait();
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests;
