//! Tables of endings: what the player to move still gets less what the other gets, with best play, for every position with
//! a given number of seeds in houses. They are computed from the bottom up, a number of seeds after the other.
//!
//! The sides with `s` seeds are numbered by the combinatorial number system: of the sums p(h) of the houses 0 to h, the
//! numbers p(h) + h rise with h, and the rank is the sum of C(p(h) + h, h + 1) over all houses but the last. A move that
//! banks nothing ends before the mover's store and lowers some of these sums and raises none, hence the rank; both sides
//! keep their seeds. So of two positions with the same sides' seeds, a move leads from one to another whose sides have no
//! higher rank, one of them a lower one. Positions are computed by rank, and what they need is there.

use super::super::rules::Kalah;
use super::super::side::Side;
use super::board::Board;
use treeline_game::memory::{Units, Zeroed};

/// Seeds in houses at most.
const MOST: usize = 40;
/// Positions between two questions whether time is over.
const POLL: usize = 256;

/// A margin.
#[derive(Debug, Clone, Copy)]
struct Value(i8);

// SAFETY: an integer.
unsafe impl Zeroed for Value {}

/// The tables that are there, from 2 seeds on: with fewer every game is over.
#[derive(Debug)]
pub struct Endings<S, const N: u32> {
    game: Kalah<S, N>,
    /// The sides by their seeds and rank.
    sides: Vec<Vec<S>>,
    /// C(sum + house, house + 1).
    ranks: Vec<[u32; MOST + 1]>,
    /// By seeds.
    layers: Vec<Layer>,
    /// The layer being computed.
    growing: Option<Growing>,
    /// The most seeds that the memory allows.
    most: usize,
    pub positions: u64,
}

/// All positions with one number of seeds. The seeds of the side that has fewer choose a block; in it stand, by the rank of
/// that side and then by the rank of the other, the value if that side is to move and the value if the other is. If both
/// have as many, one value: by the rank of the side to move and then of the other.
#[derive(Debug)]
struct Layer {
    values: Units<Value>,
    blocks: Vec<usize>,
}

#[derive(Debug)]
struct Growing {
    layer: Layer,
    /// What comes next: the seeds of the side with fewer, its rank.
    fewer: usize,
    rank: usize,
}

impl<S: Side, const N: u32> Endings<S, N> {
    /// Tables that will take `memory` bytes at most.
    pub fn new(game: &Kalah<S, N>, memory: usize) -> Self {
        let houses = game.houses() as usize;
        let ranks: Vec<[u32; MOST + 1]> = (0..houses)
            .map(|h| std::array::from_fn(|sum| choose(sum + h, h + 1) as u32))
            .collect();
        let mut endings = Endings {
            game: game.clone(),
            sides: vec![vec![S::EMPTY]],
            ranks,
            layers: Vec::new(),
            growing: None,
            most: 1,
            positions: 0,
        };
        let mut left = memory as u64;
        while endings.most < MOST {
            let seeds = endings.most + 1;
            let sides = choose(seeds + houses - 1, houses - 1) * size_of::<S>() as u64;
            let bytes = endings.blocks(seeds).1 as u64 + sides;
            if bytes > left {
                break;
            }
            left -= bytes;
            endings.most = seeds;
        }
        endings
    }

    /// The most seeds of which all is known.
    #[inline(always)]
    pub fn ready(&self) -> i32 {
        self.layers.len() as i32 + 1
    }

    /// Positions of the next table; more than can be where there will be none.
    pub fn next(&self) -> u64 {
        match self.layers.len() + 2 {
            seeds if seeds <= self.most => self.blocks(seeds).1 as u64,
            _ => u64::MAX / 2,
        }
    }

    /// Sides with so many seeds.
    fn count(&self, seeds: usize) -> usize {
        let houses = self.game.houses() as usize;
        choose(seeds + houses - 1, houses - 1) as usize
    }

