//! Puts replies together from pieces of any size, tolerating what real engines write and holding a bounded amount.
//!
//! It knows no threads, clocks or pipes: bytes in, events out.

use crate::Response;
use crate::args::shorten;
use crate::command::MAX_ID;

/// Largest reply that is kept, in bytes.
pub const MAX_REPLY: usize = 16 << 20;

/// As much of a line as is looked at where the line itself is of no use.
const MAX_STRAY: usize = 1 << 10;

/// Most characters of a garbage line that are repeated.
const SHOWN: usize = 200;

/// What has come to its end.
#[derive(Debug)]
pub(crate) enum Event {
    /// A whole reply, read leniently.
    Reply(Response),
    /// A line where a reply must start, which does not start one.
    Garbage(String),
    /// A reply beyond [`MAX_REPLY`]. The rest of it will be skipped.
    TooLong { id: Option<u32> },
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Between,
    Inside(Response),
    /// Within a reply that was too long, until its empty line.
    SkipReply,
    /// Within garbage that was too long, until its line feed.
    SkipLine,
}

/// Reads a stream of replies.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    state: State,
    /// The line that has not come to its end.
    line: Vec<u8>,
    /// Bytes of the reply, or of the line where no reply has begun.
    size: usize,
}

impl Assembler {
    /// Takes bytes up to the first event or the end of `bytes`; says how many were taken.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> (usize, Option<Event>) {
        let mut used = 0;
        while used < bytes.len() {
            let end = bytes[used..].iter().position(|&byte| byte == b'\n');
            let piece = &bytes[used..end.map_or(bytes.len(), |end| used + end)];
            used += piece.len();
            let mut event = self.extend(piece);
            if event.is_none() && end.is_some() {
                used += 1;
                event = self.end_line();
            }
            if event.is_some() {
                return (used, event);
            }
        }
        (used, None)
    }

    /// Bytes held at the moment.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        let text = match &self.state {
            State::Inside(response) => response.text.capacity(),
            _ => 0,
        };
        self.line.capacity() + text
    }

    /// Adds to the current line; an event where that makes it too long.
    fn extend(&mut self, piece: &[u8]) -> Option<Event> {
        if matches!(self.state, State::SkipReply | State::SkipLine) {
            // Enough is kept to tell an empty line from others.
            let room = MAX_STRAY.saturating_sub(self.line.len()).min(piece.len());
            self.line.extend_from_slice(&piece[..room]);
            return None;
        }
        self.line.extend_from_slice(piece);
        self.size += piece.len();
        let starts_reply = matches!(self.line.first(), Some(b'=' | b'?'));
        let (most, id) = match &self.state {
            State::Inside(response) => (MAX_REPLY, response.id),
            _ if starts_reply => (MAX_REPLY, None),
            _ => (MAX_STRAY, None),
        };
        if self.size <= most {
            return None;
        }
        // A few bytes stay: they say that this line is not the empty one.
        let line = std::mem::take(&mut self.line);
        let start = tidy(&line[..line.len().min(MAX_STRAY)]);
        self.line.extend_from_slice(b"...");
        self.size = 0;
        if most == MAX_STRAY {
            self.state = State::SkipLine;
            return Some(Event::Garbage(shorten(&start, SHOWN)));
        }
        self.state = State::SkipReply;
        Some(Event::TooLong {
            id: id.or_else(|| header(&start)?.id),
        })
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = tidy(&std::mem::take(&mut self.line));
        self.size += 1;
        let (state, event) = match std::mem::take(&mut self.state) {
            State::Between if line.trim().is_empty() => (State::Between, None),
            State::Between => match header(&line) {
                Some(response) => (State::Inside(response), None),
                None => (
                    State::Between,
                    Some(Event::Garbage(shorten(line.trim_end(), SHOWN))),
                ),
            },
            State::Inside(mut response) if line.is_empty() => {
                response.text.truncate(response.text.trim_end().len());
                (State::Between, Some(Event::Reply(response)))
            }
            State::Inside(mut response) => {
                response.text.push('\n');
                response.text.push_str(line.trim_end());
                (State::Inside(response), None)
            }
            State::SkipReply if !line.is_empty() => (State::SkipReply, None),
            State::SkipReply | State::SkipLine => (State::Between, None),
        };
        if matches!(state, State::Between) {
            self.size = 0;
        }
        self.state = state;
        event
    }
}

/// A line prepared as GTP 2, section 3.1 asks of a controller: no control characters, a space for each tab.
fn tidy(line: &[u8]) -> String {
    let visible = |c: char| match c {
        '\t' => Some(' '),
        _ => (!c.is_control()).then_some(c),
    };
    String::from_utf8_lossy(line)
        .chars()
        .filter_map(visible)
        .collect()
}

