//! How a game is written: moves, one-line positions, boards. Only text for people and front ends; search never asks.

use super::Game;
use super::cell::{Cell, Grid};
use super::drawing::{Drawing, Look, Piece, RowOne, Spot};
use super::player::Player;
use super::refusal::{MoveError, PositionError};
use super::text;
use crate::options::shorten;

/// The text side of a game.
pub trait Notation: Game {
    /// The canonical text of a legal move: lower case, no space.
    fn write_move(&self, position: &Self::Position, m: Self::Move) -> String;

    /// Reads a move of `position` (which is not finished). By default: the legal move whose canonical text equals
    /// `text`, letter case and the separators `-` and `x` between squares set aside.
    fn read_move(&self, position: &Self::Position, text: &str) -> Result<Self::Move, MoveError> {
        let wanted = plain(text);
        let moves = self.moves(position);
        let found = moves
            .iter()
            .find(|m| plain(&self.write_move(position, **m)) == wanted);
        found.copied().ok_or_else(|| {
            if self.is_move_text(&wanted) {
                MoveError::Illegal {
                    text: shorten(text),
                    reason: "no such move here".into(),
                }
            } else {
                MoveError::Unreadable {
                    text: shorten(text),
                    example: self.example_move().into(),
                }
            }
        })
    }

    /// What a text that is no move of the game but that front ends play like one does to the position: HexGui's
    /// `swap-sides`, after which the players have changed colours and the stones have not.
    fn read_adjustment(&self, _position: &Self::Position, _text: &str) -> Option<Self::Position> {
        None
    }

    /// Whether `plain_text` (lower case, no separators) has the form of a move on this board, legal or not.
    fn is_move_text(&self, plain_text: &str) -> bool;

    /// A move text for error messages, such as `a2a3`.
    fn example_move(&self) -> &'static str;

    /// The whole position on one line; [`Notation::read_position`] gives back an equal position.
    fn write_position(&self, position: &Self::Position) -> String;

    /// Reads and checks a one-line position. Everything that cannot be on this board in this variant is an error.
    fn read_position(&self, text: &str) -> Result<Self::Position, PositionError>;

    /// The board for people: several lines, none empty, coordinates at the edges.
    fn board(&self, position: &Self::Position) -> String;

    /// The stones, for front ends that draw boards; `None` where there is no grid (Kalah).
    fn grid(&self, position: &Self::Position) -> Option<Grid>;

    /// The board for front ends that draw any game; by default squares as [`Notation::grid`] has them, row 1 at the bottom.
    fn drawing(&self, position: &Self::Position) -> Drawing {
        self.grid(position).map_or_else(Drawing::none, |grid| {
            Drawing::of_grid(&grid, Look::Square, RowOne::Bottom)
        })
    }

    /// The places of [`Notation::drawing`] that a legal move is shown by clicking, in order; the ways to show it, where there
    /// are several, and none for a move that has no place (a pass). By default the cell of the stone, or the squares that the
    /// move's text names.
    fn trails(&self, position: &Self::Position, m: Self::Move) -> Vec<Vec<String>> {
        let Some(grid) = self.grid(position) else {
            return Vec::new();
        };
        if let Some(cell) = self.placed_at(position, m) {
            return vec![vec![text::square_name(cell)]];
        }
        let words = plain(&self.write_move(position, m));
        let (mut rest, mut trail) = (words.as_str(), Vec::new());
        while let Some((cell, after)) = text::take_square(rest, grid.columns, grid.rows) {
            trail.push(text::square_name(cell));
            rest = after;
        }
        match rest.is_empty() && !trail.is_empty() {
            true => vec![trail],
            false => Vec::new(),
        }
    }

    /// Where a move puts its stone, in games where a move places one.
    fn placed_at(&self, _position: &Self::Position, _m: Self::Move) -> Option<Cell> {
        None
    }

    /// The position with exactly these stones and `turn` to move, in games where that says everything.
    fn set_up(
        &self,
        _stones: &[(Player, Cell)],
        _turn: Player,
    ) -> Result<Self::Position, PositionError> {
        Err(PositionError::new(
            "this game is not set up stone by stone; use set_position",
        ))
    }

    /// What can lie on a place of [`Notation::drawing`], for whoever sets up a position by hand: the players' common pieces by
    /// default; nothing where places hold seeds.
    fn pieces(&self) -> Vec<Piece> {
        Player::BOTH.map(Piece::of).to_vec()
    }

    /// The position with exactly what lies on these places, all those of [`Notation::drawing`], and `turn` to move. By default
    /// that is [`Notation::set_up`] with the pieces on squares such as `c3`.
    fn arrange(&self, spots: &[Spot], turn: Player) -> Result<Self::Position, PositionError> {
        let mut stones = Vec::new();
        for spot in spots {
            let Some(piece) = spot.piece else { continue };
            let cell = text::read_square(&spot.name, u32::MAX, u32::MAX);
            let cell = cell
                .ok_or_else(|| PositionError::new(format!("nothing can lie on {}", spot.name)))?;
            stones.push((piece.owner, cell));
        }
        self.set_up(&stones, turn)
    }
}

/// Lower case, without blanks and the separators that may stand between squares.
pub fn plain(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, '-' | 'x' | 'X' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}
