//! What the game knows for certain of positions in the tree ([`Knowledge`](treeline_game::Knowledge)): results that need no search, and
//! moves that lose.

use super::composition::Composition;
use super::edge::{Index, Link};
use super::general::{Descent, General};
use super::tree::Tree;
use crate::Control;
use treeline_game::{Foresight, Game, Moves, Outcome, Player, Record};

impl<G: Game> Tree<G> {
    /// Proves that every move of `block` but these loses for `mover`.
    pub(super) fn exclude(&self, block: Index, mover: Player, only: &Moves<G::Move>) {
        let lost = self.growth().solver.bounds(Outcome::Win(mover.other()));
        for edge in block + 1..=block + self.node(block).length() {
            if !only.contains(&self.edge(edge).played()) {
                self.prove(edge, lost);
            }
        }
    }

    /// Takes note of what a longer look at the root of a search says. Of a position that is won, it looks for a move that wins; of
    /// one that is lost it says nothing, so that the search goes on to look for the move that is hardest to answer.
    pub fn study_root(
        &self,
        composition: &Composition<G>,
        record: &Record<G>,
        root: Index,
        control: &Control,
    ) {
        let (game, position, mover) = (record.game(), record.position(), record.turn());
        let Link::Block(block) = self.edge(root).link() else {
            return;
        };
        if !composition.studies() || self.solved(root, mover).is_some() {
            return;
        }
        match game.study(position) {
            Foresight::Only(only) => self.exclude(block, mover, &only),
            Foresight::Decided(outcome) if outcome == Outcome::Win(mover) => {
                let mut edges: Vec<Index> =
                    (block + 1..=block + self.node(block).length()).collect();
                if self.growth().extras {
                    let prior = |edge: &Index| self.extra(*edge).prior();
                    edges.sort_by(|a, b| prior(b).total_cmp(&prior(a)));
                }
                let wins = |edge: &Index| {
                    let next = game.after(position, self.edge(*edge).played());
                    game.outcome(&next) == Some(outcome)
                        || game.study(&next) == Foresight::Decided(outcome)
                };
                let mut tried = edges.into_iter().take_while(|_| !control.is_over());
                if let Some(edge) = tried.find(wins) {
                    self.prove(edge, self.growth().solver.bounds(outcome));
                }
            }
            _ => (),
        }
    }
}

impl<'a, G: Game> General<'a, G> {
    /// What is known at a glance of the position that `descent` has come to.
    pub(super) fn glance(&self, descent: &Descent<'a, G>) -> Foresight<G::Move> {
        match self.composition.knows() {
            true => descent.line.game().foresee(descent.line.position()),
            false => Foresight::Open,
        }
    }

    /// A longer look at the node behind `at` where it is due; the result, if that proves one.
    pub(super) fn study(
        &self,
        at: Index,
        block: Index,
        descent: &mut Descent<'a, G>,
    ) -> Option<Outcome> {
        let due = self.composition.studies()
            && at != self.shared.root
            && self.shared.tree.edge(at).visits() == self.composition.study_after;
        if !due {
            return None;
        }
        let known = descent.line.game().study(descent.line.position());
        self.know(at, block, descent, known)
    }

    /// Takes note of what is known of the node behind `at`, whose children are in `block`; its result, if that proves one.
    pub(super) fn know(
        &self,
        at: Index,
        block: Index,
        descent: &mut Descent<'a, G>,
        known: Foresight<G::Move>,
    ) -> Option<Outcome> {
        let tree = self.shared.tree;
        match known {
            Foresight::Open => None,
            Foresight::Decided(outcome) => {
                descent.news |= tree.prove(at, tree.growth().solver.bounds(outcome));
                Some(outcome)
            }
            Foresight::Only(only) => {
                let mover = descent.line.game().turn(descent.line.position());
                tree.exclude(block, mover, &only);
                let bounds = tree.bounds(block, mover);
                self.shared.settle(&descent.path, bounds);
                bounds.exact()
            }
        }
    }
}
