//! Typed reading of a command's arguments, so that every refusal says what was expected and what was found.
//!
//! It knows GTP's argument types (colour, integer, float, word) and no command.

use std::fmt::{self, Display};
use std::ops::RangeInclusive;
use std::str::FromStr;

use thiserror::Error;

/// Most characters of a wrong argument that are repeated in the answer.
const SHOWN: usize = 40;

/// An argument that is missing, of the wrong kind, out of range or one too many.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("expected {expected}, found {found}")]
pub struct ArgumentError {
    expected: String,
    found: String,
}

impl ArgumentError {
    /// `expected` continues the sentence "expected …"; `found` is the argument, or `None` where there was none.
    pub fn new(expected: impl Into<String>, found: Option<&str>) -> Self {
        let found = found.map_or_else(
            || "nothing".to_owned(),
            |found| format!("'{}'", shorten(found, SHOWN)),
        );
        Self {
            expected: expected.into(),
            found,
        }
    }
}

/// At most `most` characters of `text`, the last an ellipsis where something was cut.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    text.chars()
        .take(most.saturating_sub(1))
        .chain(['…'])
        .collect()
}

/// GTP's two colours. Player one is black and player two white, whatever a game calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Colour {
    /// Player one.
    Black,
    /// Player two.
    White,
}

impl FromStr for Colour {
    type Err = ArgumentError;

    fn from_str(text: &str) -> Result<Self, ArgumentError> {
        match text.to_ascii_lowercase().as_str() {
            "b" | "black" | "p1" => Ok(Self::Black),
            "w" | "white" | "p2" => Ok(Self::White),
            _ => Err(ArgumentError::new("a colour (b or w)", Some(text))),
        }
    }
}

impl Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Black => "b",
            Self::White => "w",
        })
    }
}

/// The integers that an argument can be read as.
pub trait Integer: FromStr + PartialOrd + Display {}
macro_rules! integers { ($($kind:ty)*) => { $(impl Integer for $kind {})* } }
integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// Takes arguments one by one from the front.
#[derive(Debug, Clone)]
pub struct Args<'a> {
    left: &'a [String],
}

impl<'a> Args<'a> {
    /// Starts at the first argument.
    pub fn new(args: &'a [String]) -> Self {
        Self { left: args }
    }

