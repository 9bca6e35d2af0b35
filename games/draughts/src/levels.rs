//! How the levels play: `tools/levels/ladder.py fit draughts`, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (2348, 1.14),
    (3000, 1.01),
    (4010, 0.87),
    (5737, 0.70),
    (7749, 0.57),
    (10551, 0.45),
    (14986, 0.32),
    (26767, 0.15),
    (60000, 0.0),
]);
