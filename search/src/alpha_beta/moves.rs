//! A node's moves: their order, the window and depth of each, and what is remembered of a cut.

use super::cuts::reduction;
use super::ordering::{FROM_TABLE, KILLERS, NOISY, Node};
use super::score::INFINITE;
use super::table::NO_MOVE;
use super::worker::{Frame, Worker};
use treeline_game::{Game, Player};

/// The least depth of reductions.
const LATE_DEPTH: i32 = 3;
/// Moves of a node that are searched in full before any is late.
const EARLY: usize = 3;

impl<G: Game> Worker<'_, G> {
    /// Puts the legal moves on the stack, ranked.
    #[inline]
    pub(super) fn rank(
        &mut self,
        position: &G::Position,
        mover: Player,
        ply: u32,
        from_table: u16,
    ) -> Node {
        let (game, settings) = (self.game, self.settings);
        let (stack, memory) = (&mut self.stack, &*self.memory);
        let node = stack.begin();
        let killers = match settings.killers {
            true => memory.killers(ply),
            false => [None; 2],
        };
        game.each_move(position, |played| {
            let number = stack.next(node);
            let mut rank = 0;
            if settings.history {
                rank = memory.history(mover, game.slot(position, played));
            }
            if settings.noisy_first && game.is_noisy(position, played) {
                rank += NOISY;
            } else if killers[0] == Some(played) {
                rank = KILLERS[0];
            } else if killers[1] == Some(played) {
                rank = KILLERS[1];
            }
            if number == from_table {
                rank = FROM_TABLE;
            }
            stack.push(node, played, rank);
        });
        stack.close(node);
        node
    }

    /// Searches the node's moves; the best score and the number of its move.
    pub(super) fn moves(
        &mut self,
        position: &G::Position,
        mover: Player,
        frame: Frame,
        node: Node,
    ) -> (i32, u16) {
        let single = self.settings.single_reply && self.stack.moves(node).len() == 1;
        let frame = Frame {
            depth: frame.depth + i32::from(single),
            ..frame
        };
        let Frame {
            mut alpha,
            beta,
            ply,
            ..
        } = frame;
        let (mut best, mut best_number) = (-INFINITE, NO_MOVE);
        let mut i = 0;
        while let Some((played, number, rank)) = self.stack.pick(node) {
            self.tally.nodes += 1;
            let next = self.game.after(position, played);
            let window = Frame { alpha, ..frame };
            let score = self.next_move(&next, mover, window, i, rank);
            i += 1;
            if self.over {
                break;
            }
            if score <= best {
                continue;
            }
            // Scores that fail low are bounds and recommend no move.
            (best, best_number) = (score, NO_MOVE);
            if score <= alpha {
                continue;
            }
            best_number = number;
            if score >= beta {
                self.learn(position, mover, frame, node, played);
                break;
            }
            alpha = score;
            self.extend_line(ply, played);
        }
        (best, best_number)
    }

    /// Move number `i` in the order: in full the first, the others with a null window, late ones less deeply before.
    #[inline]
    fn next_move(
        &mut self,
        next: &G::Position,
        mover: Player,
        frame: Frame,
        i: usize,
        rank: i32,
    ) -> i32 {
        let Frame {
            depth, alpha, beta, ..
        } = frame;
        if i == 0 || !self.settings.pvs {
            return self.child(next, mover, frame, depth - 1, alpha, beta);
        }
        let less = match self.settings.late_moves {
            true if depth >= LATE_DEPTH && i >= EARLY && rank < KILLERS[1] => {
                reduction(depth, i, beta - alpha > 1)
            }
            _ => 0,
        };
        let mut score = self.child(next, mover, frame, depth - 1 - less, alpha, alpha + 1);
        if less > 0 && score > alpha && !self.over {
            score = self.child(next, mover, frame, depth - 1, alpha, alpha + 1);
        }
        if score > alpha && score < beta && !self.over {
            score = self.child(next, mover, frame, depth - 1, alpha, beta);
        }
        score
    }

    /// Makes the best line from `ply` on `m` and what follows it.
    pub fn extend_line(&mut self, ply: u32, m: G::Move) {
        let (above, below) = self.lines.split_at_mut(ply as usize + 1);
        let line = &mut above[ply as usize];
        line.clear();
        line.push(m);
        if let Some(rest) = below.first() {
            line.extend_from_slice(rest);
        }
    }

    /// Remembers the move that cut, and that those tried before it did not.
    fn learn(
        &mut self,
        position: &G::Position,
        mover: Player,
        frame: Frame,
        node: Node,
        cut: G::Move,
    ) {
        if self.settings.noisy_first && self.game.is_noisy(position, cut) {
            return;
        }
        if self.settings.killers {
            self.memory.add_killer(frame.ply, cut);
        }
        if self.settings.history {
            let bonus = (frame.depth * frame.depth).min(400);
            let slot = self.game.slot(position, cut);
            self.memory.learn(mover, slot, bonus);
            for earlier in self.stack.tried(node).filter(|m| *m != cut) {
                let slot = self.game.slot(position, earlier);
                self.memory.learn(mover, slot, -bonus);
            }
        }
    }
}
