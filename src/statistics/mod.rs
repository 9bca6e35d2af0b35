//! Statistics of match results: intervals, tests, ratings. Numbers in, numbers out; knows no game and no engine.
//!
//! Distributions come from `statrs`; the studentized range, which it lacks, is in [`tukey`]. What is computed here is held
//! against scipy and statsmodels by the tests; `tools/compare/distributions.py` made the numbers.

pub mod anova;
pub mod elo;
pub mod proportion;
pub mod sprt;
pub mod tukey;

use statrs::distribution::{ContinuousCDF, Normal};

/// The standard normal quantile of 0.975: half the width of 95 % in standard deviations.
pub const Z95: f64 = 1.959_963_984_540_054;

/// The probability that a standard normal variable is at most `x`.
pub fn normal(x: f64) -> f64 {
    Normal::standard().cdf(x)
}

#[cfg(test)]
mod tests;
