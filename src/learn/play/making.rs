//! Networks of random weights for a game: whatever architecture and planes the configuration names.

use super::stages::stages;
use crate::game::{Features, Planes};
use crate::games::AnyGame;
use crate::learn::config::Config;
use anyhow::{Context, Result, bail};
use treeline_nets::arch::{self, Network, Patterns, STAGES};
use treeline_nets::file::{Shape, View, Weights};
use treeline_nets::patterns;
use treeline_nets::plan::Step;

/// What network is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// The configuration's section, for errors, which has the architecture and the planes.
    pub section: &'static str,
    /// The key of the architecture there.
    pub key: &'static str,
    pub architecture: &'a str,
    /// Version of the planes; none: the newest of the mover's view.
    pub planes: Option<u32>,
    pub seed: u64,
}

impl Order<'_> {
    /// What errors call the architecture.
    fn named(&self) -> String {
        format!("[{}] {}", self.section, self.key)
    }
}

/// The variant in the words that network files use.
pub fn variant(config: &Config) -> String {
    config.variant.values.changed()
}

/// The network of the run's first architecture.
pub fn first<'a>(config: &'a Config) -> Order<'a> {
    let run = config.get("run");
    Order {
        section: "run",
        key: "architecture",
        architecture: run.name("architecture"),
        planes: run.int("planes").map(|version| version as u32),
        seed: config.size("run", "seed") as u64,
    }
}

/// A network that takes what the game shows and says what the game asks.
pub fn network(config: &Config, game: &AnyGame, order: Order<'_>) -> Result<Network> {
    let (architecture, seed) = (order.architecture, order.seed);
    let features = Shape::features(game.features());
    let (weights, encoding) = match arch::random(architecture, &features, seed) {
        Ok(_) if order.planes.is_some() => {
            bail!(
                "[{}] planes: {architecture} sees features, not planes",
                order.section
            );
        }
        Ok(weights) if architecture.starts_with("patterns") => {
            (of_patterns(weights, game, order)?, None)
        }
        Ok(weights) => (staged(weights, game, order)?, None),
        Err(_) => {
            let (encoding, weights) = over_planes(game, order)?;
            (weights, Some(encoding))
        }
    };
    let made = finished(config, game, weights, encoding, seed)?;
    Ok(match made.meta().shape.policy {
        0 => made,
        _ => without_opinion(made),
    })
}

/// The network with zeros for the last layer of value and policy: every position is worth nothing and all moves are alike, until
/// something was learned. The heads of `a0` see the board through one and two channels; where the first steps of learning
/// have large numbers to bring down, these channels become negative everywhere, and behind ReLU nothing is learned any more.
pub fn without_opinion(mut network: Network) -> Network {
    let Network::Planes { plan, weights, .. } = &mut network else {
        return network;
    };
    let last = |steps: &[Step]| {
        let mut names = steps.iter().rev().filter_map(|step| match step {
            Step::Conv { name, .. } | Step::Dense { name, .. } => Some(name.clone()),
            _ => None,
        });
        names.next()
    };
    let heads = [Some(&plan.value), plan.policy.as_ref()];
    for name in heads.into_iter().flatten().filter_map(|steps| last(steps)) {
        for part in ["weight", "bias"] {
            if let Some(tensor) = weights.get_mut(&format!("{name}.{part}")) {
                tensor.data.fill(0.0);
            }
        }
    }
    network
}

/// A network from `planes` to `policy` outputs on the board of the game's planes number `encoding`.
pub fn part(
    config: &Config,
    game: &AnyGame,
    order: Order<'_>,
    encoding: usize,
    (planes, policy): (usize, usize),
) -> Result<Network> {
    let board = game.shape(encoding);
    let shape = Shape::planes(planes, board.rows, board.columns, policy);
    let weights =
        arch::random(order.architecture, &shape, order.seed).with_context(|| order.named())?;
    finished(config, game, weights, Some(encoding), order.seed)
}

fn finished(
    config: &Config,
    game: &AnyGame,
    mut weights: Weights,
    encoding: Option<usize>,
    seed: u64,
) -> Result<Network> {
    let meta = &mut weights.meta;
    meta.game = config.variant.entry.name.into();
    meta.variant = variant(config);
    meta.origin = format!("treeline learn, seed {seed}, untrained");
    match encoding {
        Some(e) => {
            let encoding = game.encodings()[e];
            meta.encoding = encoding.version;
            meta.view = match encoding.by_mover {
                true => View::Mover,
                false => View::PlayerOne,
            };
        }
        None => meta.encoding = game.features_version(),
    }
    Ok(Network::load(weights)?)
}

