//! `loadsgf` and `printsgf`. The main variation only; moves are written as on the wire, and read so or as two letters.
//!
//! Where SGF has no number for a game (property GM), or a variant or start needs more, the private properties XG (game
//! and variant as `set_game` takes them) and XP (a position as `set_position` takes it) say it.

use super::{Command, Context, Outcome, Refusal, board, done, text};
use crate::game::{Cell, Player, sgf, text as notation};
use crate::options::shorten;
use crate::session::{LONGEST_GAME, Session, SetUp};
use sgf_parse::unknown_game::Prop;
use sgf_parse::{GameTree, SgfNode};
use std::fs;
use std::io::{self, Read, Write};
use treeline_protocol::Args;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "loadsgf",
        arguments: "FILE [MOVE]",
        help: "the game of a file, up to before move number MOVE",
        run: loadsgf,
    },
    Command {
        name: "printsgf",
        arguments: "[FILE]",
        help: "the game so far as SGF, or into a new file",
        run: printsgf,
    },
];

/// Larger files are no game records.
const LARGEST: u64 = 1 << 18;

/// What a file says, before it is tried.
#[derive(Debug, Default)]
struct Script {
    game: Option<(String, Vec<String>)>,
    size: Option<(u32, u32)>,
    position: Option<String>,
    stones: Vec<(Player, String)>,
    turn: Option<Player>,
    moves: Vec<(Player, String)>,
}

fn cannot(error: impl std::fmt::Display) -> Refusal {
    Refusal(format!("cannot load file: {error}"))
}

fn loadsgf(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let path = args.next_word("a file")?;
    let before: usize = if args.is_empty() {
        usize::MAX
    } else {
        args.next_int(1..=usize::MAX)?
    };
    done(args)?;
    if !context.session.settings.files {
        return Err("files cannot be reached over this connection".into());
    }
    let script = read(path, before)?;
    let session = context.session()?;
    // On a session to throw away first, so that a file that does not fit changes nothing.
    let mut trial = session.another()?;
    apply(&mut trial, &script)?;
    apply(session, &script)?;
    text("")
}

/// The game of a text, for those who have it from elsewhere than a file. A text that does not fit changes nothing.
pub fn load(session: &mut Session, content: &str) -> Result<(), Refusal> {
    if content.len() as u64 > LARGEST {
        return Err(cannot(format!("longer than {LARGEST} bytes")));
    }
    let script = parse(content, usize::MAX)?;
    let mut trial = session.another()?;
    apply(&mut trial, &script)?;
    apply(session, &script)
}

fn read(path: &str, before: usize) -> Result<Script, Refusal> {
    let no_record = || cannot(format!("not a regular file of 1 to {LARGEST} bytes"));
    // Of what is empty nothing is read: /proc has files that are regular and empty and keep readers waiting.
    let fits = |data: &fs::Metadata| data.is_file() && (1..=LARGEST).contains(&data.len());
    // Asked first, since opening a device can have effects; and of the open file, since the name may change hands.
    if !fits(&fs::metadata(path).map_err(cannot)?) {
        return Err(no_record());
    }
    let file = fs::File::open(path).map_err(cannot)?;
    let data = file.metadata().map_err(cannot)?;
    if !fits(&data) {
        return Err(no_record());
    }
    let mut bytes = Vec::new();
    file.take(data.len())
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    parse(&String::from_utf8_lossy(&bytes), before)
}

fn parse(content: &str, before: usize) -> Result<Script, Refusal> {
    let texts = sgf::main_nodes(content, LONGEST_GAME + 1).map_err(cannot)?;
    let mut nodes = Vec::new();
    for (i, text) in texts.into_iter().enumerate() {
        // Without the game's number the library takes a node for one of Go.
        let tree = match i {
            0 => format!("(;{text})"),
            _ => format!("(;GM[0]{text})"),
        };
        let mut trees = sgf_parse::parse(&tree).map_err(cannot)?;
        match trees.pop() {
            Some(GameTree::Unknown(node)) => nodes.push(node),
            Some(GameTree::GoGame(_)) => return Err(cannot("a game of Go (property GM)")),
            None => {}
        }
    }
    script(&nodes, before)
}

/// What the nodes of a game's main variation say, the root first.
fn script(nodes: &[SgfNode<Prop>], before: usize) -> Result<Script, Refusal> {
    let mut script = Script::default();
    let values = |node: &SgfNode<Prop>, name: &str| -> Vec<String> {
        match node.get_property(name) {
            Some(Prop::Unknown(_, values)) => values.iter().map(|v| v.trim().to_string()).collect(),
            Some(other) => property_texts(other),
            None => Vec::new(),
        }
    };
    let root = nodes.first().ok_or_else(|| cannot("no game in it"))?;
    let first = |name: &str| values(root, name).into_iter().next();
    if let Some(variant) = first("XG") {
        let mut words = variant.split_whitespace().map(String::from);
        script.game = words.next().map(|name| (name, words.collect()));
    } else {
        let number = first("GM").unwrap_or_default();
        let entry = crate::games::ENTRIES.iter().find(|entry| {
            let own = entry.sgf.map(|own| own.to_string());
            own.as_deref() == Some(number.as_str())
        });
        let unknown = || {
            cannot(format!(
                "no game here has the number GM[{}]",
                shorten(&number)
            ))
        };
        let entry = entry.ok_or_else(unknown)?;
        script.game = Some((entry.name.to_string(), Vec::new()));
        script.size = first("SZ").map(|text| read_size(&text)).transpose()?;
    }
    script.position = first("XP");
    for (name, player) in [("AB", Player::One), ("AW", Player::Two)] {
        script.stones.extend(
            values(root, name)
                .into_iter()
                .map(|square| (player, square)),
        );
    }
    script.turn = first("PL").and_then(|text| match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Player::One),
        "w" | "white" => Some(Player::Two),
        _ => None,
    });
    for node in nodes {
        for (name, player) in [("B", Player::One), ("W", Player::Two)] {
            script
                .moves
                .extend(values(node, name).into_iter().map(|text| (player, text)));
        }
    }
    // Records of others do not name the variant, but a swap in them tells it.
    if first("XG").is_none()
        && let Some((name, pairs)) = &mut script.game
        && script
            .moves
            .iter()
            .any(|(_, word)| word.to_ascii_lowercase().starts_with("swap"))
        && crate::games::find(name)
            .is_some_and(|entry| entry.options.iter().any(|o| o.name == "swap"))
    {
        pairs.push("swap=on".into());
    }
    script.moves.truncate(before - 1);
    Ok(script)
}

