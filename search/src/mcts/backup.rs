//! The way back of a descent: means, implicit minimax values, averages and AMAF counts.

use super::bounds::Bounds;
use super::edge::{Index, Link, ONE};
use super::formula::Formula;
use super::general::{Descent, General};
use super::growth::minimax;
use super::rollout::fixed_point;
use treeline_game::{ForOne, Game, Player};

impl<'a, G: Game> General<'a, G> {
    pub(super) fn back_up(&mut self, descent: &mut Descent<'a, G>) {
        let tree = self.shared.tree;
        let value = descent.value.unwrap_or(0);
        let above_loss = self.avoid_loss(descent, value);
        if descent.news {
            self.shared.prove_up(&descent.path);
        }
        let mut backed = value;
        let mut stale = self.composition.is_implicit();
        for (i, step) in descent.path.iter().enumerate().rev() {
            if let Some((before, better)) = above_loss
                && i + 1 == before
            {
                backed = better;
            }
            if i < descent.drawn {
                backed = 0;
            }
            let sum = backed * i64::from(step.mover.sign()) - self.lost;
            self.add(step.edge, 0, sum);
            let above = if i == 0 {
                self.shared.root
            } else {
                descent.path[i - 1].edge
            };
            if let Link::Block(block) = tree.edge(above).link() {
                if stale {
                    let changed = tree.refresh(above, block, step.mover);
                    // What is the same here is so further up, unless the node was refreshed when it was made or a proof has
                    // come between.
                    let known =
                        i >= descent.grown || tree.edge(above).bounds() != Bounds::default();
                    stale = changed || known;
                }
                backed = self.max_of(above, block, step.mover).unwrap_or(backed);
            }
        }
        self.remember(descent, value);
    }

    /// The best child's value for player one, where a node has been visited often enough to back that up (IM Table 3).
    fn max_of(&self, above: Index, block: Index, mover: Player) -> Option<i64> {
        let tree = self.shared.tree;
        if tree.edge(above).visits() < self.composition.max_after? {
            return None;
        }
        let formula = Formula::new(&self.composition, 1.0, 0.0);
        let visited = tree.numbered(block).filter(|(_, edge)| edge.visits() > 0);
        let values = visited.map(|(index, edge)| {
            let child = self.child(index, edge, mover, None);
            let mean = match edge.bounds().exact() {
                Some(outcome) => outcome.value().seen_by(mover).0,
                None => formula.blended(child.sum / child.visits, &child),
            };
            ForOne(mean * mover.sign() as f32)
        });
        minimax(mover, values).map(|value| fixed_point(value.0))
    }

    /// Enters a simulation into the tables by move.
    fn remember(&mut self, descent: &Descent<'a, G>, value: i64) {
        if !self.composition.keeps_moves() {
            return;
        }
        let value = (value as f64 / ONE as f64) as f32;
        let moves = &descent.rollout.moves;
        if self.composition.keeps_averages() {
            self.averages.add(moves, value);
        }
        let Some(amaf) = self.amaf else { return };
        let tree = self.shared.tree;
        // All that was played after a node, each move once: from the leaf up there is one more at each node.
        self.seen.clear();
        let in_tree = descent.path.len();
        for played in &moves[in_tree..] {
            self.seen.note(*played);
        }
        for i in (0..=in_tree).rev() {
            if i < in_tree {
                self.seen.note(moves[i]);
            }
            let node = if i == 0 {
                self.shared.root
            } else {
                descent.path[i - 1].edge
            };
            if let Some(table) = amaf.find(node, tree.extra(node)) {
                self.seen
                    .moves
                    .iter()
                    .for_each(|played| amaf.add(table, *played, value));
            }
        }
    }
}
