//! Front ends' own commands: GoGui's and HexGui's.
//!
//! GoGui has no column I: its columns are translated in these commands, and in `play` and `genmove` once GoGui is
//! recognised (see `front_end`). It can show games in which moves place stones. Sources: GoGui's manual (chapter "Rules") and HexGui's sources.

use super::{Command, Context, Outcome, Refusal, done, player, text};
use crate::game::{Cell, Grid, Player, text as notation};
use crate::session::{Session, SetUp};
use treeline_protocol::{Args, ArgumentError};

pub const COMMANDS: &[Command] = &[
    Command {
        name: "gogui-analyze_commands",
        arguments: "",
        help: "what GoGui offers in its analyze menu",
        run: |_, args| done(args).and_then(|()| text(analyze_menu(GOGUI_DRAWS))),
    },
    Command {
        name: "hexgui-analyze_commands",
        arguments: "",
        help: "what HexGui offers in its analyze menu; from then on swap-pieces leaves the stone, as HexGui means it",
        run: |_, args| done(args).and_then(|()| text(analyze_menu(HEXGUI_DRAWS))),
    },
    Command {
        name: "gogui-version",
        arguments: "VERSION",
        help: "GoGui's version; from then on play and genmove leave out column I as well",
        run: |_, args| {
            args.next_word("a version")
                .map_err(Refusal::from)
                .and_then(|_| text(""))
        },
    },
    Command {
        name: "gogui-interrupt",
        arguments: "",
        help: "says that the line '# interrupt' stops a search",
        run: |_, args| done(args).and_then(|()| text("")),
    },
    Command {
        name: "gogui-play_sequence",
        arguments: "COLOUR MOVE …",
        help: "plays all of these moves or none",
        run: play_sequence,
    },
    Command {
        name: "gogui-setup",
        arguments: "COLOUR SQUARE …",
        help: "begins a game with exactly these stones",
        run: setup,
    },
    Command {
        name: "gogui-setup_player",
        arguments: "COLOUR",
        help: "whose turn it is after gogui-setup",
        run: setup_player,
    },
    Command {
        name: "gogui-rules_game_id",
        arguments: "",
        help: "the game's name for GoGui",
        run: |context, args| done(args).and_then(|()| text(shown(context.session()?)?)),
    },
    Command {
        name: "gogui-rules_board_size",
        arguments: "",
        help: "the size of the square that GoGui shows, and the geometry where it is hexagonal",
        run: board_size,
    },
    Command {
        name: "gogui-rules_board",
        arguments: "",
        help: "the stones as X, O and points, highest row first; ? fills up to a square",
        run: board,
    },
    Command {
        name: "gogui-rules_legal_moves",
        arguments: "",
        help: "the legal moves as GoGui writes them; empty when the game is over",
        run: legal_moves,
    },
    Command {
        name: "gogui-rules_side_to_move",
        arguments: "",
        help: "black or white",
        run: side_to_move,
    },
    Command {
        name: "gogui-rules_final_result",
        arguments: "",
        help: "the result in words",
        run: final_result,
    },
];

/// Type, label and command, separated by slashes.
const GOGUI_DRAWS: &[&str] = &[
    "gfx/Search/gogui-search",
    "pspairs/Visits/gogui-visits",
    "pspairs/Values/gogui-values",
    "gfx/Principal Variation/gogui-variation",
    "gfx/Heuristic/gogui-heuristic",
    "pspairs/Policy/gogui-policy",
    "pspairs/Inferior Cells/gogui-inferior",
];

const HEXGUI_DRAWS: &[&str] = &[
    "pspairs/Visits/hexgui-visits",
    "pspairs/Values/hexgui-values",
    "var/Principal Variation/hexgui-variation",
    "gfx/Heuristic/hexgui-heuristic",
    "pspairs/Policy/hexgui-policy",
    "pspairs/Inferior Cells/hexgui-inferior",
];

const TELLS: &[&str] = &[
    "param/Settings/gogui-options",
    "string/Think Without Playing/reg_genmove %m",
    "string/Prove in 5 Seconds/solve 5",
    "string/Legal Moves/legal_moves",
    "string/Position/position",
    "string/Search Statistics/search_stats",
    "string/Result/final_score",
    "string/Options/list_options",
];

fn analyze_menu(draws: &[&str]) -> String {
    [draws, TELLS].concat().join("\n")
}

