//! Cells as `a1` (top left) and `swap-pieces`; position texts and boards begin with row 1, which is the top row.

use super::cells::Cells;
use super::rules::{Hex, Place, Position};
use treeline_game::drawing::{Border, Drawing, Label, Look, Piece, Spot};
use treeline_game::options::shorten;
use treeline_game::text::{self, column_name};
use treeline_game::{Cell, Grid, MoveError, Notation, Player, PositionError};

/// From one row of hexagons to the next, in widths of one: half the square root of three.
const ROW: f32 = 0.866_025_4;

const SWAP: &str = "swap-pieces";
const SIDES_SUFFIX: &str = " swapped-sides";

/// The same rows in the opposite order: [`text::write_rows`] ends with row 1.
fn reversed(rows: &str) -> String {
    rows.split('/').rev().collect::<Vec<_>>().join("/")
}

impl<const N: usize, const L: u32, const R: usize> Hex<N, L, R> {
    fn stone(&self, position: &Position<N, L, R>, cell: Cell) -> Option<Player> {
        let square = Self::square(cell.column, cell.row);
        Player::BOTH
            .into_iter()
            .find(|player| position.stones[player.index()].has(square))
    }

    fn cell(m: Place) -> Cell {
        let (column, row) = Cells::<N, L>::place(u32::from(m.0));
        Cell { column, row }
    }
}

impl<const N: usize, const L: u32, const R: usize> Notation for Hex<N, L, R> {
    fn write_move(&self, _position: &Position<N, L, R>, m: Place) -> String {
        match m {
            Place::SWAP => SWAP.into(),
            _ => text::square_name(Self::cell(m)),
        }
    }

    fn read_move(&self, position: &Position<N, L, R>, text: &str) -> Result<Place, MoveError> {
        let wanted = text.trim().to_ascii_lowercase();
        let illegal = |reason: &str| {
            Err(MoveError::Illegal {
                text: shorten(text),
                reason: reason.into(),
            })
        };
        if wanted == SWAP || wanted == "swap" {
            return match (self.may_swap(position), self.has_swap()) {
                (true, _) => Ok(Place::SWAP),
                (false, true) => illegal("a swap can only answer the first stone of the game"),
                (false, false) => illegal("this game is played with swap=off"),
            };
        }
        match text::read_square(&wanted, self.columns(), self.rows()) {
            Some(cell) if self.stone(position, cell).is_some() => illegal("the cell is occupied"),
            Some(cell) => Ok(Place(Self::square(cell.column, cell.row) as u16)),
            None => Err(MoveError::Unreadable {
                text: shorten(text),
                example: self.example_move().into(),
            }),
        }
    }

    /// The players change colours and leave the stone, which is player one's still; player two moves.
    fn read_adjustment(
        &self,
        position: &Position<N, L, R>,
        text: &str,
    ) -> Option<Position<N, L, R>> {
        let asked = text.eq_ignore_ascii_case("swap-sides");
        (asked && self.may_swap(position)).then(|| self.with_sides_swapped(position))
    }

    fn is_move_text(&self, text: &str) -> bool {
        matches!(text, "swap" | "swappieces")
            || text::read_square(text, self.columns(), self.rows()).is_some()
    }

