//! Columns as letters; `d3` is accepted for `d` when the stone would land there.

use super::rules::{ConnectFour, Drop, Position};
use treeline_game::bits::Bits;
use treeline_game::drawing::{Drawing, Look, RowOne};
use treeline_game::options::shorten;
use treeline_game::text::{self, column_name};
use treeline_game::{Cell, Grid, MoveError, Notation, Player, PositionError};

impl<B: Bits, const W: u32, const H: u32, const K: u32> ConnectFour<B, W, H, K> {
    fn stone(&self, position: &Position<B>, cell: Cell) -> Option<Player> {
        let square = self.square(cell.column, cell.row);
        Player::BOTH
            .into_iter()
            .find(|player| position.stones[player.index()].has(square))
    }

    fn letter(&self, position: &Position<B>, cell: Cell) -> Option<char> {
        self.stone(position, cell).map(|player| match player {
            Player::One => 'b',
            Player::Two => 'w',
        })
    }

    /// A position from stones by player, checked against everything the rules imply.
    fn checked(&self, stones: [B; 2], turn: Player) -> Result<Position<B>, PositionError> {
        if !(stones[0] & stones[1]).is_empty() {
            return Err(PositionError::new("two stones on one square"));
        }
        let occupied = stones[0] | stones[1];
        for column in 0..self.width() {
            let stack = (occupied >> self.square(column, 0)) & B::first(self.height());
            if stack != B::first(stack.count()) {
                return Err(PositionError::new(format!(
                    "a stone floats in column {}",
                    column_name(column)
                )));
            }
        }
        let (one, two) = (stones[0].count(), stones[1].count());
        let expected = if one == two { Player::One } else { Player::Two };
        if one != two && one != two + 1 {
            return Err(PositionError::new(format!(
                "{one} stones of b and {two} of w cannot arise in turn"
            )));
        }
        if turn != expected {
            return Err(PositionError::new(format!(
                "with these stones {expected} is to move"
            )));
        }
        if self.has_line(stones[turn.index()]) {
            return Err(PositionError::new(format!(
                "{turn} is to move but has a line already"
            )));
        }
        let mut position = Position {
            stones,
            key: 0,
            turn,
        };
        position.key = self.full_key(&position);
        Ok(position)
    }
}

impl<B: Bits, const W: u32, const H: u32, const K: u32> Notation for ConnectFour<B, W, H, K> {
    fn write_move(&self, _position: &Position<B>, m: Drop) -> String {
        column_name(u32::from(m.0)).to_string()
    }

    fn read_move(&self, position: &Position<B>, text: &str) -> Result<Drop, MoveError> {
        let plain = text.trim().to_ascii_lowercase();
        if !self.is_move_text(&plain) {
            return Err(MoveError::Unreadable {
                text: shorten(text),
                example: self.example_move().into(),
            });
        }
        let column = u32::from(plain.as_bytes()[0] - b'a');
        let illegal = |reason: String| MoveError::Illegal {
            text: shorten(text),
            reason,
        };
        let stack = (position.stones[0] | position.stones[1]) >> self.square(column, 0);
        let height = (stack & B::first(self.height())).count();
        if height == self.height() {
            return Err(illegal(format!("column {} is full", column_name(column))));
        }
        if let Some(cell) = text::read_square(&plain, self.width(), self.height())
            && cell.row != height
        {
            let landing = text::square_name(Cell {
                column,
                row: height,
            });
            return Err(illegal(format!(
                "a stone in that column lands on {landing}"
            )));
        }
        Ok(Drop(column as u8))
    }

    fn is_move_text(&self, text: &str) -> bool {
        let letter = text.chars().next().filter(char::is_ascii_lowercase);
        letter.is_some_and(|c| u32::from(c as u8 - b'a') < self.width())
            && (text.len() == 1 || text::read_square(text, self.width(), self.height()).is_some())
    }

    fn example_move(&self) -> &'static str {
        "d"
    }

    /// Rows from the top, as in FEN, with `b` and `w`; then the side to move: `7/7/7/7/3w3/3b3 b`.
    fn write_position(&self, position: &Position<B>) -> String {
        let rows = text::write_rows(self.width(), self.height(), |cell| {
            self.letter(position, cell)
        });
        format!("{rows} {}", position.turn)
    }

    fn read_position(&self, line: &str) -> Result<Position<B>, PositionError> {
        let [rows, turn] = text::fields(line)?;
        let turn = text::read_player(turn)?;
        let mut stones = [B::EMPTY; 2];
        text::read_rows(rows, self.width(), self.height(), |cell, c| {
            let player = text::read_stone(c)?;
            stones[player.index()] |= B::square(self.square(cell.column, cell.row));
            Ok(())
        })?;
        self.checked(stones, turn)
    }

    fn board(&self, position: &Position<B>) -> String {
        text::draw_board(self.width(), self.height(), |cell| {
            text::stone_symbol(self.stone(position, cell))
        })
    }

    fn grid(&self, position: &Position<B>) -> Option<Grid> {
        Some(Grid::new(self.width(), self.height(), |cell| {
            self.stone(position, cell)
        }))
    }

    /// The board stands.
    fn drawing(&self, position: &Position<B>) -> Drawing {
        self.grid(position).map_or_else(Drawing::none, |grid| {
            Drawing::of_grid(&grid, Look::Hole, RowOne::Bottom)
        })
    }

    fn placed_at(&self, position: &Position<B>, m: Drop) -> Option<Cell> {
        let column = u32::from(m.0);
        let stack = (position.stones[0] | position.stones[1]) >> self.square(column, 0);
        Some(Cell {
            column,
            row: (stack & B::first(self.height())).count(),
        })
    }

    fn set_up(
        &self,
        stones: &[(Player, Cell)],
        turn: Player,
    ) -> Result<Position<B>, PositionError> {
        let mut sets = [B::EMPTY; 2];
        for (player, cell) in stones {
            sets[player.index()] |= B::square(self.square(cell.column, cell.row));
        }
        self.checked(sets, turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::Rules;

    #[test]
    fn a_square_must_be_where_the_stone_lands() {
        let game = ConnectFour::<u64, 7, 6, 4>::new(7, 6, 4);
        let mut position = game.start();
        assert_eq!(game.read_move(&position, "D1"), Ok(Drop(3)));
        game.apply(&mut position, Drop(3));
        let error = game.read_move(&position, "d3").unwrap_err();
        assert_eq!(
            error.to_string(),
            "illegal move d3: a stone in that column lands on d2"
        );
        assert!(matches!(
            game.read_move(&position, "h"),
            Err(MoveError::Unreadable { .. })
        ));
    }

    #[test]
    fn impossible_positions_are_refused() {
        let game = ConnectFour::<u64, 7, 6, 4>::new(7, 6, 4);
        for text in [
            "7/7/7/7/3w3/7 b",
            "7/7/7/7/7/3b3 b",
            "7/7/7/7/7/bbbbwww b",
            "7/7 b",
            "7/7/7/7/7/7",
            "7/7/7/7/7/7 b x",
        ] {
            assert!(game.read_position(text).is_err(), "{text}");
        }
    }
}
