//! Moves as two squares (`a2a3`, `a2-a3`, `a2xb3`); positions as FEN rows of `b` and `w` with the side to move.

use super::pick::Board;
use super::rules::{Advance, Breakthrough, Position};
use treeline_game::options::shorten;
use treeline_game::text::{self, square_name};
use treeline_game::{Cell, Grid, MoveError, Notation, Player, PositionError, Rules};

/// What may stand between and around the squares of a move.
const SEPARATORS: [char; 4] = ['-', 'x', 'X', ' '];

impl<B: Board, const W: u32, const H: u32> Breakthrough<B, W, H> {
    fn piece(&self, position: &Position<B>, square: u32) -> Option<Player> {
        Player::BOTH
            .into_iter()
            .find(|player| position.pieces[player.index()].has(square))
    }

    fn square(&self, cell: Cell) -> u32 {
        cell.row * self.width() + cell.column
    }

    fn name(&self, square: u8) -> String {
        let square = u32::from(square);
        square_name(Cell {
            column: square % self.width(),
            row: square / self.width(),
        })
    }

    /// The two squares of a text without separators.
    fn two_squares(&self, text: &str) -> Option<Advance> {
        let (from, rest) = text::take_square(text, self.width(), self.height())?;
        let to = text::read_square(rest, self.width(), self.height())?;
        Some(Advance {
            from: self.square(from) as u8,
            to: self.square(to) as u8,
        })
    }

    /// Why `m` is no legal move.
    fn objection(&self, position: &Position<B>, m: Advance) -> String {
        let turn = position.turn;
        let (from, to) = (self.name(m.from), self.name(m.to));
        if self.piece(position, u32::from(m.from)) != Some(turn) {
            return format!("there is no piece of {turn} on {from}");
        }
        match self.piece(position, u32::from(m.to)) {
            Some(player) if player == turn => format!("there is a piece of {turn} on {to}"),
            Some(_) => "pieces capture diagonally forward, one row".into(),
            None => "pieces step one row forward, straight or diagonally".into(),
        }
    }

    /// A position from its pieces, unless no game can have led there; the moves that led there are not looked for.
    fn checked(&self, pieces: [B; 2], turn: Player) -> Result<Position<B>, PositionError> {
        let refuse = |text: String| Err(PositionError::new(text));
        for player in Player::BOTH {
            let own = pieces[player.index()];
            if own.count() > 2 * self.width() {
                return refuse(format!(
                    "{player} has {} pieces but started with {}",
                    own.count(),
                    2 * self.width()
                ));
            }
            let arrived = (own & self.goal[player.index()]).count();
            if arrived > 1 {
                return refuse(format!(
                    "{player} has {arrived} pieces on its far rank; the first ended the game"
                ));
            }
            if player == turn && arrived > 0 {
                return refuse(format!(
                    "{player} is to move but has reached its far rank already"
                ));
            }
        }
        let last = turn.other();
        if pieces[last.index()].is_empty() {
            return refuse(format!(
                "{turn} is to move but {last} has no piece that could have moved last"
            ));
        }
        let mut position = Position {
            pieces,
            key: 0,
            turn,
        };
        position.key = self.full_key(&position);
        Ok(position)
    }
}

impl<B: Board, const W: u32, const H: u32> Notation for Breakthrough<B, W, H> {
    fn write_move(&self, _position: &Position<B>, m: Advance) -> String {
        self.name(m.from) + &self.name(m.to)
    }

    fn read_move(&self, position: &Position<B>, text: &str) -> Result<Advance, MoveError> {
        let m = self
            .two_squares(&text.replace(SEPARATORS, ""))
            .ok_or_else(|| MoveError::Unreadable {
                text: shorten(text),
                example: self.example_move().into(),
            })?;
        if self.moves(position).contains(&m) {
            return Ok(m);
        }
        Err(MoveError::Illegal {
            text: shorten(text),
            reason: self.objection(position, m),
        })
    }

    fn is_move_text(&self, plain_text: &str) -> bool {
        self.two_squares(plain_text).is_some()
    }

