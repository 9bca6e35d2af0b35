//! Solvers that a game brings along because they know more of it than a general search could.

use super::player::{ForOne, Outcome};
use super::rules::Rules;

/// What a solver found out.
#[derive(Debug, Clone, PartialEq)]
pub struct Solved<G: Rules> {
    pub outcome: Outcome,
    /// Player one's points minus player two's with best play, where the solver counts them.
    pub margin: Option<i32>,
    /// Best play from the position on, one move at least.
    pub pv: Vec<G::Move>,
}

/// Fills its second argument with what each of the positions is worth to player one, in [-1, 1].
pub type Advice<G> = dyn FnMut(&[<G as Rules>::Position], &mut Vec<ForOne>) + Send;

/// A solver of one game, warm between calls.
pub trait Exact<G: Rules>: Send {
    /// Whether `seconds` will probably do for `position`; an estimate that costs next to nothing.
    fn can_finish(&self, position: &G::Position, seconds: f64) -> bool;

    /// The game-theoretic result of an unfinished position; `None` if `is_over`, asked every few microseconds, said so
    /// first. With `margin`, by as many points as possible instead of just the result.
    fn solve(
        &mut self,
        position: &G::Position,
        margin: bool,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<Solved<G>>;

    /// The result alone, which some solvers know sooner than a line of best play.
    fn result(
        &mut self,
        position: &G::Position,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<Outcome> {
        Some(self.solve(position, false, is_over)?.outcome)
    }

    /// Whom it may ask, from now on, which moves to look at first. What it finds is the same.
    fn advise(&mut self, _advice: Box<Advice<G>>) {}

    /// Positions entered since it was made.
    fn nodes(&self) -> u64;

    /// Forgets everything.
    fn clear(&mut self);
}
