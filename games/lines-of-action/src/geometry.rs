//! The board as tables: lines, rays and distances of each square, and what one stone changes in the Euler number.
//!
//! The Euler number of a set of stones is its components minus its holes, so a set with more than one is certainly not
//! connected (M. Winands, J. Uiterwijk, H. J. van den Herik, "The quad heuristic in Lines of Action", 2001). It depends
//! on 2x2 windows only, so a stone changes it by a function of its eight neighbours.

use std::fmt::Debug;
use treeline_game::bits::Bits;

/// The longest line of any board.
const LONGEST: usize = 10;

/// Column and row steps of the four lines.
const LINES: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// A word that can gather the members of a mask into its lowest bits.
pub trait Word: Bits {
    /// The bits of `self` under `mask`, packed in order.
    fn gather(self, mask: Self) -> Self;
    /// The lowest bits as an index.
    fn low(self) -> usize;

    /// One `T` for each square of the word: an array of `CAPACITY`, so that no index below it needs a check.
    type Each<T: Clone + Debug + Send + Sync>: Clone + Debug + Send + Sync + AsRef<[T]> + AsMut<[T]>;
    fn each<T: Copy + Debug + Send + Sync>(value: T) -> Self::Each<T>;
}

impl Word for u64 {
    #[inline(always)]
    fn gather(self, mask: u64) -> u64 {
        #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
        {
            // SAFETY: the instruction is enabled for this whole compilation.
            unsafe { core::arch::x86_64::_pext_u64(self, mask) }
        }
        #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
        gather_portable(self, mask)
    }

    #[inline(always)]
    fn low(self) -> usize {
        self as usize
    }

    type Each<T: Clone + Debug + Send + Sync> = [T; 64];
    fn each<T: Copy + Debug + Send + Sync>(value: T) -> [T; 64] {
        [value; 64]
    }
}

impl Word for u128 {
    #[inline(always)]
    fn gather(self, mask: u128) -> u128 {
        let low = (self as u64).gather(mask as u64);
        let high = ((self >> 64) as u64).gather((mask >> 64) as u64);
        // A full lower half is the only one that needs a shift by 64, for which a u128 is wide enough.
        u128::from(high) << (mask as u64).count_ones() | u128::from(low)
    }

    #[inline(always)]
    fn low(self) -> usize {
        self as usize
    }

    type Each<T: Clone + Debug + Send + Sync> = [T; 128];
    fn each<T: Copy + Debug + Send + Sync>(value: T) -> [T; 128] {
        [value; 128]
    }
}

/// `gather` without special instructions.
#[allow(
    dead_code,
    reason = "one of the two forms is unused, depending on the target"
)]
fn gather_portable(bits: u64, mask: u64) -> u64 {
    let mut out = 0;
    for (i, square) in mask.squares().enumerate() {
        out |= (bits >> square & 1) << i;
    }
    out
}

/// What the rules ask about one square.
#[derive(Debug, Clone, Copy)]
pub(super) struct Square<B> {
    /// The eight directions: the two of a row, of a column, of either diagonal.
    pub ways: [Way<B>; 8],
    /// Indexed by a distance in king's steps.
    pub rings: [Ring<B>; LONGEST + 1],
    /// The up to eight neighbours.
    pub near: B,
    /// Where [`EULER`]'s part for this square begins, which depends on which neighbours exist.
    euler: usize,
}

/// One direction from a square.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way<B> {
    /// The squares both ways, the starting one included.
    pub line: B,
    /// The squares this way, without it.
    pub ray: B,
}

/// The squares around a centre.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ring<B> {
    /// At exactly the distance.
    pub at: B,
    /// Nearer, the centre included.
    pub inside: B,
}

/// All squares of a board of `size` rows, one word's bits in rows of `S`.
#[derive(Debug, Clone)]
pub(super) struct Geometry<B: Word> {
    /// Those off the board have empty sets.
    squares: B::Each<Square<B>>,
    pub board: B,
    /// Every square whose left (right) neighbour is the next bit down (up).
    pub not_first: B,
    pub not_last: B,
    /// `levels[k]` is the ring of squares `k` steps from the edge.
    pub levels: [B; LONGEST / 2],
    /// The squares whose column (row) number has bit `i`.
    pub digits: [[B; 4]; 2],
}

