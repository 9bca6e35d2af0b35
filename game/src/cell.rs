//! Squares, and what stands on them.

use super::player::Player;

/// A square by column and row, both from 0; row 0 is the row that the wire calls 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cell {
    pub column: u32,
    pub row: u32,
}

/// What stands on a rectangular (or, for Hex, sheared) board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    pub columns: u32,
    pub rows: u32,
    /// Row by row from row 0, `columns * rows` entries.
    pub stones: Vec<Option<Player>>,
}

impl Grid {
    pub fn new(columns: u32, rows: u32, stone: impl Fn(Cell) -> Option<Player>) -> Self {
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| Cell { column, row }));
        let stones = cells.map(stone).collect();
        Grid {
            columns,
            rows,
            stones,
        }
    }
}
