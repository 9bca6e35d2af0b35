//! A full tree makes room: what no search passed lately goes first, then what was visited least.

use super::edge::Link;
use super::sweep::Sweep;
use super::tree::Tree;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use treeline_game::Game;

/// How long one act of recycling may hold the threads up.
pub const PAUSE: Duration = Duration::from_millis(1);
/// Blocks that one act of recycling frees if it finds them in time.
const ENOUGH: u64 = 4096;

impl<G: Game> Tree<G> {
    /// Frees what is least useful, for at most about a millisecond. Waits until no thread is inside.
    pub fn recycle(&self) {
        if self.is_short() {
            self.recycle_for(PAUSE);
        }
    }

    pub(super) fn recycle_for(&self, pause: Duration) {
        let mut sweep = self.in_use.write();
        if self.short.swap(false, Relaxed) {
            self.epoch.fetch_add(1, Relaxed);
            self.sweep(&mut sweep, Instant::now() + pause);
        }
    }

    /// Goes round the chunks from where the last sweep stopped and cuts off blocks that are stale or were seldom visited,
    /// with all that hangs on them, until enough is free or time is up.
    fn sweep(&self, sweep: &mut Sweep, end: Instant) {
        let mut freed = self.free_doomed(sweep, end);
        while freed < ENOUGH && Instant::now() < end {
            let Some(blocks) = self.arena.blocks(sweep.chunk) else {
                // A whole round that found little: be less choosy.
                if sweep.freed_in_round < 4 * ENOUGH {
                    sweep.least = sweep.least.saturating_mul(2);
                }
                sweep.chunk = 0;
                sweep.freed_in_round = 0;
                continue;
            };
            sweep.chunk += 1;
            for block in blocks {
                let node = self.node(block);
                let stale = node.stamp() != self.stamp;
                // What was searched as a root has its visits below.
                let useless = stale
                    || self.edge(node.above()).visits() < sweep.least
                        && !self.way.contains(&block)
                        && self.visits_below(node.above()) < u64::from(sweep.least);
                if useless && node.doom() {
                    self.edge(node.above()).set_link(Link::Leaf);
                    sweep.doomed.push(block);
                }
            }
            let before = freed;
            freed += self.free_doomed(sweep, end);
            sweep.freed_in_round += freed - before;
        }
    }

    /// Frees blocks that are cut off, from the top down, until time is up; returns their number. Whatever is left waits for
    /// the next sweep: a subtree may be most of the tree.
    fn free_doomed(&self, sweep: &mut Sweep, end: Instant) -> u64 {
        let mut freed = 0;
        while let Some(block) = sweep.doomed.pop() {
            for edge in self.edges(block) {
                if let Link::Block(below) = edge.link()
                    && self.node(below).doom()
                {
                    sweep.doomed.push(below);
                }
            }
            self.arena.release(block);
            freed += 1;
            if freed % 64 == 0 && Instant::now() >= end {
                break;
            }
        }
        freed
    }
}