/// The weights with the game's stages, where there is more than one.
fn staged(mut weights: Weights, game: &AnyGame, order: Order<'_>) -> Result<Weights> {
    if let Some(tensor) = weights.tensors.get_mut(STAGES) {
        let firsts = stages(game, tensor.data.len()).with_context(|| order.named())?;
        let firsts = firsts.into_iter();
        tensor.data = firsts.map(|first| first as f32).collect();
    }
    Ok(weights)
}

/// The game's own patterns instead of any; weights of zeros, which are as good as others.
fn of_patterns(weights: Weights, game: &AnyGame, order: Order<'_>) -> Result<Weights> {
    let of_game = game.patterns();
    let of_game =
        of_game.with_context(|| format!("{}: the game declares no patterns", order.named()))?;
    let (_, sizes) = arch::parse(order.architecture)?;
    let own = of_game.patterns.iter().map(|pattern| patterns::Pattern {
        places: pattern.places.clone(),
        mirror: pattern.mirror.clone(),
    });
    let tables = patterns::Tables {
        features: game.features(),
        stages: stages(game, sizes.first().copied().unwrap_or(1)).with_context(|| order.named())?,
        patterns: own.collect(),
    };
    tables.check()?;
    Ok(Weights {
        tensors: Patterns::untrained(tables).weights,
        ..weights
    })
}

/// The number of the planes that are wanted.
pub fn encoding(game: &AnyGame, order: Order<'_>) -> Result<usize> {
    let mut encodings = game.encodings().iter();
    let found = encodings.rposition(|encoding| match order.planes {
        Some(version) => encoding.version == version,
        None => encoding.by_mover,
    });
    let section = order.section;
    found.with_context(|| format!("[{section}] planes: the game has no planes of this version"))
}

/// Random weights over planes, with a policy where the architecture has one.
fn over_planes(game: &AnyGame, order: Order<'_>) -> Result<(usize, Weights)> {
    let e = encoding(game, order)?;
    let shape = game.shape(e);
    let of = |policy| {
        let shape = Shape::planes(shape.planes, shape.rows, shape.columns, policy);
        arch::random(order.architecture, &shape, order.seed)
    };
    let weights = of(shape.policy).or_else(|_| of(0));
    Ok((e, weights.with_context(|| order.named())?))
}

#[cfg(test)]
mod tests {
    use super::super::newborn;
    use super::*;
    use crate::learn::config::Method;
    use crate::learn::team::Role;
    use treeline_nets::reference::Reference;

    /// Whether a network says the same of a board of which nothing is known: no value, and of no output more than of another.
    fn is_silent(network: &Network) -> bool {
        let Network::Planes { plan, weights, .. } = network else {
            return false;
        };
        let input: Vec<f32> = (0..plan.input().len()).map(|i| (i % 3) as f32).collect();
        let (value, logits) = Reference::new(plan, weights).forward(&input);
        value == 0.0 && logits.iter().all(|logit| *logit == 0.0)
    }

    #[test]
    fn what_learns_moves_begins_without_an_opinion_and_a_model_with_states() {
        let born = |method: &str, game: &str, architecture: &str| {
            let changes = [("game", game), ("architecture", architecture)];
            let changes = changes.map(|(key, value)| ("run".into(), key.into(), value.into()));
            newborn(&Config::new(Method::find(method).unwrap(), &changes).unwrap()).unwrap()
        };
        for (method, game, architecture) in [
            ("dqn", "connect-four", "a0(1,4,4)"),
            ("alphazero", "hex size=5", "fcgp(1,4,4)"),
            ("alphago", "othello", "a0(1,4,4)"),
            ("hybrid", "draughts", "a0(1,4,4)"),
        ] {
            let team = born(method, game, architecture);
            let all = std::iter::once(&*team).chain(team.others().iter().map(|(_, other)| other));
            assert!(all.clone().all(is_silent), "{method}");
        }
        let model = born("muzero", "connect-four", "fcgp(1,4,4)");
        assert!(is_silent(model.other(Role::Prediction).unwrap()));
        assert!(!is_silent(model.other(Role::Dynamics).unwrap()) && !is_silent(&model));
        // What has no policy begins as it always did.
        assert!(!is_silent(&born("descent", "connect-four", "cnet(4,4)")));
    }
}
