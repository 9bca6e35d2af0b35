//! Loss avoidance (ALPHAS §3.5.2, made precise): when a simulation is lost for the side to move at the root,
//! that side's last decision in it is looked at again. All siblings of what was chosen are evaluated, by result or by the
//! evaluator, and the best of them is backed up instead of the loss to what is above the decision.
//!
//! Siblings in the tree that were never visited keep their value as a first visit; the losing choice keeps its loss. A
//! decision after the tree's end has no nodes that could keep anything.

use super::edge::{Index, Link, ONE};
use super::general::{Descent, General};
use super::rollout::{fixed_point, result};
use treeline_game::{Game, Line, Player};

impl<'a, G: Game> General<'a, G> {
    /// What to back up instead of `value`, and before which step of the path.
    pub(super) fn avoid_loss(
        &mut self,
        descent: &Descent<'a, G>,
        value: i64,
    ) -> Option<(usize, i64)> {
        let game = self.shared.line.game();
        let side = game.turn(self.shared.line.position());
        if !self.composition.avoid_losses || value * i64::from(side.sign()) > -ONE {
            return None;
        }
        let better = match descent.rollout.last {
            Some((position, chosen)) => {
                let line = Line::new(game, position, Vec::new());
                let mut others = game.moves(&position);
                others.retain(|m| *m != chosen);
                (
                    descent.path.len(),
                    best_for(side, self.look(&line, &others))?,
                )
            }
            None => {
                let last = descent.path.iter().rposition(|step| step.mover == side)?;
                (last, best_for(side, self.siblings(descent, last, side))?)
            }
        };
        Some(better)
    }

    /// The values of all children beside step `last` of the path.
    fn siblings(&mut self, descent: &Descent<'a, G>, last: usize, side: Player) -> Vec<i64> {
        let tree = self.shared.tree;
        let mut line = self.shared.line.clone();
        for step in &descent.path[..last] {
            line.apply(tree.edge(step.edge).played());
        }
        let above = if last == 0 {
            self.shared.root
        } else {
            descent.path[last - 1].edge
        };
        let Link::Block(block) = tree.edge(above).link() else {
            return Vec::new();
        };
        let (indices, moves): (Vec<Index>, Vec<G::Move>) = tree
            .numbered(block)
            .filter(|(index, _)| *index != descent.path[last].edge)
            .map(|(index, edge)| (index, edge.played::<G::Move>()))
            .unzip();
        let mut values = self.look(&line, &moves);
        for (index, value) in indices.into_iter().zip(&mut values) {
            let edge = tree.edge(index);
            if let Some(outcome) = edge.bounds().exact() {
                *value = result(outcome);
            }
            if edge.visits() == 0 {
                edge.add::<true>(1, *value * i64::from(side.sign()));
            }
        }
        values
    }

    /// The values for player one after each of `moves`: the result, else the evaluator's.
    fn look(&mut self, line: &Line<'_, G>, moves: &[G::Move]) -> Vec<i64> {
        let (game, position) = (line.game(), line.position());
        let known = |next: &G::Position| line.outcome_of(next);
        let values = self.statics.after_each(game, position, moves, known);
        values.into_iter().map(|v| fixed_point(v.0)).collect()
    }
}

fn best_for(side: Player, values: Vec<i64>) -> Option<i64> {
    values
        .into_iter()
        .max_by_key(|value| value * i64::from(side.sign()))
}
