//! Edges, the 24 bytes of which a tree is made: a move with its statistics. The children of a node are a block of edges;
//! the place before them holds the node itself (`node`). Plain atomics, so that threads share a tree without locks.

mod node;

pub use node::Node;

use super::bounds::Bounds;
use std::sync::atomic::{
    AtomicI64, AtomicU32, AtomicU64,
    Ordering::{Relaxed, SeqCst},
};
use treeline_game::Move;

/// Results are summed in this unit, so that sums are exact and their order does not matter.
pub const ONE: i64 = 1 << 20;

/// Where an edge is in its arena, or a node that heads a block.
pub type Index = u32;

/// What an edge leads to. Block indices are above all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// Never entered.
    New,
    /// Entered; the game goes on and the children do not exist yet.
    Leaf,
    /// Some thread is making the children.
    Growing,
    /// The game ends there: won by player one, by player two, or drawn.
    End(treeline_game::Outcome),
    /// The block of children.
    Block(Index),
}

const NEW: u32 = 0;
const LEAF: u32 = 1;
const GROWING: u32 = 2;
const WON: u32 = 3;
const LOST: u32 = 4;
const DRAWN: u32 = 5;
/// The arena hands out no index below this.
pub const FIRST_INDEX: Index = 6;

/// An edge with so many visits takes no more, and no results: its mean is as exact as it can be. What threads add at the same
/// time does not carry it over the largest number.
const FULL: u32 = u32::MAX - (1 << 24);

/// A move with its statistics. `sum` has what is proven in its lowest bits, which additions above leave alone. The place
/// at the head of a block has the same fields and means other things by them: see [`Node`].
#[derive(Debug)]
pub struct Edge {
    sum: AtomicI64,
    visits: AtomicU32,
    link: AtomicU32,
    /// The bits of the move.
    played: AtomicU64,
}

// SAFETY: integers.
unsafe impl treeline_game::memory::Zeroed for Edge {}

impl Edge {
    /// Makes this the edge of `m`, in a block that nobody else sees yet.
    pub fn begin<M: Move>(&self, m: M) {
        self.sum.store(0, Relaxed);
        self.visits.store(0, Relaxed);
        self.link.store(NEW, Relaxed);
        self.played.store(m.to_bits(), Relaxed);
    }

    /// An edge as memory begins.
    #[cfg(test)]
    pub fn zeroed() -> Self {
        Edge {
            sum: AtomicI64::new(0),
            visits: AtomicU32::new(0),
            link: AtomicU32::new(NEW),
            played: AtomicU64::new(0),
        }
    }

    /// The move. Whoever has an edge has it from a link that was published after its move was written.
    #[inline(always)]
    pub fn played<M: Move>(&self) -> M {
        M::from_bits(self.played.load(Relaxed))
    }

    #[inline(always)]
    pub fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    /// The sum of results for the player who chooses this edge, in units of [`ONE`].
    #[inline(always)]
    pub fn sum(&self) -> i64 {
        self.sum.load(Relaxed) >> Bounds::BITS
    }

    /// The sum and, in its lowest bits, the bounds; for a loop over many edges.
    #[inline(always)]
    pub fn sum_and_bounds(&self) -> i64 {
        self.sum.load(Relaxed)
    }

    /// What is proven of the position behind this edge.
    #[inline(always)]
    pub fn bounds(&self) -> Bounds {
        Bounds((self.sum.load(SeqCst) & ((1 << Bounds::BITS) - 1)) as u8)
    }

    /// Adds what is proven; whether some of it is news. Of two threads that prove two children each then sees the other's
    /// when it looks at all of them, or has been seen.
    pub fn prove(&self, bounds: Bounds) -> bool {
        let before = Bounds((self.sum.fetch_or(i64::from(bounds.0), SeqCst) & 15) as u8);
        !bounds.adds_nothing_to(before)
    }

    /// Makes the sum zero, the value of a proven draw.
    pub fn level(&self) {
        self.sum.fetch_and((1 << Bounds::BITS) - 1, Relaxed);
    }

    /// Adds visits and results. `SHARED` says whether other threads add too.
    #[inline(always)]
    pub fn add<const SHARED: bool>(&self, visits: u32, sum: i64) {
        if self.visits() >= FULL {
            return;
        }
        if SHARED {
            if visits > 0 {
                self.visits.fetch_add(visits, Relaxed);
            }
            if sum != 0 {
                self.sum.fetch_add(sum << Bounds::BITS, Relaxed);
            }
        } else {
            self.visits
                .store(self.visits.load(Relaxed).saturating_add(visits), Relaxed);
            self.sum
                .store(self.sum.load(Relaxed) + (sum << Bounds::BITS), Relaxed);
        }
    }

    #[inline(always)]
    pub fn link(&self) -> Link {
        use treeline_game::{Outcome, Player};
        match self.link.load(std::sync::atomic::Ordering::Acquire) {
            NEW => Link::New,
            LEAF => Link::Leaf,
            GROWING => Link::Growing,
            WON => Link::End(Outcome::Win(Player::One)),
            LOST => Link::End(Outcome::Win(Player::Two)),
            DRAWN => Link::End(Outcome::Draw),
            index => Link::Block(index),
        }
    }

    pub fn set_link(&self, link: Link) {
        self.link
            .store(code(link), std::sync::atomic::Ordering::Release);
    }

    /// Changes the link if it is still `from`; whether it was.
    pub fn change_link(&self, from: Link, to: Link) -> bool {
        self.link
            .compare_exchange(code(from), code(to), Relaxed, Relaxed)
            .is_ok()
    }
}

fn code(link: Link) -> u32 {
    use treeline_game::{Outcome, Player};
    match link {
        Link::New => NEW,
        Link::Leaf => LEAF,
        Link::Growing => GROWING,
        Link::End(Outcome::Win(Player::One)) => WON,
        Link::End(Outcome::Win(Player::Two)) => LOST,
        Link::End(Outcome::Draw) => DRAWN,
        Link::Block(index) => index,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_do_not_begin_anew_after_the_largest_number() {
        let edge = Edge::zeroed();
        edge.add::<false>(FULL - 1, i64::from(FULL - 1) * ONE);
        for _ in 0..1000 {
            edge.add::<true>(1 << 20, ONE << 20);
            edge.add::<false>(1 << 20, ONE << 20);
        }
        assert!(edge.visits() >= FULL);
        assert_eq!(edge.sum(), i64::from(edge.visits()) * ONE);
    }
}
