//! Whose actions are recorded: an agent of another run, or chance. ALPHAS took what a DQN had played where there were no human games.

use super::super::agent::Agent;
use super::super::config::Config;
use super::super::dqn::Dqn;
use super::super::keep::{Checkpoint, Standing};
use super::super::searching::Searching;
use crate::environment::{About, Environment, Step};
use crate::game::{Rng, random};
use crate::learn::checkpoint::Checkpoints;
use crate::learn::folder::Folder;
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;

/// Keys of [environment] by which both runs must see and do the same.
const ALIKE: [&str; 4] = ["side", "skip", "sticky", "all-actions"];
/// Observations that an agent needs who does not learn: those that are seen at once, and to spare.
const REMEMBERED: &str = "100";

pub enum Teacher {
    Chance(usize),
    /// An agent and where its run stood.
    Run(Box<dyn Agent>, Box<Standing>),
}

impl Teacher {
    /// The one that `alphago.teacher` names; an error says so, and what is the matter with the folder.
    pub fn open(config: &Config, about: &About) -> Result<Teacher> {
        match config.get("alphago").name("teacher") {
            "random" => Ok(Teacher::Chance(about.actions)),
            path => of_run(Path::new(path), config, about)
                .with_context(|| format!("[alphago] teacher: {path}")),
        }
    }

    pub fn begin(&mut self, seen: &[u8]) -> Result<()> {
        match self {
            Teacher::Chance(_) => Ok(()),
            Teacher::Run(agent, standing) => agent.begin(seen, standing),
        }
    }

    /// What it does now. The environment is left as it was.
    pub fn act(&mut self, environment: &mut dyn Environment, rng: &mut Rng) -> Result<usize> {
        match self {
            Teacher::Chance(actions) => Ok(random::pick(rng, *actions as u32) as usize),
            Teacher::Run(agent, standing) => {
                agent.seed(random::word(rng));
                agent.act(environment, standing)
            }
        }
    }

    pub fn step(&mut self, action: usize, step: Step, seen: &[u8]) -> Result<()> {
        match self {
            Teacher::Chance(_) => Ok(()),
            Teacher::Run(agent, _) => agent.step(action, step, seen),
        }
    }
}

fn of_run(path: &Path, config: &Config, about: &About) -> Result<Teacher> {
    let folder = Folder::open(path)?;
    ensure!(
        Config::is_of(&folder.config()),
        "that run learns no environment"
    );
    let own = Config::read(&folder.config())?;
    let section = match own.method() {
        "dqn" => "dqn",
        "muzero" | "alphazero" => "search",
        other => bail!("that run learns by {other}; a teacher does by dqn, muzero or alphazero"),
    };
    let keys = ALIKE.map(|key| ("environment", key));
    let mut keys = [("run", "environment")].into_iter().chain(keys);
    if let Some(found) = keys.find_map(|(section, key)| own.contradicts(config, section, key)) {
        bail!("that run's {found}");
    }
    let checkpoint = match folder.checkpoints().is_dir() {
        true => Checkpoints::open(&folder.checkpoints())?.newest_of::<Checkpoint>()?,
        false => None,
    };
    let checkpoint = checkpoint.context("that run has no network yet: no checkpoint is there")?;
    // It does not learn, and computes as this run does.
    let mut own = own.with(section, "replay", REMEMBERED)?;
    for key in ["device", "threads"] {
        let value = config.get("run").get(key).map(ToString::to_string);
        own = own.with("run", key, &value.unwrap_or_default())?;
    }
    let mut agent: Box<dyn Agent> = match section {
        "dqn" => Box::new(Dqn::new(&own, about, 0)?),
        _ => Box::new(Searching::new(&own, about, 0)?),
    };
    let learner = agent.learner_mut();
    learner.restore(&checkpoint.network.tensors, &checkpoint.state)?;
    Ok(Teacher::Run(agent, Box::new(checkpoint.standing)))
}
