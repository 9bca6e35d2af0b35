//! The networks that each method begins with.

use super::making;
use crate::games::AnyGame;
use crate::learn::config::{Config, Learns};
use crate::learn::team::Team;
use anyhow::{Result, bail};

/// Networks of random weights.
pub fn random(config: &Config, game: &AnyGame) -> Result<Team> {
    let method = config.method()?;
    let first = making::network(config, game, making::first(config))?;
    let meta = first.meta();
    if method.learns != Learns::Rows && meta.shape.policy == 0 {
        bail!(
            "[run] architecture: {} learns moves, and {} has no policy: a0 and fcgp have one",
            method.name,
            meta.architecture
        );
    }
    Ok(first.into())
}
