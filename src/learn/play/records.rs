//! Recorded games as games of the run: files of any form in a folder, played through by the rules.

use crate::files::{self, Sheet};
use crate::game::{Notation, Outcome, Player, Record, Rules, text as notation};
use crate::games::{AnyGame, AnyMove};
use crate::learn::config::Config;
use crate::referee::board::Variant;
use anyhow::{Context, Result, anyhow, bail, ensure};
use std::path::{Path, PathBuf};

/// Bytes of a file of games.
const LARGEST: u64 = 1 << 30;

/// One game.
#[derive(Debug, Clone)]
pub struct Recorded {
    pub moves: Vec<AnyMove>,
    /// By the rules, or as the file says it where the game was given up.
    pub outcome: Option<Outcome>,
}

/// What a configuration calls no folder.
pub const NONE: &str = "none";

/// As many games as the configuration asks for, in the order of the files' names; an error names the file and the line where a
/// game begins.
pub fn read(config: &Config, game: &AnyGame) -> Result<Vec<Recorded>> {
    let own = config.get("alphago");
    let folder = Path::new(own.name("records"));
    let wanted = config.size("alphago", "recorded");
    let mut recorded = Vec::new();
    for path in paths(folder)? {
        if recorded.len() == wanted {
            break;
        }
        let named = || path.display().to_string();
        let length = path.metadata().with_context(named)?.len();
        ensure!(length <= LARGEST, "{}: longer than 1 GiB", path.display());
        let content = std::fs::read_to_string(&path).with_context(named)?;
        let (form, texts) = files::games(&content).with_context(named)?;
        for text in texts {
            if recorded.len() == wanted {
                break;
            }
            let read = form.read(text).map_err(anyhow::Error::from);
            let one = read.and_then(|sheet| replay(&sheet, &config.variant, game));
            let line = line_of(&content, text);
            let at = || format!("{}: the game in line {line}", path.display());
            recorded.push(one.with_context(at)?);
        }
    }
    ensure!(
        recorded.len() == wanted,
        "{}: {} games of {}, and [alphago] recorded asks for {wanted}",
        folder.display(),
        recorded.len(),
        config.variant.name()
    );
    Ok(recorded)
}

fn paths(folder: &Path) -> Result<Vec<PathBuf>> {
    let named = || format!("[alphago] records: {}", folder.display());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(named)? {
        let path = entry.with_context(named)?.path();
        let hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_file() && !hidden {
            paths.push(path);
        }
    }
    paths.sort_unstable();
    Ok(paths)
}

/// The line, counted from 1, in which a part of a text begins.
fn line_of(content: &str, part: &str) -> usize {
    let offset = (part.as_ptr() as usize).saturating_sub(content.as_ptr() as usize);
    let blank = part.len() - part.trim_start().len();
    let before = content.get(..offset + blank).unwrap_or_default();
    before.matches('\n').count() + 1
}

fn replay(sheet: &Sheet, variant: &Variant, game: &AnyGame) -> Result<Recorded> {
    if let Some((name, pairs)) = &sheet.game {
        let found = Variant::read(&format!("{name} {}", pairs.join(" ")))?;
        let same = found.entry.name == variant.entry.name && found.values == variant.values;
        let (found, wanted) = (found.name(), variant.name());
        ensure!(same, "it is one of {found}, and {wanted} is to be learned");
    }
    if let (Some((columns, rows)), Some(grid)) = (sheet.size, game.grid(&game.start())) {
        let (own, wanted) = ((columns, rows), (grid.columns, grid.rows));
        ensure!(
            own == wanted,
            "its board has {columns} columns and {rows} rows, and {} x {} are to be learned",
            wanted.0,
            wanted.1
        );
    }
    ensure!(
        sheet.position.is_none() && sheet.stones.is_empty(),
        "it does not begin at the start of the game"
    );
    let mut record = Record::new(game.clone());
    for (number, (player, word)) in sheet.moves.iter().enumerate() {
        let played = play(&mut record, *player, word);
        played.with_context(|| format!("move {}", number + 1))?;
    }
    let moves = record.steps().iter().map(|step| step.played).collect();
    Ok(Recorded {
        moves,
        outcome: record.outcome().or(sheet.result),
    })
}

/// Plays a move of a file, after the pass that it leaves out where nothing else can be done.
fn play(record: &mut Record<AnyGame>, player: Option<Player>, word: &str) -> Result<()> {
    if record.outcome().is_some() {
        bail!(
            "'{}' after the end of the game",
            crate::options::shorten(word)
        );
    }
    let m = match (player, read(record, word)) {
        (Some(player), _) if player != record.turn() => None,
        (_, read) => read,
    };
    if let Some(m) = m {
        record.play_on(m);
        return Ok(());
    }
    let legal = record.moves();
    let forced =
        legal.len() == 1 && record.game().write_move(record.position(), legal[0]) == "pass";
    let refused = || anyhow!("'{}' is no legal move", crate::options::shorten(word));
    if !forced {
        return Err(refused());
    }
    record.play_on(legal[0]);
    let m = match record.outcome() {
        None => read(record, word).with_context(refused)?,
        Some(_) => return Err(refused()),
    };
    record.play_on(m);
    return Ok(());

    /// The legal move of that text, as on the wire or as SGF's two letters.
    fn read(record: &Record<AnyGame>, word: &str) -> Option<AnyMove> {
        let (game, position) = (record.game(), record.position());
        let legal = |text: &str| {
            let m = game.read_move(position, text).ok()?;
            game.moves(position).contains(&m).then_some(m)
        };
        let by_letters = || {
            let grid = game.grid(position)?;
            let [column, row] = word.as_bytes() else {
                return None;
            };
            let of = |letter: &u8| {
                letter
                    .is_ascii_lowercase()
                    .then(|| u32::from(letter - b'a'))
            };
            let (column, row) = (of(column)?, of(row)?);
            let inside = column < grid.columns && row < grid.rows;
            let cell = crate::game::Cell { column, row };
            inside.then(|| legal(&notation::square_name(cell)))?
        };
        legal(word).or_else(by_letters)
    }
}
