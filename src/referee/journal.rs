//! The games of a match on disk: a line of JSON each, added whole when a game ends and never changed.
//!
//! The first line says under which conditions they were played; a match with others is refused. A last line that a kill or a
//! full disk cut off is a game that has to be played again: it is removed.

use super::record::{GameRecord, Key};
use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

/// The format of the lines.
const FORMAT: u32 = 1;
/// How the first line begins; a kill may have left no more of it.
const BEGIN: &[u8] = b"{\"treeline-match\":";
const NO_JOURNAL: &str = "this is no file of games of a match; it is left as it is";

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    #[serde(rename = "treeline-match")]
    format: u32,
    conditions: Value,
}

/// Where games go when they are over.
#[derive(Debug)]
pub struct Journal(Option<File>);

impl Journal {
    /// Keeps nothing.
    pub fn none() -> Self {
        Journal(None)
    }

    /// Opens or begins the journal at `path`; returns the games that it has. An error names the file.
    pub fn open(path: &Path, conditions: &Value) -> Result<(Self, Vec<GameRecord>)> {
        let named = || path.display().to_string();
        let mut options = File::options();
        let mut file = options
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .with_context(named)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!("{}: another referee is playing this match", path.display());
            }
            // Some file systems have no locks.
            Err(TryLockError::Error(e)) => log::warn!("{}: {e}", path.display()),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(named)?;
        let whole = bytes
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        let text = String::from_utf8_lossy(&bytes[..whole]);
        let mut lines = text.lines();
        // Nothing is changed in a file that is somebody else's.
        let header = match lines.next() {
            Some(line) => Some(header(line).with_context(named)?),
            None if bytes.starts_with(BEGIN) || BEGIN.starts_with(&bytes) => None,
            None => bail!("{}: {NO_JOURNAL}", path.display()),
        };
        let rest: Vec<&str> = lines.collect();
        match header {
            // Where nothing was played anything may change.
            Some(header) if !rest.is_empty() => check(&header, conditions),
            _ => {
                return begin(&mut file, conditions)
                    .map(|()| (Journal(Some(file)), Vec::new()))
                    .with_context(named);
            }
        }
        .with_context(named)?;
        if whole < bytes.len() {
            log::warn!(
                "{}: the last line was cut off; its game is played again",
                path.display()
            );
            file.set_len(whole as u64).with_context(named)?;
        }
        let games = read(rest.into_iter(), path);
        Ok((Journal(Some(file)), games))
    }

    /// Keeps a game, in one piece.
    pub fn add(&mut self, game: &GameRecord) -> Result<()> {
        match &mut self.0 {
            Some(file) => add(file, game).context("the games cannot be kept"),
            None => Ok(()),
        }
    }
}

fn add(file: &mut File, line: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    Ok(file.write_all(text.as_bytes())?)
}

/// Writes the header of a file that has no games.
fn begin(file: &mut File, conditions: &Value) -> Result<()> {
    file.set_len(0)?;
    let header = Header {
        format: FORMAT,
        conditions: conditions.clone(),
    };
    add(file, &header)
}

fn header(line: &str) -> Result<Header> {
    let header: Header = serde_json::from_str(line).map_err(|_| anyhow!(NO_JOURNAL))?;
    match header.format {
        FORMAT => Ok(header),
        other => Err(anyhow!("its format is {other}, not {FORMAT}")),
    }
}

fn check(header: &Header, conditions: &Value) -> Result<()> {
    let mut then = header.conditions.clone();
    super::config::renew(&mut then);
    match difference(&then, conditions, "") {
        None => Ok(()),
        Some(what) => Err(anyhow!(
            "these games were played under other conditions: {what}; give this match another place for its results"
        )),
    }
}

/// The first thing in which two values differ, with where it is.
fn difference(then: &Value, now: &Value, path: &str) -> Option<String> {
    if let (Value::Object(a), Value::Object(b)) = (then, now) {
        let mut keys: Vec<&String> = a.keys().chain(b.keys()).collect();
        keys.sort();
        keys.dedup();
        return keys.into_iter().find_map(|key| {
            let (a, b) = (a.get(key), b.get(key));
            let at = if path.is_empty() {
                key.clone()
            } else {
                format!("{path}.{key}")
            };
            difference(a.unwrap_or(&Value::Null), b.unwrap_or(&Value::Null), &at)
        });
    }
    let equal = match (then.as_f64(), now.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => then == now,
    };
    let short = |value: &Value| match value {
        Value::Null => "nothing".to_string(),
        value => crate::options::shorten(&value.to_string()),
    };
    (!equal).then(|| format!("{path} was {} and is now {}", short(then), short(now)))
}

/// The games, each once. A line that is none says so; it may come from a disk that had failed.
fn read<'a>(lines: impl Iterator<Item = &'a str>, path: &Path) -> Vec<GameRecord> {
    let mut known: HashSet<Key> = HashSet::new();
    let mut games = Vec::new();
    for (i, line) in lines.enumerate() {
        match serde_json::from_str::<GameRecord>(line) {
            Ok(game) if known.insert(game.key()) => games.push(game),
            Ok(_) => log::warn!("{}:{}: a game that is there already", path.display(), i + 2),
            Err(e) => log::warn!("{}:{}: no game: {e}", path.display(), i + 2),
        }
    }
    games
}
