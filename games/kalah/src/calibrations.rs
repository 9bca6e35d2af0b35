//! What values are worth: tools/calibration/calibrate.py, docs/results/calibration.md.

use treeline_game::Calibration;

/// A row for each searcher and network that was measured.
pub const CALIBRATIONS: &[Calibration] = &[
    Calibration::row("ubfm", Some("kalah-inc128"), 1.24, 0.1),
    Calibration::row("alpha-beta", Some("kalah-inc128"), 1.61, -0.16),
    Calibration::row("ubfm", None, 1.92, 0.06),
    Calibration::row("alpha-beta", None, 1.55, 0.0),
    Calibration::row("mcts", None, 1.71, -0.04),
];
