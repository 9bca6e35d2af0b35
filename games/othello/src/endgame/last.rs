//! The last four empty squares, unrolled. Margins are the mover's; a result is exact or a bound on its side of `alpha`.
//!
//! Positions with an empty square count as nodes when a move leads to them; a pass does not.

use super::super::board::Board;
use super::super::squares::{columns, stride};

/// Bits 0..4: in which quarters of the board an odd number of squares is empty.
pub type Parity = u32;

/// The quarter of a square.
#[inline(always)]
pub fn quarter<const N: u32>(square: u32) -> Parity {
    let (column, row) = (square % stride(N), square / stride(N));
    1 << (u32::from(column >= N / 2) + 2 * u32::from(row >= N / 2))
}

/// The squares of a set and those around them.
#[inline(always)]
pub fn around<B: Board<N>, const N: u32>(set: B) -> B {
    let s = stride(N);
    let inner = |set: B, lost: u32| set & !B::mask(columns(N, lost, lost + 1));
    let sides = (inner(set, N - 1) << 1) | (inner(set, 0) >> 1) | set;
    (sides << s) | (sides >> s) | sides
}

/// What scoring needs to know, and the count of positions.
#[derive(Debug, Clone, Copy)]
pub struct Last<B, const N: u32> {
    pub empties_to_winner: bool,
    pub nodes: u64,
    /// `around` every square.
    pub around: [B; 128],
}

/// Lower than every margin.
const NONE: i32 = -1000;

impl<B: Board<N>, const N: u32> Last<B, N> {
    const SQUARES: i32 = (N * N) as i32;

    pub fn new(empties_to_winner: bool) -> Self {
        let mut table = [B::EMPTY; 128];
        for square in B::board().squares() {
            table[square as usize] = around::<B, N>(B::square(square));
        }
        Last {
            empties_to_winner,
            nodes: 0,
            around: table,
        }
    }

    /// The margin when nobody can move.
    #[inline(always)]
    pub fn over(&self, own: B, other: B) -> i32 {
        let (own, other) = (own.count() as i32, other.count() as i32);
        let lead = own - other;
        if self.empties_to_winner {
            lead + lead.signum() * (Self::SQUARES - own - other)
        } else {
            lead
        }
    }

    /// What a disc turns; a look at the neighbours saves most computations that turn nothing.
    #[inline(always)]
    pub fn turned(&self, own: B, other: B, square: u32) -> B {
        if (self.around[(square & 127) as usize] & other).is_empty() {
            return B::EMPTY;
        }
        B::turned(own, other, square)
    }

    #[inline(always)]
    fn one(&mut self, own: B, square: u32, alpha: i32) -> i32 {
        self.nodes += 1;
        let discs = own.count() as i32;
        let turned = B::turned_last(own, square) as i32;
        // As if the square went to the mover.
        let full = 2 * discs + 2 - Self::SQUARES;
        if turned > 0 {
            return full + 2 * turned;
        }
        // The mover passes, and can only lose by it.
        if full <= alpha {
            return full;
        }
        let other = B::board() & !own & !B::square(square);
        match B::turned_last(other, square) as i32 {
            0 => self.over(own, other),
            turned => full - 2 - 2 * turned,
        }
    }

    /// The margin after a move to `square`, with the one other empty square `last`, if the move is legal.
    #[inline(always)]
    fn then_one(&mut self, own: B, other: B, squares: [u32; 2], alpha: i32) -> i32 {
        let turned = self.turned(own, other, squares[0]);
        if turned.is_empty() {
            return NONE;
        }
        -self.one(other & !turned, squares[1], -alpha - 1)
    }

    #[inline(always)]
    fn both(&mut self, own: B, other: B, [a, b]: [u32; 2], alpha: i32) -> i32 {
        let best = self.then_one(own, other, [a, b], alpha);
        if best > alpha {
            return best;
        }
        best.max(self.then_one(own, other, [b, a], alpha))
    }

    #[inline(always)]
    pub fn two(&mut self, own: B, other: B, squares: [u32; 2], alpha: i32) -> i32 {
        self.nodes += 1;
        let best = self.both(own, other, squares, alpha);
        if best != NONE {
            return best;
        }
        match self.both(other, own, squares, -alpha - 1) {
            NONE => self.over(own, other),
            best => -best,
        }
    }

    #[inline(always)]
    fn each_of_three(&mut self, own: B, other: B, [a, b, c]: [u32; 3], alpha: i32) -> i32 {
        let mut best = NONE;
        for [first, x, y] in [[a, b, c], [b, a, c], [c, a, b]] {
            let turned = self.turned(own, other, first);
            if turned.is_empty() {
                continue;
            }
            let next = own | turned | B::square(first);
            best = best.max(-self.two(other & !turned, next, [x, y], -alpha - 1));
            if best > alpha {
                return best;
            }
        }
        best
    }

    pub fn three(
        &mut self,
        own: B,
        other: B,
        squares: [u32; 3],
        parity: Parity,
        alpha: i32,
    ) -> i32 {
        self.nodes += 1;
        let squares = odd_first::<3, N>(squares, parity);
        let best = self.each_of_three(own, other, squares, alpha);
        if best != NONE {
            return best;
        }
        match self.each_of_three(other, own, squares, -alpha - 1) {
            NONE => self.over(own, other),
            best => -best,
        }
    }

    fn each_of_four(
        &mut self,
        own: B,
        other: B,
        squares: [u32; 4],
        parity: Parity,
        alpha: i32,
    ) -> i32 {
        let [a, b, c, d] = squares;
        let mut best = NONE;
        for [first, x, y, z] in [[a, b, c, d], [b, a, c, d], [c, a, b, d], [d, a, b, c]] {
            let turned = self.turned(own, other, first);
            if turned.is_empty() {
                continue;
            }
            let next = own | turned | B::square(first);
            let parity = parity ^ quarter::<N>(first);
            let value = -self.three(other & !turned, next, [x, y, z], parity, -alpha - 1);
            best = best.max(value);
            if best > alpha {
                return best;
            }
        }
        best
    }

    pub fn four(&mut self, own: B, other: B, squares: [u32; 4], parity: Parity, alpha: i32) -> i32 {
        self.nodes += 1;
        let squares = odd_first::<4, N>(squares, parity);
        let best = self.each_of_four(own, other, squares, parity, alpha);
        if best != NONE {
            return best;
        }
        match self.each_of_four(other, own, squares, parity, -alpha - 1) {
            NONE => self.over(own, other),
            best => -best,
        }
    }
}

/// Squares in quarters with an odd number of empty squares before the others: whoever moves there last moves last.
#[inline(always)]
fn odd_first<const COUNT: usize, const N: u32>(
    squares: [u32; COUNT],
    parity: Parity,
) -> [u32; COUNT] {
    let mut sorted = [0; COUNT];
    let odd = squares.map(|square| usize::from(parity & quarter::<N>(square) != 0));
    let odds: usize = odd.iter().sum();
    let (mut next_odd, mut next_even) = (0, odds);
    for (square, odd) in squares.into_iter().zip(odd) {
        if odd == 1 {
            sorted[next_odd.min(COUNT - 1)] = square;
            next_odd += 1;
        } else {
            sorted[next_even.min(COUNT - 1)] = square;
            next_even += 1;
        }
    }
    sorted
}
