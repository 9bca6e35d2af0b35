//! Squares and `pass`. Row 1 is on top of boards and comes first in position texts, as in every Othello book.

use super::board::Board;
use super::rules::{Othello, Position, Put};
use super::squares::stride;
use treeline_game::drawing::{Drawing, Look, RowOne};
use treeline_game::options::shorten;
use treeline_game::text::{self, square_name};
use treeline_game::{Cell, Grid, MoveError, Notation, Player, PositionError};

impl<B: Board<N>, const N: u32> Othello<B, N> {
    fn disc(position: &Position<B>, cell: Cell) -> Option<Player> {
        let square = Self::square(cell.column, cell.row);
        let discs = position.discs();
        Player::BOTH
            .into_iter()
            .find(|player| discs[player.index()].has(square))
    }

    fn cell(square: u32) -> Cell {
        Cell {
            column: square % stride(N),
            row: square / stride(N),
        }
    }

    fn from_discs([one, two]: [B; 2], turn: Player) -> Position<B> {
        match turn {
            Player::One => Self::position(one, two, turn),
            Player::Two => Self::position(two, one, turn),
        }
    }

    /// Why a disc cannot be put on a free or occupied square.
    fn objection(position: &Position<B>, cell: Cell) -> String {
        if Self::disc(position, cell).is_some() {
            format!("there is a disc on {}", square_name(cell))
        } else if position.moves.is_empty() {
            format!("{} has no move and must pass", position.turn)
        } else {
            format!("a disc on {} turns none", square_name(cell))
        }
    }
}

impl<B: Board<N>, const N: u32> Notation for Othello<B, N> {
    fn write_move(&self, _position: &Position<B>, m: Put) -> String {
        if m == Put::PASS {
            return "pass".into();
        }
        square_name(Self::cell(u32::from(m.0)))
    }

    fn read_move(&self, position: &Position<B>, text: &str) -> Result<Put, MoveError> {
        let plain = text.trim().to_ascii_lowercase();
        let illegal = |reason: String| {
            Err(MoveError::Illegal {
                text: shorten(text),
                reason,
            })
        };
        if plain == "pass" {
            if position.moves.is_empty() {
                return Ok(Put::PASS);
            }
            let moves = position.moves.count();
            return illegal(format!("{} has {moves} moves", position.turn));
        }
        let Some(cell) = text::read_square(&plain, N, N) else {
            return Err(MoveError::Unreadable {
                text: shorten(text),
                example: self.example_move().into(),
            });
        };
        let square = Self::square(cell.column, cell.row);
        if position.moves.has(square) {
            Ok(Put(square as u8))
        } else {
            illegal(Self::objection(position, cell))
        }
    }

    fn is_move_text(&self, text: &str) -> bool {
        text == "pass" || text::read_square(text, N, N).is_some()
    }

