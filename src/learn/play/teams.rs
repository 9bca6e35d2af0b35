//! The networks that each method begins with.

use super::making::{self, Order};
use crate::game::{Knowledge, Planes, Rules};
use crate::games::AnyGame;
use crate::learn::config::{Config, Learns};
use crate::learn::team::{Role, Team};
use anyhow::{Result, anyhow, bail};
use treeline_nets::arch::Network;

/// Networks of random weights.
pub fn random(config: &Config, game: &AnyGame) -> Result<Team> {
    let method = config.method()?;
    if method.learns == Learns::Model {
        return model(config, game);
    }
    let first = making::network(config, game, making::first(config))?;
    let meta = first.meta();
    if method.learns != Learns::Rows && meta.shape.policy == 0 {
        bail!(
            "[run] architecture: {} learns moves, and {} has no policy: a0 and fcgp have one",
            method.name,
            meta.architecture
        );
    }
    match method.learns {
        Learns::Several { small, early } => several(config, game, first, (small, early)),
        Learns::Stages => with_playout(config, game, first),
        _ => Ok(first.into()),
    }
}

/// The policy and value network with the fast policy of play-outs.
fn with_playout(config: &Config, game: &AnyGame, first: Network) -> Result<Team> {
    if first.sees_features() {
        bail!("[run] architecture: it is to see planes");
    }
    let own = making::first(config);
    let order = Order {
        section: "alphago",
        key: "playout",
        architecture: config.get("alphago").name("playout"),
        planes: own.planes,
        seed: own.seed.wrapping_add(1),
    };
    let playout = making::network(config, game, order)?;
    let architecture = &playout.meta().architecture;
    if playout.sees_features() || playout.meta().shape.policy == 0 {
        bail!(
            "[alphago] playout: {architecture} has no policy over planes: fast, a0 and fcgp have one"
        );
    }
    Ok(Team::new(first, vec![(Role::Playout, playout)]))
}

/// The large network with small ones.
fn several(
    config: &Config,
    game: &AnyGame,
    large: Network,
    (small, early): (bool, bool),
) -> Result<Team> {
    if early && !game.is_early(&game.start()) {
        bail!("[run] method: the game says of no position that it is early; draughts does");
    }
    if large.sees_features() {
        bail!("[run] architecture: it is to see planes");
    }
    let own = config.get("small");
    let seed = making::first(config).seed;
    let make = |role, number| {
        let order = Order {
            section: "small",
            key: "architecture",
            architecture: own.name("architecture"),
            planes: own.int("planes").map(|version| version as u32),
            seed: seed.wrapping_add(number),
        };
        let made = making::network(config, game, order)?;
        match made.sees_features() || made.meta().shape.policy == 0 {
            true => Err(anyhow!(
                "[small] architecture: {} has no policy over planes: a0 and fcgp have one",
                made.meta().architecture
            )),
            false => Ok((role, made)),
        }
    };
    let roles = [(small, Role::Small), (early, Role::Early)];
    let wanted = roles.iter().zip(1..).filter(|((wanted, _), _)| *wanted);
    let others = wanted.map(|((_, role), number)| make(*role, number));
    Ok(Team::new(large, others.collect::<Result<_>>()?))
}

/// Representation, dynamics and prediction, as the search with a learned model describes them.
fn model(config: &Config, game: &AnyGame) -> Result<Team> {
    let first = making::first(config);
    let encoding = making::encoding(game, first)?;
    if !game.encodings()[encoding].by_mover {
        bail!(
            "[run] planes: a model says what the mover gets, whose side these planes do not show"
        );
    }
    let shape = game.shape(encoding);
    let cells = (shape.rows * shape.columns).max(1);
    let planes = config.size("muzero", "latent");
    let latent = planes * cells;
    let with_action = planes + shape.action_planes();
    let own = config.get("muzero");
    let outputs = shape.policy + own.int("support").unwrap_or(0) as usize;
    let order = |key, number| Order {
        section: "muzero",
        key,
        architecture: own.name(key),
        planes: first.planes,
        seed: first.seed.wrapping_add(number),
    };
    let part = |order, sizes| making::part(config, game, order, encoding, sizes);
    let dynamics = order("dynamics", 1);
    let prediction = order("prediction", 2);
    Ok(Team::new(
        part(first, (shape.planes, latent))?,
        vec![
            (Role::Dynamics, part(dynamics, (with_action, latent))?),
            (
                Role::Prediction,
                making::without_opinion(part(prediction, (planes, outputs))?),
            ),
        ],
    ))
}
