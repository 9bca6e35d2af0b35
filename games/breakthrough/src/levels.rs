//! How the levels play: `tools/levels/ladder.py fit breakthrough`, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (434, 1.65),
    (674, 1.38),
    (1112, 1.09),
    (1639, 0.87),
    (2147, 0.74),
    (2955, 0.59),
    (4339, 0.42),
    (8274, 0.19),
    (20000, 0.0),
]);
