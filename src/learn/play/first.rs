//! The networks that a run begins with, and what keeps two networks from being learned with in one.

use super::newborn;
use crate::learn::config::Config;
use crate::learn::team::Team;
use anyhow::{Context, Result, anyhow, bail};
use std::path::Path;
use treeline_nets::NetError;
use treeline_nets::arch::{self, Network, Wanted};
use treeline_nets::file::{Meta, View, Weights};

/// What a configuration calls a network of random weights.
pub const RANDOM: &str = "random";

/// The networks that a run begins with: a file's, where the configuration names one.
pub fn first(config: &Config) -> Result<Team> {
    let random = newborn(config)?;
    let file = config.get("run").name("network");
    if file == RANDOM {
        return Ok(random);
    }
    if !random.others().is_empty() {
        bail!(
            "[run] network: this method begins with several networks, and a file has one: leave it at {RANDOM}"
        );
    }
    let read = Network::read(Path::new(file)).and_then(|network| for_board_of(&random, network));
    let seed = config.size("run", "seed") as u64;
    let read = read.and_then(|network| as_large_as(&random, network, seed));
    let network = read.context("[run] network")?;
    match differs(&random, &network) {
        None => Ok(network.into()),
        Some((what, wanted, found)) => Err(anyhow!(
            "[run] network: {file}: its {what} is '{found}', and '{wanted}' is to be learned"
        )),
    }
}

/// The network made ready for the board of `wanted`, where its architecture plays on every board and only the board is another.
fn for_board_of(wanted: &Network, network: Network) -> Result<Network, NetError> {
    let meta = wanted.meta();
    let board = Wanted {
        game: &meta.game,
        variant: &meta.variant,
        encoding: meta.encoding,
        shape: meta.shape.clone(),
    };
    let Ok(fitted) = network.clone().fit(&board) else {
        return Ok(network);
    };
    let mut weights = fitted.into_weights();
    weights.meta.variant = meta.variant.clone();
    Network::load(weights)
}

/// The network grown to the architecture of `wanted`, where that is the same with larger sizes; pattern tables by the patterns
/// that the game declares, too.
fn as_large_as(wanted: &Network, network: Network, seed: u64) -> Result<Network, NetError> {
    let board = |network: &Network| (network.meta().game.clone(), network.meta().variant.clone());
    // Said of the whole network then, rather than of what does not grow.
    if board(wanted) != board(&network) {
        return Ok(network);
    }
    if let (Network::Patterns { patterns: all, .. }, Network::Patterns { meta, patterns }) =
        (wanted, &network)
    {
        let mut meta = meta.clone();
        meta.architecture = wanted.meta().architecture.clone();
        let tensors = patterns.grown(&all.tables)?.weights;
        return Network::load(Weights { meta, tensors });
    }
    let (text, own) = (&wanted.meta().architecture, &network.meta().architecture);
    let name = |text: &str| arch::parse(text).map(|(found, _)| found.name);
    let stages = match wanted {
        Network::Inc { inc, .. } => inc.tensors().firsts()?,
        _ => Vec::new(),
    };
    match text != own && name(text)? == name(own)? {
        true => network.grow(text, seed, &stages),
        false => Ok(network),
    }
}

/// The first thing, with both sides of it, in which networks differ that weights cannot change.
pub fn differs(wanted: &Network, found: &Network) -> Option<(&'static str, String, String)> {
    let (wanted, found) = (wanted.meta(), found.meta());
    let input = match wanted.shape.input.len() {
        1 => "version of the features",
        _ => "version of the planes",
    };
    let answers = |meta: &Meta| {
        let view = match meta.view {
            View::Mover => "the mover's",
            View::PlayerOne => "player one's",
        };
        format!("{view}, times {}", meta.scale)
    };
    let pairs = [
        ("game", wanted.game.clone(), found.game.clone()),
        ("variant", wanted.variant.clone(), found.variant.clone()),
        (
            "architecture",
            wanted.architecture.clone(),
            found.architecture.clone(),
        ),
        (
            input,
            wanted.encoding.to_string(),
            found.encoding.to_string(),
        ),
        ("value", answers(wanted), answers(found)),
        (
            "number of outputs",
            wanted.shape.policy.to_string(),
            found.shape.policy.to_string(),
        ),
    ];
    pairs.into_iter().find(|(_, wanted, found)| wanted != found)
}

