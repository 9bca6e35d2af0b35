//! Moves as two squares, `c1c3`; positions as FEN-like rows, the side to move, plies, plies since the last capture.

use super::geometry::Word;
use super::rules::{LinesOfAction, Move, Position};
use treeline_game::options::shorten;
use treeline_game::text::{self, square_name};
use treeline_game::{Cell, Grid, MoveError, Notation, Player, PositionError};

impl<B: Word, const S: u32> LinesOfAction<B, S> {
    fn stone(&self, position: &Position<B>, cell: Cell) -> Option<Player> {
        let square = Self::square(cell.column, cell.row);
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

    fn name(square: u8) -> String {
        let (column, row) = Self::cell(u32::from(square));
        square_name(Cell { column, row })
    }

    /// The two squares of a move text without separators.
    fn squares_of(&self, plain: &str) -> Option<(Cell, Cell)> {
        let (from, rest) = text::take_square(plain, self.size(), self.size())?;
        Some((from, text::read_square(rest, self.size(), self.size())?))
    }

    /// Why a move that is not legal is not.
    fn objection(&self, position: &Position<B>, from: Cell, to: Cell) -> String {
        let turn = position.turn;
        if self.stone(position, from) != Some(turn) {
            return format!("{turn} has no piece on {}", square_name(from));
        }
        if self.stone(position, to) == Some(turn) {
            return format!("{turn} stands on {} already", square_name(to));
        }
        let target = Self::square(to.column, to.row);
        let square = self.geometry.square(Self::square(from.column, from.row));
        let Some(way) = square.ways.iter().find(|way| way.ray.has(target)) else {
            return "the squares are not on one line".into();
        };
        let count = (way.line & (position.stones[0] | position.stones[1])).count();
        let distance = from
            .column
            .abs_diff(to.column)
            .max(from.row.abs_diff(to.row));
        if distance == count {
            return "an opponent's piece is in the way".into();
        }
        format!("the pieces on that line make it {count} squares far, not {distance}")
    }

    /// A position from stones by player, checked against what the rules imply.
    fn checked(
        &self,
        stones: [B; 2],
        turn: Player,
        plies: u16,
        quiet: u16,
    ) -> Result<Position<B>, PositionError> {
        let most = 2 * (self.size() - 2);
        for player in Player::BOTH {
            let count = stones[player.index()].count();
            if count == 0 || count > most {
                return Err(PositionError::new(format!(
                    "each side has 1 to {most} pieces, {player} cannot have {count}"
                )));
            }
        }
        if quiet > plies {
            return Err(PositionError::new(format!(
                "{quiet} plies since the last capture are more than {plies} plies"
            )));
        }
        if let Some(limit) = self.settings.length
            && plies > limit
        {
            return Err(PositionError::new(format!(
                "a game ends after {limit} plies, {plies} cannot have been played"
            )));
        }
        let position = self.position(stones, turn, plies, quiet);
        let own = turn.index();
        if quiet > 0 && self.connected(position.stones[own], position.euler[own]) {
            return Err(PositionError::new(format!(
                "{turn} is to move but was connected before the last move, which captured nothing"
            )));
        }
        Ok(position)
    }
}

fn read_number(text: &str) -> Result<u16, PositionError> {
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits);
    number.ok_or_else(|| {
        PositionError::new(format!(
            "'{}' is no number of plies up to 65535",
            shorten(text)
        ))
    })
}

impl<B: Word, const S: u32> Notation for LinesOfAction<B, S> {
    fn write_move(&self, _position: &Position<B>, m: Move) -> String {
        Self::name(m.from) + &Self::name(m.to)
    }

    /// Two squares, with `-`, `x` or nothing between them.
    fn read_move(&self, position: &Position<B>, text: &str) -> Result<Move, MoveError> {
        let plain: String = text
            .chars()
            .filter(|c| !matches!(c, '-' | 'x' | 'X' | ' '))
            .flat_map(char::to_lowercase)
            .collect();
        let Some((from, to)) = self.squares_of(&plain) else {
            return Err(MoveError::Unreadable {
                text: shorten(text),
                example: self.example_move().into(),
            });
        };
        let [from_square, to_square] = [from, to].map(|cell| Self::square(cell.column, cell.row));
        let own = position.stones[position.turn.index()];
        let enemy = position.stones[position.turn.other().index()];
        if own.has(from_square) && self.targets(own, enemy, from_square).has(to_square) {
            return Ok(Move {
                from: from_square as u8,
                to: to_square as u8,
            });
        }
        Err(MoveError::Illegal {
            text: shorten(text),
            reason: self.objection(position, from, to),
        })
    }

