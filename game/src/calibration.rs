//! What the values of a search are worth in expected score, for people: a curve for each game, kind of searcher and network.
//!
//! A search never sees it. `tools/calibration/calibrate.py` fits the rows on matches and checks them on others
//! (docs/results/calibration.md).

use crate::{Outcome, Player};

/// One curve: `p = 1 / (1 + exp(-(bias + scale · ln((1 + value) / (1 - value)))))` for the side to move. (J. Platt, "Probabilistic
/// outputs for support vector machines", 1999.)
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// The searcher that was measured; it stands for all of its family.
    pub searcher: &'static str,
    /// The network that judged, or `None` where the game's heuristic or play-outs did.
    pub network: Option<&'static str>,
    /// More than 0: below 1 the values say too much, above it too little.
    pub scale: f32,
    /// How much better it is to be on the move than the values say, in log-odds.
    pub bias: f32,
}

impl Calibration {
    /// What holds where nothing was measured: `(1 + value) / 2`.
    pub const PLAIN: Calibration = Calibration::row("", None, 1.0, 0.0);

    pub const fn row(
        searcher: &'static str,
        network: Option<&'static str>,
        scale: f32,
        bias: f32,
    ) -> Self {
        Calibration {
            searcher,
            network,
            scale,
            bias,
        }
    }

    /// The score in [0, 1] that `mover`, who is to move, may expect, a draw counting half, for its value in [-1, 1]. What is certain
    /// is exact.
    pub fn expected(&self, value: f32, proven: Option<Outcome>, mover: Player) -> f32 {
        let value = match proven {
            Some(outcome) => return (1.0 + outcome.value().seen_by(mover).0) / 2.0,
            None => f64::from(value.clamp(-1.0, 1.0)),
        };
        if *self == Self::PLAIN {
            return ((1.0 + value) / 2.0) as f32;
        }
        // At the ends the quotient is 0 or infinite, and so is the score 0 or 1.
        let odds = ((1.0 + value) / (1.0 - value)).ln() * f64::from(self.scale);
        (1.0 / (1.0 + (-odds - f64::from(self.bias)).exp())) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: Calibration = Calibration::row("s", None, 1.5, 0.25);

    #[test]
    fn ends_are_fixed_and_more_is_never_less() {
        for row in [ROW, Calibration::PLAIN] {
            for player in Player::BOTH {
                let expected = |value| row.expected(value, None, player);
                assert_eq!([expected(-1.0), expected(1.0)], [0.0, 1.0]);
                assert_eq!([expected(-2.0), expected(2.0)], [0.0, 1.0]);
                let values = (-1000..=1000).map(|i| expected(i as f32 / 1000.0));
                let values: Vec<f32> = values.collect();
                assert!(values.is_sorted_by(|a, b| a < b));
                for value in [-0.9, 0.0, 0.3] {
                    let certain = |outcome| row.expected(value, Some(outcome), player);
                    assert_eq!(certain(Outcome::Win(player)), 1.0);
                    assert_eq!(certain(Outcome::Win(player.other())), 0.0);
                    assert_eq!(certain(Outcome::Draw), 0.5);
                }
            }
        }
    }

    #[test]
    fn a_row_has_its_numbers() {
        let close = |a: f32, b: f32| assert!((a - b).abs() < 1e-6, "{a} {b}");
        // ln 3 · 1.5 + 0.25 = 1.897918.
        close(ROW.expected(0.5, None, Player::One), 0.869_655_8);
        close(ROW.expected(-0.5, None, Player::Two), 0.198_146_6);
        close(ROW.expected(0.0, None, Player::Two), 0.562_176_5);
        assert_eq!(Calibration::PLAIN.expected(0.5, None, Player::Two), 0.75);
    }
}
