//! The positions that are asked about together, and room to work in.

use super::accumulator::Changes;
use super::layout::Bytes;
use super::net::Net;

/// Positions whose values are asked for in one call of [`Net::evaluate`], and their values. Allocates only while it grows.
#[derive(Debug)]
pub struct Batch {
    /// Words a position.
    stride: usize,
    pub(super) words: Vec<u64>,
    /// Whether player two is to move in each position.
    pub(super) movers: Vec<bool>,
    /// In whole vectors.
    pub(super) values: Vec<f32>,
    /// Values that are asked for.
    pub(super) known: usize,
    pub(super) room: Room,
}

/// What the kernels work in.
#[derive(Debug)]
pub(super) struct Room {
    pub changes: Changes,
    /// `[GROUP, 2 · width]`.
    pub activations: Vec<Bytes<u8>>,
    /// `[2 · width / 4 + 8]`: which fours of one position's activations are not all zero, and room to write eight at a time.
    pub fours: Vec<u16>,
}

/// The most positions that go through the second layer together.
pub(super) const GROUP: usize = 4;

impl Batch {
    /// An empty batch for this network and others of its sizes.
    pub fn new(net: &Net) -> Self {
        Batch {
            stride: net.words(),
            words: Vec::new(),
            movers: Vec::new(),
            values: Vec::new(),
            known: 0,
            room: Room {
                changes: Changes::new(net),
                activations: vec![Bytes([0; 64]); GROUP * 2 * net.width() / 64],
                fours: vec![0; 2 * net.width() / 4 + 8],
            },
        }
    }

    /// Takes all positions out.
    #[inline]
    pub fn clear(&mut self) {
        self.words.clear();
        self.movers.clear();
    }

    /// Makes the batch one of `count` positions, to be described one after the other: each one's features as player one sees
    /// them, all words of them, and whether player two is to move.
    #[inline]
    pub fn places(&mut self, count: usize) -> impl Iterator<Item = (&mut [u64], &mut bool)> {
        self.words.resize(count * self.stride, 0);
        self.movers.resize(count, false);
        let words = self.words.chunks_exact_mut(self.stride);
        words.zip(&mut self.movers)
    }

    /// Adds a position; its features as player one sees them are to be written into the words returned.
    pub fn push(&mut self, player_two_moves: bool) -> &mut [u64] {
        self.movers.push(player_two_moves);
        let at = self.words.len();
        self.words.resize(at + self.stride, 0);
        &mut self.words[at..]
    }

    /// The number of positions.
    #[inline]
    pub fn len(&self) -> usize {
        self.movers.len()
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.movers.is_empty()
    }

    /// The values of the last [`Net::evaluate`], in the order of the positions: for the mover, in (-1, 1).
    #[inline]
    pub fn values(&self) -> &[f32] {
        &self.values[..self.known]
    }

    /// Makes room for `count` values.
    #[inline]
    pub(super) fn start(&mut self, count: usize) {
        self.known = count;
        let padded = count.next_multiple_of(16);
        if self.values.len() < padded {
            self.values.resize(padded, 0.0);
        }
    }

    /// The values of whole vectors, those that are asked for and some more.
    #[inline(always)]
    pub(super) fn padded(&mut self) -> &mut [f32] {
        let padded = self.known.next_multiple_of(16);
        &mut self.values[..padded]
    }

    /// Whether the batch was made for such a network.
    pub(super) fn fits(&self, net: &Net) -> bool {
        self.stride == net.words()
            && self.room.activations.len() * 64 == GROUP * 2 * net.width()
            && self.words.len() == self.movers.len() * self.stride
    }
}
