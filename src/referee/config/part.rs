//! A part of a match's games, to be played by itself: here or on another machine.

use super::Config;
use anyhow::{Result, bail};
use std::fmt;
use std::str::FromStr;

/// The `number`-th of `of` parts, from 1. Both games from one opening are in the same part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub number: u32,
    pub of: u32,
}

impl Part {
    /// Whether game `number` of the pair of engines `pair`, of so many, is in this part, in game `variant` of so many.
    pub fn has(
        &self,
        number: u32,
        (variant, variants): (usize, usize),
        (pair, pairs): (usize, usize),
    ) -> bool {
        let opening = (number / 2) as usize;
        let unit = (opening * variants + variant) * pairs + pair;
        unit % self.of as usize == self.number as usize - 1
    }

    pub(super) fn check(&self, config: &Config) -> Result<()> {
        let openings = config.games.div_ceil(2) as usize;
        let units = openings * config.variants.len() * config.pairs().len();
        if self.of as usize > units {
            bail!("--part {self}: this match has {units} openings, and so many parts at most");
        }
        Ok(())
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Part, String> {
        let split = text.split_once('/');
        let part = split.and_then(|(number, of)| {
            let (number, of) = (number.parse().ok()?, of.parse().ok()?);
            Some(Part { number, of })
        });
        part.filter(|part| (1..=part.of).contains(&part.number))
            .ok_or_else(|| format!("a part is K/N with K from 1 to N, such as 2/8, not '{text}'"))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}