    fn example_move(&self) -> &'static str {
        "d3 or pass"
    }

    /// Rows from row 1, runs of empty squares as numbers, then the side to move:
    /// `8/8/8/3wb3/3bw3/8/8/8 b`.
    fn write_position(&self, position: &Position<B>) -> String {
        let rows = text::write_rows(N, N, |cell| {
            Self::disc(position, cell).map(|player| match player {
                Player::One => 'b',
                Player::Two => 'w',
            })
        });
        format!("{} {}", reversed(&rows, '/', "/"), position.turn)
    }

    /// Any discs on the board, the central squares empty or not. Where neither side can move, as on an empty board, the
    /// game is over and the discs are counted.
    fn read_position(&self, line: &str) -> Result<Position<B>, PositionError> {
        let [rows, turn] = text::fields(line)?;
        let turn = text::read_player(turn)?;
        let mut discs = [B::EMPTY; 2];
        text::read_rows(&reversed(rows, '/', "/"), N, N, |cell, c| {
            let player = text::read_stone(c)?;
            discs[player.index()] |= B::square(Self::square(cell.column, cell.row));
            Ok(())
        })?;
        Ok(Self::from_discs(discs, turn))
    }

    fn board(&self, position: &Position<B>) -> String {
        let board = text::draw_board(N, N, |cell| text::stone_symbol(Self::disc(position, cell)));
        reversed(&board, '\n', "\n")
    }

    fn grid(&self, position: &Position<B>) -> Option<Grid> {
        Some(Grid::new(N, N, |cell| Self::disc(position, cell)))
    }

    fn drawing(&self, position: &Position<B>) -> Drawing {
        self.grid(position).map_or_else(Drawing::none, |grid| {
            let mut drawing = Drawing::of_grid(&grid, Look::Square, RowOne::Top);
            // One colour: the board is not chequered.
            for spot in &mut drawing.spots {
                spot.dark = true;
            }
            drawing
        })
    }

    fn placed_at(&self, _position: &Position<B>, m: Put) -> Option<Cell> {
        (m != Put::PASS).then(|| Self::cell(u32::from(m.0)))
    }

    fn set_up(
        &self,
        stones: &[(Player, Cell)],
        turn: Player,
    ) -> Result<Position<B>, PositionError> {
        let mut discs = [B::EMPTY; 2];
        for (player, cell) in stones {
            let name = square_name(*cell);
            if cell.column >= N || cell.row >= N {
                return Err(PositionError::new(format!("{name} is not on the board")));
            }
            let square = Self::square(cell.column, cell.row);
            if discs[player.other().index()].has(square) {
                return Err(PositionError::new(format!("discs of both sides on {name}")));
            }
            discs[player.index()] |= B::square(square);
        }
        Ok(Self::from_discs(discs, turn))
    }
}

/// The parts of a text in reverse order: the shared helpers put the highest row first.
fn reversed(text: &str, separator: char, joint: &str) -> String {
    text.rsplit(separator).collect::<Vec<_>>().join(joint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeline_game::Rules;

    #[test]
    fn a_refusal_says_why() {
        let game = Othello::<u64, 8>::new(false);
        let start = game.start();
        let refusal = |text| game.read_move(&start, text).unwrap_err().to_string();
        assert_eq!(refusal("d4"), "illegal move d4: there is a disc on d4");
        assert_eq!(refusal("e3"), "illegal move e3: a disc on e3 turns none");
        assert_eq!(refusal("pass"), "illegal move pass: b has 4 moves");
        assert!(matches!(
            game.read_move(&start, "i9"),
            Err(MoveError::Unreadable { .. })
        ));
    }

    #[test]
    fn row_1_is_on_top() {
        let game = Othello::<u64, 6>::new(false);
        let position = game.read_position("b5/6/6/6/6/5w b").unwrap();
        let grid = game.grid(&position).unwrap();
        assert_eq!(grid.stones[0], Some(Player::One));
        let board = game.board(&position);
        assert_eq!(board.lines().nth(1), Some("  1 X . . . . . 1"));
        let error = game.read_position("b6/6/6/6/6/6 b").unwrap_err();
        assert_eq!(error.to_string(), "row 1 'b6' does not have 6 squares");
    }

    #[test]
    fn stones_are_set_up_in_any_order() {
        let game = Othello::<u128, 10>::new(false);
        let cell = |column, row| Cell { column, row };
        let stones = [
            (Player::Two, cell(9, 9)),
            (Player::One, cell(8, 9)),
            (Player::One, cell(0, 0)),
        ];
        let position = game.set_up(&stones, Player::Two).unwrap();
        assert_eq!(
            game.write_position(&position),
            "b9/10/10/10/10/10/10/10/10/8bw w"
        );
        let twice = [(Player::One, cell(1, 1)), (Player::Two, cell(1, 1))];
        assert!(game.set_up(&twice, Player::One).is_err());
        assert!(
            game.set_up(&[(Player::One, cell(10, 0))], Player::One)
                .is_err()
        );
    }
}
