//! The sequential probability ratio test: stops a match as soon as one of two ratings differences is likely enough.
//!
//! The generalised test of Van den Bergh: the likelihood ratio of the likeliest distributions of results whose mean score is
//! that of either hypothesis. Results are those of pairs of games from one opening where there are any (five classes:
//! games from one opening are not independent), of single games otherwise.

use super::elo::SCALE;
use serde::{Deserialize, Serialize};

/// The hypotheses and the errors allowed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sprt {
    /// The first player is this much stronger, in Elo points: the hypothesis that is to be refuted.
    pub elo0: f64,
    /// The same for the hypothesis that is to be shown.
    pub elo1: f64,
    #[serde(default = "five_percent")]
    pub alpha: f64,
    #[serde(default = "five_percent")]
    pub beta: f64,
}

fn five_percent() -> f64 {
    0.05
}

/// How a test stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct State {
    /// The logarithm of the likelihood ratio, and the bounds at which the test ends.
    pub llr: f64,
    pub lower: f64,
    pub upper: f64,
}

/// What a test came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    H0,
    H1,
}

impl State {
    pub fn verdict(&self) -> Option<Verdict> {
        match self.llr {
            llr if llr >= self.upper => Some(Verdict::H1),
            llr if llr <= self.lower => Some(Verdict::H0),
            _ => None,
        }
    }
}

/// What is wrong with a test's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SprtError {
    #[error("sprt: elo0 must be less than elo1")]
    Hypotheses,
    #[error("sprt: alpha and beta lie between 0 and 0.5")]
    Risks,
}

impl Sprt {
    /// Whether the hypotheses and the risks can be tested.
    pub fn check(&self) -> Result<(), SprtError> {
        let share = |x: f64| x > 0.0 && x < 0.5;
        if !(self.elo0.is_finite() && self.elo1.is_finite() && self.elo0 < self.elo1) {
            return Err(SprtError::Hypotheses);
        }
        match share(self.alpha) && share(self.beta) {
            true => Ok(()),
            false => Err(SprtError::Risks),
        }
    }

    /// The state after `counts` of each class, where class `i` of `n` scores `i / (n - 1)`.
    pub fn state(&self, counts: &[f64]) -> State {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        State {
            llr: log_likelihood_ratio(counts, score(self.elo0), score(self.elo1)),
            lower,
            upper,
        }
    }
}

/// The expected score at a difference of `elo` points.
fn score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / SCALE).exp())
}

/// Classes that have not occurred count as this many results, so that nothing is impossible.
const LITTLE: f64 = 1e-3;

fn log_likelihood_ratio(counts: &[f64], s0: f64, s1: f64) -> f64 {
    if counts.iter().sum::<f64>() <= 0.0 {
        return 0.0;
    }
    let counts: Vec<f64> = counts.iter().map(|c| c.max(LITTLE)).collect();
    let total: f64 = counts.iter().sum();
    let top = (counts.len() - 1) as f64;
    let classes: Vec<(f64, f64)> = counts
        .iter()
        .enumerate()
        .map(|(i, count)| (i as f64 / top, count / total))
        .collect();
    let (t0, t1) = (tilt(&classes, s0), tilt(&classes, s1));
    // The likeliest distribution with mean s is p / (1 + t·(a − s)).
    let each = classes
        .iter()
        .map(|(a, p)| p * ((1.0 + t0 * (a - s0)) / (1.0 + t1 * (a - s1))).ln());
    total * each.sum::<f64>()
}

/// The `t` at which the tilted distribution has the mean `s`; what is solved falls with `t`.
fn tilt(classes: &[(f64, f64)], s: f64) -> f64 {
    let excess = |t: f64| -> f64 {
        let each = classes
            .iter()
            .map(|(a, p)| p * (a - s) / (1.0 + t * (a - s)));
        each.sum()
    };
    let (mut low, mut high) = (-1.0 / (1.0 - s), 1.0 / s);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        match excess(middle) > 0.0 {
            true => low = middle,
            false => high = middle,
        }
    }
    0.5 * (low + high)
}
