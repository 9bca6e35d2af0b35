//! A match of a run's network: from settings and networks to a score.

use crate::learn::config::{Config, Searcher};
use crate::learn::team::Team;
use crate::learn::watch::{self, Meets};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use treeline_nets::file;

/// The files of a match that is to be played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Match {
    /// A run's learn.toml.
    pub settings: PathBuf,
    /// The network that is measured; it plays with the searcher of `[watch]`.
    pub network: PathBuf,
    /// A searcher with its options, or what the other network is called.
    pub opponent: String,
    /// An earlier network, which plays with the same searcher.
    #[serde(default)]
    pub other: Option<PathBuf>,
    pub seed: u64,
    /// Games at a time.
    pub threads: usize,
    /// The file that it makes: an [`Outcome`] as JSON.
    pub out: PathBuf,
}

/// What a match came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The network's wins, draws and losses where it moved first, and second.
    pub first: [u32; 3],
    pub second: [u32; 3],
}

impl Match {
    /// The file that it made; none where `over` broke it off.
    pub(super) fn run(&self, over: &(dyn Fn() -> bool + Sync)) -> Result<Option<PathBuf>> {
        let config = Config::read(&self.settings)?;
        let network = Team::read(&self.network)?;
        let other = self.other.as_deref().map(Team::read).transpose()?;
        let named = match other {
            Some(_) => config.get("watch").name("searcher"),
            None => &self.opponent,
        };
        let opponent = Searcher::read(named).context("the opponent")?;
        let meets = Meets {
            network: &network,
            opponent: &opponent,
            other: other.as_ref(),
            seed: self.seed,
            threads: self.threads.max(1),
        };
        let score = watch::score(&config, &meets, &|_| (), over)?;
        if over() {
            return Ok(None);
        }
        let outcome = Outcome {
            first: score.first,
            second: score.second,
        };
        if let Some(folder) = self.out.parent() {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        file::replace(&self.out, &serde_json::to_vec(&outcome)?)?;
        Ok(Some(self.out.clone()))
    }
}
