//! How the levels play: tools/levels/ladder.py, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (5, 6.0),
    (22, 4.49),
    (51, 3.66),
    (102, 3.05),
    (187, 2.54),
    (325, 2.1),
    (505, 1.77),
    (837, 1.42),
    (1924, 0.9),
]);