impl<B: Word> Geometry<B> {
    /// A board of `size <= stride` squares a side, at most 10.
    pub fn new(size: u32, stride: u32) -> Self {
        let n = size as i32;
        let at = |column: i32, row: i32| {
            let on = (0..n).contains(&column) && (0..n).contains(&row);
            if on {
                B::square(row as u32 * stride + column as u32)
            } else {
                B::EMPTY
            }
        };
        let mut geometry = Geometry {
            squares: B::each(Square::EMPTY),
            board: B::EMPTY,
            not_first: B::EMPTY,
            not_last: B::EMPTY,
            levels: [B::EMPTY; LONGEST / 2],
            digits: [[B::EMPTY; 4]; 2],
        };
        for row in 0..n {
            for column in 0..n {
                let own = at(column, row);
                geometry.board |= own;
                if column > 0 {
                    geometry.not_first |= own;
                }
                if column < n - 1 {
                    geometry.not_last |= own;
                }
                let level = column.min(row).min(n - 1 - column).min(n - 1 - row);
                geometry.levels[level as usize] |= own;
                for (digits, number) in geometry.digits.iter_mut().zip([column, row]) {
                    for (i, digit) in digits.iter_mut().enumerate() {
                        if number >> i & 1 == 1 {
                            *digit |= own;
                        }
                    }
                }
                let square = &mut geometry.squares.as_mut()[own.lowest() as usize];
                for (ways, (dc, dr)) in square.ways.chunks_exact_mut(2).zip(LINES) {
                    let mut line = own;
                    for (way, sign) in ways.iter_mut().zip([1, -1]) {
                        for k in 1..n {
                            way.ray |= at(column + sign * k * dc, row + sign * k * dr);
                        }
                        line |= way.ray;
                    }
                    ways.iter_mut().for_each(|way| way.line = line);
                }
                for (r, c) in (0..n).flat_map(|r| (0..n).map(move |c| (r, c))) {
                    let distance = (r - row).abs().max((c - column).abs());
                    for (k, ring) in square.rings.iter_mut().enumerate() {
                        if distance == k as i32 {
                            ring.at |= at(c, r);
                        } else if distance < k as i32 {
                            ring.inside |= at(c, r);
                        }
                    }
                }
                square.near = square.rings[1].at;
                let side = |x: i32| {
                    if x == 0 {
                        0
                    } else if x == n - 1 {
                        2
                    } else {
                        1
                    }
                };
                square.euler = (side(row) * 3 + side(column)) * 256;
            }
        }
        geometry
    }

    /// A square below the word's capacity.
    #[inline(always)]
    pub fn square(&self, index: u32) -> &Square<B> {
        &self.squares.as_ref()[(index & (B::CAPACITY - 1)) as usize]
    }

    /// The set with every neighbour of its members.
    #[inline(always)]
    pub fn grown(&self, set: B, stride: u32) -> B {
        let wide = set | (set & self.not_last) << 1 | (set & self.not_first) >> 1;
        wide | wide << stride | wide >> stride
    }

    /// Whether all of `stones` hang together; one stone does, none does not.
    pub fn connected(&self, stones: B, stride: u32) -> bool {
        if stones.is_empty() {
            return false;
        }
        let mut reached = B::square(stones.lowest());
        loop {
            let next = self.grown(reached, stride) & stones;
            if next == reached {
                return reached == stones;
            }
            reached = next;
        }
    }

    /// Components minus holes.
    pub fn euler(&self, stones: B) -> i8 {
        let (mut placed, mut euler) = (B::EMPTY, 0);
        for index in stones.squares() {
            euler += self.square(index).euler_change(placed);
            placed |= B::square(index);
        }
        euler
    }
}

impl<B: Word> Square<B> {
    const EMPTY: Self = Square {
        ways: [Way {
            line: B::EMPTY,
            ray: B::EMPTY,
        }; 8],
        rings: [Ring {
            at: B::EMPTY,
            inside: B::EMPTY,
        }; LONGEST + 1],
        near: B::EMPTY,
        euler: 0,
    };

    /// What a stone here adds to the Euler number of `others`, which do not include it.
    #[inline(always)]
    pub fn euler_change(&self, others: B) -> i8 {
        EULER[(others.gather(self.near).low() | self.euler) % EULER.len()]
    }
}

/// By class of square (row first, middle or last, times three, plus the same of the column), 256 entries each, by the
/// pattern of its neighbours in the order of their squares. The length is a power of two to make indexing cheap.
static EULER: [i8; 4096] = euler_table();

const fn euler_table() -> [i8; 4096] {
    let mut table = [0; 4096];
    let mut i = 0;
    while i < 9 * 256 {
        table[i] = euler_change(i / 256 / 3, i / 256 % 3, i % 256);
        i += 1;
    }
    table
}

