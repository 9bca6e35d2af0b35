//! How the levels play: tools/levels/ladder.py, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (2, 16.0),
    (4, 11.1),
    (9, 8.15),
    (16, 6.26),
    (27, 4.68),
    (39, 3.61),
    (57, 2.65),
    (82, 1.85),
    (119, 1.11),
]);
