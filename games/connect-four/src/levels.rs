//! How the levels play: tools/levels/ladder.py, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (5, 6.0),
    (28, 4.25),
    (77, 3.3),
    (165, 2.64),
    (364, 2.01),
    (709, 1.53),
    (1330, 1.12),
    (3691, 0.55),
    (20000, 0.0),
]);
