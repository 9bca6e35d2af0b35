//! Learning an environment instead of a game: one agent acts, remembers and learns what actions are worth (DQN). A run is a folder
//! as a game's is; `config` is its file, `replay` what it remembers, `learner` what learns, `keep` what is on disk, `run` the loop,
//! `curve` its pictures.

mod config;
mod curve;
mod keep;
mod learner;
mod replay;
mod run;

pub use config::{Change, Config};
pub use curve::plot;
pub use keep::Standing;
pub use learner::available;
pub use run::{Ended, Tell, run};

use super::folder::Folder;
use anyhow::Result;
use std::path::Path;

/// Makes a run's folder with its configuration.
pub fn create(path: &Path, config: &Config) -> Result<Folder> {
    Folder::with(path, &config.to_toml())
}
