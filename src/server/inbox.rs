//! The reader thread: queues every line, and tells a running search at once what a line means for it.

use super::input::{Input, Source};
use super::promptly::run_promptly;
use crate::search::Stop;
use crate::threads::{self, Panicked};
use crossbeam_channel::{Receiver, Select, Sender, unbounded};
use parking_lot::{Condvar, Mutex};
use std::io::{self, BufReader};
use std::sync::Arc;
use std::time::{Duration, Instant};
use treeline_protocol::{Line, LineReader, clean, is_interrupt, parse};

/// Bytes of queued lines above which reading pauses: a part of what every session keeps of its memory for such things.
const FULL: usize = 4 << 20;
/// While it pauses the reader looks this often whether the other side is still there.
const LOOK: Duration = Duration::from_secs(1);

/// What the dispatcher takes out.
#[derive(Debug)]
pub enum Message {
    /// A line with the number by which it can be interrupted.
    Line(u64, Line),
    End,
    /// The reader thread is gone, without an end of input.
    Broken(Panicked),
}

/// Lines in order of arrival.
pub struct Inbox {
    receiver: Receiver<Message>,
    sender: Sender<Message>,
    waiting: Arc<Waiting>,
    idle: Idle,
}

/// Since when a dialogue waits for a line.
#[derive(Debug, Clone, Default)]
pub struct Idle(Arc<Mutex<Option<Instant>>>);

impl Idle {
    /// How long it has been waiting; `None` while it answers.
    pub fn time(&self) -> Option<Duration> {
        self.0.lock().map(|since| since.elapsed())
    }

    fn set(&self, waits: bool) {
        *self.0.lock() = waits.then(Instant::now);
    }
}

#[derive(Default)]
struct Waiting {
    queue: Mutex<Queue>,
    less: Condvar,
}

#[derive(Default)]
struct Queue {
    bytes: usize,
    /// The dialogue is over: nothing is taken out any more.
    closed: bool,
}

impl Inbox {
    /// Starts reading. `idle` tells from then on whether the dialogue waits.
    pub fn open(input: impl Input, stop: Stop, source: Source, idle: Idle) -> io::Result<Self> {
        let (sender, receiver) = unbounded();
        let waiting = Arc::new(Waiting::default());
        let reader = Reader {
            sender: sender.clone(),
            waiting: waiting.clone(),
            stop,
            source,
        };
        std::thread::Builder::new()
            .name("reader".into())
            .spawn(move || {
                run_promptly();
                let (sender, stop) = (reader.sender.clone(), reader.stop.clone());
                let read = || {
                    reader.run(LineReader::new(BufReader::new(input)));
                    Ok(())
                };
                if let Err(panicked) = threads::caught(read) {
                    // No line will come any more, and nothing that searches need go on.
                    stop.terminate();
                    let _ = sender.send(Message::Broken(panicked));
                }
            })?;
        Ok(Inbox {
            receiver,
            sender,
            waiting,
            idle,
        })
    }

    /// The next line; waits for it.
    pub fn next(&self) -> Message {
        self.idle.set(true);
        let message = self.receiver.recv().unwrap_or(Message::End);
        self.idle.set(false);
        if let Message::Line(_, Line::Text(line)) = &message {
            self.waiting.queue.lock().bytes -= cost(line);
            self.waiting.less.notify_one();
        }
        message
    }

    /// Does something that counts as waiting for a line.
    pub fn idly(&self, work: impl FnOnce()) {
        self.idle.set(true);
        work();
    }

    /// Whether a line is there, or comes within this time.
    pub fn comes_within(&self, time: Duration) -> bool {
        let mut coming = Select::new();
        coming.recv(&self.receiver);
        coming.ready_timeout(time).is_ok()
    }

    /// A way to end the dialogue from outside.
    pub fn sender(&self) -> Sender<Message> {
        self.sender.clone()
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        self.waiting.queue.lock().closed = true;
        self.waiting.less.notify_one();
    }
}

/// What a queued line takes, its place in the queue included.
fn cost(line: &[u8]) -> usize {
    line.len() + 64
}

struct Reader {
    sender: Sender<Message>,
    waiting: Arc<Waiting>,
    stop: Stop,
    source: Source,
}

impl Reader {
    fn run<I: Input>(self, mut lines: LineReader<BufReader<I>>) {
        loop {
            let line = match lines.next_line() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => {
                    match error.kind() {
                        io::ErrorKind::ConnectionReset => log::info!("input ended: {error}"),
                        _ => log::error!("input cannot be read: {error}"),
                    }
                    break;
                }
            };
            if let Line::Text(text) = &line {
                if self.source == Source::Connection && is_http(text) {
                    log::warn!("a connection is closed that spoke HTTP");
                    break;
                }
                if is_interrupt(text) {
                    self.stop.interrupt();
                }
                if self.source != Source::File && is_quit(text) {
                    self.stop.desert();
                }
                if !self.make_room(cost(text), lines.get_ref().get_ref()) {
                    return;
                }
            }
            let number = self.stop.announce();
            if self.sender.send(Message::Line(number, line)).is_err() {
                return;
            }
        }
        self.input_ended();
        // Analysis ends with any further line, and with the last.
        self.stop.announce();
        let _ = self.sender.send(Message::End);
    }

    /// Waits until the queue takes so many bytes more; false when nobody takes out of it any more.
    fn make_room(&self, bytes: usize, input: &impl Input) -> bool {
        let mut queue = self.waiting.queue.lock();
        while queue.bytes > FULL && !queue.closed {
            self.waiting.less.wait_for(&mut queue, LOOK);
            // The end of what is not read yet.
            if input.is_closed() {
                self.input_ended();
            }
        }
        queue.bytes += bytes;
        !queue.closed
    }

    /// Tells searches that no further line will come.
    fn input_ended(&self) {
        match self.source {
            Source::File => {}
            Source::Pipe => self.stop.desert(),
            Source::Connection => self.stop.terminate(),
        }
    }
}

/// Whether a line is the command `quit`. Only short lines are looked at: this is done for every line twice.
fn is_quit(line: &[u8]) -> bool {
    line.len() < 100
        && line.windows(4).any(|word| word == b"quit")
        && matches!(parse(&clean(line)), Ok(Some(command)) if command.name == "quit" && command.args.is_empty())
}

/// Whether a line is of HTTP. A web page can make its visitor's browser send such lines to this machine's ports, and the body
/// of the request could be commands.
fn is_http(line: &[u8]) -> bool {
    const METHODS: [&[u8]; 9] = [
        b"GET ",
        b"POST ",
        b"PUT ",
        b"HEAD ",
        b"OPTIONS ",
        b"DELETE ",
        b"PATCH ",
        b"CONNECT ",
        b"TRACE ",
    ];
    let words = line.trim_ascii().rsplit(|byte| *byte == b' ');
    METHODS.iter().any(|method| line.starts_with(method))
        || words.take(1).any(|last| last.starts_with(b"HTTP/"))
        || line.len() >= 5 && line[..5].eq_ignore_ascii_case(b"host:")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Defective;

    impl io::Read for Defective {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            panic!("the input is defective")
        }
    }

    impl Input for Defective {
        fn is_closed(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_reader_that_panics_ends_the_dialogue_with_an_error() {
        let inbox = Inbox::open(Defective, Stop::default(), Source::Pipe, Idle::default()).unwrap();
        match inbox.next() {
            Message::Broken(error) => assert!(error.to_string().ends_with("is defective")),
            other => panic!("{other:?}"),
        }
    }
}
