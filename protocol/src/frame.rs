//! From bytes to a line of text: reading lines under a cap, and the preprocessing of GTP 2, section 3.1.
//!
//! It must not know what a command is. Where a line ends and what remains of it is all that is decided here.

use std::io::{self, BufRead};

/// Longest line that is kept, in bytes, its line feed not counted.
pub const MAX_LINE: usize = 1 << 20;

/// Preprocesses raw input in the specification's order: control characters other than HT and LF are dropped (CR
/// among them), then `#` and what follows it on its line, then HT becomes a space.
///
/// Unicode's control characters U+0080 to U+009F count too; the specification leaves them open. Bytes that are not
/// UTF-8 become U+FFFD, so that no input is lost silently. Empty lines stay: [`crate::parse`] reads
/// them as no command.
pub fn clean(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(raw);
    let mut cleaned = String::with_capacity(text.len());
    let mut in_comment = false;
    for c in text.chars() {
        match c {
            '\n' => {
                in_comment = false;
                cleaned.push(c);
            }
            _ if in_comment => {}
            '#' => in_comment = true,
            '\t' => cleaned.push(' '),
            _ if c.is_control() => {}
            _ => cleaned.push(c),
        }
    }
    cleaned
}

/// Whether this raw line is GoGui's `# interrupt`, which stops the command that is running.
///
/// To GTP it is a comment, so it has to be looked for before [`clean`] removes it. A CR, LF or blanks at its end are
/// tolerated; anything else makes it an ordinary comment.
pub fn is_interrupt(raw: &[u8]) -> bool {
    raw.trim_ascii_end() == b"# interrupt"
}

/// One line as it came, without its line feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A line within the cap: raw, not yet cleaned.
    Text(Vec<u8>),
    /// A line beyond the cap: read to its end, not kept.
    TooLong {
        /// How long it was, its line feed not counted.
        bytes: u64,
    },
}

/// Reads lines of at most [`MAX_LINE`] bytes, holding no more than one line in memory.
#[derive(Debug)]
pub struct LineReader<R> {
    inner: R,
    /// What has been read of the current line. It outlives an error, so that a reader with a time-out can go on.
    kept: Vec<u8>,
    /// Length of the current line so far, kept or not.
    bytes: u64,
}

impl<R: BufRead> LineReader<R> {
    /// Reads lines from `inner`.
    pub fn new(inner: R) -> Self {
        Self {
            inner,
            kept: Vec::new(),
            bytes: 0,
        }
    }

    /// What it reads from.
    pub fn get_ref(&self) -> &R {
        &self.inner
    }

