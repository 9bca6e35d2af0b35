//! What a block's edges are given when it is made: values of all children (needed by implicit minimax and the biases),
//! wins and losses that a pattern expects (node priors, IM §4.2), proven ends.

use super::bounds::Bounds;
use super::tree::Tree;
use super::unit::{Index, Link, ONE};
use crate::game::{ForOne, Game, Heuristic, Line, Outcome, Player};

/// Which results are proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solver {
    Off,
    /// Wins and losses, as in the papers (NIM §3.4).
    WinLoss,
    /// Draws, too.
    Full,
}

impl Solver {
    /// What an end of the game proves.
    #[inline]
    pub fn bounds(self, outcome: Outcome) -> Bounds {
        match (self, outcome) {
            (Solver::Off, _) | (Solver::WinLoss, Outcome::Draw) => Bounds::default(),
            _ => Bounds::of(outcome),
        }
    }
}

#[derive(Debug)]
pub struct Growth<G: Game> {
    /// Evaluates all children at once; ends among them are seen, too.
    pub heuristic: Option<&'static Heuristic<G>>,
    /// How many visits a prior is worth; 0 for none.
    pub prior_weight: u32,
    /// Whether edges carry an `Extra`.
    pub extras: bool,
    pub solver: Solver,
}

impl<G: Game> Clone for Growth<G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Growth<G> {}

impl<G: Game> Growth<G> {
    /// Completes a block that nobody else sees yet, of children of `line`'s position.
    #[inline]
    pub fn furnish(&self, tree: &Tree<G>, line: &Line<'_, G>, block: Index) {
        if self.extras || self.heuristic.is_some() || self.prior_weight > 0 {
            for i in 1..=tree.unit(block).length() {
                self.edge(tree, line, block + i);
            }
        }
    }

    fn edge(&self, tree: &Tree<G>, line: &Line<'_, G>, edge: Index) {
        let (game, position) = (line.game(), line.position());
        let (unit, m) = (tree.unit(edge), tree.own_move(edge));
        let mut value = ForOne(0.0);
        if let Some(heuristic) = self.heuristic {
            let next = game.after(position, m);
            match line.outcome_of(&next) {
                Some(outcome) => {
                    value = outcome.value();
                    unit.set_link(Link::End(outcome));
                    tree.prove(edge, self.solver.bounds(outcome));
                }
                None => value = heuristic.value(game, &next),
            }
        }
        if self.extras {
            tree.extra(edge).begin(value, game.slot(position, m));
        }
        if self.prior_weight > 0
            && let Some(prior) = game.prior(position, m)
        {
            let weight = i64::from(self.prior_weight);
            let sum = (f64::from(prior.0) * weight as f64 * ONE as f64).round() as i64;
            unit.add::<false>(self.prior_weight, sum);
        }
    }
}

/// The value for player one of a node whose mover chooses among `children`.
pub fn minimax(mover: Player, children: impl Iterator<Item = ForOne>) -> Option<ForOne> {
    let seen = children.map(|value| value.seen_by(mover));
    let best = seen.reduce(|a, b| if b > a { b } else { a });
    best.map(|value| value.of(mover))
}
