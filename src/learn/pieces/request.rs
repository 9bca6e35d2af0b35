//! Pieces as they are asked for and answered: a JSON object a line, between a run and whoever does its pieces.

use super::matches::Match;
use super::portion::{Bench, PortionOf};
use super::program::program;
use super::training::{Train, Trained};
use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A piece of work, from files to files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "piece", rename_all = "lowercase")]
pub enum Piece {
    Portion(PortionOf),
    Train(Train),
    Match(Match),
}

/// A piece that is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Names it in the answer.
    pub id: u64,
    #[serde(flatten)]
    pub piece: Piece,
    /// All files that it reads: what has to be there where it is done. A worker itself does not ask for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<PathBuf>,
}

/// What became of it: a receipt, or a sentence that says why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub id: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Which machine did it, where several do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// A piece that was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// Who did it; see [`program`].
    pub program: String,
    /// On the clock.
    pub seconds: f64,
    /// What it made, in the order in which the files have to appear where somebody waits for them.
    pub files: Vec<File>,
    /// Of a portion.
    #[serde(default)]
    pub games: u64,
    #[serde(default)]
    pub states: u64,
    /// Of a training; none where its seconds were not enough.
    #[serde(default)]
    pub trained: Option<Trained>,
}

/// A file that a piece made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    pub path: PathBuf,
    pub bytes: u64,
    /// CRC-32C of its bytes.
    pub checksum: u32,
}

impl File {
    fn of(path: PathBuf) -> Result<File> {
        let bytes = read(&path)?;
        Ok(File {
            path,
            bytes: bytes.len() as u64,
            checksum: crc32c::crc32c(&bytes),
        })
    }

    /// Whether the file at `path` is this one, byte for byte; the error names it.
    pub fn check(&self, path: &Path) -> Result<()> {
        let bytes = read(path)?;
        match (bytes.len() as u64, crc32c::crc32c(&bytes)) == (self.bytes, self.checksum) {
            true => Ok(()),
            false => bail!(
                "{}: it is not what was made: {} bytes instead of {}, or others",
                path.display(),
                bytes.len(),
                self.bytes
            ),
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    use anyhow::Context;
    std::fs::read(path).with_context(|| path.display().to_string())
}

/// Does pieces, one after the other.
#[derive(Default)]
pub struct Worker(Bench);

impl Worker {
    /// Does a piece; an error where `over` broke it off, too.
    pub fn run(
        &mut self,
        piece: &Piece,
        over: &(dyn Fn() -> bool + Sync),
        line: &dyn Fn(&str),
    ) -> Result<Receipt> {
        let begin = Instant::now();
        let (mut games, mut states, mut trained) = (0, 0, None);
        let files: Vec<PathBuf> = match piece {
            Piece::Portion(portion) => {
                let Some((files, made)) = portion.run(&mut self.0, over)? else {
                    bail!("interrupted");
                };
                games = made.games.len() as u64;
                states = made.rows.len() as u64;
                files.into()
            }
            Piece::Train(train) => {
                let files;
                (files, trained) = train.run(over, line)?;
                files
            }
            Piece::Match(one) => match one.run(over)? {
                Some(file) => vec![file],
                None => bail!("interrupted"),
            },
        };
        Ok(Receipt {
            program: program().into(),
            seconds: begin.elapsed().as_secs_f64(),
            files: files.into_iter().map(File::of).collect::<Result<_>>()?,
            games,
            states,
            trained,
        })
    }
}
