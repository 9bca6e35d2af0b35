//! What a run that learns an environment has on disk: checkpoints, the newest network, a line of figures for each episode.

use super::learner::Learner;
use crate::environment::{About, Space};
use crate::learn::checkpoint::{Kept, Unread, standing};
use crate::learn::watch;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fs;
use std::io::Write;
use std::path::Path;
use treeline_nets::file::{MAX_BYTES, Meta, Shape, Tensors, View, Weights};

/// Episodes whose mean return is told.
pub const RECENT: usize = 20;
/// Bytes of Adam's memory and the target network.
const LARGEST_STATE: u64 = 4 * MAX_BYTES;

/// Where a run stands, besides the network.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The program's version.
    pub version: String,
    /// Actions, and frames that went by.
    pub steps: u64,
    pub frames: u64,
    /// Trainings.
    pub updates: u64,
    /// Episodes that are over.
    pub episodes: u64,
    /// Seconds of work.
    pub seconds: f64,
    /// Returns of the newest episodes, the oldest first.
    pub recent: VecDeque<f64>,
    /// Sums of losses and worths since the last episode, and how many.
    #[serde(default)]
    pub losses: [f64; 3],
}

impl Standing {
    /// Notes an episode's return.
    pub fn note(&mut self, sum: f64) {
        self.episodes += 1;
        self.recent.push_back(sum);
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
    }

    /// The mean return of the newest episodes; none before the first.
    pub fn mean(&self) -> Option<f64> {
        let count = self.recent.len();
        (count > 0).then(|| self.recent.iter().sum::<f64>() / count as f64)
    }
}

/// All that a run needs to go on, but for the replay, which is filled again.
#[derive(Debug, Clone)]
pub struct Checkpoint {
    pub standing: Standing,
    pub network: Weights,
    pub state: Tensors,
}

impl Checkpoint {
    pub fn of(
        standing: &Standing,
        about: &About,
        method: &str,
        learner: &dyn Learner,
    ) -> Result<Checkpoint> {
        Ok(Checkpoint {
            standing: Standing {
                version: env!("CARGO_PKG_VERSION").into(),
                ..standing.clone()
            },
            network: Weights {
                meta: meta(about, method, standing),
                tensors: learner.weights()?,
            },
            state: learner.state()?,
        })
    }
}

fn meta(about: &About, method: &str, standing: &Standing) -> Meta {
    let input = match about.space {
        Space::Frames(side) => vec![1, side, side],
        Space::Numbers(count) => vec![count],
    };
    Meta {
        game: about.name.clone(),
        variant: String::new(),
        architecture: match method {
            "dqn" => "q".into(),
            _ => "latent".into(),
        },
        encoding: 1,
        shape: Shape {
            input,
            policy: about.actions,
        },
        view: View::Mover,
        scale: 1.0,
        origin: format!("{method}, {} frames", standing.frames),
    }
}

impl Kept for Checkpoint {
    fn write(&self, folder: &Path) -> Result<()> {
        fs::create_dir(folder).with_context(|| folder.display().to_string())?;
        self.network.write(&folder.join("network.safetensors"))?;
        let state = Weights {
            meta: self.network.meta.clone(),
            tensors: self.state.clone(),
        };
        state.write_within(&folder.join("optimizer.safetensors"), LARGEST_STATE)?;
        let text = serde_json::to_string_pretty(&self.standing)?;
        Ok(treeline_nets::file::replace(
            &folder.join("standing.json"),
            text.as_bytes(),
        )?)
    }

    fn read(folder: &Path) -> Result<Self, Unread> {
        let state = Weights::read_within(&folder.join("optimizer.safetensors"), LARGEST_STATE)?;
        Ok(Checkpoint {
            standing: standing(folder)?,
            network: Weights::read(&folder.join("network.safetensors"))?,
            state: state.tensors,
        })
    }
}

/// One episode.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Episode {
    pub episode: u64,
    /// Of the run, when it was over.
    pub steps: u64,
    pub frames: u64,
    pub minutes: f64,
    /// The sum of its rewards, as the environment gives them.
    #[serde(rename = "return")]
    pub sum: f64,
    /// Its steps.
    pub length: u64,
    /// The mean return of the newest episodes.
    pub mean: f64,
    /// DQN's epsilon, or the temperature.
    #[serde(alias = "epsilon")]
    pub chance: f64,
    /// Means over the trainings since the episode before; 0 where there were none.
    pub loss: f64,
    /// Of what the steps were thought to be worth: Q, or n-step returns.
    #[serde(alias = "q")]
    pub worth: f64,
    /// Frames a second since the episode before.
    pub speed: f64,
    #[serde(flatten)]
    pub figures: Figures,
}

/// What only some methods tell of an episode.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Figures {
    /// AlphaGo's stage: recorded, gradient or valued.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stage: String,
    /// Shares of the recorded actions that were the likeliest of the policy, and of the fast policy, before they learned them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named: Option<f64>,
    #[serde(rename = "named-fast", skip_serializing_if = "Option::is_none")]
    pub named_fast: Option<f64>,
    /// The mean entropy of the policy, in nats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entropy: Option<f64>,
}

/// The file of episodes, open for more.
#[derive(Debug)]
pub struct Episodes(fs::File);

impl Episodes {
    /// Opens the file; episodes after the first `known`, which the run will play anew, and what a kill cut off are dropped.
    pub fn open(path: &Path, known: u64) -> Result<Episodes> {
        let mut before: Vec<Episode> = watch::lines(path)?;
        before.retain(|line| line.episode <= known);
        let mut text = String::new();
        for line in &before {
            text += &serde_json::to_string(line)?;
            text.push('\n');
        }
        treeline_nets::file::replace(path, text.as_bytes())?;
        let named = || path.display().to_string();
        let opened = fs::OpenOptions::new().append(true).open(path);
        opened.map(Episodes).with_context(named)
    }

    pub fn add(&mut self, episode: &Episode) -> Result<()> {
        let line = serde_json::to_string(episode)? + "\n";
        self.0.write_all(line.as_bytes()).context("metrics.jsonl")
    }
}
