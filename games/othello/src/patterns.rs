//! Patterns, those of M. Buro's Logistello ("Experiments with Multi-ProbCut and a new high-quality evaluation function for
//! Othello", 1997): rows and diagonals, edges with the squares diagonally before their corners, corners of 3x3 and of 2x5.

use treeline_game::pattern::{Pattern, Patterns};

/// Longer lines have more states than is sensible: an edge of 10 goes without the squares before its corners.
const LONGEST: usize = 10;
/// Shorter diagonals say too little.
const SHORTEST: usize = 4;

/// Of a board of `n` x `n`, whose features are own discs, then the other's, row by row.
pub fn patterns(n: usize) -> Patterns {
    let rows = (1..n.div_ceil(2)).map(|row| (0..n).map(|column| (row, column)).collect());
    let diagonals = (SHORTEST..=n).map(|length| (0..length).map(|i| (i, length - 1 - i)).collect());
    let mut edge: Vec<(usize, usize)> = (0..n).map(|column| (0, column)).collect();
    if n + 2 <= LONGEST {
        edge.insert(0, (1, 1));
        edge.push((1, n - 2));
    }
    let corner = |rows: usize, columns: usize| {
        let row = move |row| (0..columns).map(move |column| (row, column));
        (0..rows).flat_map(row).collect()
    };
    let shapes = rows.chain(diagonals);
    let shapes = shapes.chain([edge, corner(3, 3), corner(2, 5)]);
    let squares = n * n;
    Patterns {
        patterns: shapes.map(|shape| shared(n, shape)).collect(),
        features: (4, squares),
    }
}

/// A shape at its eight images.
fn shared(n: usize, shape: Vec<(usize, usize)>) -> Pattern {
    let flipped = |flip: bool, at: usize| if flip { n - 1 - at } else { at };
    let image = |which: usize| {
        let cells = shape.iter().map(|(row, column)| {
            let row = flipped(which & 1 != 0, *row);
            let column = flipped(which & 2 != 0, *column);
            match which & 4 != 0 {
                true => column * n + row,
                false => row * n + column,
            }
        });
        cells.collect()
    };
    let images: Vec<Vec<usize>> = (0..8).map(image).collect();
    Pattern::shared(&images, |square| vec![square, n * n + square])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_the_46_of_logistello() {
        let patterns = patterns(8).patterns;
        assert_eq!(patterns.len(), 11);
        assert_eq!(patterns.iter().map(|p| p.places.len()).sum::<usize>(), 46);
        let sizes = patterns.iter().map(|p| 3usize.pow(p.mirror.len() as u32));
        assert_eq!(sizes.sum::<usize>(), 167_265);
        // All but the corner of 2x5 look the same from their other end.
        let plain = |p: &&Pattern| p.mirror.iter().enumerate().all(|(a, b)| a == *b);
        assert_eq!(patterns.iter().filter(plain).count(), 1);
    }
}