    fn example_move(&self) -> &'static str {
        "a2a3"
    }

    /// Rows from the top, as in FEN, then the side to move: `wwwwwwww/wwwwwwww/8/8/8/8/bbbbbbbb/bbbbbbbb b`.
    fn write_position(&self, position: &Position<B>) -> String {
        let rows = text::write_rows(self.width(), self.height(), |cell| {
            self.piece(position, self.square(cell))
                .map(|player| match player {
                    Player::One => 'b',
                    Player::Two => 'w',
                })
        });
        format!("{rows} {}", position.turn)
    }

    fn read_position(&self, line: &str) -> Result<Position<B>, PositionError> {
        let [rows, turn] = text::fields(line)?;
        let turn = text::read_player(turn)?;
        let mut pieces = [B::EMPTY; 2];
        text::read_rows(rows, self.width(), self.height(), |cell, c| {
            let player = text::read_stone(c)?;
            pieces[player.index()] |= B::square(self.square(cell));
            Ok(())
        })?;
        self.checked(pieces, turn)
    }

    fn board(&self, position: &Position<B>) -> String {
        text::draw_board(self.width(), self.height(), |cell| {
            text::stone_symbol(self.piece(position, self.square(cell)))
        })
    }

    fn grid(&self, position: &Position<B>) -> Option<Grid> {
        let grid = Grid::new(self.width(), self.height(), |cell| {
            self.piece(position, self.square(cell))
        });
        Some(grid)
    }

    fn set_up(
        &self,
        stones: &[(Player, Cell)],
        turn: Player,
    ) -> Result<Position<B>, PositionError> {
        let mut pieces = [B::EMPTY; 2];
        for (player, cell) in stones {
            if cell.column >= self.width() || cell.row >= self.height() {
                return Err(PositionError::new("a piece is off the board"));
            }
            pieces[player.other().index()] &= !B::square(self.square(*cell));
            pieces[player.index()] |= B::square(self.square(*cell));
        }
        self.checked(pieces, turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_optional_and_refusals_say_why() {
        let game = Breakthrough::<u64, 8, 8>::new(8, 8);
        let start = game.start();
        for text in ["a2a3", "A2-A3", " a2 a3 ", "a2xa3"] {
            assert_eq!(
                game.read_move(&start, text),
                Ok(Advance { from: 8, to: 16 }),
                "{text}"
            );
        }
        for (text, reason) in [
            ("a3a4", "there is no piece of b on a3"),
            ("a1a2", "there is a piece of b on a2"),
            (
                "a2a4",
                "pieces step one row forward, straight or diagonally",
            ),
            ("a2a7", "pieces capture diagonally forward, one row"),
        ] {
            let error = game.read_move(&start, text).unwrap_err();
            assert_eq!(error.to_string(), format!("illegal move {text}: {reason}"));
        }
        for text in ["a2", "a2a3a4", "a2i3", "a2a9", "0-0", ""] {
            assert!(
                matches!(
                    game.read_move(&start, text),
                    Err(MoveError::Unreadable { .. })
                ),
                "{text}"
            );
        }
    }

    #[test]
    fn impossible_positions_are_refused_and_finished_ones_are_not() {
        let game = Breakthrough::<u64, 3, 4>::new(3, 4);
        for text in [
            "b2/3/2w/3 b",
            "b1b/3/w2/3 w",
            "3/3/3/3 b",
            "3/b2/3/3 w b",
            "w2/3/3/3 b x",
            "w2/3/3/3 w",
            "www/www/w2/b2 b",
            "3/b2/3/w2 w",
            "b2/3/3/w2 w",
            "w2/x2/3/3 b",
        ] {
            assert!(game.read_position(text).is_err(), "{text}");
        }
        for text in [
            "b2/3/2w/3 w",
            "w2/3/3/3 b",
            "3/b2/3/w2 b",
            "www/www/bbb/bbb b",
            "www/www/bbb/bbb w",
        ] {
            assert!(game.read_position(text).is_ok(), "{text}");
        }
    }
}
