//! What values are worth: tools/calibration/calibrate.py, docs/results/calibration.md.

use treeline_game::Calibration;

/// A row for each searcher and network that was measured.
pub const CALIBRATIONS: &[Calibration] = &[
    Calibration::row("alpha-beta", Some("draughts-inc256"), 1.32, -0.02),
    Calibration::row("ubfm", Some("draughts-inc256"), 0.76, 0.05),
    Calibration::row("puct", Some("draughts-inc256"), 1.0, 0.01),
];