    fn is_move_text(&self, text: &str) -> bool {
        self.squares_of(text).is_some()
    }

    fn example_move(&self) -> &'static str {
        "b1b3"
    }

    /// `1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b 0 0`
    fn write_position(&self, position: &Position<B>) -> String {
        let rows = text::write_rows(self.size(), self.size(), |cell| self.letter(position, cell));
        format!(
            "{rows} {} {} {}",
            position.turn, position.plies, position.quiet
        )
    }

    /// The two counters may be left out together; they are 0 then.
    fn read_position(&self, line: &str) -> Result<Position<B>, PositionError> {
        let [rows, turn, plies, quiet] = match text::fields::<2>(line) {
            Ok([rows, turn]) => [rows, turn, "0", "0"],
            Err(_) => text::fields(line)?,
        };
        let turn = text::read_player(turn)?;
        let mut stones = [B::EMPTY; 2];
        text::read_rows(rows, self.size(), self.size(), |cell, c| {
            let player = text::read_stone(c)?;
            stones[player.index()] |= B::square(Self::square(cell.column, cell.row));
            Ok(())
        })?;
        self.checked(stones, turn, read_number(plies)?, read_number(quiet)?)
    }

    fn board(&self, position: &Position<B>) -> String {
        text::draw_board(self.size(), self.size(), |cell| {
            text::stone_symbol(self.stone(position, cell))
        })
    }

    fn grid(&self, position: &Position<B>) -> Option<Grid> {
        Some(Grid::new(self.size(), self.size(), |cell| {
            self.stone(position, cell)
        }))
    }

    fn set_up(
        &self,
        stones: &[(Player, Cell)],
        turn: Player,
    ) -> Result<Position<B>, PositionError> {
        let mut sets = [B::EMPTY; 2];
        for (player, cell) in stones {
            if cell.column >= self.size() || cell.row >= self.size() {
                return Err(PositionError::new(format!(
                    "{} is off the board",
                    square_name(*cell)
                )));
            }
            sets[player.index()] |= B::square(Self::square(cell.column, cell.row));
        }
        if !(sets[0] & sets[1]).is_empty() {
            return Err(PositionError::new("two pieces on one square"));
        }
        self.checked(sets, turn, 0, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use treeline_game::Rules;

    fn game() -> LinesOfAction<u64, 8> {
        let settings = Settings {
            mover_wins_both: false,
            repetition: true,
            length: Some(400),
        };
        LinesOfAction::new(5, settings)
    }

    #[test]
    fn a_refused_move_is_told_why() {
        let position = game().read_position("5/w3w/5/w1b2/b4 b").unwrap();
        for (text, reason) in [
            ("a1a4", "an opponent's piece is in the way"),
            (
                "a1a3",
                "the pieces on that line make it 3 squares far, not 2",
            ),
            ("a1b3", "the squares are not on one line"),
            ("c2a2", ""),
            ("b1b2", "b has no piece on b1"),
            ("a2a3", "b has no piece on a2"),
            ("a1c2", "b stands on c2 already"),
            ("a1-a1", "b stands on a1 already"),
        ] {
            let found = game().read_move(&position, text).map_err(|e| e.to_string());
            let expected = format!("illegal move {text}: {reason}");
            assert!(
                found == Err(expected) || reason.is_empty() && found.is_ok(),
                "{text}: {found:?}"
            );
        }
        let error = game().read_move(&position, "a1f1").unwrap_err();
        assert!(matches!(error, MoveError::Unreadable { .. }));
    }

    #[test]
    fn counters_may_be_left_out() {
        let rows = "5/w3w/5/w1b2/b4";
        let short = game().read_position(&format!("{rows} w")).unwrap();
        assert_eq!(game().write_position(&short), format!("{rows} w 0 0"));
        assert_eq!(game().turn(&short), Player::Two);
    }

    #[test]
    fn impossible_positions_are_refused() {
        for text in [
            "5/w3w/5/w4/5 b",
            "bbbbb/bb2w/5/w4/5 b",
            "5/w3w/5/w1b2/b4 b 3 4",
            "5/w3w/5/w1b2/b4 b 401 0",
            "5/w3w/5/w1b2/b4 b 3",
            "5/w3w/5/w1b2/b4 b 3 -1",
            "5/w3w/5/w1b2/b4 b 3 1 0",
            "5/w3w/5/w1b2/1b3 b 3 1",
            "5/w3w/5/w1k2/b4 b",
        ] {
            assert!(game().read_position(text).is_err(), "{text}");
        }
        assert!(
            game().read_position("5/w3w/5/w1b2/1b3 b 3 0").is_ok(),
            "connected by a capture"
        );
    }
}
