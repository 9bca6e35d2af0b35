//! The grammar of a command line: `[id] name [arguments]`.
//!
//! It takes a line that [`crate::clean`] has prepared and knows no command by name.

use nom::branch::alt;
use nom::bytes::complete::take_till1;
use nom::character::complete::{digit1, space0, space1};
use nom::combinator::{eof, opt, peek};
use nom::multi::separated_list0;
use nom::sequence::{preceded, terminated};
use nom::{IResult, Parser};
use thiserror::Error;

/// Largest id: GTP's integers are unsigned and have 31 bits.
pub const MAX_ID: u32 = (1 << 31) - 1;

/// One command as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The number that the response must repeat, at most [`MAX_ID`].
    pub id: Option<u32>,
    /// The command's name: any word that is not all digits.
    pub name: String,
    /// The words after the name.
    pub args: Vec<String>,
}

impl Command {
    /// The arguments joined by one space each, for commands whose argument is a text.
    pub fn arguments_text(&self) -> String {
        self.args.join(" ")
    }
}

/// Why a line is no command.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseError {
    /// The leading number does not fit an id. The answer has to go without one.
    #[error("the id is too large: at most {MAX_ID} is allowed")]
    IdTooLarge,
    /// A number and nothing after it.
    #[error("expected a command after the id {id}")]
    MissingCommand {
        /// The id that the answer should carry.
        id: u32,
    },
    /// Text after a line feed: the caller passed more than one line.
    #[error("expected one line, found more")]
    SeveralLines {
        /// The id of the first line, where it has one.
        id: Option<u32>,
    },
}

impl ParseError {
    /// The id that the error response should carry, if one could be read.
    pub fn id(&self) -> Option<u32> {
        match self {
            Self::IdTooLarge => None,
            Self::MissingCommand { id } => Some(*id),
            Self::SeveralLines { id } => *id,
        }
    }
}

/// A line's parts before any meaning is given to them.
type Parts<'a> = (Option<&'a str>, Vec<&'a str>);

/// Digits that make a whole word: `12ab` is a name, as nothing separates an id from it.
fn id(input: &str) -> IResult<&str, &str> {
    terminated(digit1, peek(alt((space1, eof)))).parse(input)
}

fn word(input: &str) -> IResult<&str, &str> {
    take_till1(|c| c == ' ' || c == '\t').parse(input)
}

fn parts(input: &str) -> IResult<&str, Parts<'_>> {
    let words = separated_list0(space1, word);
    preceded(space0, (opt(id), preceded(space0, words))).parse(input)
}

/// Reads one cleaned line; `None` where it holds nothing but blanks.
///
/// # Errors
/// See [`ParseError`]; its [`id`](ParseError::id) is the one that the answer should carry.
pub fn parse(clean: &str) -> Result<Option<Command>, ParseError> {
    let (line, beyond) = clean.split_once('\n').unwrap_or((clean, ""));
    // The grammar accepts every string, so the error arm only keeps a panic out.
    let (id, words) = parts(line).map(|(_, parts)| parts).unwrap_or_default();
    let id = match id.map(str::parse::<u32>) {
        None => None,
        Some(Ok(id)) if id <= MAX_ID => Some(id),
        Some(_) => return Err(ParseError::IdTooLarge),
    };
    if !beyond.trim().is_empty() {
        return Err(ParseError::SeveralLines { id });
    }
    let mut words = words.into_iter().map(String::from);
    match (id, words.next()) {
        (id, Some(name)) => Ok(Some(Command {
            id,
            name,
            args: words.collect(),
        })),
        (Some(id), None) => Err(ParseError::MissingCommand { id }),
        (None, None) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MAX_LINE, clean};

    fn command(id: Option<u32>, words: &[&str]) -> Result<Option<Command>, ParseError> {
        let args = words[1..].iter().map(|word| word.to_string()).collect();
        Ok(Some(Command {
            id,
            name: words[0].to_string(),
            args,
        }))
    }

    #[test]
    fn words_are_separated_by_any_number_of_blanks() {
        assert_eq!(parse("name"), command(None, &["name"]));
        assert_eq!(
            parse("  play   b  a1  "),
            command(None, &["play", "b", "a1"])
        );
        assert_eq!(
            parse(" 7  play b a1 \n"),
            command(Some(7), &["play", "b", "a1"])
        );
        assert_eq!(parse("play\tb"), command(None, &["play", "b"]));
    }

    #[test]
    fn nothing_is_no_command() {
        for blank in ["", " ", "   \n", "\n\n", "\t"] {
            assert_eq!(parse(blank), Ok(None), "{blank:?}");
        }
        assert_eq!(parse(&clean(b"# only a comment")), Ok(None));
    }

    #[test]
    fn an_id_is_a_whole_word_of_31_bits() {
        assert_eq!(parse("0 name"), command(Some(0), &["name"]));
        assert_eq!(parse("007 name"), command(Some(7), &["name"]));
        assert_eq!(parse("2147483647 name"), command(Some(MAX_ID), &["name"]));
        assert_eq!(parse("12ab c"), command(None, &["12ab", "c"]));
        assert_eq!(parse("-3 name"), command(None, &["-3", "name"]));
        assert_eq!(parse("1 2 name"), command(Some(1), &["2", "name"]));
        assert_eq!(parse("1.5 name"), command(None, &["1.5", "name"]));
    }

    #[test]
    fn errors_carry_the_id_where_it_can_be_read() {
        for large in [
            "2147483648 name",
            "4294967296 name",
            "99999999999999999999999 name",
            "2147483648",
        ] {
            let error = parse(large).unwrap_err();
            assert_eq!((error.id(), &error), (None, &ParseError::IdTooLarge));
        }
        for lonely in ["12", "12  ", "12\n", &clean(b"12 # name")] {
            assert_eq!(parse(lonely).unwrap_err().id(), Some(12), "{lonely:?}");
        }
        assert_eq!(
            parse("5 name\nquit"),
            Err(ParseError::SeveralLines { id: Some(5) })
        );
    }

    #[test]
    fn any_other_character_belongs_to_its_word() {
        assert_eq!(
            parse("say Zürich \u{3000} \u{fffd}"),
            command(None, &["say", "Zürich", "\u{3000}", "\u{fffd}"])
        );
    }

    #[test]
    fn arguments_can_be_had_as_one_text() {
        let command = parse("say  hello   there ").unwrap().unwrap();
        assert_eq!(command.arguments_text(), "hello there");
        assert_eq!(parse("name").unwrap().unwrap().arguments_text(), "");
    }

    #[test]
    fn a_line_at_the_cap_is_parsed() {
        let command = parse(&"a ".repeat(MAX_LINE / 2)).unwrap().unwrap();
        assert_eq!(command.args.len(), MAX_LINE / 2 - 1);
        assert_eq!(
            parse(&"x".repeat(MAX_LINE)).unwrap().unwrap().name.len(),
            MAX_LINE
        );
        assert_eq!(parse(&"9".repeat(MAX_LINE)), Err(ParseError::IdTooLarge));
    }
}
