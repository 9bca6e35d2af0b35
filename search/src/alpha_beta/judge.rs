//! With a network instead of the heuristic, the last ply is one batch.

use super::network::Network;
use super::ordering::{Node, SORTED};
use super::score::{INFINITE, SURE, of_outcome};
use super::worker::{Frame, Worker};
use crate::eval::Family;
use treeline_game::{ForOne, Game, Player, fine};

impl<G: Game> Worker<'_, G> {
    /// Whether a network evaluates the children of the last ply at once.
    #[inline(always)]
    pub(super) fn batches_last_ply(&self) -> bool {
        self.network.is_some() && self.settings.last_ply
    }

    /// The score of an unfinished position with one ply left, in which `mover` is to move. With quiescence, children with
    /// captures are searched on, once the others were evaluated.
    #[inline(never)]
    pub(super) fn last_ply(&mut self, position: &G::Position, mover: Player, frame: Frame) -> i32 {
        let Some(network) = self.network.as_mut() else {
            return self.evaluate(position, mover, frame.ply);
        };
        let mut children = std::mem::take(&mut network.children);
        let mut restless = std::mem::take(&mut network.restless);
        children.clear();
        restless.clear();
        self.trail_push(position);
        let (game, ply) = (self.game, frame.ply + 1);
        let (quiescence, tables) = (self.settings.quiescence, self.tables);
        let (mut best, mut count, mut repeated) = (-INFINITE, 0, 0);
        game.each_move(position, |played| {
            let next = game.after(position, played);
            count += 1;
            if let Some(outcome) = game.outcome(&next) {
                best = best.max(of_outcome(outcome, mover, ply));
            } else if self.draws_by_repetition(&next) {
                best = best.max(0);
                repeated += 1;
            } else if tables && let Some(known) = game.tabled(&next) {
                best = best.max(of_outcome(known.outcome, mover, ply + known.plies));
            } else if quiescence && game.has_noisy(&next) {
                restless.push(next);
            } else {
                children.push(next);
            }
        });
        self.tally.nodes += count;
        self.tally.depth = self.tally.depth.max(ply);
        // A win needs no other move's value.
        if best < SURE {
            self.grounds.by_path += repeated;
            if !children.is_empty() {
                best = best.max(self.best_of(position, mover, frame.ply, &children));
            }
            for next in &restless {
                if best >= frame.beta || self.over {
                    break;
                }
                let alpha = frame.alpha.max(best);
                best = best.max(self.child(next, mover, frame, 0, alpha, frame.beta));
            }
        }
        self.trail_pop();
        if let Some(network) = self.network.as_mut() {
            network.children = children;
            network.restless = restless;
        }
        best
    }

    /// The best child's points for `mover`.
    #[inline]
    fn best_of(
        &mut self,
        position: &G::Position,
        mover: Player,
        ply: u32,
        children: &[G::Position],
    ) -> i32 {
        self.tally.evaluations += children.len() as u64;
        self.grounds.soft += 1;
        let Some(Network {
            evaluator, values, ..
        }) = self.network.as_deref_mut()
        else {
            return 0;
        };
        let family = Family::of(position, ply as usize, children);
        evaluator.evaluate_children(&[family], children, values);
        // Rounding never turns the order around, so that one value is rounded.
        let mut best = -1.0f32;
        for value in values.iter() {
            best = best.max(value.seen_by(mover).0);
        }
        fine(ForOne(best))
    }

    /// Ranks the moves of the node on top by what the network says of the positions they lead to.
    #[inline(never)]
    pub(super) fn sort(
        &mut self,
        position: &G::Position,
        mover: Player,
        ply: u32,
        node: Node,
        from_table: u16,
    ) {
        let Some(network) = self.network.as_deref_mut() else {
            return;
        };
        let (game, moves) = (self.game, self.stack.moves(node));
        network.children.clear();
        let next = moves.iter().map(|played| game.after(position, *played));
        network.children.extend(next);
        let family = Family::of(position, ply as usize, &network.children);
        let (children, values) = (&network.children, &mut network.values);
        network
            .evaluator
            .evaluate_children(&[family], children, values);
        self.tally.evaluations += children.len() as u64;
        for i in 0..values.len() {
            if i == usize::from(from_table) {
                continue;
            }
            let rank = match game.outcome(&network.children[i]) {
                Some(outcome) => of_outcome(outcome, mover, 0).signum() * SORTED,
                None => (network.values[i].seen_by(mover).0 * SORTED as f32) as i32,
            };
            self.stack.rank(node, i, rank);
        }
    }
}
