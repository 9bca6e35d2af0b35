//! Where a run stands, on disk: a folder for each checkpoint, there as a whole or not at all, the two newest kept.

use super::team::Team;
use super::watch::GenerationMetrics;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use treeline_nets::NetError;
use treeline_nets::file::{MAX_BYTES, Tensors, Weights, bytes_of};

/// How many are kept: the newest, and one to fall back on.
const KEPT: usize = 2;

/// Bytes of an optimiser's file: several numbers for each weight of the largest network.
const LARGEST_STATE: u64 = 4 * MAX_BYTES;

/// What a run does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    Play,
    Train,
}

/// Where a run stands, besides networks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The program's version.
    pub version: String,
    /// Where the first weights come from; empty: they were random.
    #[serde(default)]
    pub before: String,
    /// From 1; 0 is training on random endings.
    pub generation: u32,
    pub phase: Phase,
    /// Steps of this generation's training that are done.
    pub step: u64,
    /// Seconds of work so far.
    pub seconds: f64,
    /// Those of them that trained, and that played.
    pub training: f64,
    pub playing: f64,
    /// The sum of this generation's losses, of values and of policies.
    pub losses: [f64; 2],
    /// Seconds of work at the last match.
    pub watched: f64,
    /// Over the whole run.
    pub games: u64,
    pub states: u64,
    pub samples: u64,
    /// Positions judged in games; of a run by an earlier version, since it goes on with this one.
    #[serde(default)]
    pub evaluations: u64,
    /// What was played in the generation that is trained now: its files may be gone already.
    #[serde(default)]
    pub played: GenerationMetrics,
}

/// All that a run needs to go on.
#[derive(Debug, Clone)]
pub struct Checkpoint {
    pub standing: Standing,
    /// What learns.
    pub network: Team,
    /// What plays: behind in training and behind a gate, and where the mean over many steps plays.
    pub player: Team,
    /// The optimiser and the means of the weights.
    pub state: Tensors,
}

/// What a checkpoint of some kind of run is made of: files of a folder.
pub trait Kept: Sized {
    /// Makes the folder and writes its files.
    fn write(&self, folder: &Path) -> Result<()>;
    /// Reads them; an error names the file that is missing or broken.
    fn read(folder: &Path) -> Result<Self, Unread>;
}

impl Kept for Checkpoint {
    fn write(&self, folder: &Path) -> Result<()> {
        write(folder, self)
    }

    fn read(folder: &Path) -> Result<Self, Unread> {
        read(folder)
    }
}

/// The folder of checkpoints.
#[derive(Debug)]
pub struct Checkpoints {
    folder: PathBuf,
    next: u64,
}

impl Checkpoints {
    pub fn open(folder: &Path) -> Result<Checkpoints> {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let mut checkpoints = Checkpoints {
            folder: folder.to_path_buf(),
            next: 0,
        };
        checkpoints.next = checkpoints.numbers()?.last().map_or(1, |last| last + 1);
        Ok(checkpoints)
    }

