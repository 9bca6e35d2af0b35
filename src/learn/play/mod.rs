//! Games that a network plays against itself, and what is learned from them. One searcher plays both sides, so that every
//! way of learning is a searcher, a choice of states and a choice of values.

mod encoder;
mod player;

use super::config::{Config, Searcher};
use super::data::{Game, Layout, Rows};
use crate::eval::network::{self, Backend, Place, Precision};
use crate::game::Notation;
use crate::games::Visitor;
use crate::search::Limits;
use encoder::Encoder;
use player::Player;
use std::path::Path;
use std::time::Duration;
use treeline_nets::arch::{self, Network};
use treeline_nets::device::Device;
use treeline_nets::file::{Meta, Shape, View};

/// Plays on one thread.
pub trait Play: Send {
    /// Plays game number `number`, a pure function of the network and of `seed` where no limit is a time, and adds its
    /// states to `rows`.
    fn game(&mut self, number: u32, seed: u64, rows: &mut Rows) -> Result<Game, String>;

    /// Adds the last positions of `count` random games.
    fn endings(&mut self, count: usize, seed: u64, rows: &mut Rows);

    /// One for another thread.
    fn another(&self) -> Box<dyn Play>;
}

/// Which states are learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum States {
    Terminal,
    Root,
    Tree,
}

/// Which symmetric images of a state are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Images {
    None,
    Random,
    All,
}

/// Moves without lessons.
#[derive(Debug, Clone)]
struct Fast {
    share: f64,
    searcher: Searcher,
    limits: Limits,
}

/// What the configuration says of games.
#[derive(Debug, Clone)]
struct Settings {
    searcher: Searcher,
    limits: Limits,
    memory: usize,
    opening: u32,
    epsilon: f64,
    temperature: f64,
    temperature_plies: u32,
    fast: Option<Fast>,
    longest: Option<u32>,
    states: States,
    inner: Option<usize>,
    images: Images,
}

impl Settings {
    fn new(config: &Config) -> Result<Settings, String> {
        let (play, data) = (config.get("play"), config.get("data"));
        let real = |name| play.real(name).unwrap_or(0.0);
        let count = |name| play.int(name).map(|n| n as u64);
        let seconds = play.real("seconds");
        let fast = real("fast");
        Ok(Settings {
            searcher: Searcher::read(play.name("searcher"))?,
            limits: Limits {
                time: seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()),
                simulations: count("simulations"),
                nodes: count("nodes"),
                depth: play.int("depth").map(|n| n as u32),
            },
            memory: config.size("play", "memory") << 20,
            opening: config.size("play", "opening") as u32,
            epsilon: real("epsilon"),
            temperature: real("temperature"),
            temperature_plies: config.size("play", "temperature-plies") as u32,
            fast: match fast > 0.0 {
                true => Some(Fast {
                    share: fast,
                    searcher: Searcher::read(play.name("fast-searcher"))?,
                    limits: Limits {
                        simulations: count("fast-simulations"),
                        ..Limits::default()
                    },
                }),
                false => None,
            },
            longest: play.int("longest").map(|n| n as u32),
            states: match data.word("states") {
                "terminal" => States::Terminal,
                "root" => States::Root,
                _ => States::Tree,
            },
            inner: data.int("inner").map(|n| n as usize),
            images: match data.word("images") {
                "none" => Images::None,
                "all" => Images::All,
                _ => Images::Random,
            },
        })
    }
}

/// The variant in the words that network files use.
fn variant(config: &Config) -> String {
    config.variant.values.changed()
}

/// Where networks run in games.
pub fn backend(config: &Config) -> Result<Backend, String> {
    let run = config.get("run");
    Ok(Backend {
        device: device(config)?,
        precision: Precision::of(run.word("precision")),
    })
}

/// The device that the configuration names.
pub fn device(config: &Config) -> Result<Device, String> {
    let text = config.get("run").name("device");
    text.parse().map_err(|e| format!("[run] device: {e}"))
}