    /// The next line, or `None` at the end of the input. A last line without a line feed counts as a line.
    ///
    /// # Errors
    /// Any error of the reader except an interrupted call, which is tried again. What was read of a line before the
    /// error is kept: calling again continues that line.
    pub fn next_line(&mut self) -> io::Result<Option<Line>> {
        loop {
            let available = match self.inner.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                return Ok((self.bytes > 0).then(|| self.finish()));
            }
            let end = available.iter().position(|&byte| byte == b'\n');
            let piece = &available[..end.unwrap_or(available.len())];
            self.bytes += piece.len() as u64;
            if self.bytes <= MAX_LINE as u64 {
                self.kept.extend_from_slice(piece);
            } else {
                self.kept = Vec::new();
            }
            let consumed = piece.len() + usize::from(end.is_some());
            self.inner.consume(consumed);
            if end.is_some() {
                return Ok(Some(self.finish()));
            }
        }
    }

    fn finish(&mut self) -> Line {
        let bytes = std::mem::take(&mut self.bytes);
        let kept = std::mem::take(&mut self.kept);
        if bytes <= MAX_LINE as u64 {
            // It may wait in a queue, and its buffer may be twice as long.
            Line::Text(kept.into_boxed_slice().into_vec())
        } else {
            Line::TooLong { bytes }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Cursor, Read};

    fn lines(input: impl BufRead) -> Vec<Line> {
        let mut reader = LineReader::new(input);
        std::iter::from_fn(|| reader.next_line().unwrap()).collect()
    }

    fn text(line: &str) -> Line {
        Line::Text(line.as_bytes().to_vec())
    }

    #[test]
    fn control_characters_go_and_tabs_become_spaces() {
        assert_eq!(clean(b"1\tplay\tb\ta1\r"), "1 play b a1");
        assert_eq!(clean(b"na\0m\x07e\x7f\x1b"), "name");
        assert_eq!(clean("na\u{85}me".as_bytes()), "name");
    }

    #[test]
    fn comments_end_with_their_line_and_are_removed_before_tabs_turn() {
        assert_eq!(clean(b"name#\tand\tmore"), "name");
        assert_eq!(clean(b"a\tb # one # two\nc"), "a b \nc");
        assert_eq!(clean(b"a # x\ry\nb"), "a \nb");
        assert_eq!(clean(b"#"), "");
    }

    #[test]
    fn broken_utf8_is_replaced_and_whole_utf8_kept() {
        assert_eq!(clean(b"a\xffb\xc3"), "a\u{fffd}b\u{fffd}");
        assert_eq!(clean(b"\xc3#\xa9"), "\u{fffd}");
        assert_eq!(clean("Zürich ●".as_bytes()), "Zürich ●");
    }

    #[test]
    fn interrupt_is_one_exact_line() {
        for yes in ["# interrupt", "# interrupt\r", "# interrupt \t\r\n"] {
            assert!(is_interrupt(yes.as_bytes()), "{yes:?}");
        }
        for no in [
            "#interrupt",
            " # interrupt",
            "# interrupted",
            "# interrupt now",
            "interrupt",
            "",
        ] {
            assert!(!is_interrupt(no.as_bytes()), "{no:?}");
        }
    }

    #[test]
    fn lines_are_split_at_line_feeds_only() {
        let input = Cursor::new(b"one\r\n\ntwo\rtwo\nlast");
        assert_eq!(
            lines(input),
            [text("one\r"), text(""), text("two\rtwo"), text("last")]
        );
        assert_eq!(lines(Cursor::new(b"")), []);
        assert_eq!(lines(Cursor::new(b"one\n")), [text("one")]);
    }

    #[test]
    fn a_line_at_the_cap_is_kept_and_one_beyond_it_is_counted() {
        let mut input = vec![b'x'; MAX_LINE];
        input.push(b'\n');
        input.extend(vec![b'y'; MAX_LINE + 1]);
        input.extend(b"\nname\n");
        input.extend(vec![b'z'; 3 * MAX_LINE]);
        let found = lines(BufReader::with_capacity(4096, Cursor::new(input)));
        assert_eq!(found[0], Line::Text(vec![b'x'; MAX_LINE]));
        assert_eq!(
            found[1],
            Line::TooLong {
                bytes: MAX_LINE as u64 + 1
            }
        );
        assert_eq!(found[2], text("name"));
        assert_eq!(
            found[3],
            Line::TooLong {
                bytes: 3 * MAX_LINE as u64
            }
        );
        assert_eq!(found.len(), 4);
    }

    /// Gives one prepared result a call.
    struct Script(Vec<io::Result<&'static [u8]>>);

    impl Read for Script {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let bytes = self.0.remove(0)?;
            buffer[..bytes.len()].copy_from_slice(bytes);
            Ok(bytes.len())
        }
    }

    #[test]
    fn interrupted_reads_are_retried_and_other_errors_lose_nothing() {
        let script = Script(vec![
            Ok(b"na"),
            Err(io::ErrorKind::Interrupted.into()),
            Ok(b"m"),
            Err(io::ErrorKind::TimedOut.into()),
            Ok(b"e\n"),
        ]);
        let mut reader = LineReader::new(BufReader::new(script));
        assert_eq!(
            reader.next_line().unwrap_err().kind(),
            io::ErrorKind::TimedOut
        );
        assert_eq!(reader.next_line().unwrap(), Some(text("name")));
        assert_eq!(reader.next_line().unwrap(), None);
    }
}