/// The same of the networks that play together.
pub fn teams_differ(wanted: &Team, found: &Team) -> Option<(&'static str, String, String)> {
    let named = |team: &Team| {
        let words = team.others().iter().map(|(role, _)| role.word());
        words.collect::<Vec<_>>().join(", ")
    };
    if named(wanted) != named(found) {
        return Some(("other networks", named(wanted), named(found)));
    }
    let pairs = wanted.others().iter().zip(found.others());
    let of_others = || pairs.into_iter().find_map(|(a, b)| differs(&a.1, &b.1));
    differs(wanted, found).or_else(of_others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::config::Method;
    use treeline_nets::arch::Patterns;

    /// A run of this method that begins with the network of a file, or with random weights.
    fn config(method: &str, architecture: &str, game: &str, network: &str) -> Config {
        let changes = [
            ("architecture", architecture),
            ("game", game),
            ("network", network),
        ];
        let changes = changes.map(|(key, value)| ("run".into(), key.into(), value.into()));
        Config::new(Method::find(method).unwrap(), &changes).unwrap()
    }

    #[test]
    fn pattern_tables_grow_by_stages_and_by_what_the_game_declares() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tables.safetensors");
        let at = |architecture: &str, game: &str, network: &str| {
            config("treestrap", architecture, game, network)
        };
        let of = |architecture: &str, network: &str| at(architecture, "othello", network);
        let three = newborn(&of("patterns(3)", RANDOM)).unwrap();
        let Network::Patterns { meta, patterns } = Network::clone(&three) else {
            unreachable!("tables");
        };
        // What learned before the game declared its last pattern.
        let mut tables = patterns.tables.clone();
        let last = tables.patterns.pop().unwrap();
        let numbers: Vec<f32> = (0..3 * tables.size()).map(|n| (n % 7) as f32).collect();
        let fewer = Patterns::untrained(tables).with_numbers(&numbers, &[1.0, 2.0, 3.0]);
        let weights = Weights {
            meta,
            tensors: fewer.weights.clone(),
        };
        std::fs::write(&file, weights.to_bytes().unwrap()).unwrap();
        let begin = |architecture| first(&of(architecture, file.to_str().unwrap()));
        for (architecture, of_old) in [
            ("patterns(3)", vec![0, 1, 2]),
            ("patterns(6)", vec![0, 0, 1, 1, 2, 2]),
        ] {
            let grown = Network::clone(&begin(architecture).unwrap());
            let random = newborn(&of(architecture, RANDOM)).unwrap();
            assert_eq!(differs(&random, &grown), None);
            let Network::Patterns { patterns: more, .. } = grown else {
                unreachable!("tables");
            };
            assert_eq!(more.tables.patterns.last(), Some(&last));
            let (numbers, bias) = more.numbers();
            let (old, old_bias) = fewer.numbers();
            let size = fewer.tables.size();
            for (stage, before) in of_old.into_iter().enumerate() {
                let (known, new) = numbers[stage * more.tables.size()..].split_at(size);
                assert_eq!(known, &old[before * size..(before + 1) * size]);
                assert!(new[..last.size().unwrap()].iter().all(|w| *w == 0.0));
                assert_eq!(bias[stage], old_bias[before]);
            }
        }
        let refused = format!("{:#}", begin("patterns(4)").unwrap_err());
        assert!(refused.contains("does not grow into stages"), "{refused}");
        // Another board is called so, rather than by what it has.
        let small = newborn(&at("patterns(3)", "othello size=6", RANDOM)).unwrap();
        let weights = Network::clone(&small).into_weights();
        std::fs::write(&file, weights.to_bytes().unwrap()).unwrap();
        let refused = format!("{:#}", begin("patterns(3)").unwrap_err());
        assert!(refused.contains("its variant is 'size=6'"), "{refused}");
    }

    #[test]
    fn small_layers_grow_by_stages_of_their_game() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("inc.safetensors");
        let of = |architecture: &str, game: &str, network: &str| {
            config("treestrap", architecture, game, network)
        };
        let begin = |architecture, game| first(&of(architecture, game, file.to_str().unwrap()));
        let two = newborn(&of("inc(4,3,2)", "draughts", RANDOM)).unwrap();
        let bytes = Network::clone(&two).into_weights().to_bytes().unwrap();
        std::fs::write(&file, bytes).unwrap();
        let four = begin("inc(4,3,4)", "draughts").unwrap();
        let tensor = |network: &Network, name: &str| network.tensors()[name].data.clone();
        assert_eq!(tensor(&two, "stages"), [0.0, 24.0]);
        assert_eq!(tensor(&four, "stages"), [0.0, 16.0, 24.0, 32.0]);
        let [few, many] =
            [0, 1].map(|stage| tensor(&two, "layer2.weight")[3 * stage..][..3].to_vec());
        let expected = [&few[..], &few, &many, &many].concat();
        assert_eq!(tensor(&four, "layer2.weight"), expected);
        for (architecture, game, reason) in [
            ("inc(4,3,3)", "draughts", "does not grow into stages"),
            ("inc(4,3,4)", "breakthrough", "its game is 'draughts'"),
        ] {
            let refused = format!("{:#}", begin(architecture, game).unwrap_err());
            assert!(refused.contains(reason), "{refused}");
        }
    }

    #[test]
    fn a_run_begins_with_a_network_of_another_size_where_its_architecture_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("five.safetensors");
        let of = |architecture: &str, game: &str, network: &str| {
            config("alphazero", architecture, game, network)
        };
        let begin = |architecture: &str| {
            let five = newborn(&of(architecture, "hex size=5", RANDOM)).unwrap();
            let weights = Network::clone(&five).into_weights();
            std::fs::write(&file, weights.to_bytes().unwrap()).unwrap();
            let wider = of(architecture, "hex size=7", file.to_str().unwrap());
            (weights, first(&wider), newborn(&wider).unwrap())
        };
        let (five, seven, random) = begin("fcgp(1,4)");
        let seven = seven.unwrap();
        assert_eq!(seven.meta().variant, "size=7x7");
        assert_eq!(seven.meta().shape, random.meta().shape);
        assert_eq!(seven.tensors(), &five.tensors);
        // With room for more.
        begin("fcgp(1,4)").1.unwrap();
        let larger = of("fcgp(2,6)", "hex size=7", file.to_str().unwrap());
        let grown = first(&larger).unwrap();
        assert_eq!(grown.meta().architecture, "fcgp(2,6)");
        assert_eq!(differs(&newborn(&larger).unwrap(), &grown), None);
        let smaller = of("fcgp(0,6)", "hex size=7", file.to_str().unwrap());
        let refused = format!("{:#}", first(&smaller).unwrap_err());
        assert!(
            refused.contains("fcgp(1,4) has 1 blocks, more than 0"),
            "{refused}"
        );
        let (_, refused, _) = begin("a0(1,4)");
        let refused = refused.unwrap_err().to_string();
        assert!(
            refused.contains("its variant is 'size=5x5', and 'size=7x7'"),
            "{refused}"
        );
    }
}