/// The change by a stone in the middle of a 3x3 field: one new vertex, less the edges to its neighbours, plus the
/// triangles, less the tetrahedra with them, where each 2x2 window is a tetrahedron.
const fn euler_change(row_class: usize, column_class: usize, mut pattern: usize) -> i8 {
    let mut field = [[false; 3]; 3];
    let mut edges = 0;
    let mut row = 0;
    while row < 3 {
        let mut column = 0;
        while column < 3 {
            let missing = (row_class == 0 && row == 0)
                || (row_class == 2 && row == 2)
                || (column_class == 0 && column == 0)
                || (column_class == 2 && column == 2);
            let middle = row == 1 && column == 1;
            if !missing && !middle {
                field[row][column] = pattern & 1 == 1;
                edges += (pattern & 1) as i8;
                pattern >>= 1;
            }
            column += 1;
        }
        row += 1;
    }
    let (mut triangles, mut tetrahedra) = (0, 0);
    let mut corner = 0;
    while corner < 4 {
        let (row, column) = (corner / 2 * 2, corner % 2 * 2);
        let stones = field[row][column] as i8 + field[1][column] as i8 + field[row][1] as i8;
        // Pairs among the window's other stones make triangles with the middle, all three a tetrahedron.
        triangles += stones * (stones - 1) / 2;
        tetrahedra += (stones == 3) as i8;
        corner += 1;
    }
    1 - edges + triangles - tetrahedra
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::random::mix;

    #[test]
    fn gather_packs_in_order() {
        for i in 0..1000 {
            let (bits, mask) = (mix(i), mix(i + 5000) & mix(i + 9000));
            assert_eq!(bits.gather(mask), gather_portable(bits, mask));
            let wide = (
                u128::from(bits) << 64 | u128::from(mix(i + 77)),
                u128::from(mask) << 30,
            );
            let mut expected = 0u128;
            for (k, square) in wide.1.squares().enumerate() {
                expected |= (wide.0 >> square & 1) << k;
            }
            assert_eq!(wide.0.gather(wide.1), expected);
        }
    }

    /// Components of the stones minus components of the rest (by sides) that do not touch the rim.
    fn slow_euler(size: i32, has: impl Fn(i32, i32) -> bool) -> i32 {
        let mut seen = std::collections::HashSet::new();
        let mut count = [0, 0];
        // One more ring of empty squares, so that everything outside is one component.
        for cell in (-1..=size).flat_map(|r| (-1..=size).map(move |c| (c, r))) {
            if !seen.insert(cell) {
                continue;
            }
            let stone = has(cell.0, cell.1);
            count[usize::from(stone)] += 1;
            let mut stack = vec![cell];
            while let Some((c, r)) = stack.pop() {
                for (dc, dr) in (-1..=1).flat_map(|dc| (-1..=1).map(move |dr| (dc, dr))) {
                    let next = (c + dc, r + dr);
                    let inside = (-1..=size).contains(&next.0) && (-1..=size).contains(&next.1);
                    if inside
                        && (stone || dc == 0 || dr == 0)
                        && has(next.0, next.1) == stone
                        && seen.insert(next)
                    {
                        stack.push(next);
                    }
                }
            }
        }
        count[1] - (count[0] - 1)
    }

    fn check<B: Word>(size: u32, stride: u32) {
        let geometry = Geometry::<B>::new(size, stride);
        for i in 0..400 {
            let mut stones = B::EMPTY;
            for (k, index) in geometry.board.squares().enumerate() {
                if mix(i * 128 + k as u64) % 64 < 10 + i % 30 {
                    stones |= B::square(index);
                }
            }
            let n = size as i32;
            let has = |c: i32, r: i32| {
                (0..n).contains(&c)
                    && (0..n).contains(&r)
                    && stones.has(r as u32 * stride + c as u32)
            };
            assert_eq!(
                i32::from(geometry.euler(stones)),
                slow_euler(n, has),
                "{stones:?}"
            );
        }
    }

    #[test]
    fn the_euler_number_is_components_minus_holes() {
        check::<u64>(8, 8);
        check::<u64>(5, 8);
        check::<u128>(10, 11);
    }

    #[test]
    fn a_ring_is_connected_and_two_stones_across_an_edge_are_not() {
        let geometry = Geometry::<u64>::new(8, 8);
        assert!(geometry.connected(0x0000_1824_2418_0000, 8));
        assert_eq!(geometry.euler(0x0000_1824_2418_0000), 0);
        assert!(!geometry.connected(0x0180, 8), "h1 and a2");
        assert!(geometry.connected(1 << 63, 8));
    }
}
