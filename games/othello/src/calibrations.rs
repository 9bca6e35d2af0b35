//! What values are worth: tools/calibration/calibrate.py, docs/results/calibration.md.

use treeline_game::Calibration;

/// A row for each searcher and network that was measured.
pub const CALIBRATIONS: &[Calibration] = &[
    Calibration::row("ubfm", Some("othello-patterns6"), 1.75, 0.19),
    Calibration::row("alpha-beta", Some("othello-patterns6"), 2.28, -0.08),
    Calibration::row("puct", Some("othello-patterns6"), 1.92, 0.02),
];
