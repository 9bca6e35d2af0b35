//! What lies where in a run's folder, and that only one program works there.

use super::config::{self, Config, Method};
use super::play;
use super::team::Team;
use anyhow::{Context, Result, anyhow, bail};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// A run's folder.
#[derive(Debug, Clone)]
pub struct Folder(PathBuf);

impl Folder {
    /// Opens a run's folder. The error says how to begin a run.
    pub fn open(path: &Path) -> Result<Folder> {
        let folder = Folder(path.to_path_buf());
        match folder.config().is_file() {
            true => Ok(folder),
            false => Err(anyhow!(
                "{}: no run is there; 'treeline learn GAME' begins one",
                path.display()
            )),
        }
    }

    /// Makes the folder and its configuration. Where there is a run already, nothing changes.
    pub fn create(
        path: &Path,
        method: &Method,
        changes: &[(String, String, String)],
    ) -> Result<Folder> {
        let config = Config::new(method, changes)?;
        // Whatever cannot begin leaves nothing behind.
        play::device(&config)?;
        play::check(&config, &play::first(&config)?)?;
        Folder::with(path, &config.to_toml())
    }

    /// Makes the folder with this learn.toml. Where there is a run already, nothing changes.
    pub fn with(path: &Path, text: &str) -> Result<Folder> {
        let folder = Folder(path.to_path_buf());
        let made = [folder.network(), folder.metrics(), folder.checkpoints()];
        if made.iter().any(|path| path.exists()) {
            bail!(
                "{}: a run is there that has lost its {}; 'treeline net info {}' says its game and architecture",
                path.display(),
                config::FILE,
                folder.network().display()
            );
        }
        fs::create_dir_all(path).map_err(|e| match path.exists() {
            true => anyhow!("{}: a run is a folder, and this is a file", path.display()),
            false => anyhow!("{}: {e}", path.display()),
        })?;
        let file = folder.config();
        if file.exists() {
            bail!("{}: it is there already", file.display());
        }
        treeline_nets::file::replace(&file, text.as_bytes())?;
        Ok(folder)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn config(&self) -> PathBuf {
        self.0.join(config::FILE)
    }

    /// Rows and games.
    pub fn data(&self) -> PathBuf {
        self.0.join("data")
    }

    pub fn checkpoints(&self) -> PathBuf {
        self.0.join("checkpoints")
    }

    /// The newest network, for players.
    pub fn network(&self) -> PathBuf {
        self.0.join("network.safetensors")
    }

    /// The network that a generation ended with, where it was kept for matches.
    pub fn snapshot(&self, generation: u32) -> PathBuf {
        let name = format!("g{generation:06}.safetensors");
        self.0.join("networks").join(name)
    }

    /// How long the present generation has been played.
    pub fn clock(&self) -> PathBuf {
        self.0.join("checkpoints").join("clock.json")
    }

    /// What pieces that are done elsewhere read and make, while the run works.
    pub fn elsewhere(&self) -> PathBuf {
        self.0.join("elsewhere")
    }

    /// Keeps a network that plays matches.
    pub fn keep_snapshot(&self, generation: u32, network: &Team) -> Result<()> {
        let path = self.snapshot(generation);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        }
        network.publish(&path).map(drop)
    }

    /// The generations whose networks were kept, in order.
    pub fn snapshots(&self) -> Vec<u32> {
        let number = |name: &str| {
            let number = name.strip_prefix('g')?.strip_suffix(".safetensors")?;
            number.parse().ok()
        };
        let entries = fs::read_dir(self.0.join("networks")).into_iter().flatten();
        let names = entries.flatten().map(|entry| entry.file_name());
        let mut numbers: Vec<u32> = names
            .filter_map(|name| name.to_str().and_then(number))
            .collect();
        numbers.sort_unstable();
        numbers
    }

    /// A line for each generation.
    pub fn metrics(&self) -> PathBuf {
        self.0.join("metrics.jsonl")
    }

    /// A line for each match.
    pub fn matches(&self) -> PathBuf {
        self.0.join("matches.jsonl")
    }

    pub fn plots(&self) -> PathBuf {
        self.0.join("plots")
    }

    /// Removes what kills left half written. To be called under the lock.
    pub fn sweep(&self) {
        let snapshots = self.0.join("networks");
        for folder in [&self.0, &self.data(), &snapshots, &self.checkpoints()] {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                // What `export` writes may lie in the run's own folder.
                let ours = folder != &self.0
                    || ["network.safetensors.", "metrics.jsonl.", "matches.jsonl."]
                        .iter()
                        .any(|file| name.starts_with(file));
                if ours && name.ends_with(".part") {
                    let _ = fs::remove_file(entry.path());
                }
            }
        }
    }

    /// Keeps other programs out for as long as the file lives.
    pub fn lock(&self) -> Result<File> {
        let path = self.0.join("lock");
        let named = || path.display().to_string();
        let file = File::create(&path).with_context(named)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(anyhow!(
                "{}: another program works on this run",
                self.0.display()
            )),
            // Some file systems have no locks.
            Err(TryLockError::Error(e)) => {
                log::warn!("{}: {e}", path.display());
                Ok(file)
            }
            Ok(()) => Ok(file),
        }
    }
}