    /// Where each block of a layer begins, and the length of all.
    fn blocks(&self, seeds: usize) -> (Vec<usize>, usize) {
        let mut blocks = vec![0];
        let mut length = 0;
        for fewer in 1..=seeds / 2 {
            blocks.push(length);
            let both = if 2 * fewer < seeds { 2 } else { 1 };
            length += both * self.count(fewer) * self.count(seeds - fewer);
        }
        (blocks, length)
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
        let seeds = self.layers.len() + 2;
        while self.sides.len() < seeds {
            let mut sides = Vec::with_capacity(self.count(self.sides.len()));
            let last = self.game.houses() - 1;
            list(S::EMPTY, last, self.sides.len() as u32, &mut sides);
            self.sides.push(sides);
        }
        let mut growing = match self.growing.take() {
            Some(growing) => growing,
            None => {
                let (blocks, length) = self.blocks(seeds);
                let Some(values) = Units::new(length) else {
                    // What the system has not is done without.
                    self.most = seeds - 1;
                    return false;
                };
                Growing {
                    layer: Layer { values, blocks },
                    fewer: 1,
                    rank: 0,
                }
            }
        };
        let done = self.fill(&mut growing, seeds, is_over);
        match done {
            true => self.layers.push(growing.layer),
            false => self.growing = Some(growing),
        }
        done
    }

    /// Goes on with a layer; whether all of it is there.
    fn fill(
        &mut self,
        growing: &mut Growing,
        seeds: usize,
        is_over: &mut dyn FnMut() -> bool,
    ) -> bool {
        let mut polled = 0;
        while 2 * growing.fewer <= seeds {
            let (few, many) = (growing.fewer, seeds - growing.fewer);
            while growing.rank < self.sides[few].len() {
                let one = self.sides[few][growing.rank];
                let end = if few < many {
                    self.sides[many].len()
                } else {
                    growing.rank + 1
                };
                for rank in 0..end {
                    let other = self.sides[many][rank];
                    for (mine, theirs) in [(one, other), (other, one)] {
                        let board = Board {
                            mine,
                            theirs,
                            seeds: seeds as i32,
                        };
                        let value = self.best(board, &growing.layer);
                        let at = self.place(board, &growing.layer);
                        growing.layer.values[at] = Value(value as i8);
                    }
                }
                self.positions += 2 * end as u64;
                growing.rank += 1;
                polled += end;
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

    /// The value of a position of the layer being computed.
    #[inline(always)]
    fn best(&self, board: Board<S>, layer: &Layer) -> i32 {
        let mut best = i32::MIN;
        board.each_child(&self.game, |child| {
            let value = if child.over {
                child.gain
            } else if child.board.seeds == board.seeds {
                child.worth(i32::from(layer.values[self.place(child.board, layer)].0))
            } else {
                child.worth(self.value(child.board))
            };
            best = best.max(value);
        });
        best
    }

    /// The value of a position that is not over, with [`Endings::ready`] seeds or fewer.
    #[inline(always)]
    pub fn value(&self, board: Board<S>) -> i32 {
        let layer = &self.layers[board.seeds as usize - 2];
        i32::from(layer.values[self.place(board, layer)].0)
    }

    /// Where a position is in its layer.
    #[inline(always)]
    fn place(&self, board: Board<S>, layer: &Layer) -> usize {
        let (mine, theirs) = (board.mine.sums(), board.theirs.sums());
        let last = 8 * (self.game.houses() - 1);
        let seeds = [mine.at(last) as usize, theirs.at(last) as usize];
        let ranks = [self.rank(mine), self.rank(theirs)];
        let turned = usize::from(seeds[0] > seeds[1]);
        let (few, many) = (turned, 1 - turned);
        let at = ranks[few] * self.sides[seeds[many]].len() + ranks[many];
        let at = if seeds[0] == seeds[1] {
            at
        } else {
            2 * at + turned
        };
        layer.blocks[seeds[few]] + at
    }

    /// The rank of a side, by its sums.
    #[inline(always)]
    fn rank(&self, sums: S) -> usize {
        (0..self.game.houses() - 1)
            .map(|h| self.ranks[h as usize][sums.at(8 * h) as usize % (MOST + 1)] as usize)
            .sum()
    }
}

/// Appends all sides that have `seeds` more in the houses from the first to `house`, by rank.
fn list<S: Side>(side: S, house: u32, seeds: u32, sides: &mut Vec<S>) {
    if house == 0 {
        sides.push(side | S::seeds(seeds, 0));
        return;
    }
    for here in (0..=seeds).rev() {
        list(
            side | S::seeds(here, 8 * house),
            house - 1,
            seeds - here,
            sides,
        );
    }
}

/// How many ways there are to choose `k` of `n`.
fn choose(n: usize, k: usize) -> u64 {
    (0..k as u64).fold(1, |ways, i| ways * (n as u64).saturating_sub(i) / (i + 1))
}
