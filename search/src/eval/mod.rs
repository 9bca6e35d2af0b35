//! Static evaluation as searchers ask for it: a batch of positions in, values for player one out.
//!
//! There is one question, the values of positions, with two refinements: the caller may know whose children they are, and
//! it may want priors of their moves, too. A searcher gathers the positions it asks about, asks once and goes on; it does
//! not know whether a heuristic, a network on this thread or one on a device that many threads share has answered. Knows
//! no game and no search.
//!
//! Each thread of a search has an evaluator of its own ([`Evaluator::another`]), so that an evaluator may keep buffers
//! without locks. What is shared (weights, a queue to a device that joins the batches of several threads) is shared behind
//! it, and a call that waits for such a device just takes longer.

mod accumulating;
mod bundle;
mod cache;
mod images;
mod inc;
mod judgement;
mod model;
pub mod network;
mod planes;
#[cfg(test)]
pub mod scribbled;
#[cfg(test)]
pub mod written;

pub use accumulating::Accumulating;
pub use bundle::Bundle;
pub use cache::{Cache, Cached};
pub use images::{IMAGES, Images};
pub use inc::ByAccumulator;
pub use judgement::{JudgedMoves, Judgement, judge, judge_moves};
pub use model::{ByModel, Model, expected, shared_logits};
pub use planes::{ByPlanes, Meaning};

use treeline_game::{ForOne, Game, Heuristic};

/// Judges unfinished positions of one game.
pub trait Evaluator<G: Game>: Send {
    /// Fills `values`, which is emptied first, with the value of each of `positions`: finite, in [-1, 1] and the same
    /// whenever the same position is asked for.
    fn evaluate(&mut self, positions: &[G::Position], values: &mut Vec<ForOne>);

    /// The same values, where the positions are each one move away from a parent that is known, for evaluators that work by
    /// differences: `children` holds the first family's, then the next one's.
    fn evaluate_children(
        &mut self,
        _families: &[Family<'_, G>],
        children: &[G::Position],
        values: &mut Vec<ForOne>,
    ) {
        self.evaluate(children, values);
    }

    /// The same values, and for each of the moves, one position's after the other's, the logarithm of its prior up to a
    /// constant of the position. `logits` stays empty without a policy.
    fn evaluate_with_priors(
        &mut self,
        asked: &[Asked<'_, G>],
        values: &mut Vec<ForOne>,
        logits: &mut Vec<f32>,
    ) {
        let positions: Vec<G::Position> = asked.iter().map(|asked| *asked.position).collect();
        self.evaluate(&positions, values);
        logits.clear();
    }

    /// Fills `values` with what each of the moves is worth to the player to move (Q), in any unit in which more is better; false
    /// where nothing but the positions after them would say it.
    fn evaluate_moves(&mut self, _asked: Asked<'_, G>, _values: &mut Vec<f32>) -> bool {
        false
    }

    /// The small network of a pair, for another thread or the same.
    fn small(&self) -> Option<Box<dyn Evaluator<G>>> {
        None
    }

    /// The fast policy that play-outs draw their moves by: its priors, for another thread or the same.
    fn playout(&self) -> Option<Box<dyn Evaluator<G>>> {
        None
    }

    /// What it knows of the game as a learned model, for another thread or the same.
    fn model(&self) -> Option<Box<dyn Model<G>>> {
        None
    }

    /// Whether a network judges.
    fn is_network(&self) -> bool {
        false
    }

    /// Whether it is a network that follows positions by differences: fast enough to be asked about the nodes of an exact search.
    fn goes_by_differences(&self) -> bool {
        false
    }

    /// Whether [`evaluate_with_priors`](Self::evaluate_with_priors) gives any.
    fn has_policy(&self) -> bool {
        false
    }

    /// How many of the positions that it was asked about it has answered from memory, without judging them again.
    fn remembered(&self) -> u64 {
        0
    }

    /// An evaluator that gives the same values, for another thread.
    fn another(&self) -> Box<dyn Evaluator<G>>;

    /// Itself, for those who may know its type.
    fn as_any(&self) -> Option<&dyn std::any::Any> {
        None
    }
}

/// Whose children are asked about.
#[derive(Debug)]
pub struct Family<'a, G: Game> {
    pub parent: &'a G::Position,
    /// The parent's distance from the root of the search: a hint that it resembles what was asked for last at that distance
    /// or a shorter one.
    pub ply: usize,
    /// How many of the children are its own.
    pub count: usize,
}

impl<'a, G: Game> Family<'a, G> {
    /// The family of all of `children`.
    #[inline(always)]
    pub fn of(parent: &'a G::Position, ply: usize, children: &[G::Position]) -> Self {
        Family {
            parent,
            ply,
            count: children.len(),
        }
    }
}

/// An unfinished position whose value and priors are asked for.
#[derive(Debug)]
pub struct Asked<'a, G: Game> {
    pub position: &'a G::Position,
    /// Its legal moves, in any order; none where priors are not wanted.
    pub moves: &'a [G::Move],
}

impl<G: Game> Clone for Asked<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Asked<'_, G> {}

/// Evaluation by one of the game's heuristics.
#[derive(Debug)]
pub struct ByHeuristic<G: Game> {
    game: G,
    heuristic: &'static Heuristic<G>,
}

impl<G: Game> ByHeuristic<G> {
    pub fn new(game: &G, heuristic: &'static Heuristic<G>) -> Self {
        ByHeuristic {
            game: game.clone(),
            heuristic,
        }
    }
}

impl<G: Game> Evaluator<G> for ByHeuristic<G> {
    fn evaluate(&mut self, positions: &[G::Position], values: &mut Vec<ForOne>) {
        values.clear();
        let (game, heuristic) = (&self.game, self.heuristic);
        values.extend(positions.iter().map(|p| heuristic.value(game, p)));
    }

    fn another(&self) -> Box<dyn Evaluator<G>> {
        Box::new(Self::new(&self.game, self.heuristic))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::Knowledge;
    use treeline_game::synthetic::Synthetic;

    #[test]
    fn a_batch_is_answered_in_its_order_with_player_ones_values() {
        let game = Synthetic::new(
            "a 1 0.5: b c
             b 2 0.25: c
             c 1 -0.75: d
             d draw",
        );
        let mut first = ByHeuristic::new(&game, &game.heuristics()[0]);
        let mut values = vec![ForOne(9.0); 5];
        first.evaluate(&["c", "a", "b"].map(|n| game.at(n)), &mut values);
        assert_eq!(values, [-0.75, 0.5, 0.25].map(ForOne));
        let mut second = Evaluator::another(&first);
        let (parent, children) = (game.at("a"), [game.at("b")]);
        let family = Family::of(&parent, 0, &children);
        second.evaluate_children(&[family], &children, &mut values);
        assert_eq!(values, [ForOne(0.25)]);
        second.evaluate(&[], &mut values);
        assert!(values.is_empty());
    }
}
