//! What was measured to be best for a game, as data: searchers are told, and know no game by name.

/// How a game is best searched, where the options leave it to the game. Measured in `docs/results/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuning {
    /// The searcher that plays the game best without a network, with its options: `NAME [key=value …]`.
    pub favourite: &'static str,
    /// The same with a network.
    pub favourite_with_network: &'static str,
    /// Whether a fixed-depth search plays better for the same time when it searches noisy moves on beyond its depth.
    pub quiescence: bool,
    /// Whether a search may look at moves that are late in its order less deeply.
    pub late_moves: bool,
    /// Whether a search plays better that orders the moves of deep nodes by what a network says of each.
    pub sorted_moves: bool,
}

impl Tuning {
    /// For a game of which nothing was measured.
    pub const DEFAULT: Tuning = Tuning {
        favourite: "alpha-beta",
        favourite_with_network: "alpha-beta",
        quiescence: false,
        late_moves: false,
        sorted_moves: false,
    };
}

impl Default for Tuning {
    fn default() -> Self {
        Tuning::DEFAULT
    }
}
