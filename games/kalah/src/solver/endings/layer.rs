//! One table: all positions with a given number of seeds in houses, and how their values follow from those with fewer.

use super::super::super::rules::Kalah;
use super::super::super::side::Side;
use super::super::board::Board;
use super::number::{Numbers, Place, blocks, sides};
use std::sync::Arc;
use treeline_game::memory::{Units, Zeroed};

/// A margin: what the player to move still gets less what the other gets, with best play.
#[derive(Debug, Clone, Copy)]
pub struct Value(pub i8);

// SAFETY: an integer.
unsafe impl Zeroed for Value {}

/// The values of all positions with so many seeds, block after block as [`blocks`] has them.
#[derive(Debug)]
pub struct Layer {
    pub seeds: usize,
    pub values: Units<Value>,
    pub blocks: Vec<usize>,
}

impl Layer {
    /// All zero; `None` if the system has not so much memory.
    pub fn new(houses: u32, seeds: usize) -> Option<Self> {
        let (blocks, length) = blocks(houses, seeds);
        let values = Units::new(usize::try_from(length).ok()?)?;
        Some(Layer {
            seeds,
            values,
            blocks,
        })
    }

    /// The value of the position at a place.
    #[inline(always)]
    pub fn value(&self, place: Place) -> i32 {
        i32::from(self.values[self.blocks[place.fewer] + place.at].0)
    }

    /// The block where one side has so many seeds, and no more than the other.
    pub fn block(&mut self, fewer: usize) -> &mut [Value] {
        let end = self.blocks.get(fewer + 1).copied();
        let end = end.unwrap_or(self.values.len());
        &mut self.values[self.blocks[fewer]..end]
    }
}

/// What values are computed from: the rules, the numbers and the layers with fewer seeds.
#[derive(Debug)]
pub struct Below<S, const N: u32> {
    pub game: Kalah<S, N>,
    numbers: Numbers,
    /// By seeds and rank.
    sides: Vec<Vec<S>>,
    /// By seeds, from 2 on: with fewer every game is over.
    pub layers: Vec<Arc<Layer>>,
}

impl<S: Side, const N: u32> Below<S, N> {
    pub fn new(game: &Kalah<S, N>, layers: Vec<Arc<Layer>>) -> Self {
        Below {
            game: game.clone(),
            numbers: Numbers::new(game.houses()),
            sides: Vec::new(),
            layers,
        }
    }

    /// Lists the sides of fewer than so many seeds, of which rows are made.
    pub fn reach(&mut self, seeds: usize) {
        let houses = self.game.houses();
        while self.sides.len() < seeds {
            self.sides.push(sides(houses, self.sides.len()));
        }
    }

    /// Sides with so many seeds that were reached.
    pub fn sides(&self, seeds: usize) -> usize {
        self.sides[seeds].len()
    }

    #[inline(always)]
    pub fn place(&self, board: Board<S>) -> Place {
        self.numbers.place::<S, N>(board.mine, board.theirs)
    }

    /// The seeds of the next layer.
    pub fn next(&self) -> usize {
        self.layers.len() + 2
    }

    /// The value of a position that is not over, with fewer seeds than the next layer.
    #[inline(always)]
    pub fn value(&self, board: Board<S>) -> i32 {
        self.layers[board.seeds as usize - 2].value(self.place(board))
    }

    /// The value of a position of the next layer, where `block` has those of lower ranks with the same sides' seeds.
    #[inline(always)]
    pub fn best(&self, board: Board<S>, block: &[Value]) -> i32 {
        let mut best = i32::MIN;
        board.each_child(&self.game, |child| {
            let value = if child.over {
                child.gain
            } else if child.board.seeds == board.seeds {
                child.worth(i32::from(block[self.place(child.board).at].0))
            } else {
                child.worth(self.value(child.board))
            };
            best = best.max(value);
        });
        best
    }

    /// Calls `visit` with the positions of a layer in which the side that has fewer seeds, so many, is that of a rank, in an order in
    /// which each needs none after it; how many there are.
    #[inline(always)]
    pub fn row(
        &self,
        seeds: usize,
        fewer: usize,
        rank: usize,
        mut visit: impl FnMut(Board<S>),
    ) -> usize {
        let many = seeds - fewer;
        let one = self.sides[fewer][rank];
        let others = match fewer < many {
            true => &self.sides[many][..],
            false => &self.sides[many][..=rank],
        };
        for other in others {
            for (mine, theirs) in [(one, *other), (*other, one)] {
                visit(Board {
                    mine,
                    theirs,
                    seeds: seeds as i32,
                });
            }
        }
        2 * others.len()
    }

    /// Computes such a row.
    pub fn fill(&self, seeds: usize, fewer: usize, rank: usize, block: &mut [Value]) -> usize {
        self.row(seeds, fewer, rank, |board| {
            let value = self.best(board, block);
            block[self.place(board).at] = Value(value as i8);
        })
    }
}
