//! How the levels play: `tools/levels/ladder.py fit lines-of-action`, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (800, 1.38),
    (1234, 1.11),
    (1777, 0.90),
    (2501, 0.72),
    (3482, 0.55),
    (4865, 0.40),
    (6874, 0.26),
    (10129, 0.13),
    (20000, 0.0),
]);
