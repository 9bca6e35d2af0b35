//! How the levels play: tools/levels/ladder.py, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (3, 12.0),
    (5, 10.86),
    (20, 8.3),
    (41, 7.08),
    (65, 6.31),
    (101, 5.59),
    (156, 4.91),
    (241, 4.27),
    (425, 3.47),
]);