/// The game's name for GoGui.
fn shown(session: &Session) -> Result<&'static str, Refusal> {
    session.game_entry().gogui.ok_or_else(|| {
        let games = crate::games::ENTRIES
            .iter()
            .filter(|e| e.gogui.is_some())
            .map(|e| e.name);
        Refusal(format!(
            "GoGui can show only {}",
            games.collect::<Vec<_>>().join(", ")
        ))
    })
}

/// How GoGui names squares. It draws row 1 at the bottom and each hexagonal row half a cell to the left of the one below,
/// while the rows of Hex are counted from the top: its rows are turned over, so that neighbours are neighbours.
#[derive(Debug, Clone, Copy)]
pub(super) struct Squares {
    rows: u32,
    turned: bool,
}

impl Squares {
    /// `None` where GoGui cannot show the game; its moves stay as they are.
    pub(super) fn of(session: &Session) -> Option<Self> {
        let name = session.game_entry().gogui?;
        let grid = session.game.grid()?;
        Some(Squares {
            rows: grid.rows,
            turned: name == HEX,
        })
    }

    fn turn(self, row: u32) -> u32 {
        match self.turned && row < self.rows {
            true => self.rows - 1 - row,
            false => row,
        }
    }

    /// GoGui's text of a move or square as the wire writes it.
    fn read(self, word: &str) -> Result<String, Refusal> {
        let mut chars = word.chars();
        let (letter, rest) = (chars.next().map(|c| c.to_ascii_lowercase()), chars.as_str());
        // `pass`, `swap-pieces` and the like are no squares.
        let row = match rest.parse::<u32>() {
            Ok(row @ 1..) if rest.bytes().all(|b| b.is_ascii_digit()) => self.turn(row - 1) + 1,
            _ => return Ok(word.to_string()),
        };
        match letter {
            Some('i') => Err(ArgumentError::new("a column other than i", Some(word)).into()),
            Some(c @ 'j'..='z') => Ok(format!("{}{row}", char::from(c as u8 - 1))),
            Some(c @ 'a'..='h') => Ok(format!("{c}{row}")),
            _ => Ok(word.to_string()),
        }
    }

    pub(super) fn write(self, cell: Cell) -> String {
        let skip = u32::from(cell.column >= 8);
        let column = notation::column_name(cell.column + skip).to_ascii_uppercase();
        format!("{column}{}", self.turn(cell.row) + 1)
    }
}

/// A move as GoGui writes it.
pub(super) fn read_move(session: &Session, word: &str) -> Result<String, Refusal> {
    Squares::of(session).map_or_else(|| Ok(word.into()), |squares| squares.read(word))
}

/// A move that was just searched as GoGui reads it: the square of its stone, also where the move is called by a column.
pub(super) fn write_move(session: &Session, word: &str) -> String {
    let last = session.last_search().filter(|last| last.played == word);
    let cell = last.and_then(|last| last.cell);
    match (cell, Squares::of(session)) {
        (Some(cell), Some(squares)) => squares.write(cell),
        _ => word.into(),
    }
}

/// GoGui fails on boards that are not square, and knows squares that are missing: a board is shown as part of a square.
pub(super) fn shown_size(grid: &Grid) -> u32 {
    grid.columns.max(grid.rows)
}

/// GoGui's sign of a square that is missing.
const REMOVED: char = '?';

/// Under this name GoGui's commands know the game whose board is hexagonal.
const HEX: &str = "Hex";

fn play_sequence(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let mut moves = Vec::new();
    while !args.is_empty() {
        moves.push((player(args.next_colour()?), args.next_word("a move")?));
    }
    let session = context.session()?;
    for (played, (player, word)) in moves.iter().enumerate() {
        let result =
            read_move(session, word).and_then(|word| Ok(session.game.play(*player, &word)?));
        if let Err(refusal) = result {
            for _ in 0..played {
                session.game.undo();
            }
            return Err(refusal);
        }
    }
    text("")
}

fn setup(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let session = context.session()?;
    let grid = session
        .game
        .grid()
        .ok_or("this game has no grid of squares")?;
    let mut stones: Vec<(Player, Cell)> = Vec::new();
    while !args.is_empty() {
        let player = player(args.next_colour()?);
        let word = args.next_word("a square")?;
        let square = read_move(session, word)?;
        let cell = notation::read_square(&square, grid.columns, grid.rows)
            .ok_or_else(|| ArgumentError::new("a square of the board", Some(word)))?;
        if stones.iter().any(|(_, other)| *other == cell) {
            return Err(ArgumentError::new("each square once", Some(word)).into());
        }
        stones.push((player, cell));
    }
    // Whose turn it is follows from the stones where turns alternate; gogui-setup_player corrects it.
    let ones = stones
        .iter()
        .filter(|(player, _)| *player == Player::One)
        .count();
    let turn = if 2 * ones > stones.len() {
        Player::Two
    } else {
        Player::One
    };
    session.game.set_up(&SetUp { stones, turn })?;
    text("")
}

