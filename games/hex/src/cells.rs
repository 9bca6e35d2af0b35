//! Sets of Hex cells as `N` words: neighbours and connection by shifts of whole words.
//!
//! Row `r` is lane `r / N` of word `r % N`, a lane being `L` bits of which one at least stays free. So the row below a
//! row is the same lane of the next word, except below the last word; a flood that walks the words in order runs
//! `N` rows down in one pass, in all lanes at once; and no line wraps around, since the free bit is in no board.

use std::array::from_fn;
use std::ops::{BitAnd, BitOr, BitOrAssign, BitXor, Not};
use treeline_game::bits::{Bits, select64};

/// A set of cells; a cell is the square `word * 64 + lane * L + column`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cells<const N: usize, const L: u32>(pub [u64; N]);

impl<const N: usize, const L: u32> Cells<N, L> {
    pub const EMPTY: Self = Cells([0; N]);

    /// The most columns and rows that fit.
    pub const COLUMNS: u32 = L - 1;
    pub const ROWS: u32 = N as u32 * (64 / L);

    /// The square of a cell on a board within `COLUMNS` x `ROWS`.
    #[inline]
    pub fn square(column: u32, row: u32) -> u32 {
        let n = N as u32;
        row % n * 64 + row / n * L + column
    }

    /// Column and row of a square.
    #[inline]
    pub fn place(square: u32) -> (u32, u32) {
        let (word, bit) = (square / 64, square % 64);
        (bit % L, bit / L * N as u32 + word)
    }

    /// The set of one square; the empty set for a number that is none.
    #[inline(always)]
    pub fn one(square: u32) -> Self {
        Cells(from_fn(|w| {
            u64::from(square / 64 == w as u32) << (square % 64)
        }))
    }

    #[inline(always)]
    pub fn has(self, square: u32) -> bool {
        !(self & Self::one(square)).is_empty()
    }

    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline(always)]
    pub fn meets(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    #[inline(always)]
    pub fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The squares of the set, word by word.
    #[inline(always)]
    pub fn squares(self) -> impl Iterator<Item = u32> {
        (0..N).flat_map(move |w| self.0[w].squares().map(move |bit| w as u32 * 64 + bit))
    }

    /// The set of the first square alone; empty if there is none.
    #[inline]
    pub fn first(self) -> Self {
        self.squares().next().map_or(Self::EMPTY, Self::one)
    }

    /// The set without the member that has exactly `k <= count()` before it, if any. Looks at every word, as which one
    /// it is could not be predicted.
    #[inline(always)]
    pub fn without_nth(self, mut k: u32) -> Self {
        Cells(from_fn(|w| {
            let word = self.0[w];
            let count = word.count_ones();
            let here = u64::from(k < count);
            let bit = here << (select64(word, k % 64) % 64);
            // Past its word `k` wraps around to a number larger than any count.
            k = k.wrapping_sub(count);
            word ^ bit
        }))
    }

    #[inline(always)]
    fn above(words: &[u64; N], w: usize) -> u64 {
        if w == 0 {
            words[N - 1] << L
        } else {
            words[w - 1]
        }
    }

    #[inline(always)]
    fn below(words: &[u64; N], w: usize) -> u64 {
        if w == N - 1 {
            words[0] >> L
        } else {
            words[w + 1]
        }
    }

    /// For each of the six directions the cells whose neighbour that way is a member; with bits outside the board.
    #[inline(always)]
    pub fn steps(self) -> [Self; 6] {
        let above = Cells(from_fn(|w| Self::above(&self.0, w)));
        let below = Cells(from_fn(|w| Self::below(&self.0, w)));
        let left = |set: Self| Cells(from_fn(|w| set.0[w] >> 1));
        let right = |set: Self| Cells(from_fn(|w| set.0[w] << 1));
        [
            left(self),
            right(self),
            above,
            left(above),
            below,
            right(below),
        ]
    }

    /// The cells with a neighbour in the set; with bits outside the board.
    #[inline(always)]
    pub fn neighbours(self) -> Self {
        self.steps()
            .into_iter()
            .fold(Self::EMPTY, |all, step| all | step)
    }

    /// Extends word `w` of `reached` by its neighbours within `self`.
    #[inline(always)]
    fn spread_word(&self, reached: &mut [u64; N], w: usize) {
        let (own, above, below) = (reached[w], Self::above(reached, w), Self::below(reached, w));
        let grown = own | own << 1 | own >> 1 | above | above >> 1 | below | below << 1;
        reached[w] = grown & self.0[w];
    }

    /// One pass from the first row's word on: `reached` grows downwards most.
    #[inline(always)]
    fn spread_down(&self, reached: &mut Self) {
        for w in 0..N {
            self.spread_word(&mut reached.0, w);
        }
    }

    #[inline(always)]
    fn spread_up(&self, reached: &mut Self) {
        for w in (0..N).rev() {
            self.spread_word(&mut reached.0, w);
        }
    }

    /// The members connected with a member of `seed` by members.
    #[inline]
    pub fn flood(self, seed: Self) -> Self {
        let mut reached = self & seed;
        loop {
            let before = reached;
            self.spread_down(&mut reached);
            self.spread_up(&mut reached);
            if reached == before {
                return reached;
            }
        }
    }
}

