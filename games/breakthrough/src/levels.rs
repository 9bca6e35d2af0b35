//! How the levels play: `tools/levels/ladder.py fit breakthrough`, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (674, 1.38),
    (1012, 1.14),
    (1660, 0.86),
    (2372, 0.69),
    (3105, 0.57),
    (4605, 0.40),
    (6053, 0.30),
    (7960, 0.20),
    (20000, 0.0),
]);
