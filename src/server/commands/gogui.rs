//! Front ends' own commands: GoGui's and HexGui's.
//!
//! GoGui has no column I: its columns are translated in these commands and in no other. It can show games in which moves
//! place stones. Sources: GoGui's manual (chapter "Rules") and HexGui's sources.

use super::{Command, Context, Outcome, Refusal, done, player, text};
use crate::game::{Cell, Player, text as notation};
use crate::session::{Session, SetUp};
use treeline_protocol::{Args, ArgumentError};

pub const COMMANDS: &[Command] = &[
    Command {
        name: "gogui-analyze_commands",
        arguments: "",
        help: "what GoGui offers in its analyze menu",
        run: |_, args| done(args).and_then(|()| text(ANALYZE.join("\n"))),
    },
    Command {
        name: "hexgui-analyze_commands",
        arguments: "",
        help: "what HexGui offers in its analyze menu",
        run: |_, args| done(args).and_then(|()| text(ANALYZE.join("\n"))),
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
        help: "width, height and geometry of the board",
        run: board_size,
    },
    Command {
        name: "gogui-rules_board",
        arguments: "",
        help: "the stones as X, O and points, highest row first",
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
const ANALYZE: &[&str] = &[
    "string/Legal Moves/legal_moves",
    "string/Position/position",
    "string/Search Statistics/search_stats",
    "string/Result/final_score",
    "string/Options/list_options",
];

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

/// GoGui's text of a move or square as the wire writes it.
fn from_gogui(word: &str) -> Result<String, Refusal> {
    let mut chars = word.chars();
    let (letter, rest) = (chars.next().map(|c| c.to_ascii_lowercase()), chars.as_str());
    // `pass`, `swap-pieces` and the like are no squares.
    let is_square = rest.bytes().all(|b| b.is_ascii_digit());
    match letter {
        Some('i') if is_square => {
            Err(ArgumentError::new("a column other than i", Some(word)).into())
        }
        Some(c @ 'j'..='z') if is_square => Ok(format!("{}{rest}", char::from(c as u8 - 1))),
        _ => Ok(word.to_string()),
    }
}

fn to_gogui(cell: Cell) -> String {
    let skip = u32::from(cell.column >= 8);
    let column = notation::column_name(cell.column + skip).to_ascii_uppercase();
    format!("{column}{}", cell.row + 1)
}

/// Whether squares must be translated: only for games that GoGui shows.
fn read_move(session: &Session, word: &str) -> Result<String, Refusal> {
    match session.game_entry().gogui {
        Some(_) => from_gogui(word),
        None => Ok(word.to_string()),
    }
}

fn play_sequence(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let mut moves = Vec::new();
    while !args.is_empty() {
        moves.push((player(args.next_colour()?), args.next_word("a move")?));
    }
    let session = context.session()?;
    for (played, (player, word)) in moves.iter().enumerate() {
        let result = read_move(session, word).and_then(|word| Ok(session.play(*player, &word)?));
        if let Err(refusal) = result {
            for _ in 0..played {
                session.undo();
            }
            return Err(refusal);
        }
    }
    text("")
}

fn setup(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let session = context.session()?;
    let grid = session.grid().ok_or("this game has no grid of squares")?;
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
    session.set_up(&SetUp { stones, turn })?;
    text("")
}

fn setup_player(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let turn = player(args.next_colour()?);
    done(args)?;
    let session = context.session()?;
    if session.turn() != turn {
        let grid = session.grid().ok_or("this game has no grid of squares")?;
        let cells = (0..grid.rows)
            .flat_map(|row| (0..grid.columns).map(move |column| Cell { column, row }));
        let stones = cells
            .zip(&grid.stones)
            .filter_map(|(cell, stone)| Some(((*stone)?, cell)));
        session.set_up(&SetUp {
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
    let grid = session.grid().ok_or("this game has no grid of squares")?;
    let geometry = if name == "Hex" { "hex" } else { "rect" };
    text(format!("{} {} {geometry}", grid.columns, grid.rows))
}

fn board(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    let session = context.session()?;
    shown(session)?;
    let grid = session.grid().ok_or("this game has no grid of squares")?;
    let rows = grid.stones.chunks(grid.columns as usize).rev().map(|row| {
        let symbols = row
            .iter()
            .map(|stone| notation::stone_symbol(*stone).to_string());
        symbols.collect::<Vec<_>>().join(" ")
    });
    text(format!("\n{}", rows.collect::<Vec<_>>().join("\n")))
}

fn legal_moves(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    let session = context.session()?;
    shown(session)?;
    let mut moves: Vec<String> = session.placements().into_iter().map(to_gogui).collect();
    // What places no stone (a pass, a swap) stands last under its own name.
    moves.extend(session.legal_moves().into_iter().filter(|m| m.len() > 3));
    text(moves.join(" "))
}

fn side_to_move(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    done(args)?;
    let session = context.session()?;
    shown(session)?;
    text(colour_name(session.turn()).to_ascii_lowercase())
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
    match session.outcome() {
        None => Err("the game goes on".into()),
        Some(Ended::Draw) => text("The game is drawn"),
        Some(Ended::Win(winner)) => {
            let by = session
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
        assert_eq!(from_gogui("H3").unwrap(), "H3");
        assert_eq!(from_gogui("J3").unwrap(), "i3");
        assert!(from_gogui("i3").is_err());
        assert_eq!(from_gogui("pass").unwrap(), "pass");
        assert_eq!(from_gogui("swap-pieces").unwrap(), "swap-pieces");
        assert_eq!(to_gogui(Cell { column: 7, row: 0 }), "H1");
        assert_eq!(to_gogui(Cell { column: 8, row: 10 }), "J11");
    }
}
