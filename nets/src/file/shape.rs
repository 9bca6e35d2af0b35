//! What goes into a network and what comes out, as numbers.

use std::fmt;

/// The input of one position and the outputs of the policy head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// `[planes, rows, columns]`, or `[features]` of one side for networks that are updated incrementally.
    pub input: Vec<usize>,
    /// Outputs of the policy head; 0 without one.
    pub policy: usize,
}

impl Shape {
    /// Of a network over planes.
    pub fn planes(planes: usize, rows: usize, columns: usize, policy: usize) -> Shape {
        Shape {
            input: vec![planes, rows, columns],
            policy,
        }
    }

    /// Of an incrementally updated network.
    pub fn features(features: usize) -> Shape {
        Shape {
            input: vec![features],
            policy: 0,
        }
    }

    /// Reads `2x8x8`: one to three sizes of 1 to 65535.
    pub(super) fn parse_input(text: &str) -> Option<Vec<usize>> {
        let size = |word: &str| word.parse::<u16>().ok().filter(|n| *n > 0).map(usize::from);
        let input: Vec<usize> = text.split('x').map(size).collect::<Option<_>>()?;
        (input.len() == 1 || input.len() == 3).then_some(input)
    }
}

/// The input as files write it: `2x8x8`.
pub(super) fn join(input: &[usize]) -> String {
    let sizes: Vec<String> = input.iter().map(usize::to_string).collect();
    sizes.join("x")
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.input[..] {
            [features] => write!(f, "{features} features a side"),
            _ => write!(f, "{} (planes x rows x columns)", join(&self.input)),
        }?;
        match self.policy {
            0 => write!(f, " without a policy"),
            policy => write!(f, " with {policy} policy outputs"),
        }
    }
}
