//! A portion of a generation's games: from settings, a network and two numbers to rows and games.

use crate::learn::config::{Config, Seed};
use crate::learn::data::{Game, Layout, Portion, Rows, Shards};
use crate::learn::play::{self, Player};
use crate::learn::team::Team;
use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use treeline_nets::file::bytes_of;

/// A portion that was played.
#[derive(Debug, Clone)]
pub struct Made {
    pub portion: Portion,
    pub rows: Rows,
    pub games: Vec<Game>,
}

/// Plays a portion; `each` is told of every game. None where `over` broke it off.
pub fn play(
    config: &Config,
    player: &mut Player,
    layout: Layout,
    portion: Portion,
    over: &dyn Fn() -> bool,
    each: &mut dyn FnMut(&Game),
) -> Result<Option<Made>> {
    let Portion { generation, number } = portion;
    let before = config.games_before(generation);
    let (mut rows, mut games) = (Rows::new(layout), Vec::new());
    for index in config.games_of(generation, number) {
        let seed = config.seed(Seed::Game, generation, index as u64);
        let Some(game) = player.game((before + index) as u32, seed, &mut rows, over)? else {
            return Ok(None);
        };
        each(&game);
        games.push(game);
    }
    Ok(Some(Made {
        portion,
        rows,
        games,
    }))
}

/// The files of a portion that is to be played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortionOf {
    /// A run's learn.toml.
    pub settings: PathBuf,
    /// The network that plays, with what lies beside it where the method has several; none for the one that a run begins with.
    #[serde(default)]
    pub network: Option<PathBuf>,
    /// From 1.
    pub generation: u32,
    /// From 0.
    pub number: u32,
    /// The folder that the rows and games are written to.
    pub out: PathBuf,
}

impl PortionOf {
    pub fn portion(&self) -> Portion {
        Portion {
            generation: self.generation,
            number: self.number,
        }
    }

    /// Plays it on `bench`; its files, in the order in which they have to appear, and its games. None where `over` broke it off.
    pub(super) fn run(
        &self,
        bench: &mut Bench,
        over: &dyn Fn() -> bool,
    ) -> Result<Option<([PathBuf; 2], Made)>> {
        let portion = self.portion();
        let set = bench.set(&self.settings, self.network.as_deref())?;
        let there = set.config.portions(portion.generation);
        if portion.generation == 0 || portion.number >= there {
            bail!(
                "there is no portion {} of generation {}: generations begin with 1, and this one has portions 0 to {}",
                portion.number,
                portion.generation,
                there - 1
            );
        }
        let shards = Shards::open(&self.out, set.layout)?;
        let played = play(
            &set.config,
            &mut set.player,
            set.layout,
            portion,
            over,
            &mut |_| (),
        )?;
        let Some(made) = played else {
            return Ok(None);
        };
        shards.write(portion, &made.rows, &made.games)?;
        Ok(Some((shards.files(portion), made)))
    }
}

/// What the last portion was played with, kept for the next one.
#[derive(Default)]
pub struct Bench(Option<Set>);

struct Set {
    settings: Vec<u8>,
    /// Of each of its files; none: the first.
    networks: Vec<Vec<u8>>,
    config: Config,
    layout: Layout,
    player: Player,
}

impl Bench {
    /// The player that two files describe: the one at hand where their bytes are the same.
    fn set(&mut self, settings: &Path, network: Option<&Path>) -> Result<&mut Set> {
        let text = bytes_of(settings)?;
        let files = network.map(Team::files).unwrap_or_default();
        let networks: Vec<_> = files
            .iter()
            .map(|file| bytes_of(file))
            .collect::<Result<_, _>>()?;
        let set = match self.0.take() {
            Some(set) if set.settings == text && set.networks == networks => set,
            _ => {
                let config = Config::read(settings)?;
                let net = match network {
                    Some(path) => Team::read(path)?,
                    None => play::first(&config)?,
                };
                let (layout, player) = play::player(&config, &net)?;
                Set {
                    settings: text,
                    networks,
                    config,
                    layout,
                    player,
                }
            }
        };
        Ok(self.0.insert(set))
    }
}
