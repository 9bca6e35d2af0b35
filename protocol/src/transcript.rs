//! Recorded dialogues that tests replay through an engine: what is sent, and what must come back.
//!
//! It reads the format of `protocol/transcripts/README.md` and compares lines; running an engine is the test's part.

use thiserror::Error;

/// One line of a dialogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A line to send, without its line feed.
    Send {
        /// Where it stands in the file, counted from 1.
        line: usize,
        /// What to send, blanks kept.
        text: String,
    },
    /// A line that the engine must write.
    Expect {
        /// Where it stands in the file, counted from 1.
        line: usize,
        /// What to compare it with, see [`matches()`]; empty for the empty line that ends a frame.
        pattern: String,
    },
}

/// A line of a transcript that is neither sent, expected, a comment nor empty.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: expected '> text', '< text', a comment or an empty line, found '{text}'")]
pub struct TranscriptError {
    /// Where it stands, counted from 1.
    pub line: usize,
    /// The line, shortened.
    pub text: String,
}

/// A dialogue in the order in which it happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    steps: Vec<Step>,
}

impl Transcript {
    /// Reads a whole file.
    ///
    /// # Errors
    /// At the first line that is of no kind.
    pub fn parse(text: &str) -> Result<Self, TranscriptError> {
        let mut steps = Vec::new();
        for (line, content) in (1..).zip(text.lines()) {
            let rest = |marker| {
                let rest: &str = content.strip_prefix(marker)?;
                Some(rest.strip_prefix(' ').unwrap_or(rest).to_owned())
            };
            if let Some(text) = rest('>') {
                steps.push(Step::Send { line, text });
            } else if let Some(pattern) = rest('<') {
                steps.push(Step::Expect { line, pattern });
            } else if !content.starts_with('#') && !content.trim().is_empty() {
                return Err(TranscriptError {
                    line,
                    text: crate::args::shorten(content, 40),
                });
            }
        }
        Ok(Self { steps })
    }

    /// The lines, first to last.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

/// Whether a line is what `pattern` describes: `*` stands for any characters, none included; all others for themselves.
///
/// Blanks and a CR at the end make no difference, as editors cut them from transcripts: `=` is the line `= `.
pub fn matches(pattern: &str, line: &str) -> bool {
    // Both forms are tried, so that `= *` covers the reply without text.
    glob(pattern, line) || glob(pattern.trim_end(), line.trim_end())
}

/// The pieces between stars, each found as early as possible: a later place never helps the pieces after it.
fn glob(pattern: &str, line: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(last) = pieces.next_back() else {
        return pattern == line;
    };
    let middle = line
        .strip_prefix(first)
        .and_then(|rest| rest.strip_suffix(last));
    let Some(mut rest) = middle else {
        return false;
    };
    for piece in pieces {
        let Some((_, after)) = rest.split_once(piece) else {
            return false;
        };
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialogue_is_read_line_by_line() {
        let text = "# About names\n\n> 1 name\n< =1 *\n<\n>\n>  # interrupt\n< \n";
        let send = |line, text: &str| Step::Send {
            line,
            text: text.to_owned(),
        };
        let expect = |line, pattern: &str| Step::Expect {
            line,
            pattern: pattern.to_owned(),
        };
        let steps = [
            send(3, "1 name"),
            expect(4, "=1 *"),
            expect(5, ""),
            send(6, ""),
            send(7, " # interrupt"),
            expect(8, ""),
        ];
        assert_eq!(Transcript::parse(text).unwrap().steps(), steps);
    }

    #[test]
    fn a_line_of_no_kind_is_refused_with_its_place() {
        let error = Transcript::parse("> name\r\nname\r\n").unwrap_err();
        assert_eq!((error.line, error.text.as_str()), (2, "name"));
    }

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, line) in [
            ("*", ""),
            ("*", "= anything"),
            ("= *", "= "),
            ("=", "= \r"),
            ("= a1", "= a1"),
            ("= a*z", "= az"),
            ("= a*b*c", "= a-b-b-c"),
            ("?7 *size*", "?7 board size is 19"),
            ("**x**", "x"),
            ("= *", "= 1 * 2"),
            ("*●*", "a●b"),
        ] {
            assert!(matches(pattern, line), "{pattern:?} {line:?}");
        }
    }

    #[test]
    fn all_else_stands_for_itself() {
        for (pattern, line) in [
            ("", "x"),
            ("x", ""),
            ("= a*a", "= a"),
            ("= *", "? no"),
            ("= a*b*c", "= acb"),
            ("= A1", "= a1"),
            ("= .", "= x"),
            ("*ab*b", "ab"),
        ] {
            assert!(!matches(pattern, line), "{pattern:?} {line:?}");
        }
    }
}
