//! The board as bits of a word, laid out as in Scan: five squares a row and a padding bit after every two rows, so that
//! each of the four diagonal directions is one constant shift and no step wraps around an edge.
//!
//! Squares 1..10 are bits 0..9, 11..20 are bits 11..20, and so on; bits 10, 21, 32, 43 and everything from 54 on are off
//! the board. A half turn of the board takes bit `b` to `53 - b`.

/// The fifty squares.
pub(super) const BOARD: u64 = {
    let mut board = 0;
    let mut number = 1;
    while number <= 50 {
        board |= 1 << bit_of(number);
        number += 1;
    }
    board
};

/// Where the men of player one and of player two become kings.
pub(super) const CROWNING: [u64; 2] = [0x1f, 0x1f << 49];

/// The squares of a row, 0 on top (squares 1..5) to 9 (squares 46..50).
pub(super) const fn row(number: u32) -> u64 {
    0x1f << (number / 2 * 11 + number % 2 * 5)
}

/// The bit of the square `number`, 1..=50.
pub(super) const fn bit_of(number: u32) -> u32 {
    let n = number - 1;
    n / 10 * 11 + n % 10
}

/// The square 1..=50 of a bit of [`BOARD`].
pub(super) const fn number_of(bit: u32) -> u32 {
    bit / 11 * 10 + bit % 11 + 1
}

/// The set after turning the board by a half turn.
#[inline(always)]
pub(super) const fn half_turn(set: u64) -> u64 {
    set.reverse_bits() >> 10
}

/// Directions: 0 up left, 1 up right, 2 down left, 3 down right; `3 - d` is the opposite of `d`.
const STEPS: [i32; 4] = [-6, -5, 5, 6];

/// Each square moved one step in direction `D`. What leaves the board ends on a bit that is not in [`BOARD`].
#[inline(always)]
pub(super) const fn step<const D: usize>(set: u64) -> u64 {
    match D {
        0 => set >> 6,
        1 => set >> 5,
        2 => set << 5,
        _ => set << 6,
    }
}

/// The empty squares that `set` reaches by sliding in direction `D`: a doubling fill, since no ray is longer than nine.
#[inline(always)]
pub(super) const fn slide<const D: usize>(set: u64, empty: u64) -> u64 {
    const fn shift<const D: usize>(set: u64, times: u32) -> u64 {
        match D {
            0 => set >> (6 * times),
            1 => set >> (5 * times),
            2 => set << (5 * times),
            _ => set << (6 * times),
        }
    }
    let (mut reached, mut open) = (set, empty);
    let mut times = 1;
    while times <= 8 {
        reached |= open & shift::<D>(reached, times);
        open &= shift::<D>(open, times);
        times *= 2;
    }
    reached & empty
}

/// `RAYS[d][b]`: the squares from bit `b` (excluded) to the edge in direction `d`. Off the board it is empty.
static RAYS: [[u64; 64]; 4] = {
    let mut rays = [[0; 64]; 4];
    let mut d = 0;
    while d < 4 {
        let mut from = 0;
        while from < 54 {
            let mut at = from + STEPS[d];
            while BOARD >> from & 1 == 1 && at >= 0 && BOARD >> at & 1 == 1 {
                rays[d][from as usize] |= 1 << at;
                at += STEPS[d];
            }
            from += 1;
        }
        d += 1;
    }
    rays
};

/// The squares from bit `from` to the edge in direction `d < 4`.
#[inline(always)]
pub(super) fn ray(d: usize, from: u32) -> u64 {
    RAYS[d & 3][(from & 63) as usize]
}

/// The member of `set`, a part of a ray in direction `d`, that is nearest to the ray's origin; empty if there is none.
#[inline(always)]
pub(super) fn nearest(d: usize, set: u64) -> u64 {
    if d >= 2 {
        set & set.wrapping_neg()
    } else {
        // The highest bit alone; `set | 1` keeps the shift in range and only adds a bit to an empty set.
        set & (1 << (63 - (set | 1).leading_zeros()))
    }
}

/// The squares of the ray from bit `from` in direction `d` before the first one that is not in `empty`.
#[inline(always)]
pub(super) fn open_ray(d: usize, from: u32, empty: u64) -> u64 {
    let ray = ray(d, from);
    let block = ray & !empty;
    if d >= 2 {
        ray & empty & (block ^ block.wrapping_sub(1))
    } else {
        ray & empty & (!0 << (63 - (block | 1).leading_zeros()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::bits::Bits;

    /// Column and row of a square as they are on a real board.
    fn place(bit: u32) -> (i32, i32) {
        let n = number_of(bit) as i32 - 1;
        (n % 5 * 2 + 1 - n / 5 % 2, n / 5)
    }

    #[test]
    fn shifts_rays_and_slides_are_the_diagonals() {
        assert_eq!(BOARD.count_ones(), 50);
        assert_eq!(
            BOARD.squares().map(number_of).collect::<Vec<_>>(),
            (1..=50).collect::<Vec<_>>()
        );
        for from in BOARD.squares() {
            assert_eq!(bit_of(number_of(from)), from);
            assert!(row(place(from).1 as u32).has(from));
            assert_eq!(half_turn(1 << from), 1 << (53 - from));
            for (d, (dx, dy)) in [(-1, -1), (1, -1), (-1, 1), (1, 1)].into_iter().enumerate() {
                let (x, y) = place(from);
                let along = |n: i32| {
                    BOARD
                        .squares()
                        .find(|b| place(*b) == (x + n * dx, y + n * dy))
                };
                let line: Vec<u32> = (1..10).map_while(along).collect();
                let set = line.iter().fold(0, |set, b| set | 1u64 << b);
                assert_eq!(ray(d, from), set);
                let stepped = [step::<0>, step::<1>, step::<2>, step::<3>][d](1 << from) & BOARD;
                assert_eq!(stepped, line.first().map_or(0, |b| 1 << b));
                for (i, block) in line.iter().enumerate() {
                    let empty = BOARD & !(1 << from) & !(1 << block);
                    let open = line[..i].iter().fold(0, |set, b| set | 1u64 << b);
                    assert_eq!(open_ray(d, from, empty), open);
                    let slid =
                        [slide::<0>, slide::<1>, slide::<2>, slide::<3>][d](1 << from, empty);
                    assert_eq!(slid, open);
                    assert_eq!(nearest(d, set & !open), 1 << block);
                }
                assert_eq!(open_ray(d, from, BOARD), set);
                assert_eq!(nearest(d, 0), 0);
            }
        }
    }
}
