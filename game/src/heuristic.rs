//! Static evaluations as games declare them.

use super::player::ForOne;
use super::rules::Rules;

/// Points of a certain result, beyond those of any heuristic.
pub const CERTAIN: i32 = 1 << 24;

/// A static evaluation of positions that are not finished. Counted in whole points, which compare exactly and cost no
/// tanh; `scale` takes them to the common range.
#[derive(Debug)]
pub struct Heuristic<G: Rules> {
    pub name: &'static str,
    pub help: &'static str,
    /// Points for player one, of magnitude below [`CERTAIN`].
    pub points: fn(&G, &G::Position) -> i32,
    /// Points in [-1, 1]: odd, never falling; the magnitude 1 is kept for certain results.
    pub scale: fn(&G, i32) -> f32,
    /// All children of a position at once, where that is cheaper than one by one.
    pub last_ply: Option<fn(&G, &G::Position) -> LastPly>,
}

/// What one more ply is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastPly {
    /// Points of the best child for the player to move in the parent; ±[`CERTAIN`] for a result, 0 for a draw.
    pub best: i32,
    /// The number of children.
    pub children: u32,
}

impl<G: Rules> Heuristic<G> {
    /// The value of an unfinished position.
    #[inline]
    pub fn value(&self, game: &G, position: &G::Position) -> ForOne {
        ForOne((self.scale)(game, (self.points)(game, position)))
    }

    /// Points as a value, results included.
    #[inline]
    pub fn scaled(&self, game: &G, points: i32) -> f32 {
        match points {
            CERTAIN.. => 1.0,
            points if points <= -CERTAIN => -1.0,
            _ => (self.scale)(game, points),
        }
    }
}

/// Points per unit of heuristics that compute a value in [-1, 1] themselves.
const FINE: f32 = 1e6;

/// A value as points.
pub fn fine(value: ForOne) -> i32 {
    (value.0 * FINE).round() as i32
}

/// Those points as a value.
pub fn from_fine<G>(_game: &G, points: i32) -> f32 {
    points as f32 / FINE
}
