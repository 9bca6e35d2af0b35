//! How the levels play: `tools/levels/ladder.py fit draughts`, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (3495, 0.55),
    (4084, 0.47),
    (4935, 0.40),
    (5855, 0.33),
    (6866, 0.27),
    (8515, 0.19),
    (12080, 0.10),
    (24330, 0.01),
    (60000, 0.0),
]);
