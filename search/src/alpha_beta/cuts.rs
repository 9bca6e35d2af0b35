//! Cuts before a node's moves are searched, and how late ones are reduced.

use super::ordering::Node;
use super::score::{from_table, is_sure};
use super::table::Bound;
use super::worker::{Frame, Worker};
use treeline_game::{Game, Player};

/// Multi-cut: moves tried, moves that must cut, and plies saved.
const MULTI_CUT: (usize, usize, i32) = (6, 3, 2);

impl<G: Game> Worker<'_, G> {
    /// The score if the mover may as well pass.
    pub(super) fn null_move(
        &mut self,
        position: &G::Position,
        mover: Player,
        frame: Frame,
    ) -> Option<i32> {
        let passed = self.game.passed(position)?;
        let Frame {
            depth, beta, ply, ..
        } = frame;
        // What does not cut leaves no trace.
        let before = self.grounds;
        if self.evaluate(position, mover, ply) < beta {
            self.grounds = before;
            return None;
        }
        let mut below = frame.below(depth - 3 - depth / 4, beta - 1, beta, false);
        below.null_allowed = false;
        self.tally.nodes += 1;
        self.trail_push(position);
        let score = -self.enter(&passed, mover.other(), below);
        self.trail_pop();
        if self.over || score < beta {
            self.grounds = before;
            return None;
        }
        // A win after a pass is no proof of a win.
        Some(if is_sure(score) { beta } else { score })
    }

    /// A child whose entry in the table already cuts. All entries are asked for before the first is waited for, which also
    /// has them at hand when the children are searched.
    pub(super) fn ask_children(
        &mut self,
        position: &G::Position,
        mover: Player,
        frame: Frame,
        node: Node,
    ) -> Option<(i32, u16)> {
        let (game, table) = (self.game, self.table);
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        keys.extend(self.stack.moves(node).iter().map(|played| {
            let next = game.after(position, *played);
            let times = match self.repetition {
                Some(_) => self.times(&next),
                None => 0,
            };
            if self.repetition.is_some_and(|limit| times + 1 >= limit) {
                return None;
            }
            let key = self.table_key(&next, times);
            table.prefetch(key);
            Some((key, game.turn(&next) == mover))
        }));
        self.keys = keys;
        for i in 0..self.keys.len() {
            let Some((key, same)) = self.keys[i] else {
                continue;
            };
            let Some(entry) = table.get(key) else {
                continue;
            };
            let score = from_table(entry.score, frame.ply + 1);
            let (score, against) = match same {
                true => (score, Bound::Upper),
                false => (-score, Bound::Lower),
            };
            let certain = (!entry.soft && !entry.by_path) || is_sure(score);
            let deep = certain || i32::from(entry.depth) >= frame.depth - 1;
            if deep && entry.bound != against && score >= frame.beta {
                self.lean_on(entry, score);
                return Some((score, i as u16));
            }
        }
        None
    }

    /// Cuts if enough of the first moves do in a shallower search.
    pub(super) fn multi_cut(
        &mut self,
        position: &G::Position,
        mover: Player,
        frame: Frame,
        node: Node,
    ) -> Option<(i32, u16)> {
        let (tried, needed, saved) = MULTI_CUT;
        let before = self.grounds;
        let mut cuts = 0;
        let mut picked = [(0, 0); MULTI_CUT.0];
        let mut count = 0;
        while count < tried
            && let Some((played, number, rank)) = self.stack.pick(node)
        {
            picked[count] = (number, rank);
            count += 1;
            self.tally.nodes += 1;
            let next = self.game.after(position, played);
            let depth = frame.depth - 1 - saved;
            let score = self.child(&next, mover, frame, depth, frame.alpha, frame.beta);
            if self.over {
                return None;
            }
            cuts += usize::from(score >= frame.beta);
            if cuts >= needed {
                self.grounds.soft += 1;
                return Some((frame.beta, number));
            }
        }
        self.grounds = before;
        self.stack.rewind(node, &picked[..count]);
        None
    }
}

/// Plies that move number `i` is searched less.
#[inline]
pub fn reduction(depth: i32, i: usize, open: bool) -> i32 {
    /// Natural logarithms in 16ths.
    const LN: [u8; 64] = {
        // ln n = 0.6931 log2 n, by squaring.
        let mut table = [0; 64];
        let mut n = 2;
        while n < 64 {
            let (mut x, mut log) = ((n as u64) << 16, 0u64);
            let mut whole = 0;
            while x >= 2 << 16 {
                x >>= 1;
                whole += 1;
            }
            let mut bit = 8;
            while bit > 0 {
                bit -= 1;
                x = (x * x) >> 16;
                if x >= 2 << 16 {
                    x >>= 1;
                    log |= 1 << bit;
                }
            }
            table[n] = ((((whole << 8) + log) * 16 * 6931) / (256 * 10_000)) as u8;
            n += 1;
        }
        table
    };
    let ln = |n: usize| i32::from(LN[n.min(63)]);
    let plies = (ln(depth as usize) * ln(i) * 4 / 9 + 160) / 256;
    (plies - i32::from(open)).clamp(0, depth - 2)
}
