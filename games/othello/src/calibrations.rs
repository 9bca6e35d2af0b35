//! What values are worth: tools/calibration/calibrate.py, docs/results/calibration.md.

use treeline_game::Calibration;

/// A row for each searcher and network that was measured.
pub const CALIBRATIONS: &[Calibration] = &[Calibration::row(
    "ubfm",
    Some("othello-patterns6"),
    1.75,
    0.19,
)];
