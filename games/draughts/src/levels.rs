//! How the levels play: `tools/levels/ladder.py fit draughts`, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (3495, 0.55),
    (4114, 0.47),
    (4892, 0.40),
    (6206, 0.31),
    (7128, 0.25),
    (8980, 0.17),
    (13920, 0.07),
    (26470, 0.0),
    (60000, 0.0),
]);
