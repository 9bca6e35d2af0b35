//! A game from a file into a session, and back.

use super::{Session, SessionError, SetUp};
use crate::files::Sheet;
use crate::game::sgf::Step;
use crate::game::{Cell, Player, sgf, text as notation};

impl Session {
    /// The game of a sheet, up to its first `plies` moves. What does not fit changes nothing.
    pub fn load(&mut self, sheet: &Sheet, plies: usize) -> Result<(), SessionError> {
        // On a session to throw away first.
        self.another()?.take(sheet, plies)?;
        self.take(sheet, plies)
    }

    fn take(&mut self, sheet: &Sheet, plies: usize) -> Result<(), SessionError> {
        self.begin(sheet)?;
        for (player, word) in sheet.moves.iter().take(plies) {
            self.play_word(*player, word)?;
        }
        Ok(())
    }

    /// The game of a sheet with its variations, each move as the rules write it and after the passes that the sheet left out. The
    /// session, which must not be needed any more if this fails, is at the end of the game then. Variations that cannot be played
    /// are left out; how many, the number says.
    pub fn load_tree(&mut self, sheet: &Sheet) -> Result<(Vec<Step>, usize), SessionError> {
        self.begin(sheet)?;
        let mut tree = Tree::default();
        for (player, word) in &sheet.moves {
            self.play_word(*player, word)?;
            tree.grow(self.game.last_played());
        }
        let count = sheet.moves.len();
        let mut following = vec![Vec::new(); count + sheet.variations.len() + 1];
        for (i, (after, ..)) in sheet.variations.iter().enumerate() {
            if let Some(list) = following.get_mut(*after) {
                list.push(count + i + 1);
            }
        }
        let mut left_out = 0;
        // Back from the end of the game, into each variation on the way.
        for number in (0..=count).rev() {
            let mut todo: Vec<Visit> = following[number]
                .iter()
                .rev()
                .copied()
                .map(Visit::Enter)
                .collect();
            while let Some(visit) = todo.pop() {
                let Visit::Enter(at) = visit else {
                    self.game.undo();
                    tree.shrink();
                    continue;
                };
                let (_, player, word) = &sheet.variations[at - count - 1];
                if self.play_word(*player, word).is_err() {
                    left_out += 1;
                    continue;
                }
                tree.grow(self.game.last_played());
                todo.push(Visit::Leave);
                todo.extend(following[at].iter().rev().copied().map(Visit::Enter));
            }
            if number > 0 {
                self.game.undo();
                tree.shrink();
            }
        }
        for (player, word) in &sheet.moves {
            self.play_word(*player, word)?;
        }
        Ok((tree.steps, left_out))
    }

    /// Where the game of a sheet begins.
    fn begin(&mut self, sheet: &Sheet) -> Result<(), SessionError> {
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

    /// Plays a move as on the wire, as two letters, or as the squares that a capture visits. Without a player, it is made by whose
    /// turn it is, after a pass if nothing else can be done.
    fn play_word(&mut self, player: Option<Player>, word: &str) -> Result<(), SessionError> {
        let turn = self.game.turn();
        let player = player.unwrap_or(turn);
        let Err(error) = self.game.play(player, word) else {
            return Ok(());
        };
        if player == turn && self.game.must_pass() {
            return self.game.play(turn.other(), word).map_err(|_| error);
        }
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

/// What is still to do in a tree of moves.
enum Visit {
    Enter(usize),
    Leave,
}

/// The moves played so far, in every variation.
#[derive(Default)]
struct Tree {
    steps: Vec<Step>,
    /// The number of the last move after each play that was not taken back.
    path: Vec<usize>,
}

impl Tree {
    fn grow(&mut self, played: Vec<(Player, String)>) {
        let mut after = self.path.last().copied().unwrap_or(0);
        for (player, played) in played {
            self.steps.push(Step {
                after,
                player,
                played,
            });
            after = self.steps.len();
        }
        self.path.push(after);
    }

    fn shrink(&mut self) {
        self.path.pop();
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
