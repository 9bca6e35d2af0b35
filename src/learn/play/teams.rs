//! The networks that each method begins with.

use super::making::{self, Order};
use crate::game::Planes;
use crate::game::random::mix;
use crate::games::AnyGame;
use crate::learn::config::{Config, Learns};
use crate::learn::team::{Role, Team};
use anyhow::{Result, bail};
use std::cmp::Reverse;
use treeline_nets::arch::Network;
use treeline_nets::file::Shape;

/// Networks of random weights.
pub fn random(config: &Config, game: &AnyGame) -> Result<Team> {
    let method = config.method()?;
    let learns = method.learns;
    if learns == Learns::Model {
        return model(config, game);
    }
    let first = making::network(config, game, making::first(config))?;
    if learns != Learns::Rows {
        with_policy("[run] architecture", &first, method.name)?;
    }
    let Learns::Staged { small, early } = learns else {
        return Ok(first.into());
    };
    let own = config.get("mpv");
    let planes = own.int("planes").map(|version| version as u32);
    let planes = planes.or_else(|| fewest_outputs(game));
    let mut others = Vec::new();
    let roles = [
        (small, Role::Small, "[mpv] small", "small"),
        (early, Role::Early, "[mpv] early", "early"),
    ];
    for (number, (is_there, role, key, name)) in roles.into_iter().enumerate() {
        if !is_there {
            continue;
        }
        let order = Order {
            key,
            architecture: own.name(name),
            planes,
            seed: other_seed(config, number as u64),
        };
        let network = making::network(config, game, order)?;
        with_policy(key, &network, method.name)?;
        others.push((role, network));
    }
    Ok(Team::new(first, others))
}

fn with_policy(key: &str, network: &Network, method: &str) -> Result<()> {
    let meta = network.meta();
    match meta.shape.policy {
        0 => bail!(
            "{key}: {method} learns moves, and {} has no policy: a0 or fcgp have one",
            meta.architecture
        ),
        _ => Ok(()),
    }
}

/// What the first weights of another network depend on.
fn other_seed(config: &Config, number: u64) -> u64 {
    mix(config.size("run", "seed") as u64 ^ mix(number + 1))
}

/// The version of the mover's planes whose policy is the smallest, the newest of equals.
fn fewest_outputs(game: &AnyGame) -> Option<u32> {
    let encodings = game.encodings().iter().enumerate();
    let by_mover = encodings.filter(|(_, encoding)| encoding.by_mover);
    let best = by_mover.min_by_key(|(e, own)| (game.shape(*e).policy, Reverse(own.version)));
    best.map(|(_, encoding)| encoding.version)
}

/// Representation, dynamics and prediction.
fn model(config: &Config, game: &AnyGame) -> Result<Team> {
    let own = config.get("muzero");
    let first = making::first(config);
    let e = making::encoding(game, first.planes)?;
    let shape = game.shape(e);
    let (rows, columns) = (shape.rows, shape.columns);
    let latent = config.size("muzero", "latent");
    let numbers = latent * rows * columns;
    let action = shape.policy.div_ceil((rows * columns).max(1));
    let planes = |planes, policy| Shape::planes(planes, rows, columns, policy);
    let make = |order, shape: Shape| {
        let network = making::of_shape(config, game, order, e, &shape)?;
        with_policy(order.key, &network, "muzero")?;
        anyhow::Ok(network)
    };
    let order = |key, name, number| Order {
        key,
        architecture: own.name(name),
        planes: first.planes,
        seed: other_seed(config, number),
    };
    let dynamics = order("[muzero] dynamics", "dynamics", 0);
    let prediction = order("[muzero] prediction", "prediction", 1);
    let others = vec![
        (
            Role::Dynamics,
            make(dynamics, planes(latent + action, numbers))?,
        ),
        (
            Role::Prediction,
            make(prediction, planes(latent, shape.policy))?,
        ),
    ];
    Ok(Team::new(
        make(first, planes(shape.planes, numbers))?,
        others,
    ))
}
