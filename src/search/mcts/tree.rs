//! The tree of one game: anchored at the game's start, kept between moves, recycled when memory is full.
//!
//! The root of a search is found by walking the record's moves from the anchor, so that any sequence of play and undo
//! that leads to a position finds what is known of it. Blocks carry the number of the last search that passed through
//! them; what no search passed lately goes first when memory is short, then what was visited least.

use super::arena::{Arena, LONGEST, Purse};
use super::unit::{Index, Link, Unit};
use crate::game::{Game, Line, Record, Rng, random};
use parking_lot::RwLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long one act of recycling may hold the threads up.
const PAUSE: Duration = Duration::from_millis(1);
/// Blocks that one act of recycling frees if it finds them in time.
const ENOUGH: u64 = 4096;
/// Blocks below edges with fewer visits are the first to go, besides stale ones.
const LEAST: u32 = 4;

#[derive(Debug)]
pub struct Tree<G: Game> {
    arena: Arena<G::Move>,
    /// The position at the anchor; `None` before the first search.
    start: Option<G::Position>,
    /// The blocks from the anchor (a block of one edge, which leads to the start) to the children of the root. They
    /// carry the present stamp, so that nothing on the way is ever stale.
    way: Vec<Index>,
    stamp: u32,
    /// Held shared while descending, alone while recycling.
    in_use: RwLock<Sweep>,
    short: AtomicBool,
}

/// Where recycling stands.
#[derive(Debug)]
struct Sweep {
    chunk: u32,
    /// Blocks below edges with fewer visits go.
    least: u32,
    freed_in_round: u64,
    /// Blocks that are cut off from the tree and not yet free.
    doomed: Vec<Index>,
}

impl Default for Sweep {
    fn default() -> Self {
        Sweep {
            chunk: 0,
            least: LEAST,
            freed_in_round: 0,
            doomed: Vec::new(),
        }
    }
}

impl<G: Game> Tree<G> {
    pub fn new(bytes: usize) -> Self {
        Tree {
            arena: Arena::new(bytes),
            start: None,
            way: Vec::new(),
            stamp: 0,
            in_use: RwLock::new(Sweep::default()),
            short: AtomicBool::new(false),
        }
    }

    #[inline(always)]
    pub fn unit(&self, index: Index) -> &Unit<G::Move> {
        self.arena.unit(index)
    }

    #[inline(always)]
    pub fn edges(&self, block: Index) -> &[Unit<G::Move>] {
        self.arena.edges(block)
    }

    /// Marks a block as used by the present search.
    #[inline(always)]
    pub fn touch(&self, block: Index) {
        self.arena.unit(block).set_stamp(self.stamp);
    }

    /// The move of an edge of a block that links lead to.
    #[inline(always)]
    pub fn played(&self, edge: &Unit<G::Move>) -> G::Move {
        // SAFETY: callers get edges from blocks they reached through `link`, which are published.
        unsafe { edge.played() }
    }

