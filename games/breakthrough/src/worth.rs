//! What a square is worth to whoever stands on it.

/// Home to far row, by distance from the nearer edge column. The guards of the home row stay worth keeping there.
const WORTH: [[u8; 4]; 8] = [
    [5, 15, 15, 5],
    [2, 3, 3, 3],
    [4, 6, 6, 6],
    [7, 10, 10, 10],
    [11, 15, 15, 15],
    [16, 21, 21, 21],
    [20, 28, 28, 28],
    [36, 36, 36, 36],
];

/// Row `k` of `height` as one of eight: other heights stretch them evenly between home and goal.
pub(super) const fn stretched(k: u32, height: u32) -> u32 {
    (14 * k + height - 1) / (2 * (height - 1))
}

/// The worth of each square to player one. Other heights stretch the 8 rows evenly between home and goal.
pub(super) fn worth(width: u32, height: u32) -> [u8; 128] {
    let mut worth = [0; 128];
    for (square, worth) in worth.iter_mut().take((width * height) as usize).enumerate() {
        let (column, row) = (square as u32 % width, square as u32 / width);
        let edge = column.min(width - 1 - column).min(3);
        *worth = WORTH[(stretched(row, height) & 7) as usize][edge as usize];
    }
    worth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_heights_stretch_the_table() {
        let worth_of = |width: u32, height: u32, column: u32, row: u32| {
            worth(width, height)[(row * width + column) as usize]
        };
        for row in 0..8 {
            for (column, edge) in [(0, 0), (1, 1), (3, 3), (4, 3), (7, 0)] {
                assert_eq!(worth_of(8, 8, column, row), WORTH[row as usize][edge]);
            }
        }
        assert_eq!((worth_of(5, 4, 2, 0), worth_of(5, 4, 2, 3)), (15, 36));
        assert_eq!((worth_of(8, 16, 3, 15), worth_of(8, 16, 3, 14)), (36, 36));
    }
}
