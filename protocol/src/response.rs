//! A response and its frame: `=id text` or `?id text`, ended by one empty line.
//!
//! Whatever the text holds, the frame that is written has an empty line at its end and none before.

use std::fmt;
use std::io::{self, Write};

/// The answer to one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The command's id, where it had one.
    pub id: Option<u32>,
    /// Success (`=`) or failure (`?`).
    pub ok: bool,
    /// Any text; it is made safe for the frame when it is written.
    pub text: String,
}

impl Response {
    /// A success.
    pub fn ok(id: Option<u32>, text: impl Into<String>) -> Self {
        Self {
            id,
            ok: true,
            text: text.into(),
        }
    }

    /// A failure; `text` says why.
    pub fn error(id: Option<u32>, text: impl Into<String>) -> Self {
        Self {
            id,
            ok: false,
            text: text.into(),
        }
    }

    /// Writes the frame in one piece and flushes: a response that waits in a buffer stalls the other side.
    ///
    /// # Errors
    /// Any error of the writer.
    pub fn write_to(&self, writer: &mut impl Write) -> io::Result<()> {
        writer.write_all(self.to_string().as_bytes())?;
        writer.flush()
    }
}

impl fmt::Display for Response {
    /// The whole frame. The space after the status is written even where no text follows: HexGui expects it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.ok { "=" } else { "?" })?;
        if let Some(id) = self.id {
            write!(f, "{id}")?;
        }
        write!(f, " {}\n\n", sanitise(&self.text))
    }
}

/// Text that cannot break the frame: CR LF and CR become LF, other control characters except LF and HT are dropped,
/// and so are lines without anything visible, since a client that trims its lines takes them for the frame's end.
///
/// One line feed at the start stays if text follows: it puts a board below the status instead of beside it.
fn sanitise(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let below = text.starts_with('\n');
    let text: String = text
        .chars()
        .filter(|&c| c == '\n' || c == '\t' || !c.is_control())
        .collect();
    let lines: Vec<&str> = text
        .split('\n')
        .filter(|line| !line.trim().is_empty())
        .collect();
    let joined = lines.join("\n");
    if below && !joined.is_empty() {
        format!("\n{joined}")
    } else {
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(text: &str) -> String {
        Response::ok(None, text).to_string()
    }

    #[test]
    fn status_id_and_text() {
        assert_eq!(Response::ok(None, "2").to_string(), "= 2\n\n");
        assert_eq!(Response::ok(Some(5), "2").to_string(), "=5 2\n\n");
        assert_eq!(
            Response::error(None, "unknown command").to_string(),
            "? unknown command\n\n"
        );
        assert_eq!(
            Response::error(Some(0), "illegal move").to_string(),
            "?0 illegal move\n\n"
        );
    }

    #[test]
    fn a_space_stands_where_no_text_follows() {
        assert_eq!(frame(""), "= \n\n");
        assert_eq!(Response::ok(Some(5), "").to_string(), "=5 \n\n");
        assert_eq!(Response::error(Some(5), "\n").to_string(), "?5 \n\n");
        assert_eq!(frame("  \t \n \r\n"), "= \n\n");
    }

    #[test]
    fn line_ends_are_normalised_and_trailing_ones_cut() {
        assert_eq!(frame("a\r\nb\rc\n\n\n"), "= a\nb\nc\n\n");
        assert_eq!(frame("a\n\r\n"), "= a\n\n");
    }

    #[test]
    fn empty_lines_inside_are_removed() {
        assert_eq!(frame("a\n\nb"), "= a\nb\n\n");
        assert_eq!(frame("a\n\r\n\r\rb"), "= a\nb\n\n");
        assert_eq!(frame("a\n \t\nb"), "= a\nb\n\n");
        assert_eq!(frame("a\n\0\nb"), "= a\nb\n\n");
    }

    #[test]
    fn a_board_may_begin_below_the_status() {
        assert_eq!(frame("\n  a b\n1 . ."), "= \n  a b\n1 . .\n\n");
        assert_eq!(frame("\n\n\nx"), "= \nx\n\n");
        assert_eq!(frame("  a b\n1 . ."), "=   a b\n1 . .\n\n");
    }

    #[test]
    fn control_characters_are_dropped_except_tabs() {
        assert_eq!(frame("a\tb\0c\x1b[31m\u{85}d\x7f"), "= a\tbc[31md\n\n");
    }

    #[test]
    fn writing_gives_the_same_frame() {
        let mut written = Vec::new();
        Response::ok(Some(1), "é").write_to(&mut written).unwrap();
        assert_eq!(written, "=1 é\n\n".as_bytes());
    }
}
