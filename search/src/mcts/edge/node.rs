//! The head of a block of edges: what the tree keeps of the node whose children they are, apart from its statistics, which
//! are those of the edge that leads to it.

use super::{Edge, Index};
use std::sync::atomic::Ordering::Relaxed;

/// A bit of `sum` above the length and the number of edges handed out: the block waits to be freed.
const DOOMED: i64 = 1 << 40;
/// Where `sum` counts the edges handed out for a first visit; the length is below.
const OUT: u32 = 16;
const LENGTH: i64 = (1 << OUT) - 1;

/// The place at the head of a block, read as a node: `sum` holds the length and how many edges were handed out, `visits`
/// the stamp, `link` the edge above.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a>(&'a Edge);

impl<'a> Node<'a> {
    /// What lies at the head of a block.
    #[inline(always)]
    pub fn new(head: &'a Edge) -> Self {
        Node(head)
    }

    /// Begins a node with `length` children behind the edge `above`.
    pub fn begin(self, above: Index, length: u32, stamp: u32) {
        self.0.sum.store(i64::from(length), Relaxed);
        self.0.visits.store(stamp, Relaxed);
        self.0.link.store(above, Relaxed);
    }

    /// Marks the block as cut off from the tree and waiting to be freed; false if it was already.
    pub fn doom(self) -> bool {
        let sum = self.0.sum.load(Relaxed);
        self.0.sum.store(sum | DOOMED, Relaxed);
        sum & DOOMED == 0
    }

    /// Number of edges in the block; 0 for a free slot.
    #[inline(always)]
    pub fn length(self) -> u32 {
        (self.0.sum.load(Relaxed) & LENGTH) as u32
    }

    /// Hands out the next edge of the block that was never visited; `None` when all have been.
    #[inline(always)]
    pub fn next_new<const SHARED: bool>(self) -> Option<u32> {
        let now = self.0.sum.load(Relaxed);
        let number = |sum: i64| ((sum >> OUT) & LENGTH) as u32;
        let length = (now & LENGTH) as u32;
        if number(now) >= length {
            return None;
        }
        if SHARED {
            // Threads that lose the race count on; there are fewer of them than numbers left.
            let next = number(self.0.sum.fetch_add(1 << OUT, Relaxed));
            (next < length).then_some(next)
        } else {
            self.0.sum.store(now + (1 << OUT), Relaxed);
            Some(number(now))
        }
    }

    /// The edge that leads to the node.
    pub fn above(self) -> Index {
        self.0.link.load(Relaxed)
    }

    /// The last search that passed through the node.
    pub fn stamp(self) -> u32 {
        self.0.visits.load(Relaxed)
    }

    #[inline(always)]
    pub fn set_stamp(self, stamp: u32) {
        if self.0.visits.load(Relaxed) != stamp {
            self.0.visits.store(stamp, Relaxed);
        }
    }

    /// Makes the slot free; `next` is the next free one.
    pub fn free(self, next: Index) {
        self.0.sum.store(0, Relaxed);
        self.0.link.store(next, Relaxed);
    }
}
