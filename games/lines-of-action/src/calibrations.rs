//! What values are worth: tools/calibration/calibrate.py, docs/results/calibration.md.

use treeline_game::Calibration;

/// A row for each searcher and network that was measured.
pub const CALIBRATIONS: &[Calibration] = &[
    Calibration::row("ubfm", Some("lines-of-action-inc128"), 2.29, 0.23),
    Calibration::row("alpha-beta", Some("lines-of-action-inc128"), 1.0, -0.24),
    Calibration::row("puct", Some("lines-of-action-inc128"), 1.76, 0.03),
];
