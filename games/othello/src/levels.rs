//! How the levels play: `tools/levels/ladder.py fit othello`, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (400, 1.71),
    (626, 1.42),
    (1029, 1.13),
    (1633, 0.88),
    (2184, 0.73),
    (3140, 0.56),
    (4626, 0.39),
    (6720, 0.25),
    (20000, 0.0),
]);
