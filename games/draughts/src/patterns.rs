//! Patterns of men, in the manner of F. Letouzey's Scan (2015): every eight squares of a 4x4 block whose corner is an even number
//! of rows and columns from that of the board, and blocks of nine along the sides; every man and king for itself.
//! Kings in a pattern count as empty squares.

use treeline_game::pattern::{Pattern, Patterns};

/// Squares.
const SQUARES: usize = 50;

/// Features: own men, own kings, the other's men, the other's kings.
fn men(square: usize) -> Vec<usize> {
    vec![square, 2 * SQUARES + square]
}

pub fn patterns() -> Patterns {
    let even = |to: usize| (0..=to).step_by(2);
    let small = even(6).flat_map(|row| even(6).map(move |column| block(row, column, 4, 4)));
    let sides = [0, 4]
        .into_iter()
        .flat_map(|row| [0, 7].map(|column| block(row, column, 6, 3)));
    let blocks = small.chain(sides).map(|block| Pattern::at(&block, men));
    let all: Vec<Vec<usize>> = (0..SQUARES).map(|square| vec![square]).collect();
    let any = |square: usize| (0..4).map(|kind| kind * SQUARES + square).collect();
    let each = all.iter().map(|square| Pattern::at(square, any));
    let material = Pattern::shared(&all, any);
    Patterns {
        patterns: blocks.chain(each).chain([material]).collect(),
        features: (8, 40),
    }
}

/// The squares of a block of the board: those of even rows are in odd columns, and the other way round.
fn block(row: usize, column: usize, rows: usize, columns: usize) -> Vec<usize> {
    let of_row = |r: usize| {
        let dark = (column..column + columns).filter(move |c| (r + c) % 2 == 1);
        dark.map(move |c| r * 5 + c / 2)
    };
    (row..row + rows).flat_map(of_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_the_board() {
        assert_eq!(block(0, 0, 4, 4), [0, 1, 5, 6, 10, 11, 15, 16]);
        assert_eq!(block(6, 6, 4, 4), [33, 34, 38, 39, 43, 44, 48, 49]);
        let all = patterns().patterns;
        assert_eq!(all.len(), 16 + 4 + SQUARES + 1);
        let sizes: Vec<usize> = all[..20].iter().map(|p| p.mirror.len()).collect();
        assert_eq!(sizes, [[8; 16].as_slice(), &[9; 4]].concat());
        for square in 0..SQUARES {
            let cell = men(square);
            assert!(
                all[..20].iter().any(|p| p.places[0].contains(&cell)),
                "{square}"
            );
        }
    }
}
