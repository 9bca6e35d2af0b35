//! Games that a network plays against itself, and what is learned from them. One searcher plays both sides, so that every
//! way of learning is a searcher, a choice of states and a choice of values.

mod begun;
mod encoder;
mod first;
mod making;
mod opening;
mod player;
mod records;
mod stages;
mod teams;

use super::config::{Config, IMAGES, Images, Learns, STATES, Searcher, States};
use super::data::Layout;
use super::team::{Role, Team};
use crate::eval::network::{self, Backend, PRECISIONS, Place};
use crate::eval::{self, Evaluator, Model};
use crate::game::Planes;
use crate::games::AnyGame;
use crate::search::{self, Equipment, Limits, Resources};
use anyhow::{Context, Result, anyhow, bail};
use encoder::Encoder;
pub use first::{RANDOM, differs, first, teams_differ};
use opening::Opening;
pub use player::Player;
use player::School;
use std::time::Duration;
use treeline_nets::NetError;
use treeline_nets::device::Device;

/// Moves without lessons.
#[derive(Debug, Clone)]
struct Fast {
    share: f64,
    searcher: Searcher,
    limits: Limits,
}

/// What the configuration says of games.
#[derive(Debug, Clone)]
struct SelfPlayConfig {
    searcher: Searcher,
    /// That of matches.
    watching: Searcher,
    /// The game's.
    limits: Limits,
    memory: usize,
    opening: Opening,
    epsilon: f64,
    /// What epsilon falls to, in how many games.
    fall: Option<(f64, u32)>,
    temperature: f64,
    temperature_plies: u32,
    fast: Option<Fast>,
    /// Share of games that end where the game proves the result.
    known_ends: f64,
    longest: Option<u32>,
    states: States,
    inner: Option<usize>,
    inner_depth: u32,
    /// Whether states in which all moves are captures are left out.
    quiet: bool,
    images: Images,
}

impl SelfPlayConfig {
    fn new(config: &Config) -> Result<SelfPlayConfig> {
        let (play, data) = (config.get("play"), config.get("data"));
        let real = |name| play.real(name).unwrap_or(0.0);
        let count = |name| play.int(name).map(|n| n as u64);
        let seconds = play.real("seconds");
        let fast = real("fast");
        let rows = matches!(config.method()?.learns, Learns::Rows);
        Ok(SelfPlayConfig {
            searcher: Searcher::read(play.name("searcher"))?,
            watching: Searcher::read(config.get("watch").name("searcher"))?,
            limits: Limits {
                time: seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()),
                simulations: count("simulations"),
                nodes: count("nodes"),
                depth: play.int("depth").map(|n| n as u32),
            },
            memory: config.size("play", "memory") << 20,
            opening: Opening::new(config),
            epsilon: real("epsilon"),
            fall: fall(config)?,
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
            known_ends: real("known-ends"),
            longest: play.int("longest").map(|n| n as u32),
            states: STATES.read(data, "states"),
            inner: data.int("inner").map(|n| n as usize),
            inner_depth: data.int("inner-depth").unwrap_or(0) as u32,
            // Methods with a course of their own find all states as they were, and take images in training.
            quiet: rows && data.flag("quiet"),
            images: match rows {
                true => IMAGES.read(data, "images"),
                false => Images::None,
            },
        })
    }

    /// The chance of a random move in this game of the run.
    fn epsilon(&self, number: u32) -> f64 {
        match self.fall {
            Some((end, games)) => {
                let passed = (f64::from(number) / f64::from(games)).min(1.0);
                self.epsilon + passed * (end - self.epsilon)
            }
            None => self.epsilon,
        }
    }
}

fn fall(config: &Config) -> Result<Option<(f64, u32)>> {
    let own = config.get("dqn");
    Ok(match config.method()?.learns {
        Learns::Q => {
            let games = config.size("dqn", "epsilon-games") as u32;
            own.real("epsilon-end").map(|end| (end, games))
        }
        _ => None,
    })
}

