//! A board as a front end draws it, whatever the game: places with what lies on them, and lines and labels around them. What
//! knows these draws every game.

use super::cell::{Cell, Grid};
use super::player::Player;
use super::text::{column_name, square_name};

/// What a place looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Square,
    /// Standing on a corner, so that rows touch along their length.
    Hexagon,
    /// In a board that stands: pieces are dropped into a column and fall.
    Hole,
    /// Holds seeds.
    Pit,
}

/// A piece, and whether it is more than the common one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    pub owner: Player,
    pub crowned: bool,
}

impl Piece {
    /// The common piece of a player.
    pub fn of(owner: Player) -> Self {
        Piece {
            owner,
            crowned: false,
        }
    }
}

/// Where pieces lie. Coordinates are of its centre, to the right and downwards; neighbours in a row are 1 apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
    /// As [`Notation::trails`](super::Notation::trails) names it; no other place has this name.
    pub name: String,
    pub x: f32,
    pub y: f32,
    /// How high it is; 1 except for the stores of sowing games.
    pub height: f32,
    /// Whether it is drawn darker than others, as on a chequered board.
    pub dark: bool,
    pub piece: Option<Piece>,
    /// The seeds in it, in games of seeds.
    pub seeds: Option<u32>,
    /// Whose place it is, where places belong to players.
    pub owner: Option<Player>,
}

/// A line along the edge that a player has to reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Border {
    pub owner: Player,
    pub from: (f32, f32),
    pub to: (f32, f32),
}

/// A word beside the board.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    pub x: f32,
    pub y: f32,
    pub text: String,
}

/// A whole board. Without places, front ends show [`Notation::board`](super::Notation::board).
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    pub look: Look,
    /// In the order in which one reads them.
    pub spots: Vec<Spot>,
    pub borders: Vec<Border>,
    pub labels: Vec<Label>,
}

/// Where row 1 is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOne {
    Bottom,
    Top,
}

impl Spot {
    /// An empty place of the usual size.
    pub fn new(name: impl Into<String>, x: f32, y: f32) -> Self {
        Spot {
            name: name.into(),
            x,
            y,
            height: 1.0,
            dark: false,
            piece: None,
            seeds: None,
            owner: None,
        }
    }
}

impl Drawing {
    /// No board.
    pub fn none() -> Self {
        Drawing {
            look: Look::Square,
            spots: Vec::new(),
            borders: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// A board of squares or holes with letters and numbers at its edges.
    pub fn of_grid(grid: &Grid, look: Look, row_one: RowOne) -> Self {
        let Grid { columns, rows, .. } = *grid;
        let line = |row: u32| match row_one {
            RowOne::Top => row,
            RowOne::Bottom => rows - 1 - row,
        };
        let spot = |y: u32, column: u32| {
            let row = line(y);
            let stone = grid.stones[(row * columns + column) as usize];
            Spot {
                dark: look == Look::Square && (column + row).is_multiple_of(2),
                piece: stone.map(Piece::of),
                ..Spot::new(square_name(Cell { column, row }), column as f32, y as f32)
            }
        };
        let spots = (0..rows).flat_map(|y| (0..columns).map(move |column| (y, column)));
        let spots = spots.map(|(y, column)| spot(y, column)).collect();
        let mut labels = Vec::new();
        for column in 0..columns {
            let (x, text) = (column as f32, column_name(column).to_string());
            let y = rows as f32 - 0.25;
            labels.push(Label { x, y, text });
        }
        for y in 0..rows {
            let (x, text) = (-0.75, (line(y) + 1).to_string());
            let y = y as f32;
            labels.push(Label { x, y, text });
        }
        Drawing {
            look,
            spots,
            borders: Vec::new(),
            labels,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_drawn_either_way_up() {
        let grid = Grid::new(3, 2, |cell| {
            (cell == Cell { column: 2, row: 0 }).then_some(Player::Two)
        });
        for (row_one, first, at) in [(RowOne::Bottom, "a2", 5), (RowOne::Top, "a1", 2)] {
            let drawing = Drawing::of_grid(&grid, Look::Square, row_one);
            assert_eq!(drawing.spots[0].name, first);
            assert_eq!(drawing.spots[at].name, "c1");
            assert_eq!(drawing.spots[at].piece, Some(Piece::of(Player::Two)));
            assert_eq!(drawing.labels.len(), 5);
        }
    }
}
