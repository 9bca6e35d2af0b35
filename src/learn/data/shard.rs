//! A run's games on disk: portions of a generation, each a file of rows for numpy and one of games in JSON lines.
//!
//! A portion is there when its rows are; both files are written whole under another name first.

use super::layout::{Layout, Rows};
use super::npy::Npy;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use treeline_nets::file;

/// A game that was played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Game {
    /// Its number in the run.
    pub game: u32,
    /// All moves, apart by blanks.
    pub moves: String,
    pub plies: u32,
    /// Player one's: 1, 0 or -1.
    pub result: i8,
    /// Whether it was stopped for its length.
    pub cut: bool,
    /// Rows that it gave.
    pub states: u64,
    pub nodes: u64,
    pub evaluations: u64,
    /// The mean squared distance of the searched values from the result, over the states of the game.
    pub error: f64,
}

/// Which games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Portion {
    pub generation: u32,
    pub number: u32,
}

impl Portion {
    /// How its files are called, without their extensions.
    pub fn name(self) -> String {
        format!("g{:06}-p{:06}", self.generation, self.number)
    }

    /// Reads such a name.
    pub fn of(name: &str) -> Option<Portion> {
        let (generation, number) = name.strip_prefix('g')?.split_once("-p")?;
        let portion = Portion {
            generation: generation.parse().ok()?,
            number: number.parse().ok()?,
        };
        (portion.name() == name).then_some(portion)
    }
}

/// The folder.
#[derive(Debug, Clone)]
pub struct Shards {
    folder: PathBuf,
    layout: Layout,
}

impl Shards {
    /// Makes the folder if it is not there.
    pub fn open(folder: &Path, layout: Layout) -> Result<Shards> {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        Ok(Shards {
            folder: folder.to_path_buf(),
            layout,
        })
    }

    fn path(&self, portion: Portion, extension: &str) -> PathBuf {
        self.folder.join(format!("{}.{extension}", portion.name()))
    }

    /// A portion's two files, in the order in which they are to appear: it is there when its rows are.
    pub fn files(&self, portion: Portion) -> [PathBuf; 2] {
        ["jsonl", "npy"].map(|extension| self.path(portion, extension))
    }

    /// Keeps a portion; an error says that it is not kept.
    pub fn write(&self, portion: Portion, rows: &Rows, games: &[Game]) -> Result<()> {
        let mut lines = String::new();
        for game in games {
            let line = serde_json::to_string(game)?;
            lines.push_str(&line);
            lines.push('\n');
        }
        file::replace(&self.path(portion, "jsonl"), lines.as_bytes())?;
        Ok(file::replace(
            &self.path(portion, "npy"),
            &Npy::write(rows),
        )?)
    }

    /// Takes a portion's files over from another folder, byte for byte.
    pub fn adopt(&self, from: &Shards, portion: Portion) -> Result<()> {
        for (source, goal) in from.files(portion).iter().zip(self.files(portion)) {
            let bytes = std::fs::read(source).with_context(|| source.display().to_string())?;
            file::replace(&goal, &bytes)?;
        }
        Ok(())
    }

    /// A portion's rows and games.
    pub fn read(&self, portion: Portion) -> Result<(Rows, Vec<Game>)> {
        let path = self.path(portion, "npy");
        let named = || path.display().to_string();
        let bytes = std::fs::read(&path).with_context(named)?;
        let rows = Npy::read(&self.layout, bytes).with_context(named)?;
        Ok((rows, self.games(portion)?))
    }

    /// A portion's games alone.
    pub fn games(&self, portion: Portion) -> Result<Vec<Game>> {
        let path = self.path(portion, "jsonl");
        let named = || path.display().to_string();
        let text = std::fs::read_to_string(&path).with_context(named)?;
        let games = text.lines().map(serde_json::from_str);
        games.collect::<Result<_, _>>().with_context(named)
    }

    /// What is there, in order.
    pub fn portions(&self) -> Result<Vec<Portion>> {
        let named = || self.folder.display().to_string();
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.folder).with_context(named)? {
            let name = entry.with_context(named)?.file_name();
            let name = name.to_str().and_then(|name| name.strip_suffix(".npy"));
            found.extend(name.and_then(Portion::of));
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Removes a portion, rows and games.
    pub fn forget(&self, portion: Portion) {
        for extension in ["npy", "jsonl"] {
            let path = self.path(portion, extension);
            if let Err(error) = std::fs::remove_file(&path) {
                log::warn!("{}: {error}", path.display());
            }
        }
    }

    /// Puts a portion that cannot be read out of the way.
    pub fn set_aside(&self, portion: Portion) {
        for extension in ["npy", "jsonl"] {
            let path = self.path(portion, extension);
            let aside = path.with_extension(format!("{extension}.broken"));
            if let Err(error) = std::fs::rename(&path, &aside) {
                log::warn!("{}: {error}", path.display());
            }
        }
    }
}
