//! What values are worth: tools/calibration/calibrate.py, docs/results/calibration.md.

use treeline_game::Calibration;

/// A row for each searcher and network that was measured.
pub const CALIBRATIONS: &[Calibration] = &[
    Calibration::row("ubfm", Some("othello-patterns6"), 1.62, 0.17),
    Calibration::row("alpha-beta", Some("othello-patterns6"), 2.11, -0.03),
    Calibration::row("puct", Some("othello-patterns6"), 1.64, 0.03),
];
