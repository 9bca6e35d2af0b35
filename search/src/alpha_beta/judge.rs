//! With a network instead of the heuristic, the children of the last ply are evaluated together: all of them at once, or in portions
//! where the network goes by differences and a batch costs as much as its positions one by one.

use super::network::Network;
use super::ordering::{Node, SORTED};
use super::score::{INFINITE, of_outcome};
use super::table::NO_MOVE;
use super::worker::{Frame, Worker};
use crate::eval::Family;
use treeline_game::{ForOne, Game, Player, fine};

/// Children of the last ply that are evaluated first, and how many times as many after each portion that does not cut. In draughts
/// four of five nodes are cut there, most of them by the first child.
const FIRST: usize = 1;
const GROWTH: usize = 4;

impl<G: Game> Worker<'_, G> {
    /// Whether a network evaluates the children of the last ply together.
    #[inline(always)]
    pub(super) fn batches_last_ply(&self) -> bool {
        self.network.is_some() && self.settings.last_ply
    }

    /// The score of an unfinished position with one ply left, in which `mover` is to move.
    #[inline(never)]
    pub(super) fn last_ply(&mut self, position: &G::Position, mover: Player, frame: Frame) -> i32 {
        if !self.settings.table {
            return self.judge(position, mover, frame, NO_MOVE);
        }
        let key = self.table_key(position, frame.times);
        let entry = self.table.get(key);
        let open = frame.beta - frame.alpha > 1;
        if let Some(score) = entry.and_then(|entry| self.by_entry(entry, frame, open)) {
            return score;
        }
        let before = self.grounds;
        let from_table = entry.map_or(NO_MOVE, |entry| entry.best);
        let best = self.judge(position, mover, frame, from_table);
        if !self.over {
            self.keep(key, frame, best, NO_MOVE, before);
        }
        best
    }

    /// The same by looking at its children: they are evaluated in portions, the most promising first, until one cuts. With quiescence,
    /// those with captures are searched on once the others were evaluated.
    #[inline(always)]
    fn judge(
        &mut self,
        position: &G::Position,
        mover: Player,
        frame: Frame,
        from_table: u16,
    ) -> i32 {
        let Some(network) = self.network.as_mut() else {
            return self.evaluate(position, mover, frame.ply);
        };
        let mut portion = match network.evaluator.goes_by_differences() {
            true => FIRST,
            false => usize::MAX,
        };
        let mut children = std::mem::take(&mut network.children);
        let mut restless = std::mem::take(&mut network.restless);
        restless.clear();
        let before = self.grounds;
        let node = self.rank(position, mover, frame.ply, from_table);
        self.trail_push(position);
        let (game, ply) = (self.game, frame.ply + 1);
        let (quiescence, mut best) = (self.settings.quiescence, -INFINITE);
        self.tally.depth = self.tally.depth.max(ply);
        loop {
            children.clear();
            while best < frame.beta
                && children.len() < portion
                && let Some((played, ..)) = self.stack.pick(node)
            {
                self.tally.nodes += 1;
                let next = game.after(position, played);
                if let Some(score) = self.known(&next, mover, ply) {
                    best = best.max(score);
                } else if quiescence && game.has_noisy(&next) {
                    restless.push(next);
                } else if let Some(bound) =
                    self.spare(&next, mover, frame.alpha.max(best), frame.beta)
                {
                    best = best.max(bound);
                } else {
                    children.push(next);
                }
            }
            if best >= frame.beta || children.is_empty() {
                break;
            }
            best = best.max(self.best_of(position, mover, frame.ply, &children));
            portion = portion.saturating_mul(GROWTH);
        }
        for next in &restless {
            if best >= frame.beta || self.over {
                break;
            }
            let alpha = frame.alpha.max(best);
            best = best.max(self.child(next, mover, frame, 0, alpha, frame.beta));
        }
        self.trail_pop();
        self.stack.end(node);
        self.rest_on_results(best, frame.alpha, frame.beta, before);
        if let Some(network) = self.network.as_mut() {
            network.children = children;
            network.restless = restless;
        }
        best
    }

    /// The score for `mover` of a child that nobody need evaluate.
    #[inline(always)]
    fn known(&mut self, next: &G::Position, mover: Player, ply: u32) -> Option<i32> {
        if let Some(outcome) = self.game.outcome(next) {
            return Some(of_outcome(outcome, mover, ply));
        }
        if self.draws_by_repetition(next) {
            self.grounds.by_path += 1;
            return Some(0);
        }
        let known = self.tables.then(|| self.game.tabled(next)).flatten()?;
        Some(of_outcome(known.outcome, mover, ply + known.plies))
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
        if self.settings.lazy {
            for (i, child) in children.iter().enumerate() {
                let value = self.network.as_ref().map_or(ForOne(0.0), |n| n.values[i]);
                self.learn_material(child, fine(value));
            }
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