/// Where networks run in games.
pub fn backend(config: &Config) -> Result<Backend> {
    let run = config.get("run");
    Ok(Backend {
        device: device(config)?,
        precision: PRECISIONS.read(run, "precision"),
        images: eval::IMAGES.read(config.get("play"), "images"),
    })
}

/// The device that the configuration names.
pub fn device(config: &Config) -> Result<Device> {
    let text = config.get("run").name("device");
    text.parse().context("[run] device")
}

/// Networks that know nothing: of random weights.
pub fn newborn(config: &Config) -> Result<Team> {
    teams::random(config, &game(config)?)
}

/// The game to be learned.
pub fn game(config: &Config) -> Result<AnyGame> {
    let variant = &config.variant;
    Ok(variant.entry.open(&variant.values)?)
}

/// How the rows of a network's games are laid out.
pub fn layout(config: &Config, team: &Team) -> Result<Layout> {
    rows_of(&game(config)?, team).map(|encoder| encoder.layout())
}

fn rows_of(game: &AnyGame, team: &Team) -> Result<Encoder> {
    let meta = team.meta();
    // A model's policy is not that of its first network, and not all that its prediction says.
    let model = team.other(Role::Dynamics).is_some();
    let policy = match model {
        true => {
            let mut encodings = game.encodings().iter();
            let found = encodings.position(|encoding| encoding.version == meta.encoding);
            found.map_or(0, |e| game.shape(e).policy)
        }
        false => meta.shape.policy,
    };
    let encoder = Encoder::new(game, meta, team.sees_features(), policy)?;
    Ok(encoder.with_model(model))
}

/// The first of the players of a generation; `another` gives more.
pub fn player(config: &Config, team: &Team) -> Result<(Layout, Player)> {
    let game = game(config)?;
    let place = Place {
        game: config.variant.entry.name,
        variant: &making::variant(config),
    };
    let backend = backend(config)?;
    let (evaluator, notice) = team.load(&game, place, backend)?;
    match (notice, backend.device) {
        // A GPU with a number is insisted on.
        (Some(notice), Device::Cuda(_)) => bail!("[run] device: {notice}"),
        (Some(notice), _) => log::warn!("{notice}"),
        (None, _) => {}
    }
    let encoder = rows_of(&game, team)?;
    let layout = encoder.layout();
    let settings = SelfPlayConfig::new(config)?;
    if config.method()?.learns != Learns::Stages {
        return Ok((layout, Player::new(game, evaluator, encoder, settings)));
    }
    let former = team
        .former()
        .map(|network| Ok(network::load(&game, place, network, backend)?.evaluator));
    let former = former.collect::<Result<_, NetError>>()?;
    let player = Player::new(game, evaluator, encoder, settings);
    Ok((layout, player.at_school(School::new(config, former))))
}

/// The learned model that a team's networks are; none where they are none.
pub fn model(config: &Config, team: &Team) -> Result<Option<Box<dyn Model<AnyGame>>>> {
    let place = Place {
        game: config.variant.entry.name,
        variant: &making::variant(config),
    };
    let (evaluator, _) = team.load(&game(config)?, place, backend(config)?)?;
    Ok(evaluator.model())
}

/// Whether the game knows every searcher of the configuration with its options: what would else be found out in the first game,
/// or in the first match.
pub fn check(config: &Config, team: &Team) -> Result<()> {
    let game = game(config)?;
    let place = Place {
        game: config.variant.entry.name,
        variant: &making::variant(config),
    };
    // What a searcher says of its options depends on no device.
    let backend = Backend {
        device: Device::Cpu,
        ..Backend::default()
    };
    let (evaluator, _) = team.load(&game, place, backend)?;
    let build = |key: &str, named: &Searcher, network| {
        let resources = Resources {
            threads: 1,
            memory: 1 << 20,
            seed: Some(1),
        };
        let equipment = Equipment {
            network,
            ..resources.into()
        };
        let built = search::build(named.name, &game, &named.values, equipment);
        let refused = |e| anyhow!("{key}: {}: {e}", named.name);
        built.map(drop).map_err(refused)
    };
    let (play, watch) = (config.get("play"), config.get("watch"));
    let read = Searcher::read;
    let learner = Some(&*evaluator);
    // Games that others play are played without the network.
    let teacher = learner.filter(|_| config.stage(1).is_none());
    Opening::new(config).check(&*evaluator)?;
    check_value_passes(config, &*evaluator)?;
    build("[play] searcher", &read(play.name("searcher"))?, teacher)?;
    if play.real("fast").unwrap_or(0.0) > 0.0 {
        let fast = read(play.name("fast-searcher"))?;
        build("[play] fast-searcher", &fast, learner)?;
    }
    if config.stage(1).is_some()
        && config.get("alphago").name("records") != records::NONE
        && team.former().next().is_none()
    {
        // Nothing has been learned from them yet.
        records::read(config, &game)?;
    }
    build("[watch] searcher", &read(watch.name("searcher"))?, learner)?;
    for (_, opponent) in config.opponents()? {
        build("[watch] opponents", &opponent, None)?;
    }
    Ok(())
}

