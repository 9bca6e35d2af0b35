//! What values are worth: tools/calibration/calibrate.py, docs/results/calibration.md.

use treeline_game::Calibration;

/// A row for each searcher and network that was measured.
pub const CALIBRATIONS: &[Calibration] = &[
    Calibration::row("ubfm", None, 1.0, 0.02),
    Calibration::row("alpha-beta", None, 1.0, -0.1),
    Calibration::row("mcts", None, 2.35, -0.04),
];
