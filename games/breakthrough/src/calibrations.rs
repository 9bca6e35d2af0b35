//! What values are worth: tools/calibration/calibrate.py, docs/results/calibration.md.

use treeline_game::Calibration;

/// A row for each searcher and network that was measured.
pub const CALIBRATIONS: &[Calibration] = &[
    Calibration::row("ubfm", Some("breakthrough-inc128"), 2.01, 0.15),
    Calibration::row("alpha-beta", Some("breakthrough-inc128"), 1.0, -0.11),
    Calibration::row("puct", Some("breakthrough-inc128"), 3.15, 0.01),
];
