//! Which state a position is.

use treeline_game::Game;

/// The keys of one search: those of states, apart from searches under other draws by repetition.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    /// Positions whose next occurrence is a draw, whatever the path.
    pub spent: Vec<u64>,
    pub salt: u64,
}

impl Keys {
    #[inline(always)]
    pub fn of<G: Game>(&self, game: &G, position: &G::Position) -> u64 {
        game.state_key(position) ^ self.salt
    }
}
