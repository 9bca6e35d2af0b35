//! The dictionary of an engine: how it writes moves, passes, swaps and colours, where that differs from ours.
//!
//! Only the way from our writing to theirs is spelled out. What an engine writes is looked up among the legal moves written
//! its way, so that nothing can be read that was not legal.

use super::board::Board;
use crate::game::text::{column_name, take_square};
use crate::game::{MoveError, Player};
use serde::{Deserialize, Serialize};

/// What a match file says of an engine's moves.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Moves {
    /// Letters are capitals.
    pub upper: bool,
    /// Where the engine counts squares from another side.
    pub flip: Flip,
    /// No column is called i.
    pub skip_i: bool,
    /// Texts to replace, in this order: `[["-", ""]]`.
    pub replace: Vec<(String, String)>,
    /// The word for a pass, where it is not `pass`.
    pub pass: Option<String>,
    /// The word for a swap, where it is not `swap-pieces`.
    pub swap: Option<String>,
    /// What a swap does on the engine's board.
    pub swap_means: Swap,
}

/// How an engine's squares lie on ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flip {
    #[default]
    None,
    /// Rows are counted from the other side.
    Rows,
    Columns,
    /// Both.
    HalfTurn,
    /// Columns and rows are exchanged.
    Diagonal,
}

/// What a swap does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Swap {
    /// The stone is mirrored and changes its colour, as here.
    #[default]
    Stone,
    /// The players exchange colours and the board stays, as MoHex and HexGui mean it.
    Colours,
}

/// A dictionary in use: after a swap by colours an engine sees the board mirrored and the players exchanged.
#[derive(Debug, Clone, Default)]
pub struct Spelling {
    moves: Moves,
    /// What the engine calls player one and player two.
    colours: [String; 2],
    exchanged: bool,
}

/// Our word for a swap.
const SWAP: &str = "swap-pieces";

/// Why an engine's text is no move here.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    Move(#[from] MoveError),
    #[error("'{0}' is no legal move")]
    Unknown(String),
}

impl Spelling {
    pub fn new(moves: &Moves, colours: &[String; 2]) -> Self {
        Spelling {
            moves: moves.clone(),
            colours: colours.clone(),
            exchanged: false,
        }
    }

    /// A new game: nobody has swapped.
    pub fn reset(&mut self) {
        self.exchanged = false;
    }

    /// What the engine calls a player now.
    pub fn colour(&self, player: Player) -> &str {
        &self.colours[player.index() ^ usize::from(self.exchanged)]
    }

    /// To be called after every move that both know.
    pub fn played(&mut self, text: &str) {
        if text == SWAP && self.moves.swap_means == Swap::Colours {
            self.exchanged = true;
        }
    }

    fn is_plain(&self) -> bool {
        self.moves == Moves::default() && !self.exchanged
    }

    /// Our move as the engine writes it.
    pub fn write(&self, board: &Board, text: &str) -> String {
        let moves = &self.moves;
        match (text, &moves.pass, &moves.swap) {
            ("pass", Some(pass), _) => return pass.clone(),
            (SWAP, _, Some(swap)) => return swap.clone(),
            ("pass" | SWAP, ..) => return text.into(),
            _ => {}
        }
        let mut out = match board.grid() {
            Some(grid) => self.squares(text, grid.columns, grid.rows),
            None => text.into(),
        };
        for (ours, theirs) in &moves.replace {
            out = out.replace(ours, theirs);
        }
        if moves.upper { out.to_uppercase() } else { out }
    }

    /// The engine's move as we write it, if it is legal; else why not.
    pub fn read(&self, board: &Board, theirs: &str) -> Result<String, ReadError> {
        if self.is_plain() {
            return Ok(board.read(theirs)?);
        }
        let theirs = theirs.trim();
        let legal = board.legal_moves();
        let found = legal
            .iter()
            .find(|m| self.write(board, m).eq_ignore_ascii_case(theirs));
        found
            .cloned()
            .ok_or_else(|| ReadError::Unknown(theirs.into()))
    }

    /// Every square in a move text, a letter and a number, as the engine counts them.
    fn squares(&self, text: &str, columns: u32, rows: u32) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            match take_square(rest, columns, rows) {
                Some((cell, behind)) => {
                    out.push_str(&self.square(cell.column, cell.row, columns, rows));
                    rest = behind;
                }
                None => {
                    out.push(first);
                    rest = &rest[first.len_utf8()..];
                }
            }
        }
        out
    }

    fn square(&self, mut column: u32, mut row: u32, columns: u32, rows: u32) -> String {
        if self.exchanged {
            (column, row) = (row, column);
        }
        let (column, row) = match self.moves.flip {
            Flip::None => (column, row),
            Flip::Rows => (column, rows - 1 - row),
            Flip::Columns => (columns - 1 - column, row),
            Flip::HalfTurn => (columns - 1 - column, rows - 1 - row),
            Flip::Diagonal => (row, column),
        };
        let skipped = u32::from(self.moves.skip_i && column >= 8);
        format!("{}{}", column_name(column + skipped), row + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::board::Variant;

    fn spelling(moves: Moves) -> Spelling {
        Spelling::new(&moves, &["b".into(), "w".into()])
    }

    #[test]
    fn squares_are_written_the_engines_way_and_read_back() {
        let board = Variant::read("breakthrough size=9x8")
            .unwrap()
            .open()
            .unwrap();
        let theirs = spelling(Moves {
            upper: true,
            flip: Flip::Rows,
            skip_i: true,
            ..Moves::default()
        });
        assert_eq!(theirs.write(&board, "i2h3"), "J7H6");
        assert_eq!(theirs.read(&board, "j7h6").as_deref(), Ok("i2h3"));
        assert!(theirs.read(&board, "i2h3").is_err());
        let draughts = Variant::read("draughts").unwrap().open().unwrap();
        let colons = spelling(Moves {
            replace: vec![("-".into(), ":".into())],
            ..Moves::default()
        });
        assert_eq!(colons.write(&draughts, "32-28"), "32:28");
        assert_eq!(colons.read(&draughts, "32:28").as_deref(), Ok("32-28"));
    }

    #[test]
    fn after_a_swap_by_colours_the_engine_sees_the_mirrored_board_with_the_players_exchanged() {
        let mut board = Variant::read("hex size=5 swap=on").unwrap().open().unwrap();
        let mut theirs = spelling(Moves {
            swap_means: Swap::Colours,
            ..Moves::default()
        });
        board.play("b4").unwrap();
        theirs.played("b4");
        assert_eq!(
            theirs.read(&board, "swap-pieces").as_deref(),
            Ok("swap-pieces")
        );
        assert_eq!(theirs.colour(Player::Two), "w");
        board.play("swap-pieces").unwrap();
        theirs.played("swap-pieces");
        // Here a white stone lies on d2; there the black one still lies on b4, and the next to move is white.
        assert_eq!(theirs.colour(board.turn()), "w");
        assert!(board.read("d2").is_err());
        assert!(theirs.read(&board, "b4").is_err());
        assert_eq!(theirs.read(&board, "d2").as_deref(), Ok("b4"));
        assert_eq!(theirs.write(&board, "c1"), "a3");
        theirs.reset();
        assert_eq!(theirs.colour(Player::One), "b");
    }
}
