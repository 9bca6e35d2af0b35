//! How the levels play: tools/levels/ladder.py, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (2, 16.0),
    (7, 9.19),
    (15, 6.4),
    (29, 4.48),
    (47, 3.16),
    (67, 2.29),
    (89, 1.68),
    (122, 1.06),
    (300, 0.0),
]);