impl<const N: usize, const L: u32> BitAnd for Cells<N, L> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Cells(from_fn(|w| self.0[w] & other.0[w]))
    }
}

impl<const N: usize, const L: u32> BitOr for Cells<N, L> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Cells(from_fn(|w| self.0[w] | other.0[w]))
    }
}

impl<const N: usize, const L: u32> BitXor for Cells<N, L> {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Cells(from_fn(|w| self.0[w] ^ other.0[w]))
    }
}

impl<const N: usize, const L: u32> BitOrAssign for Cells<N, L> {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl<const N: usize, const L: u32> Not for Cells<N, L> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Cells(from_fn(|w| !self.0[w]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::random::{self, word};

    fn shifts_agree_with_coordinates<const N: usize, const L: u32>(columns: u32, rows: u32) {
        let cells: Vec<(u32, u32)> = (0..rows)
            .flat_map(|r| (0..columns).map(move |c| (c, r)))
            .collect();
        let one = |&(c, r): &(u32, u32)| Cells::<N, L>::one(Cells::<N, L>::square(c, r));
        let board = cells
            .iter()
            .map(one)
            .fold(Cells::EMPTY, |all, cell| all | cell);
        assert_eq!(board.count(), columns * rows);
        let touch = |a: &(u32, u32), b: &(u32, u32)| {
            let (dc, dr) = (b.0 as i32 - a.0 as i32, b.1 as i32 - a.1 as i32);
            matches!(
                (dc, dr),
                (0, 1) | (0, -1) | (1, 0) | (-1, 0) | (1, -1) | (-1, 1)
            )
        };
        for a in &cells {
            let square = Cells::<N, L>::square(a.0, a.1);
            assert_eq!(Cells::<N, L>::place(square), *a);
            let expected = cells
                .iter()
                .filter(|b| touch(a, b))
                .map(one)
                .fold(Cells::EMPTY, |all, b| all | b);
            assert_eq!(one(a).neighbours() & board, expected, "{a:?}");
        }
        let mut rng = random::seeded(1);
        let top = cells.iter().filter(|c| c.1 == 0).map(one);
        let top = top.fold(Cells::EMPTY, |all, cell| all | cell);
        for _ in 0..2000 {
            let stones = board & Cells(from_fn(|_| word(&mut rng)));
            let mut slow = stones & top;
            loop {
                let next = slow | slow.neighbours() & stones;
                if next == slow {
                    break;
                }
                slow = next;
            }
            assert_eq!(stones.flood(top), slow);
        }
        for (k, square) in board.squares().enumerate() {
            assert_eq!(board.without_nth(k as u32), board ^ Cells::one(square));
        }
    }

    #[test]
    fn neighbours_and_floods_on_every_layout() {
        shifts_agree_with_coordinates::<2, 16>(15, 8);
        shifts_agree_with_coordinates::<3, 16>(11, 11);
        shifts_agree_with_coordinates::<4, 16>(15, 16);
        shifts_agree_with_coordinates::<7, 21>(19, 19);
        shifts_agree_with_coordinates::<7, 21>(2, 17);
    }
}