    /// Whether all arguments have been taken; for arguments that may be left out.
    pub fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// The next argument, not taken.
    pub fn peek(&self) -> Option<&'a str> {
        self.left.first().map(String::as_str)
    }

    /// Takes a colour.
    ///
    /// # Errors
    /// Where there is none: see [`Colour`].
    pub fn next_colour(&mut self) -> Result<Colour, ArgumentError> {
        self.next_word("a colour (b or w)")?.parse()
    }

    /// Takes an integer within `range`.
    ///
    /// # Errors
    /// Where there is none, or one out of range.
    pub fn next_int<T: Integer>(&mut self, range: RangeInclusive<T>) -> Result<T, ArgumentError> {
        let expected = || format!("an integer from {} to {}", range.start(), range.end());
        self.next_within(&range, expected)
    }

    /// Takes a finite number within `range`, whose ends may be infinite.
    ///
    /// # Errors
    /// Where there is none, or one out of range or not finite.
    pub fn next_float(&mut self, range: RangeInclusive<f64>) -> Result<f64, ArgumentError> {
        let (low, high) = (*range.start(), *range.end());
        let expected = || match (low.is_finite(), high.is_finite()) {
            (true, true) => format!("a number from {low} to {high}"),
            (true, false) => format!("a number of at least {low}"),
            (false, true) => format!("a number of at most {high}"),
            (false, false) => "a finite number".to_owned(),
        };
        let finite = low.max(f64::MIN)..=high.min(f64::MAX);
        self.next_within(&finite, expected)
    }

    /// Takes any one word; `what` continues the sentence "expected …".
    ///
    /// # Errors
    /// Where nothing is left.
    pub fn next_word(&mut self, what: &str) -> Result<&'a str, ArgumentError> {
        let (first, left) = self
            .left
            .split_first()
            .ok_or_else(|| ArgumentError::new(what, None))?;
        self.left = left;
        Ok(first)
    }

    /// Takes everything that is left, which may be nothing.
    pub fn rest(&mut self) -> &'a [String] {
        std::mem::take(&mut self.left)
    }

    /// Makes sure that nothing is left.
    ///
    /// # Errors
    /// Where something is: an argument too many is more often a mistake than a wish to be ignored.
    pub fn finish(self) -> Result<(), ArgumentError> {
        match self.peek() {
            None => Ok(()),
            found => Err(ArgumentError::new("no further argument", found)),
        }
    }

    fn next_within<T: FromStr + PartialOrd>(
        &mut self,
        range: &RangeInclusive<T>,
        expected: impl Fn() -> String,
    ) -> Result<T, ArgumentError> {
        let found = self
            .peek()
            .ok_or_else(|| ArgumentError::new(expected(), None))?;
        let value = found.parse().ok().filter(|value| range.contains(value));
        let value = value.ok_or_else(|| ArgumentError::new(expected(), Some(found)))?;
        self.left = &self.left[1..];
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    fn said<T: fmt::Debug>(result: Result<T, ArgumentError>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn colours_have_names_in_any_case() {
        for text in ["b", "B", "black", "BLACK", "p1", "P1"] {
            assert_eq!(text.parse(), Ok(Colour::Black));
        }
        for text in ["w", "W", "White", "p2"] {
            assert_eq!(text.parse(), Ok(Colour::White));
        }
        assert_eq!(format!("{}{}", Colour::Black, Colour::White), "bw");
        assert_eq!(
            said("red".parse::<Colour>()),
            "expected a colour (b or w), found 'red'"
        );
    }

    #[test]
    fn arguments_are_taken_in_order() {
        let list = words("w 19 0.5 a1 and more");
        let mut args = Args::new(&list);
        assert_eq!(args.next_colour(), Ok(Colour::White));
        assert_eq!(args.next_int(1..=25_usize), Ok(19));
        assert_eq!(args.next_float(0.0..=1.0), Ok(0.5));
        assert_eq!(args.next_word("a move"), Ok("a1"));
        assert_eq!((args.peek(), args.is_empty()), (Some("and"), false));
        assert_eq!(args.rest(), ["and", "more"]);
        assert!(args.is_empty() && args.finish().is_ok());
    }

    #[test]
    fn what_is_missing_is_named() {
        let mut args = Args::new(&[]);
        assert_eq!(
            said(args.next_colour()),
            "expected a colour (b or w), found nothing"
        );
        assert_eq!(
            said(args.next_int(2..=19)),
            "expected an integer from 2 to 19, found nothing"
        );
        assert_eq!(
            said(args.next_float(0.0..=f64::INFINITY)),
            "expected a number of at least 0, found nothing"
        );
        assert_eq!(
            said(args.next_word("a move")),
            "expected a move, found nothing"
        );
        assert!(args.rest().is_empty());
    }

    #[test]
    fn integers_keep_to_their_range() {
        for wrong in [
            "1",
            "20",
            "x",
            "3.0",
            "-5",
            "99999999999999999999",
            "\u{fffd}",
        ] {
            let list = words(wrong);
            let said = said(Args::new(&list).next_int(2..=19_u8));
            assert_eq!(
                said,
                format!("expected an integer from 2 to 19, found '{wrong}'")
            );
        }
        let list = words("-5 18446744073709551615");
        let mut args = Args::new(&list);
        assert_eq!(args.next_int(-5..=5), Ok(-5));
        assert_eq!(args.next_int(0..=u64::MAX), Ok(u64::MAX));
    }

    #[test]
    fn floats_are_finite() {
        for wrong in ["inf", "-inf", "nan", "1e999", "x"] {
            let list = words(wrong);
            let said = said(Args::new(&list).next_float(f64::NEG_INFINITY..=f64::INFINITY));
            assert_eq!(said, format!("expected a finite number, found '{wrong}'"));
        }
        let list = words("1.5");
        assert_eq!(
            said(Args::new(&list).next_float(-1.0..=1.0)),
            "expected a number from -1 to 1, found '1.5'"
        );
        assert_eq!(Args::new(&list).next_float(0.0..=f64::INFINITY), Ok(1.5));
    }

    #[test]
    fn an_argument_too_many_is_refused() {
        let list = words("extra");
        assert_eq!(
            said(Args::new(&list).finish()),
            "expected no further argument, found 'extra'"
        );
    }

    #[test]
    fn a_refused_argument_is_not_taken() {
        let list = words("twelve");
        let mut args = Args::new(&list);
        assert!(args.next_int(0..=20).is_err());
        assert_eq!(args.next_word("a word"), Ok("twelve"));
    }

    #[test]
    fn what_was_found_is_shortened_by_characters() {
        let (fits, cut) = ("ü".repeat(40), "ü".repeat(41));
        assert_eq!(shorten(&fits, SHOWN), fits);
        assert_eq!(shorten(&cut, SHOWN), format!("{}…", "ü".repeat(39)));
        assert!(said(cut.parse::<Colour>()).ends_with("ü…'"));
    }
}
