//! How the levels play: `tools/levels/ladder.py fit draughts`, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (3495, 0.55),
    (3962, 0.49),
    (4526, 0.43),
    (5289, 0.37),
    (6157, 0.31),
    (7195, 0.25),
    (8376, 0.19),
    (11097, 0.11),
    (20000, 0.0),
]);
