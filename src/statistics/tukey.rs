//! Tukey's honestly significant difference, and the studentized range distribution it needs.
//!
//! `P(Q ≤ q)` for `k` means and `v` degrees of freedom is the mean over `s`, where `v·s²` has a chi-square distribution with
//! `v` degrees of freedom, of `k ∫ φ(z) (Φ(z) − Φ(z − q·s))^(k−1) dz`. Both integrals are done by Gauss and Legendre on
//! panels where the integrand is not negligible.

use super::anova::Anova;
use super::normal;
use statrs::function::gamma::ln_gamma;

/// Nodes and weights of the Gauss–Legendre rule of eight points, the positive half.
const NODES: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

/// The integral of `f` from `a` to `b` on `panels` equal parts.
fn integral(a: f64, b: f64, panels: u32, f: impl Fn(f64) -> f64) -> f64 {
    let half = (b - a) / (2.0 * f64::from(panels));
    let mut sum = 0.0;
    for panel in 0..panels {
        let centre = a + half * f64::from(2 * panel + 1);
        for (node, weight) in NODES {
            sum += weight * (f(centre - half * node) + f(centre + half * node));
        }
    }
    sum * half
}

/// The probability that the range of `k` standard normal variables is at most `w`.
fn range(w: f64, k: f64) -> f64 {
    if w <= 0.0 {
        return 0.0;
    }
    let density = |z: f64| (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let inner = |z: f64| density(z) * (normal(z) - normal(z - w)).powf(k - 1.0);
    (k * integral(-8.0, 8.0, 24, inner)).min(1.0)
}

/// The probability that the studentized range of `k ≥ 2` means with `v > 0` degrees of freedom is at most `q`.
pub fn studentized_range(q: f64, k: f64, v: f64) -> f64 {
    if q <= 0.0 {
        return 0.0;
    }
    // The density of s is within these bounds but for less than 1e-12: it narrows around 1 as v grows.
    let spread = 9.0 / (2.0 * v).sqrt();
    let (low, high) = ((1.0 - spread).max(0.0), 1.0 + spread.max(9.0 / v));
    let constant = 0.5 * v * (0.5 * v).ln() - ln_gamma(0.5 * v) + std::f64::consts::LN_2;
    let density = |s: f64| match s > 0.0 {
        true => (constant + (v - 1.0) * s.ln() - 0.5 * v * s * s).exp(),
        false => 0.0,
    };
    integral(low, high, 24, |s| density(s) * range(q * s, k)).clamp(0.0, 1.0)
}

/// The `p` quantile of the studentized range.
pub fn studentized_range_quantile(p: f64, k: f64, v: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while studentized_range(high, k, v) < p && high < 1e6 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        match studentized_range(middle, k, v) < p {
            true => low = middle,
            false => high = middle,
        }
    }
    0.5 * (low + high)
}

/// Two groups compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    pub groups: (usize, usize),
    /// The first mean minus the second.
    pub difference: f64,
    /// The 95 % interval of the difference, all pairs together.
    pub interval: (f64, f64),
    /// The probability of a difference as large, adjusted for the number of pairs.
    pub p: f64,
}

/// Every pair of groups; unequal sizes as Kramer does it. Empty where the groups do not vary.
pub fn honest_differences(anova: &Anova) -> Vec<Difference> {
    let (k, v) = (anova.groups.len() as f64, anova.within);
    if v <= 0.0 || anova.mean_square <= 0.0 {
        return Vec::new();
    }
    let reach = studentized_range_quantile(0.95, k, v);
    let mut found = Vec::new();
    for (i, a) in anova.groups.iter().enumerate() {
        for (j, b) in anova.groups.iter().enumerate().skip(i + 1) {
            let difference = a.mean - b.mean;
            let error = (anova.mean_square / 2.0 * (1.0 / a.size + 1.0 / b.size)).sqrt();
            found.push(Difference {
                groups: (i, j),
                difference,
                interval: (difference - reach * error, difference + reach * error),
                p: 1.0 - studentized_range(difference.abs() / error, k, v),
            });
        }
    }
    found
}