/// Reads the first line of a reply. Digits right after the status are the id where nothing else touches them, and the
/// line is not read as a reply where they exceed an id.
fn header(line: &str) -> Option<Response> {
    let (ok, rest) = match (line.strip_prefix('='), line.strip_prefix('?')) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => return None,
    };
    let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_id = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let (id, text) = if is_id {
        (Some(word.parse().ok().filter(|&id| id <= MAX_ID)?), after)
    } else {
        (None, rest)
    };
    Some(Response {
        id,
        ok,
        text: text.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that a stream leads to, one line each, given in pieces of `size` bytes.
    fn events(stream: &[u8], size: usize) -> Vec<String> {
        let mut assembler = Assembler::default();
        let mut events = Vec::new();
        for piece in stream.chunks(size) {
            let mut at = 0;
            while at < piece.len() {
                let (used, event) = assembler.push(&piece[at..]);
                at += used;
                events.extend(event.map(|event| match event {
                    Event::Reply(Response { id, ok, text }) => format!("{id:?} {ok} {text:?}"),
                    Event::Garbage(line) => format!("garbage {line:?}"),
                    Event::TooLong { id } => format!("too long {id:?}"),
                }));
            }
        }
        events
    }

    fn check(stream: &str, expected: &[&str]) {
        for size in [1, 2, 3, 7, 1000] {
            assert_eq!(
                events(stream.as_bytes(), size),
                expected,
                "{stream:?} by {size}"
            );
        }
    }

    #[test]
    fn plain_replies() {
        check("= a1\n\n", &["None true \"a1\""]);
        check(
            "=12 a1\n\n?13 no\n\n",
            &["Some(12) true \"a1\"", "Some(13) false \"no\""],
        );
        check(
            "= \n\n=\n\n=5\n\n=5 \n\n",
            &[
                "None true \"\"",
                "None true \"\"",
                "Some(5) true \"\"",
                "Some(5) true \"\"",
            ],
        );
        check("=1 name\nplay\n\n", &["Some(1) true \"name\\nplay\""]);
        check("= \n  a b\n1 . .\n\n", &["None true \"\\n  a b\\n1 . .\""]);
    }

    #[test]
    fn what_is_tolerated() {
        check("\r\n \n\n=1 a1  \r\n\r\n", &["Some(1) true \"a1\""]);
        check("=1\ta\tb\0\n\n", &["Some(1) true \"a b\""]);
        check(
            "=a1\n\n=12a\n\n",
            &["None true \"a1\"", "None true \"12a\""],
        );
        check("= x\n   \ny  \n \n\n", &["None true \"x\\n\\ny\""]);
    }

    #[test]
    fn what_is_not() {
        check(
            "hello\n= a1\n\n",
            &["garbage \"hello\"", "None true \"a1\""],
        );
        check("=99999999999 a\n\n", &["garbage \"=99999999999 a\""]);
        check("= a1\n", &[]);
    }

    #[test]
    fn a_garbage_line_is_reported_once_and_early() {
        let mut stream = vec![b'x'; 10_000];
        let shown = format!("garbage {:?}", format!("{}…", "x".repeat(SHOWN - 1)));
        assert_eq!(events(&stream, 100), [shown.as_str()]);
        stream.extend(b"\n=1 a\n\n");
        for size in [1, 100, 100_000] {
            assert_eq!(
                events(&stream, size),
                [shown.as_str(), "Some(1) true \"a\""]
            );
        }
    }

    #[test]
    fn a_reply_too_long_is_skipped_to_its_end() {
        let line = [b"y".repeat(99), b"\n".to_vec()].concat();
        let many = [
            b"=3 board\n".to_vec(),
            line.repeat(MAX_REPLY / 100 + 1),
            b"\n=4 a\n\n".to_vec(),
        ]
        .concat();
        let one = [
            b"=3 ".to_vec(),
            b"y".repeat(MAX_REPLY),
            b"\nmore\n\n=4 a\n\n".to_vec(),
        ]
        .concat();
        for stream in [many, one] {
            for size in [8192, usize::MAX] {
                assert_eq!(
                    events(&stream, size),
                    ["too long Some(3)", "Some(4) true \"a\""]
                );
            }
        }
    }

    #[test]
    fn a_reply_at_the_limit_is_kept() {
        let stream = [b"= ".to_vec(), b"y".repeat(MAX_REPLY - 3), b"\n\n".to_vec()].concat();
        assert_eq!(
            events(&stream, usize::MAX)[0].len(),
            "None true \"\"".len() + MAX_REPLY - 3
        );
    }
}
