//! Patterns. First those of M. Buro's Logistello ("Experiments with Multi-ProbCut and a new high-quality evaluation function for
//! Othello", 1997): rows and diagonals, edges with the squares diagonally before their corners, corners of 3x3 and of 2x5. Then larger
//! ones, which say more where millions of positions were searched: edges otherwise, corners otherwise, the middle.

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
    let shapes = shapes.chain(larger(n));
    let squares = n * n;
    Patterns {
        patterns: shapes.map(|shape| shared(n, shape)).collect(),
        features: (4, squares),
    }
}

/// Those of up to ten squares that Logistello has not. With more than these a position has more than 64 lookups, which cost what they
/// are worth.
fn larger(n: usize) -> Vec<Vec<(usize, usize)>> {
    let middle = |row: usize| (n / 2 - 2..n / 2 + 2).map(move |column| (row, column));
    let edges = [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0)];
    let square = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let arms = [(1, 2), (2, 1), (1, 3), (3, 1), (1, 4), (4, 1)];
    let edge = (0..n).map(|column| (0, column));
    let shapes: [Vec<(usize, usize)>; 4] = [
        // A corner's edges and diagonal.
        edges.into_iter().chain((1..4).map(|i| (i, i))).collect(),
        // What leads from a corner inwards beside its edges.
        square.into_iter().chain(arms).collect(),
        // An edge and the squares below its corners.
        edge.chain([(1, 0), (1, n - 1)]).collect(),
        // Half of the sixteen squares in the middle.
        middle(n / 2 - 2).chain(middle(n / 2 - 1)).collect(),
    ];
    let short = |shape: &Vec<(usize, usize)>| shape.len() <= LONGEST;
    shapes.into_iter().filter(short).collect()
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
    fn the_first_are_the_46_of_logistello() {
        let mut patterns = patterns(8).patterns;
        let places = |all: &[Pattern]| all.iter().map(|p| p.places.len()).sum::<usize>();
        assert_eq!((patterns.len(), places(&patterns)), (15, 62));
        patterns.truncate(11);
        assert_eq!(places(&patterns), 46);
        let sizes = patterns.iter().map(|p| 3usize.pow(p.mirror.len() as u32));
        assert_eq!(sizes.sum::<usize>(), 167_265);
        // All but the corner of 2x5 look the same from their other end.
        let plain = |p: &&Pattern| p.mirror.iter().enumerate().all(|(a, b)| a == *b);
        assert_eq!(patterns.iter().filter(plain).count(), 1);
    }
}
