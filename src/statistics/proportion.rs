//! Proportions of points: Wilson's interval and the two-proportion z-test. A draw is half a point.

use super::{Z95, normal};

/// Wilson's 95 % interval around `points` of `games`, both as fractions of 1. Everything where there are no games.
pub fn wilson(points: f64, games: f64) -> (f64, f64) {
    if games <= 0.0 {
        return (0.0, 1.0);
    }
    let p = points / games;
    let centre = p + Z95 * Z95 / (2.0 * games);
    let reach = Z95 * (p * (1.0 - p) / games + Z95 * Z95 / (4.0 * games * games)).sqrt();
    let whole = 1.0 + Z95 * Z95 / games;
    (
        ((centre - reach) / whole).max(0.0),
        ((centre + reach) / whole).min(1.0),
    )
}

/// The two-tailed z-test of equal proportions with the pooled variance: `(z, p)`. `None` where it says nothing: no games, or
/// all points or none in both rows.
pub fn two_proportions(points: [f64; 2], games: [f64; 2]) -> Option<(f64, f64)> {
    if games[0] <= 0.0 || games[1] <= 0.0 {
        return None;
    }
    let pooled = (points[0] + points[1]) / (games[0] + games[1]);
    let variance = pooled * (1.0 - pooled) * (1.0 / games[0] + 1.0 / games[1]);
    if variance <= 0.0 {
        return None;
    }
    let z = (points[0] / games[0] - points[1] / games[1]) / variance.sqrt();
    Some((z, 2.0 * normal(-z.abs())))
}
