//! Tables of endings: what the player to move still gets less what the other gets, with best play, for every position with
//! a given number of seeds in houses. They come from the cache, where `treeline endgame` has put them, or are computed from the
//! bottom up, a number of seeds after the other.

pub mod file;
mod layer;
pub mod make;
mod number;
pub mod shared;
#[cfg(test)]
mod tests;

use super::super::rules::Kalah;
use super::super::side::Side;
use super::board::Board;
use layer::Below;
pub use layer::Layer;
use number::{MOST, blocks, count};
use std::sync::Arc;

/// Positions between two questions whether time is over.
const POLL: usize = 256;

/// The tables that are there, from 2 seeds on.
#[derive(Debug)]
pub struct Endings<S, const N: u32> {
    ready: Below<S, N>,
    growing: Option<Growing>,
    /// The most seeds that the memory allows.
    most: usize,
}

/// The layer being computed, and what comes next: the seeds of the side with fewer, its rank.
#[derive(Debug)]
struct Growing {
    layer: Layer,
    fewer: usize,
    rank: usize,
}

/// Bytes of one table, and of what numbers its positions.
fn bytes<S: Side, const N: u32>(game: &Kalah<S, N>, seeds: usize) -> u64 {
    let houses = game.houses();
    blocks(houses, seeds).1 + count(houses, seeds) * size_of::<S>() as u64
}

impl<S: Side, const N: u32> Endings<S, N> {
    /// These tables from the cache, and others that will take `memory` bytes more at most.
    pub fn new(game: &Kalah<S, N>, cached: Vec<Arc<Layer>>, memory: usize) -> Self {
        let ready = Below::new(game, cached);
        let mut most = ready.next() - 1;
        let mut left = memory as u64;
        while most < MOST {
            let bytes = bytes(game, most + 1);
            if bytes > left {
                break;
            }
            left -= bytes;
            most += 1;
        }
        Endings {
            ready,
            growing: None,
            most,
        }
    }

    /// The most seeds of which all is known.
    #[inline(always)]
    pub fn ready(&self) -> i32 {
        self.ready.layers.len() as i32 + 1
    }

    /// Bytes of all tables that there will be.
    pub fn bytes(&self) -> u64 {
        (2..=self.most)
            .map(|seeds| bytes(&self.ready.game, seeds))
            .sum()
    }

    /// Positions of the next table; more than can be where there will be none.
    pub fn next(&self) -> u64 {
        match self.ready.next() {
            seeds if seeds <= self.most => blocks(self.ready.game.houses(), seeds).1,
            _ => u64::MAX / 2,
        }
    }

    /// Computes tables up to so many seeds, or until `is_over`; the next call goes on. Whether they are there.
    pub fn grow(&mut self, seeds: i32, is_over: &mut dyn FnMut() -> bool) -> bool {
        let seeds = seeds.clamp(0, self.most as i32);
        while self.ready() < seeds {
            if !self.grow_one(is_over) {
                return false;
            }
        }
        true
    }

    /// Computes the next table. Whether it is there.
    fn grow_one(&mut self, is_over: &mut dyn FnMut() -> bool) -> bool {
        let seeds = self.ready.next();
        self.ready.reach(seeds);
        let mut growing = match self.growing.take() {
            Some(growing) => growing,
            None => {
                let Some(layer) = Layer::new(self.ready.game.houses(), seeds) else {
                    // What the system has not is done without.
                    self.most = seeds - 1;
                    return false;
                };
                Growing {
                    layer,
                    fewer: 1,
                    rank: 0,
                }
            }
        };
        let done = self.fill(&mut growing, is_over);
        match done {
            true => self.ready.layers.push(Arc::new(growing.layer)),
            false => self.growing = Some(growing),
        }
        done
    }

    /// Goes on with a layer; whether all of it is there.
    fn fill(&self, growing: &mut Growing, is_over: &mut dyn FnMut() -> bool) -> bool {
        let seeds = growing.layer.seeds;
        let mut polled = 0;
        while 2 * growing.fewer <= seeds {
            let block = growing.layer.block(growing.fewer);
            while growing.rank < self.ready.sides(growing.fewer) {
                polled += self.ready.fill(seeds, growing.fewer, growing.rank, block);
                growing.rank += 1;
                if polled > POLL {
                    polled = 0;
                    if is_over() {
                        return false;
                    }
                }
            }
            growing.fewer += 1;
            growing.rank = 0;
        }
        true
    }

    /// The value of a position that is not over, with [`Endings::ready`] seeds or fewer.
    #[inline(always)]
    pub fn value(&self, board: Board<S>) -> i32 {
        self.ready.value(board)
    }
}
