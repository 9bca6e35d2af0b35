//! How positions with so many seeds in houses are numbered.
//!
//! The sides with `s` seeds are numbered by the combinatorial number system: of the sums p(h) of the houses 0 to h, the
//! numbers p(h) + h rise with h, and the rank is the sum of C(p(h) + h, h + 1) over all houses but the last. A move that
//! banks nothing ends before the mover's store and lowers some of these sums and raises none, hence the rank; both sides
//! keep their seeds. So of two positions with the same sides' seeds, a move leads from one to another whose sides have no
//! higher rank, one of them a lower one. Positions are computed by rank, and what they need is there.

use super::super::super::side::Side;

/// Seeds in houses at most.
pub const MOST: usize = 40;

/// What the numbers of positions with so many houses are made of.
#[derive(Debug)]
pub struct Numbers {
    houses: u32,
    /// C(sum + house, house + 1).
    ranks: Vec<[u32; MOST + 1]>,
    /// Sides by their seeds.
    counts: [usize; MOST + 1],
}

/// Where a position's value is: in the block of the side that has fewer seeds, which has so many.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub fewer: usize,
    pub at: usize,
}

impl Numbers {
    pub fn new(houses: u32) -> Self {
        let row = |h: usize| std::array::from_fn(|sum| choose(sum + h, h + 1) as u32);
        Numbers {
            houses,
            ranks: (0..houses as usize).map(row).collect(),
            counts: std::array::from_fn(|seeds| count(houses, seeds) as usize),
        }
    }

    /// The place of a position with these sides, where `N` houses are known beforehand unless it is 0.
    #[inline(always)]
    pub fn place<S: Side, const N: u32>(&self, mine: S, theirs: S) -> Place {
        let houses = if N == 0 { self.houses } else { N };
        let sums = [mine.sums(), theirs.sums()];
        let seeds = sums.map(|sums| sums.at(8 * (houses - 1)) as usize);
        let ranks = sums.map(|sums| self.rank(sums, houses));
        let turned = usize::from(seeds[0] > seeds[1]);
        let (few, many) = (turned, 1 - turned);
        let at = ranks[few] * self.counts[seeds[many] % (MOST + 1)] + ranks[many];
        Place {
            fewer: seeds[few],
            at: if seeds[0] == seeds[1] {
                at
            } else {
                2 * at + turned
            },
        }
    }

    /// The rank of a side, by its sums.
    #[inline(always)]
    fn rank<S: Side>(&self, sums: S, houses: u32) -> usize {
        (0..houses - 1)
            .map(|h| self.ranks[h as usize][sums.at(8 * h) as usize % (MOST + 1)] as usize)
            .sum()
    }
}

/// The sides of so many houses with so many seeds, by rank.
pub fn sides<S: Side>(houses: u32, seeds: usize) -> Vec<S> {
    let mut sides = Vec::with_capacity(count(houses, seeds) as usize);
    list(S::EMPTY, houses - 1, seeds as u32, &mut sides);
    sides
}

/// Sides of so many houses with so many seeds.
pub fn count(houses: u32, seeds: usize) -> u64 {
    let houses = houses as usize;
    choose(seeds + houses - 1, houses - 1)
}

/// Where the block of each number of seeds of the side that has fewer begins among all positions with `seeds` seeds, and how many
/// there are. In a block stand, by the rank of that side and then by the rank of the other, the value if that side is to move and
/// the value if the other is. If both have as many, one value: by the rank of the side to move and then of the other.
pub fn blocks(houses: u32, seeds: usize) -> (Vec<usize>, u64) {
    let mut blocks = vec![0];
    let mut length = 0;
    for fewer in 1..=seeds / 2 {
        blocks.push(length as usize);
        let both = if 2 * fewer < seeds { 2 } else { 1 };
        length += both * count(houses, fewer) * count(houses, seeds - fewer);
    }
    (blocks, length)
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
