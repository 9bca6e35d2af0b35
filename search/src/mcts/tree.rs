//! The tree of one game: anchored at the game's start, kept between moves, recycled when memory is full.
//!
//! Here are its blocks and how one is begun; `way` finds the root of a search, `proofs` carries results upwards, `recycle`
//! makes room.

use super::arena::{Arena, LONGEST, ThreadChunks};
use super::edge::{Edge, Index, Link, Node};
use super::extra::Extra;
use super::growth::Growth;
use super::shuffle::mixed;
use super::sweep::Sweep;
use parking_lot::RwLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use treeline_game::{Game, Line, Player, Rng};

/// One choice of a descent: the edge that was taken and who took it.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub edge: Index,
    pub mover: Player,
}

/// What came of beginning the children of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begun {
    /// Their block, which had been made before.
    There(Index),
    /// Their block, which nobody else sees yet.
    New(Index),
    /// Memory is full, or another thread is at it.
    Not,
}

#[derive(Debug)]
pub struct Tree<G: Game> {
    pub(super) arena: Arena,
    growth: Growth,
    /// The position at the anchor; `None` before the first search.
    pub(super) start: Option<G::Position>,
    /// The blocks from the anchor (a block of one edge, which leads to the start) to the children of the root. They
    /// carry the present stamp, so that nothing on the way is ever stale.
    pub(super) way: Vec<Index>,
    pub(super) stamp: u32,
    /// Held shared while descending, alone while recycling.
    pub(super) in_use: RwLock<Sweep>,
    pub(super) short: AtomicBool,
    /// Counts recyclings.
    pub(super) epoch: AtomicU32,
}

impl<G: Game> Tree<G> {
    pub fn new(bytes: usize, growth: Growth) -> Self {
        Tree {
            arena: Arena::new(bytes, growth.extras),
            growth,
            start: None,
            way: Vec::new(),
            stamp: 0,
            in_use: RwLock::new(Sweep::default()),
            short: AtomicBool::new(false),
            epoch: AtomicU32::new(0),
        }
    }

    #[inline(always)]
    pub fn edge(&self, index: Index) -> &Edge {
        self.arena.edge(index)
    }

    /// The node at the head of `block`.
    #[inline(always)]
    pub fn node(&self, block: Index) -> Node<'_> {
        self.arena.node(block)
    }

    #[inline(always)]
    pub fn edges(&self, block: Index) -> &[Edge] {
        self.arena.edges(block)
    }

    /// What lies beside an edge. Only where the growth asks for extras.
    #[inline(always)]
    pub fn extra(&self, edge: Index) -> &Extra {
        self.arena.extra(edge)
    }

    /// The same for all edges of a block.
    #[inline(always)]
    pub fn extras(&self, block: Index) -> &[Extra] {
        self.arena.extras(block)
    }

    /// Forgets all, since visits that stand for priors cannot be told from others once their number changes.
    pub fn set_prior_weight(&mut self, weight: u32) {
        self.forget();
        self.growth.prior_weight = weight;
    }

    pub fn growth(&self) -> &Growth {
        &self.growth
    }

    /// The edges of a block with their indices.
    pub fn numbered(&self, block: Index) -> impl Iterator<Item = (Index, &Edge)> {
        (block + 1..).zip(self.edges(block))
    }

    /// Visits of all children of the position behind `at`, those aside that priors stand for. A root's visits are these:
    /// what begins at it is not counted on its own edge, where it would be visits without results once a move is taken back.
    pub fn visits_below(&self, at: Index) -> u64 {
        let Link::Block(block) = self.edge(at).link() else {
            return 0;
        };
        let prior = self.growth.prior_weight;
        let own = |edge: &Edge| u64::from(edge.visits().saturating_sub(prior));
        self.edges(block).iter().map(own).sum()
    }

    /// Marks a block as used by the present search.
    #[inline(always)]
    pub fn touch(&self, block: Index) {
        self.arena.node(block).set_stamp(self.stamp);
    }

    /// Whether the present search, or the last one when it is over, made the block or passed through it.
    pub fn is_of_this_search(&self, block: Index) -> bool {
        self.node(block).stamp() == self.stamp
    }

    /// Leave to descend until the guard is dropped. Hold it for a bounded number of descents.
    pub fn enter(&self) -> impl Drop + '_ {
        self.in_use.read()
    }

    /// Begins the children of the edge `at`, which leads to `line`'s unfinished position. The thread that gets
    /// [`Begun::New`] completes the block and publishes it; until then others see a leaf.
    pub fn begin(
        &self,
        at: Index,
        line: &Line<'_, G>,
        chunks: &mut ThreadChunks,
        rng: &mut Rng,
    ) -> Begun {
        let edge = self.edge(at);
        loop {
            match edge.link() {
                Link::Block(block) => return Begun::There(block),
                from @ (Link::New | Link::Leaf) => {
                    if edge.change_link(from, Link::Growing) {
                        break;
                    }
                }
                Link::Growing | Link::End(_) => return Begun::Not,
            }
        }
        let moves = line.game().moves(line.position());
        let fits = (1..=LONGEST).contains(&moves.len());
        let slot = if fits {
            self.arena.take(chunks, moves.len())
        } else {
            None
        };
        let Some(block) = slot else {
            edge.set_link(Link::Leaf);
            if fits {
                self.short.store(true, Relaxed);
            }
            return Begun::Not;
        };
        let count = moves.len() as u32;
        self.node(block).begin(at, count, self.stamp);
        for (m, number) in moves.iter().zip(mixed(count, rng)) {
            self.edge(block + 1 + number).begin(*m);
        }
        Begun::New(block)
    }

    /// Lets everybody see a block that this thread has begun behind `edge`.
    #[inline]
    pub fn publish(&self, edge: Index, block: Index) {
        self.edge(edge).set_link(Link::Block(block));
    }

    /// The children of `edge`, made at once if need be: nothing is kept of them but their moves.
    #[inline]
    pub fn grow_bare(
        &self,
        edge: Index,
        line: &Line<'_, G>,
        chunks: &mut ThreadChunks,
        rng: &mut Rng,
    ) -> Option<Index> {
        match self.begin(edge, line, chunks, rng) {
            Begun::There(block) => Some(block),
            Begun::New(block) => {
                self.publish(edge, block);
                Some(block)
            }
            Begun::Not => None,
        }
    }

    /// Returns a thread's memory.
    pub fn put_back(&self, chunks: ThreadChunks) {
        self.arena.put_back(chunks);
    }

    /// A number that changes whenever blocks may have been freed.
    #[inline(always)]
    pub fn epoch(&self) -> u32 {
        self.epoch.load(Relaxed)
    }

    /// Whether an allocation failed since the last recycling.
    pub fn is_short(&self) -> bool {
        self.short.load(Relaxed)
    }

    /// Frees every block.
    pub fn forget(&mut self) {
        self.arena.clear();
        *self.in_use.get_mut() = Sweep::default();
        self.way.clear();
    }
}