    fn numbers(&self) -> Result<Vec<u64>> {
        let named = || self.folder.display().to_string();
        let mut numbers = Vec::new();
        for entry in fs::read_dir(&self.folder).with_context(named)? {
            let name = entry.with_context(named)?.file_name();
            numbers.extend(name.to_str().and_then(|name| name.parse::<u64>().ok()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The newest that is whole; broken ones are skipped with a warning. One that the system does not let us read is an
    /// error, since it may be whole.
    pub fn newest(&self) -> Result<Option<Checkpoint>> {
        self.newest_of()
    }

    /// The same of a kind of run.
    pub fn newest_of<K: Kept>(&self) -> Result<Option<K>> {
        self.newest_but(|_, _| Ok(()))
    }

    /// The same for a run that is to go on: what is broken is put aside.
    pub fn newest_to_go_on<K: Kept>(&self) -> Result<Option<K>> {
        self.newest_but(|number, folder| {
            let aside = self.folder.join(format!("{number}.broken"));
            let _ = fs::remove_dir_all(&aside);
            fs::rename(folder, &aside).with_context(|| folder.display().to_string())
        })
    }

    fn newest_but<K: Kept>(&self, broken: impl Fn(u64, &Path) -> Result<()>) -> Result<Option<K>> {
        for number in self.numbers()?.into_iter().rev() {
            let folder = self.folder.join(number.to_string());
            match K::read(&folder) {
                Ok(checkpoint) => return Ok(Some(checkpoint)),
                Err(Unread::Barred(error)) => return Err(error),
                Err(Unread::Broken(error)) => {
                    log::warn!("{error:#}; going back to the checkpoint before");
                    broken(number, &folder)?;
                }
            }
        }
        Ok(None)
    }

    /// Keeps a checkpoint and removes those that it makes superfluous.
    pub fn keep<K: Kept>(&mut self, checkpoint: &K) -> Result<()> {
        let folder = self.folder.join(self.next.to_string());
        let part = self.folder.join("part");
        let _ = fs::remove_dir_all(&part);
        checkpoint.write(&part)?;
        fs::rename(&part, &folder).with_context(|| folder.display().to_string())?;
        // The renaming itself shall survive a power cut.
        if let Ok(folder) = fs::File::open(&self.folder) {
            let _ = folder.sync_all();
        }
        self.next += 1;
        let numbers = self.numbers()?;
        for old in &numbers[..numbers.len().saturating_sub(KEPT)] {
            let _ = fs::remove_dir_all(self.folder.join(old.to_string()));
        }
        Ok(())
    }
}

/// Reads one that lies by itself; an error names the file that is missing or broken.
pub fn read_whole(folder: &Path) -> Result<Checkpoint> {
    Ok(read(folder)?)
}

/// Writes one by itself, as a whole, in the place of one that was there; its files. A folder with anything else in it is refused.
pub fn write_whole(folder: &Path, checkpoint: &Checkpoint) -> Result<Vec<PathBuf>> {
    let holds_something = fs::read_dir(folder).is_ok_and(|mut there| there.next().is_some());
    if holds_something && !folder.join("standing.json").is_file() {
        bail!(
            "{}: it holds something that is no checkpoint: name a new folder",
            folder.display()
        );
    }
    let mut part = folder.as_os_str().to_os_string();
    part.push(".part");
    let part = PathBuf::from(part);
    let _ = fs::remove_dir_all(&part);
    if let Some(parent) = part.parent() {
        fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
    }
    write(&part, checkpoint)?;
    let _ = fs::remove_dir_all(folder);
    fs::rename(&part, folder).with_context(|| folder.display().to_string())?;
    files(folder)
}

/// The files of one, the last of which says that the others are there.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let named = || folder.display().to_string();
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(named)? {
        files.push(entry.with_context(named)?.path());
    }
    files.sort_by_key(|path| (path.ends_with("standing.json"), path.clone()));
    Ok(files)
}

fn write(folder: &Path, checkpoint: &Checkpoint) -> Result<()> {
    fs::create_dir(folder).with_context(|| folder.display().to_string())?;
    checkpoint
        .network
        .write(&folder.join("network.safetensors"))?;
    checkpoint
        .player
        .write(&folder.join("player.safetensors"))?;
    let state = Weights {
        meta: checkpoint.network.meta().clone(),
        tensors: checkpoint.state.clone(),
    };
    state.write_within(&folder.join("optimizer.safetensors"), LARGEST_STATE)?;
    let text = serde_json::to_string_pretty(&checkpoint.standing)?;
    let path = folder.join("standing.json");
    Ok(treeline_nets::file::replace(&path, text.as_bytes())?)
}

/// Why a checkpoint was not read.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// It is not whole.
    #[error(transparent)]
    Broken(anyhow::Error),
    /// The system, or its version, does not let us.
    #[error(transparent)]
    Barred(anyhow::Error),
}

impl From<NetError> for Unread {
    fn from(error: NetError) -> Self {
        match error {
            NetError::System { .. } => Unread::Barred(error.into()),
            _ => Unread::Broken(error.into()),
        }
    }
}

/// What its standing.json says.
pub fn standing<S: serde::de::DeserializeOwned>(folder: &Path) -> Result<S, Unread> {
    let path = folder.join("standing.json");
    let text = bytes_of(&path)?;
    serde_json::from_slice(&text).map_err(|e: serde_json::Error| {
        let whole = e.is_data();
        let error = anyhow::Error::new(e).context(path.display().to_string());
        // Whole, but not as this version writes it.
        match whole {
            true => Unread::Barred(error),
            false => Unread::Broken(error),
        }
    })
}

fn read(folder: &Path) -> Result<Checkpoint, Unread> {
    let standing = standing(folder)?;
    let net = |name: &str| Team::read(&folder.join(name));
    let state = Weights::read_within(&folder.join("optimizer.safetensors"), LARGEST_STATE)?;
    Ok(Checkpoint {
        standing,
        network: net("network.safetensors")?,
        player: net("player.safetensors")?,
        state: state.tensors,
    })
}
