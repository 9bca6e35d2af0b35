//! How the levels play: `tools/levels/ladder.py fit lines-of-action`, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (800, 1.38),
    (1132, 1.16),
    (1616, 0.95),
    (2236, 0.78),
    (2893, 0.65),
    (3726, 0.52),
    (5434, 0.35),
    (8576, 0.19),
    (15520, 0.05),
]);
