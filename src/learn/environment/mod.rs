//! Learning an environment instead of a game: one agent acts, remembers and learns. A run is a folder as a game's is; `config` is its
//! file and `sections` the keys, `run` the loop, `keep` what is on disk, `curve` its pictures. An `agent` is `dqn`, one that is
//! `searching`, in a learned model or in the environment's `copies`, or `alphago`; `planning` is the search. `learner` is its network, `replay`
//! what it remembers, `journal` that on disk, and `follow` what it unrolls a model along.

mod agent;
mod alphago;
mod config;
mod copies;
mod curve;
mod dqn;
mod follow;
mod journal;
mod keep;
mod learner;
mod planning;
mod replay;
mod run;
mod searching;
mod sections;

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
