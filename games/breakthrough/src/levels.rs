//! How the levels play: `tools/levels/ladder.py fit breakthrough`, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (968, 1.17),
    (1351, 0.98),
    (1828, 0.81),
    (2384, 0.69),
    (3105, 0.57),
    (4569, 0.40),
    (6600, 0.27),
    (10022, 0.15),
    (20000, 0.0),
]);