fn setup_player(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let turn = player(args.next_colour()?);
    done(args)?;
    let session = context.session()?;
    if session.game.turn() != turn {
        let grid = session
            .game
            .grid()
            .ok_or("this game has no grid of squares")?;
        let cells = (0..grid.rows)
            .flat_map(|row| (0..grid.columns).map(move |column| Cell { column, row }));
        let stones = cells
            .zip(&grid.stones)
            .filter_map(|(cell, stone)| Some(((*stone)?, cell)));
        session.game.set_up(&SetUp {
            stones: stones.collect(),
            turn,
        })?;
    }
    text("")
}

fn board_size(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    let session = context.session()?;
    let name = shown(session)?;
    let grid = session
        .game
        .grid()
        .ok_or("this game has no grid of squares")?;
    let size = shown_size(&grid);
    text(match name {
        HEX => format!("{size} {size} hex"),
        // GoGui compares its programs by this form.
        _ => size.to_string(),
    })
}

fn board(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    let session = context.session()?;
    let name = shown(session)?;
    let grid = session
        .game
        .grid()
        .ok_or("this game has no grid of squares")?;
    let size = shown_size(&grid) as usize;
    let rows = grid.stones.chunks(grid.columns as usize).map(|row| {
        let mut symbols: Vec<char> = row.iter().map(|s| notation::stone_symbol(*s)).collect();
        symbols.resize(size, REMOVED);
        symbols
    });
    let mut rows: Vec<Vec<char>> = rows.collect();
    if name == HEX {
        rows.reverse();
    }
    // From the lowest row up; what is missing for a square lies on top.
    rows.resize(size, vec![REMOVED; size]);
    let lines = rows.iter().rev().map(|row| {
        let symbols: Vec<String> = row.iter().map(char::to_string).collect();
        symbols.join(" ")
    });
    text(format!("\n{}", lines.collect::<Vec<_>>().join("\n")))
}

fn legal_moves(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    let session = context.session()?;
    shown(session)?;
    let squares = Squares::of(session).ok_or("this game has no grid of squares")?;
    let placements = session.game.placements().into_iter();
    let mut moves: Vec<String> = placements.map(|cell| squares.write(cell)).collect();
    // What places no stone (a pass, a swap) stands last under its own name.
    moves.extend(
        session
            .game
            .legal_moves()
            .into_iter()
            .filter(|m| m.len() > 3),
    );
    text(moves.join(" "))
}

fn side_to_move(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    let session = context.session()?;
    shown(session)?;
    text(colour_name(session.game.turn()).to_ascii_lowercase())
}

fn colour_name(player: Player) -> &'static str {
    match player {
        Player::One => "Black",
        Player::Two => "White",
    }
}

fn final_result(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    use crate::game::Outcome as Ended;
    done(args)?;
    let session = context.session()?;
    shown(session)?;
    match session.game.outcome() {
        None => Err("the game goes on".into()),
        Some(Ended::Draw) => text("The game is drawn"),
        Some(Ended::Win(winner)) => {
            let by = session
                .game
                .margin()
                .map_or(String::new(), |m| format!(" by {}", m.abs()));
            text(format!("{} wins{by}", colour_name(winner)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gogui_has_no_column_i() {
        let squares = Squares {
            rows: 11,
            turned: false,
        };
        assert_eq!(squares.read("H3").unwrap(), "h3");
        assert_eq!(squares.read("J3").unwrap(), "i3");
        assert!(squares.read("i3").is_err());
        assert_eq!(squares.read("pass").unwrap(), "pass");
        assert_eq!(squares.read("swap-pieces").unwrap(), "swap-pieces");
        assert_eq!(squares.read("A0").unwrap(), "A0");
        assert_eq!(squares.write(Cell { column: 7, row: 0 }), "H1");
        assert_eq!(squares.write(Cell { column: 8, row: 10 }), "J11");
    }

    #[test]
    fn hex_is_turned_over() {
        let squares = Squares {
            rows: 11,
            turned: true,
        };
        assert_eq!(squares.read("A11").unwrap(), "a1");
        assert_eq!(squares.read("K1").unwrap(), "j11");
        assert_eq!(squares.write(Cell { column: 9, row: 10 }), "K1");
        // Not of the board, so refused as it is.
        assert_eq!(squares.read("A12").unwrap(), "a12");
    }
}
