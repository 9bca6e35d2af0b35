//! What a set of stones threatens, as sets of squares. Knows the board's geometry and nothing of turns.

use super::rules::ConnectFour;
use treeline_game::bits::Bits;

/// Shifts that drop everything once they leave the word.
#[inline(always)]
fn up<B: Bits>(set: B, by: u32) -> B {
    if by < B::CAPACITY {
        set << by
    } else {
        B::EMPTY
    }
}

#[inline(always)]
fn down<B: Bits>(set: B, by: u32) -> B {
    if by < B::CAPACITY {
        set >> by
    } else {
        B::EMPTY
    }
}

impl<B: Bits, const W: u32, const H: u32, const K: u32> ConnectFour<B, W, H, K> {
    /// The squares of the board, stones included, where one more stone would complete a line of `stones`.
    #[inline(always)]
    pub fn completing(&self, stones: B) -> B {
        let (h, line) = (self.height(), self.line());
        let mut vertical = up(stones, 1);
        for i in 2..line {
            vertical &= up(stones, i);
        }
        (vertical
            | self.completing_along(stones, h + 1)
            | self.completing_along(stones, h)
            | self.completing_along(stones, h + 2))
            & self.board
    }

    /// The gap may be anywhere in the line: `i` stones before it and the rest behind.
    #[inline(always)]
    fn completing_along(&self, stones: B, step: u32) -> B {
        let line = self.line();
        // `before[i]`: the last `i` squares before this one all hold stones; `behind` the same on the other side.
        let mut before = [!B::EMPTY; 9];
        let mut behind = [!B::EMPTY; 9];
        for i in 1..line {
            let at = i as usize;
            before[at] = before[at - 1] & up(stones, i * step);
            behind[at] = behind[at - 1] & down(stones, i * step);
        }
        let mut found = B::EMPTY;
        for i in 0..line {
            found |= before[i as usize & 7] & behind[(line - 1 - i) as usize & 7];
        }
        found
    }

    /// The highest bit of each column says how high it is filled, the bits below whose stones these are.
    #[inline(always)]
    pub(super) fn packed(&self, own: B, occupied: B) -> B {
        own | (((occupied << 1) | self.bottom) & !occupied)
    }

    /// The squares of the board above those of `set`.
    #[inline(always)]
    pub(super) fn above(&self, set: B) -> B {
        let mut above = (set << 1) & self.board;
        for _ in 2..self.height() {
            above |= (above << 1) & self.board;
        }
        above
    }

    /// The squares of column `c`, the sentinel included.
    #[inline(always)]
    pub(super) fn column(&self, c: u32) -> B {
        B::first(self.height() + 1) << (c * (self.height() + 1))
    }

    /// The board as a mirror shows it.
    #[inline(always)]
    pub(super) fn mirrored(&self, set: B) -> B {
        let (w, rows) = (self.width(), self.height() + 1);
        let mut image = B::EMPTY;
        for c in 0..w {
            image |= ((set >> (c * rows)) & B::first(rows)) << ((w - 1 - c) * rows);
        }
        image
    }
}
