//! How the levels play: tools/levels/ladder.py, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (3, 10.0),
    (30, 6.35),
    (101, 4.66),
    (269, 3.42),
    (511, 2.69),
    (942, 2.04),
    (1832, 1.41),
    (4379, 0.72),
    (20000, 0.0),
]);