/// Whether values can be learned less often than policies, where the configuration says so.
fn check_value_passes(config: &Config, evaluator: &dyn Evaluator<AnyGame>) -> Result<()> {
    if config.get("train").real("value-passes").is_none() {
        return Ok(());
    }
    let why = match config.method()?.learns {
        Learns::Rows if !evaluator.has_policy() => {
            "the network has no policy, which would learn alone"
        }
        Learns::Rows if config.value_share() > 1.0 => "there are no more than passes",
        Learns::Rows => return Ok(()),
        _ => "this method shows values in its own way; leave it off",
    };
    bail!("[train] value-passes: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::config::Method;
    use crate::learn::data::{Game, Kind, Rows};

    fn player_of(method: &str, changes: &[(&str, &str, &str)]) -> (Layout, Player) {
        let owned = |(a, b, c): &(&str, &str, &str)| ((*a).into(), (*b).into(), (*c).into());
        let changes: Vec<_> = [("run", "game", "connect-four width=4 height=4")]
            .iter()
            .chain(changes)
            .map(owned)
            .collect();
        let config = Config::new(Method::find(method).unwrap(), &changes).unwrap();
        let team = newborn(&config).unwrap();
        check(&config, &team).unwrap();
        player(&config, &team).unwrap()
    }

    /// The rows of a game that somebody won, those of random endings, and the game.
    fn played(method: &str, changes: &[(&str, &str, &str)]) -> (Layout, Rows, Rows, Game) {
        let (layout, mut player) = player_of(method, changes);
        let decided = (0..50).find_map(|seed| {
            let mut rows = Rows::new(layout);
            let game = player.game(0, seed, &mut rows, &|| false).unwrap().unwrap();
            (game.result != 0).then_some((rows, game))
        });
        let (rows, game) = decided.unwrap();
        let mut ends = Rows::new(layout);
        player.endings(20, 1, &mut ends).unwrap();
        (layout, rows, ends, game)
    }

    #[test]
    fn policies_are_the_searchers_own() {
        // Four simulations visit at most four moves by whole shares; Gumbel's improved policy has all, by any.
        let changes = [
            ("run", "architecture", "a0(1,4)"),
            ("play", "searcher", "puct root=gumbel gumbel-moves=2"),
            ("play", "simulations", "4"),
            ("play", "temperature", "0"),
            ("data", "images", "none"),
        ];
        for states in ["root", "tree"] {
            let changes = [&changes[..], &[("data", "states", states)]].concat();
            let (layout, rows, ..) = played("alphazero", &changes);
            let policy: Vec<f32> = layout.policy(rows.get(0)).collect();
            let open = policy.iter().filter(|share| **share > 0.0).count();
            assert_eq!(open, 4, "{states}: {policy:?}");
        }
        // Alpha-beta's is its move.
        let changes = [
            ("run", "architecture", "a0(1,4)"),
            ("play", "nodes", "50"),
            ("data", "states", "root"),
        ];
        let (layout, rows, ..) = played("treestrap", &changes);
        let policy: Vec<f32> = layout.policy(rows.get(0)).collect();
        assert_eq!(policy.iter().filter(|share| **share == 1.0).count(), 1);
        assert_eq!(policy.iter().sum::<f32>(), 1.0);
    }

    #[test]
    fn where_the_swap_may_come_games_teach_that_went_on_without() {
        let changes = [
            ("run", "game", "hex size=3 swap=on"),
            ("run", "architecture", "fcgp(1,4)"),
            ("run", "planes", "4"),
            ("play", "simulations", "8"),
            ("data", "images", "none"),
        ];
        let (layout, mut player) = player_of("alphazero", &changes);
        let mut met = [0; 2];
        for seed in 0..40 {
            let mut rows = Rows::new(layout);
            let game = player.game(0, seed, &mut rows, &|| false).unwrap().unwrap();
            let swapped = game.moves.split(' ').nth(1) == Some("swap-pieces");
            met[usize::from(swapped)] += 1;
            let all = (0..rows.len()).map(|i| (layout.row(rows.get(i)), rows.get(i)));
            let all = all.filter(|(row, _)| row.kind == Kind::Root);
            let plies: Vec<_> = all.clone().map(|(row, _)| usize::from(row.ply)).collect();
            // Nothing is learned about the empty board, which the network is not asked about.
            let first = if swapped { 2 } else { 1 };
            assert_eq!(plies, (first..game.plies as usize).collect::<Vec<_>>());
            for (row, bytes) in all.filter(|(row, _)| row.ply == 1) {
                assert_eq!(row.value, row.result);
                let sum: f32 = layout.policy(bytes).sum();
                assert!((sum - 1.0).abs() < 1e-3, "{sum}");
            }
        }
        assert!(met.iter().all(|count| *count > 3), "{met:?}");
        // A model is asked about it.
        let changes: Vec<_> = changes
            .iter()
            .filter(|c| c.1 != "architecture")
            .copied()
            .collect();
        let (layout, mut player) = player_of("muzero", &changes);
        let mut rows = Rows::new(layout);
        player.game(0, 0, &mut rows, &|| false).unwrap().unwrap();
        assert_eq!(layout.row(rows.get(0)).ply, 0);
    }

    #[test]
    fn all_images_are_those_that_differ() {
        for (method, architecture) in [("descent", "inc(8)"), ("alphazero", "a0(1,4)")] {
            let of = |images| {
                let changes = [
                    ("run", "game", "breakthrough size=6x6"),
                    ("run", "architecture", architecture),
                    ("play", "nodes", "30"),
                    ("data", "states", "root"),
                    ("data", "images", images),
                ];
                played(method, &changes)
            };
            let (_, states, _, game) = of("none");
            let (_, images, ..) = of("all");
            assert!(states.len() >= game.plies as usize);
            // Breakthrough has four images; those with the players exchanged look like the others. The first position is its own
            // mirror, where no policy is that is not.
            assert!(images.len() <= 2 * states.len(), "{}", images.len());
            assert!(3 * states.len() < 2 * images.len(), "{}", images.len());
            let all: std::collections::HashSet<_> =
                (0..images.len()).map(|i| images.get(i)).collect();
            assert_eq!(all.len(), images.len());
        }
    }

    #[test]
    fn results_are_worth_what_the_searcher_says() {
        let changes = [
            ("run", "architecture", "inc(8)"),
            ("play", "searcher", "descent ends=depth"),
            ("play", "nodes", "30"),
            ("data", "states", "terminal"),
        ];
        let (layout, rows, ends, game) = played("descent", &changes);
        // Of 16 plies, one more for each that was not needed.
        let worth = f32::from(game.result) * (17.0 - game.plies as f32).max(1.0) / 16.0;
        for i in 0..rows.len() {
            assert_eq!(layout.row(rows.get(i)).result.abs(), worth.abs());
        }
        let last = layout.row(rows.get(rows.len() - 1));
        assert_eq!((last.kind, last.value.abs()), (Kind::Finished, worth.abs()));
        let all = (0..ends.len()).map(|i| layout.row(ends.get(i)).value.abs());
        let all: Vec<f32> = all.collect();
        assert!(
            all.iter().any(|value| (0.05..0.95).contains(value)),
            "{all:?}"
        );
    }
}
