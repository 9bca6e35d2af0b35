//! The horizon: static evaluation, and captures searched on beyond it.

use super::score::{INFINITE, SURE};
use super::tally::Grounds;
use super::worker::{Frame, PLIES, Worker};
use treeline_game::{CERTAIN, Game, Player};

impl<G: Game> Worker<'_, G> {
    /// The static evaluation for `mover`.
    #[inline(always)]
    pub(super) fn evaluate(&mut self, position: &G::Position, mover: Player, ply: u32) -> i32 {
        self.tally.evaluations += 1;
        self.tally.depth = self.tally.depth.max(ply);
        self.grounds.soft += 1;
        let points = match &mut self.network {
            None => (self.heuristic.points)(self.game, position),
            Some(network) => network.points(position),
        };
        points.clamp(1 - CERTAIN, CERTAIN - 1) * mover.sign()
    }

    /// A position at the horizon: captures are searched on. Where every move is one there is no standing still.
    pub(super) fn settle(&mut self, position: &G::Position, mover: Player, frame: Frame) -> i32 {
        let Frame {
            mut alpha,
            beta,
            ply,
            ..
        } = frame;
        if !self.settings.quiescence || ply as usize >= PLIES - 1 {
            return self.evaluate(position, mover, ply);
        }
        let before = self.grounds;
        let (game, stack, memory) = (self.game, &mut self.stack, &*self.memory);
        let node = stack.begin();
        let history = self.settings.history;
        game.each_noisy(position, |played| {
            let rank = match history {
                true => memory.history(mover, game.slot(position, played)),
                false => 0,
            };
            stack.push(node, played, rank);
        });
        let count = u32::from(stack.next(node));
        if count == 0 {
            if let Some(bound) = self.spare(position, mover, alpha, beta) {
                self.tally.depth = self.tally.depth.max(ply);
                return bound;
            }
            let points = self.evaluate(position, mover, ply);
            self.learn_material(position, points * mover.sign());
            return points;
        }
        let forced = game.must_be_noisy(position, count);
        let mut best = -INFINITE;
        if !forced {
            best = self.evaluate(position, mover, ply);
            if best >= beta {
                self.stack.end(node);
                return best;
            }
            alpha = alpha.max(best);
        }
        self.stack.close(node);
        self.trail_push(position);
        while let Some((played, ..)) = self.stack.pick(node) {
            self.tally.nodes += 1;
            let next = game.after(position, played);
            let score = self.child(&next, mover, frame, 0, alpha, beta);
            if self.over {
                break;
            }
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        self.trail_pop();
        self.stack.end(node);
        self.rest_on_results(best, frame.alpha, beta, before);
        best
    }

    /// A proof of a win or a loss rests on nothing else that was looked at for it.
    #[inline(always)]
    pub(super) fn rest_on_results(&mut self, best: i32, alpha: i32, beta: i32, before: Grounds) {
        if (best >= SURE && best > alpha) || (best <= -SURE && best < beta) {
            self.grounds = before;
        }
    }
}