/// A network that knows nothing: of random weights.
pub fn newborn(config: &Config) -> Result<Network, String> {
    struct Make<'a>(&'a Config);
    impl Visitor for Make<'_> {
        type Output = Result<Network, String>;
        fn visit<G: Notation>(self, game: G) -> Self::Output {
            make(self.0, &game)
        }
    }
    config
        .variant
        .entry
        .with(&config.variant.values, Make(config))
        .map_err(|e| e.to_string())?
}

/// What a configuration calls a network of random weights.
pub const RANDOM: &str = "random";

/// The network that a run begins with: a file's, where the configuration names one.
pub fn first(config: &Config) -> Result<Network, String> {
    let random = newborn(config)?;
    let file = config.get("run").name("network");
    if file == RANDOM {
        return Ok(random);
    }
    let network = Network::read(Path::new(file)).map_err(|e| format!("[run] network: {e}"))?;
    match differs(&random, &network) {
        None => Ok(network),
        Some((what, wanted, found)) => Err(format!(
            "[run] network: {file}: its {what} is '{found}', and '{wanted}' is to be learned"
        )),
    }
}

/// The first thing, with both sides of it, in which networks differ that weights cannot change.
pub fn differs(wanted: &Network, found: &Network) -> Option<(&'static str, String, String)> {
    let (wanted, found) = (wanted.meta(), found.meta());
    let input = match wanted.architecture.starts_with("inc") {
        true => "version of the features",
        false => "version of the planes",
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
    ];
    pairs.into_iter().find(|(_, wanted, found)| wanted != found)
}

fn make<G: Notation>(config: &Config, game: &G) -> Result<Network, String> {
    let run = config.get("run");
    let (architecture, seed) = (run.name("architecture"), config.size("run", "seed") as u64);
    let features = Shape::features(game.features());
    let (mut weights, encoding) = match arch::random(architecture, &features, seed) {
        Ok(_) if run.int("planes").is_some() => {
            return Err(format!(
                "[run] planes: {architecture} sees features, not planes"
            ));
        }
        Ok(weights) => (weights, None),
        Err(_) => {
            let (encoding, weights) = over_planes(config, game, architecture, seed)?;
            (weights, Some(encoding))
        }
    };
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
    Network::load(weights).map_err(|e| e.to_string())
}

/// Random weights over the planes that the configuration names, with a policy where the architecture has one.
fn over_planes<G: Notation>(
    config: &Config,
    game: &G,
    architecture: &str,
    seed: u64,
) -> Result<(usize, treeline_nets::file::Weights), String> {
    let encodings = game.encodings();
    let wanted = config.get("run").int("planes");
    let e = encodings.iter().position(|encoding| match wanted {
        Some(version) => i64::from(encoding.version) == version,
        None => encoding.by_mover,
    });
    let e = e.ok_or("[run] planes: the game has no planes of this version")?;
    let shape = game.shape(e);
    let of = |policy| {
        let shape = Shape::planes(shape.planes, shape.rows, shape.columns, policy);
        arch::random(architecture, &shape, seed)
    };
    let weights = of(shape.policy).or_else(|_| of(0));
    Ok((e, weights.map_err(|e| format!("[run] architecture: {e}"))?))
}

/// The first of the players of a generation; `another` gives more.
pub fn player(config: &Config, network: &Network) -> Result<(Layout, Box<dyn Play>), String> {
    struct Make<'a>(&'a Config, &'a Network);
    impl Visitor for Make<'_> {
        type Output = Result<(Layout, Box<dyn Play>), String>;
        fn visit<G: Notation>(self, game: G) -> Self::Output {
            let Make(config, network) = self;
            let place = Place {
                game: config.variant.entry.name,
                variant: &variant(config),
            };
            let loaded = network::load(&game, place, network, backend(config)?);
            let loaded = loaded.map_err(|e| e.to_string())?;
            if let Some(notice) = loaded.notice {
                log::warn!("{notice}");
            }
            let encoder = Encoder::new(
                &game,
                network.meta(),
                matches!(network, Network::Inc { .. }),
            )?;
            let layout = encoder.layout();
            let settings = Settings::new(config)?;
            let player = Player::new(game, loaded.evaluator, encoder, settings);
            Ok((layout, Box::new(player)))
        }
    }
    config
        .variant
        .entry
        .with(&config.variant.values, Make(config, network))
        .map_err(|e| e.to_string())?
}
