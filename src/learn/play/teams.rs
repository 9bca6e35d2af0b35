//! The networks that each method begins with.

use super::making::{self, Order};
use crate::game::Planes;
use crate::games::AnyGame;
use crate::learn::config::{Config, Learns};
use crate::learn::team::{Role, Team};
use anyhow::{Result, bail};

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
    Ok(first.into())
}

/// Representation, dynamics and prediction, as the search with a learned model describes them.
fn model(config: &Config, game: &AnyGame) -> Result<Team> {
    let first = making::first(config);
    let encoding = making::encoding(game, first.planes)?;
    if !game.encodings()[encoding].by_mover {
        bail!(
            "[run] planes: a model says what the mover gets, whose side these planes do not show"
        );
    }
    let shape = game.shape(encoding);
    let cells = (shape.rows * shape.columns).max(1);
    let planes = config.size("muzero", "latent");
    let latent = planes * cells;
    let with_action = planes + shape.policy.div_ceil(cells);
    let own = config.get("muzero");
    let order = |key, name, number| Order {
        key,
        architecture: own.name(name),
        planes: first.planes,
        seed: first.seed.wrapping_add(number),
    };
    let part = |order, sizes| making::part(config, game, order, encoding, sizes);
    let dynamics = order("[muzero] dynamics", "dynamics", 1);
    let prediction = order("[muzero] prediction", "prediction", 2);
    Ok(Team::new(
        part(first, (shape.planes, latent))?,
        vec![
            (Role::Dynamics, part(dynamics, (with_action, latent))?),
            (Role::Prediction, part(prediction, (planes, shape.policy))?),
        ],
    ))
}