    fn example_move(&self) -> &'static str {
        if self.has_swap() {
            "b2 or swap-pieces"
        } else {
            "b2"
        }
    }

    /// Rows from row 1, the top, with `b` and `w` and runs of empty cells as numbers; then the side to move. On 3x3
    /// after b2 and a1: `w2/1b1/3 b`. A last word `swapped-sides` says that the first stone was answered so.
    fn write_position(&self, position: &Position<N, L, R>) -> String {
        let rows = text::write_rows(self.columns(), self.rows(), |cell| {
            self.stone(position, cell).map(|player| match player {
                Player::One => 'b',
                Player::Two => 'w',
            })
        });
        let swapped = if position.sides_swapped {
            SIDES_SUFFIX
        } else {
            ""
        };
        format!("{} {}{swapped}", reversed(&rows), position.turn)
    }

    fn read_position(&self, line: &str) -> Result<Position<N, L, R>, PositionError> {
        let (line, swapped) = match line.trim_end().strip_suffix(SIDES_SUFFIX) {
            Some(rest) => (rest, true),
            None => (line, false),
        };
        let [rows, turn] = text::fields(line)?;
        let turn = text::read_player(turn)?;
        let mut stones = [Cells::EMPTY; 2];
        text::read_rows(&reversed(rows), self.columns(), self.rows(), |cell, c| {
            let player = text::read_stone(c)?;
            stones[player.index()] |= Cells::one(Self::square(cell.column, cell.row));
            Ok(())
        })?;
        let position = self.assemble(stones, turn);
        match swapped {
            false => Ok(position),
            true if self.has_swap() && self.has_first_stone_only(&position) => {
                Ok(self.with_sides_swapped(&position))
            }
            true => Err(PositionError::new(
                "sides are swapped only in answer to the first stone",
            )),
        }
    }

    /// Each row is half a cell to the right of the one above it.
    fn board(&self, position: &Position<N, L, R>) -> String {
        let (columns, rows) = (self.columns(), self.rows());
        let letters: Vec<String> = (0..columns).map(|c| column_name(c).to_string()).collect();
        let letters = letters.join(" ");
        let mut lines = vec![format!("   {letters}")];
        for row in 0..rows {
            let cells: Vec<String> = (0..columns)
                .map(|column| {
                    text::stone_symbol(self.stone(position, Cell { column, row })).to_string()
                })
                .collect();
            let indent = row as usize;
            lines.push(format!(
                "{:indent$}{:>2} {} {}",
                "",
                row + 1,
                cells.join(" "),
                row + 1
            ));
        }
        let indent = rows as usize;
        lines.push(format!("{:indent$}   {letters}", ""));
        lines.join("\n")
    }

    fn grid(&self, position: &Position<N, L, R>) -> Option<Grid> {
        Some(Grid::new(self.columns(), self.rows(), |cell| {
            self.stone(position, cell)
        }))
    }

    /// Row 1 on top, each row half a cell to the right of the one above it; each player's two edges in its colour.
    fn drawing(&self, position: &Position<N, L, R>) -> Drawing {
        let (columns, rows) = (self.columns(), self.rows());
        let at = |column: f32, row: f32| (column + row / 2.0, row * ROW);
        let mut drawing = Drawing::none();
        drawing.look = Look::Hexagon;
        for row in 0..rows {
            for column in 0..columns {
                let cell = Cell { column, row };
                let (x, y) = at(column as f32, row as f32);
                drawing.spots.push(Spot {
                    piece: self.stone(position, cell).map(Piece::of),
                    ..Spot::new(text::square_name(cell), x, y)
                });
            }
        }
        for column in 0..columns {
            let (x, y) = at(column as f32 + 0.35, -1.0);
            let text = column_name(column).to_string();
            drawing.labels.push(Label { x, y, text });
        }
        for row in 0..rows {
            let text = (row + 1).to_string();
            // Two digits must not lie on the edge.
            let (x, y) = at(-0.85 - 0.1 * text.len() as f32, row as f32);
            drawing.labels.push(Label { x, y, text });
        }
        let (right, bottom) = (columns as f32 - 1.0, rows as f32 - 1.0);
        let half = ROW * 0.72;
        let [(x0, top), (x1, _)] = [at(0.0, 0.0), at(right, 0.0)];
        let [(x2, low), (x3, _)] = [at(0.0, bottom), at(right, bottom)];
        let lines = [
            (Player::One, (x0 - 0.5, top - half), (x1 + 0.35, top - half)),
            (Player::One, (x2 - 0.35, low + half), (x3 + 0.5, low + half)),
            (Player::Two, (x0 - 0.62, top - 0.2), (x2 - 0.62, low + 0.35)),
            (Player::Two, (x1 + 0.62, top - 0.35), (x3 + 0.62, low + 0.2)),
        ];
        let border = |(owner, from, to)| Border { owner, from, to };
        drawing.borders = lines.into_iter().map(border).collect();
        drawing
    }

    /// A swap puts its stone where one may stand already, so it counts as no placement.
    fn placed_at(&self, _position: &Position<N, L, R>, m: Place) -> Option<Cell> {
        (m != Place::SWAP).then(|| Self::cell(m))
    }

    fn set_up(
        &self,
        stones: &[(Player, Cell)],
        turn: Player,
    ) -> Result<Position<N, L, R>, PositionError> {
        let mut sets = [Cells::EMPTY; 2];
        for &(player, cell) in stones {
            let name = text::square_name(cell);
            if cell.column >= self.columns() || cell.row >= self.rows() {
                return Err(PositionError::new(format!("{name} is not on the board")));
            }
            let one = Cells::one(Self::square(cell.column, cell.row));
            if sets[player.other().index()].meets(one) {
                return Err(PositionError::new(format!("{name} cannot hold two stones")));
            }
            sets[player.index()] |= one;
        }
        Ok(self.assemble(sets, turn))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::Rules;

    #[test]
    fn the_board_is_sheared_with_row_one_on_top() {
        let game = Hex::<2, 16, 2>::new(3, 3, false);
        let position = game.read_position("w2/1b1/3 b").unwrap();
        let expected = "   a b c\n 1 O . . 1\n  2 . X . 2\n   3 . . . 3\n      a b c";
        assert_eq!(game.board(&position), expected);
        assert_eq!(game.write_position(&position), "w2/1b1/3 b");
        let cell = |column, row| Cell { column, row };
        let stones = [(Player::One, cell(1, 1)), (Player::Two, cell(0, 0))];
        assert_eq!(game.set_up(&stones, Player::One), Ok(position));
        let error = game.set_up(&[(Player::One, cell(0, 0)), stones[1]], Player::One);
        assert_eq!(error.unwrap_err().0, "a1 cannot hold two stones");
        assert!(
            game.set_up(&[(Player::One, cell(3, 0))], Player::One)
                .is_err()
        );
    }

    #[test]
    fn sides_can_be_swapped_once_and_leave_the_stone() {
        let game = Hex::<2, 16, 2>::new(5, 5, true);
        let first = game.read_position("5/5/2b2/5/5 w").unwrap();
        let swapped = game.read_adjustment(&first, "swap-sides").unwrap();
        assert_eq!(game.count_moves(&first), game.count_moves(&swapped) + 1);
        assert_ne!(game.key(&first), game.key(&swapped));
        assert_eq!(game.read_adjustment(&swapped, "swap-sides"), None);
        assert!(game.read_move(&swapped, "swap-pieces").is_err());
        let text = game.write_position(&swapped);
        assert_eq!(text, "5/5/2b2/5/5 w swapped-sides");
        assert_eq!(game.read_position(&text), Ok(swapped));
        let m = game.read_move(&swapped, "a1").unwrap();
        assert_eq!(game.after(&swapped, m), game.after(&first, m));
        assert!(game.read_position("5/5/2b2/5/5 b swapped-sides").is_err());
    }

    #[test]
    fn refusals_say_why() {
        let game = Hex::<2, 16, 2>::new(3, 3, false);
        let position = game.read_position("w2/1b1/3 b").unwrap();
        let refusal = |text| game.read_move(&position, text).unwrap_err().to_string();
        assert_eq!(refusal("A1"), "illegal move A1: the cell is occupied");
        assert!(refusal("swap").ends_with("swap=off"));
        assert!(refusal("d1").starts_with("cannot read"));
        let error = game.read_position("3/1b2/3 b").unwrap_err();
        assert_eq!(error.0, "row 2 '1b2' does not have 3 squares");
    }
}