/// Columns and rows of the property SZ.
fn read_size(text: &str) -> Result<(u32, u32), Refusal> {
    let (columns, rows) = text.split_once(':').unwrap_or((text, text));
    let read = |number: &str| number.trim().parse::<u32>();
    match (read(columns), read(rows)) {
        (Ok(columns), Ok(rows)) => Ok((columns, rows)),
        _ => Err(cannot(format!(
            "no board has the size SZ[{}]",
            shorten(text)
        ))),
    }
}

/// The values of a property that the library gives as typed.
fn property_texts(property: &Prop) -> Vec<String> {
    // Written form: `AB[aa][bb]`; none of the values asked for holds an escaped bracket.
    let written = property.to_string();
    let inside = written.split_once('[').map_or("", |(_, rest)| rest);
    inside
        .trim_end_matches(']')
        .split("][")
        .map(|v| v.trim().to_string())
        .collect()
}

fn apply(session: &mut Session, script: &Script) -> Result<(), Refusal> {
    if let Some((name, pairs)) = &script.game {
        session.set_game(name, pairs).map_err(cannot)?;
    } else {
        session.new_game();
    }
    if let Some((columns, rows)) = script.size {
        session.resize(columns, rows).map_err(cannot)?;
    }
    if let Some(position) = &script.position {
        session.game.set_position(position).map_err(cannot)?;
    } else if !script.stones.is_empty() {
        let mut stones = Vec::new();
        for (player, square) in &script.stones {
            let cell =
                read_cell(session, square).ok_or_else(|| cannot(format!("no square {square}")))?;
            stones.push((*player, cell));
        }
        let turn = script
            .turn
            .or(script.moves.first().map(|(player, _)| *player));
        let turn = turn.unwrap_or(Player::One);
        session
            .game
            .set_up(&SetUp { stones, turn })
            .map_err(cannot)?;
    }
    for (player, word) in &script.moves {
        let played = session.game.play(*player, word);
        if let Err(error) = played {
            let letters = read_cell(session, word).map(notation::square_name);
            let again = letters.and_then(|square| session.game.play(*player, &square).ok());
            again.ok_or_else(|| cannot(error))?;
        }
    }
    Ok(())
}

/// A square as on the wire, or as two letters counted from the top left.
fn read_cell(session: &Session, word: &str) -> Option<Cell> {
    let grid = session.game.grid()?;
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

fn printsgf(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let path = if args.is_empty() {
        None
    } else {
        Some(args.next_word("a file")?)
    };
    done(args)?;
    let files = context.session.settings.files;
    let record = write(context.session()?);
    match path {
        None => text(record),
        Some(_) if !files => Err("files cannot be reached over this connection".into()),
        Some(path) => {
            let written = write_new(path, &record);
            written.map_err(|error| Refusal(format!("cannot write {path}: {error}")))?;
            text("")
        }
    }
}

/// A new file, whole or not at all.
fn write_new(path: &str, record: &str) -> io::Result<()> {
    let mut file = fs::File::create_new(path)?;
    let written = file
        .write_all(record.as_bytes())
        .and_then(|()| file.sync_all());
    if written.is_err() {
        // Half a record would be in the way of the next attempt.
        let _ = fs::remove_file(path);
    }
    written
}

/// The game so far.
pub fn write(session: &Session) -> String {
    let entry = session.game_entry();
    let variant = session.variant().changed();
    let mut root = vec![
        ("FF", "4".into()),
        ("CA", "UTF-8".into()),
        ("AP", format!("Treeline:{}", env!("CARGO_PKG_VERSION"))),
        ("GM", entry.sgf.unwrap_or(0).to_string()),
        (
            "XG",
            sgf::escaped(format!("{} {variant}", entry.name).trim()),
        ),
    ];
    if let Some(grid) = session.game.grid() {
        let size = match grid.columns == grid.rows {
            true => grid.columns.to_string(),
            false => format!("{}:{}", grid.columns, grid.rows),
        };
        root.push(("SZ", size));
    }
    if let Some(position) = session.game.special_start() {
        root.push(("XP", sgf::escaped(&position)));
    }
    if let Some(score) = board::score(session) {
        root.push(("RE", score));
    }
    sgf::write(root, session.game.moves_so_far())
}