    /// Leave to descend until the guard is dropped. Hold it for a bounded number of descents.
    pub fn enter(&self) -> impl Drop + '_ {
        self.in_use.read()
    }

    /// Finds or makes the edge of the record's position, with its children, and marks the way to it; `None` if memory
    /// does not suffice.
    pub fn root(&mut self, record: &Record<G>, rng: &mut Rng) -> Option<Index> {
        let (start, _) = record.tail();
        if self.start != Some(*start) {
            self.start = Some(*start);
            self.forget();
        }
        self.stamp = self.stamp.wrapping_add(1);
        let sweep = self.in_use.get_mut();
        (sweep.least, sweep.freed_in_round) = (LEAST, 0);
        let mut purse = Purse::new();
        let edge = self.walk(record, &mut purse, rng);
        self.arena.put_back(purse);
        edge
    }

    fn walk(&mut self, record: &Record<G>, purse: &mut Purse, rng: &mut Rng) -> Option<Index> {
        let (start, steps) = record.tail();
        let anchor = match self.way.first() {
            Some(anchor) => *anchor,
            None => {
                let block = self.arena.take(purse, 1)?;
                // SAFETY: the slot was just taken; nobody asks for the move, any will do.
                unsafe { self.unit(block + 1).begin_edge(*record.moves().first()?) };
                // Nothing is above the anchor; its own edge stands in.
                self.unit(block).begin_header(block + 1, 1, self.stamp);
                block
            }
        };
        self.way.clear();
        self.way.push(anchor);
        self.touch(anchor);
        let mut line = Line::new(record.game(), *start, Vec::new());
        let mut edge = anchor + 1;
        for i in 0..=steps.len() {
            let mut block = self.grow(edge, &line, purse, rng);
            if block.is_none() {
                self.recycle_for(PAUSE * 5);
                block = self.grow(edge, &line, purse, rng);
            }
            let block = block?;
            self.touch(block);
            self.way.push(block);
            if let Some(step) = steps.get(i) {
                let at = self
                    .edges(block)
                    .iter()
                    .position(|e| self.played(e) == step.played)?;
                edge = block + 1 + at as u32;
                line.apply(step.played);
            }
        }
        Some(edge)
    }

    /// The children of `edge`, which leads to `line`'s unfinished position; made if need be. `None` if memory is full
    /// or another thread is at it.
    pub fn grow(
        &self,
        edge: Index,
        line: &Line<'_, G>,
        purse: &mut Purse,
        rng: &mut Rng,
    ) -> Option<Index> {
        let unit = self.unit(edge);
        loop {
            match unit.link() {
                Link::Block(block) => return Some(block),
                from @ (Link::New | Link::Leaf) => {
                    if unit.change_link(from, Link::Growing) {
                        break;
                    }
                }
                Link::Growing | Link::End(_) => return None,
            }
        }
        let mut moves = line.game().moves(line.position());
        // Unvisited children are tried in this order, so it must be random.
        for i in (1..moves.len()).rev() {
            moves.swap(i, random::pick(rng, i as u32 + 1) as usize);
        }
        let fits = (1..=LONGEST).contains(&moves.len());
        let slot = if fits {
            self.arena.take(purse, moves.len())
        } else {
            None
        };
        let Some(block) = slot else {
            unit.set_link(Link::Leaf);
            if fits {
                self.short.store(true, Relaxed);
            }
            return None;
        };
        self.unit(block)
            .begin_header(edge, moves.len() as u32, self.stamp);
        for (i, m) in moves.iter().enumerate() {
            // SAFETY: the slot was just taken by this thread and is published only below.
            unsafe { self.unit(block + 1 + i as u32).begin_edge(*m) };
        }
        unit.set_link(Link::Block(block));
        Some(block)
    }

    /// Returns a thread's memory.
    pub fn put_back(&self, purse: Purse) {
        self.arena.put_back(purse);
    }

    /// Whether an allocation failed since the last recycling.
    pub fn is_short(&self) -> bool {
        self.short.load(Relaxed)
    }

    /// Frees what is least useful, for at most about a millisecond. Waits until no thread is inside.
    pub fn recycle(&self) {
        if self.is_short() {
            self.recycle_for(PAUSE);
        }
    }

    fn recycle_for(&self, pause: Duration) {
        let mut sweep = self.in_use.write();
        if self.short.swap(false, Relaxed) {
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
                let header = self.unit(block);
                let stale = header.stamp() != self.stamp;
                let useless = stale
                    || self.unit(header.above()).visits() < sweep.least
                        && !self.way.contains(&block);
                if useless && header.doom() {
                    self.unit(header.above()).set_link(Link::Leaf);
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
                    && self.unit(below).doom()
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

    /// Frees every block.
    pub fn forget(&mut self) {
        self.arena.clear();
        *self.in_use.get_mut() = Sweep::default();
        self.way.clear();
    }
}
