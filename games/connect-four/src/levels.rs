//! How the levels play: `tools/levels/ladder.py fit connect-four`, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (20, 4.0),
    (176, 2.27),
    (257, 2.01),
    (399, 1.71),
    (872, 1.22),
    (1520, 0.91),
    (4355, 0.42),
    (8236, 0.19),
    (20000, 0.0),
]);
