//! How the levels play: `tools/levels/ladder.py fit kalah`, docs/results/levels.md.

use treeline_game::Level;

/// Positions entered, and doubt, of levels 1 to 9.
pub const LEVELS: [Level; 9] = Level::rows([
    (20, 4.0),
    (33, 3.58),
    (47, 3.28),
    (86, 2.8),
    (169, 2.3),
    (308, 1.88),
    (718, 1.34),
    (1244, 1.02),
    (4675, 0.39),
]);
