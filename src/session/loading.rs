//! A game from a file into a session, and back.

use super::{Session, SessionError, SetUp};
use crate::files::Sheet;
use crate::game::{Cell, Player, sgf, text as notation};

impl Session {
    /// The game of a sheet, up to its first `plies` moves. What does not fit changes nothing.
    pub fn load(&mut self, sheet: &Sheet, plies: usize) -> Result<(), SessionError> {
        // On a session to throw away first.
        self.another()?.take(sheet, plies)?;
        self.take(sheet, plies)
    }

    fn take(&mut self, sheet: &Sheet, plies: usize) -> Result<(), SessionError> {
        let (name, mut pairs) = match &sheet.game {
            Some(game) => game.clone(),
            None => {
                let own = self.variant.changed();
                let own = own.split_whitespace().map(String::from).collect();
                (self.entry.name.to_string(), own)
            }
        };
        if asks_for_swap(sheet, &name, &pairs) {
            pairs.push("swap=on".into());
        }
        self.set_game(&name, &pairs)?;
        if let Some((columns, rows)) = sheet.size {
            self.resize(columns, rows)?;
        }
        if let Some(position) = &sheet.position {
            self.game.set_position(position)?;
        } else if !sheet.stones.is_empty() {
            self.set_up(sheet)?;
        }
        for (player, word) in sheet.moves.iter().take(plies) {
            self.play_word(player.unwrap_or_else(|| self.game.turn()), word)?;
        }
        Ok(())
    }

    fn set_up(&mut self, sheet: &Sheet) -> Result<(), SessionError> {
        let mut stones = Vec::new();
        for (player, square) in &sheet.stones {
            let cell = self.read_cell(square);
            let cell = cell.ok_or_else(|| {
                let square = crate::options::shorten(square);
                SessionError::NoSquare(square)
            })?;
            stones.push((*player, cell));
        }
        let first = sheet.moves.first().and_then(|(player, _)| *player);
        let turn = sheet.turn.or(first).unwrap_or(Player::One);
        self.game.set_up(&SetUp { stones, turn })
    }

    /// Plays a move as on the wire, as two letters, or as the squares that a capture visits.
    fn play_word(&mut self, player: Player, word: &str) -> Result<(), SessionError> {
        let Err(error) = self.game.play(player, word) else {
            return Ok(());
        };
        let letters = self.read_cell(word).map(notation::square_name);
        match letters.or_else(|| self.visiting(word)) {
            Some(text) => self.game.play(player, &text).map_err(|_| error),
            None => Err(error),
        }
    }

    /// The only move that visits all squares of a text like `48x37x26`.
    fn visiting(&self, word: &str) -> Option<String> {
        let squares: Vec<&str> = word.split(['x', 'X']).collect();
        if squares.len() < 3 {
            return None;
        }
        let visits = |ways: &[Vec<String>]| {
            ways.iter().any(|way| {
                let ends = way.first().map(String::as_str) == squares.first().copied()
                    && way.last().map(String::as_str) == squares.last().copied();
                ends && squares.iter().all(|square| way.iter().any(|w| w == square))
            })
        };
        let mut found = self
            .game
            .ways()
            .into_iter()
            .filter(|(_, ways)| visits(ways));
        let (text, _) = found.next()?;
        found.next().is_none().then_some(text)
    }

    /// A square as on the wire, or as two letters counted from the top left.
    fn read_cell(&self, word: &str) -> Option<Cell> {
        let grid = self.game.grid()?;
        if let Some(cell) = notation::read_square(word, grid.columns, grid.rows) {
            return Some(cell);
        }
        let letters: Vec<u32> = word
            .bytes()
            .filter(u8::is_ascii_lowercase)
            .map(|b| u32::from(b - b'a'))
            .collect();
        match letters[..] {
            [column, row] if word.len() == 2 && column < grid.columns && row < grid.rows => {
                Some(Cell { column, row })
            }
            _ => None,
        }
    }

    /// What the root of the game's SGF says of game, variant, board and start.
    pub fn sgf_root(&self) -> Vec<(&'static str, String)> {
        let variant = self.variant.changed();
        let mut root = vec![
            ("FF", "4".into()),
            ("CA", "UTF-8".into()),
            ("AP", format!("Treeline:{}", env!("CARGO_PKG_VERSION"))),
            ("GM", self.entry.sgf.unwrap_or(0).to_string()),
            (
                "XG",
                sgf::escaped(format!("{} {variant}", self.entry.name).trim()),
            ),
        ];
        if let Some(grid) = self.game.grid() {
            let size = match grid.columns == grid.rows {
                true => grid.columns.to_string(),
                false => format!("{}:{}", grid.columns, grid.rows),
            };
            root.push(("SZ", size));
        }
        if let Some(position) = self.game.special_start() {
            root.push(("XP", sgf::escaped(&position)));
        }
        root
    }

    /// The game so far.
    pub fn sheet(&self) -> Sheet {
        let pairs = self.variant.changed();
        let pairs = pairs.split_whitespace().map(String::from).collect();
        let moves = self.game.moves_so_far().into_iter();
        Sheet {
            game: Some((self.entry.name.into(), pairs)),
            position: self.game.special_start(),
            moves: moves.map(|(player, text)| (Some(player), text)).collect(),
            result: self.game.outcome(),
            ..Sheet::default()
        }
    }
}

/// Records of others do not name the variant, but a swap in them tells it.
fn asks_for_swap(sheet: &Sheet, name: &str, pairs: &[String]) -> bool {
    let swaps = |word: &str| word.to_ascii_lowercase().starts_with("swap");
    let knows_swap = |entry: &crate::games::Entry| entry.options.iter().any(|o| o.name == "swap");
    sheet.moves.iter().any(|(_, word)| swaps(word))
        && !pairs.iter().any(|pair| pair.starts_with("swap="))
        && crate::games::find(name).is_some_and(knows_swap)
}
