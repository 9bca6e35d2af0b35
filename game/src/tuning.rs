//! What was measured to be best for a game, as data: searchers are told, and know no game by name.

use crate::Calibration;

/// How a game is best searched, where the options leave it to the game. Measured in `docs/results/`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuning {
    /// The searcher that plays the game best without a network, with its options: `NAME [key=value …]`.
    pub favourite: &'static str,
    /// The same with a network.
    pub favourite_with_network: &'static str,
    /// The part of a search's memory that the game's own solver has: one in so many bytes.
    pub solver_memory: usize,
    /// Whether a fixed-depth search plays better for the same time when it searches noisy moves on beyond its depth.
    pub quiescence: bool,
    /// Whether a search may look at moves that are late in its order less deeply.
    pub late_moves: bool,
    /// Whether a search that looks a ply deeper where there is one move only plays better.
    pub single_replies: bool,
    /// Whether a search plays better that orders the moves of deep nodes by what a network says of each.
    pub sorted_moves: bool,
    /// Whether alpha-beta and best-first search ask what is certain at a glance.
    pub glances: bool,
    /// Levels 1 to 9 of `auto`, each weaker than the next.
    pub levels: [Level; 9],
    /// What values are worth in expected score, for the searchers and networks of which that was measured.
    pub calibrations: &'static [Calibration],
}

/// How a weak player plays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Positions that it enters for a move.
    pub nodes: u64,
    /// How far it misjudges them: the standard deviation of the error in log-odds of winning.
    pub doubt: f32,
}

impl Level {
    /// Nine levels as `(nodes, doubt)`, the weakest first.
    pub const fn rows(rows: [(u64, f32); 9]) -> [Level; 9] {
        let mut levels = [Level {
            nodes: 0,
            doubt: 0.0,
        }; 9];
        let mut i = 0;
        while i < levels.len() {
            (levels[i].nodes, levels[i].doubt) = rows[i];
            i += 1;
        }
        levels
    }
}

impl Tuning {
    /// For a game of which nothing was measured.
    pub const DEFAULT: Tuning = Tuning {
        favourite: "alpha-beta",
        favourite_with_network: "alpha-beta",
        solver_memory: 4,
        quiescence: false,
        late_moves: false,
        single_replies: false,
        sorted_moves: false,
        glances: false,
        levels: Level::rows([
            (30, 4.0),
            (40, 3.0),
            (60, 2.2),
            (100, 1.6),
            (150, 1.1),
            (250, 0.7),
            (400, 0.4),
            (700, 0.2),
            (1500, 0.0),
        ]),
        calibrations: &[],
    };
}

impl Default for Tuning {
    fn default() -> Self {
        Tuning::DEFAULT
    }
}
