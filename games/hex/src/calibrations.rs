//! What values are worth: tools/calibration/calibrate.py, docs/results/calibration.md.

use treeline_game::Calibration;

/// A row for each searcher and network that was measured.
pub const CALIBRATIONS: &[Calibration] =
    &[Calibration::row("puct", Some("hex-fcgp6x64"), 2.29, 0.04)];
