//! `treeline match`: the front of the referee. A match is a file, or a game with players that are our own searchers.

mod progress;

use crate::referee::board::Variant;
use crate::referee::clock::Time;
use crate::referee::config::{self, Config, EngineSetup, Openings, Pairing, Part};
use crate::referee::orphans;
use crate::referee::report;
use crate::referee::run::{self, Played};
use crate::session;
use anyhow::{Result, anyhow, bail};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A file names the engines, the games and the rules of the match; tools/matches/ has examples, and docs/referee.md explains \
every key. Its games are kept in its folder of results, and a match that was interrupted goes on when the same command is \
given again. A match of a GAME keeps its games, and goes on, only with --results or --record.")]
pub struct Match {
    /// A match file (FILE.toml), or a game, see 'treeline games'
    #[arg(value_name = "FILE|GAME")]
    what: String,
    /// The variant of the game, as key=value words
    variant: Vec<String>,
    /// A searcher with its options and, if need be, the session's: --player "mcts exploration=1 seconds=0.2"; two or more
    #[arg(long = "player", value_name = "SEARCHER", num_args = 1)]
    players: Vec<String>,
    /// Games of each pair (100 without a file)
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: Option<u32>,
    /// Games at a time, each on one core (all cores without a file)
    #[arg(long, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1024))]
    concurrency: Option<usize>,
    /// Where everything is kept: games, logs, table, plot (beside the file, if there is one)
    #[arg(long, value_name = "FOLDER")]
    results: Option<PathBuf>,
    /// Seconds for a move; 'off' where the players have other limits (0.1 without a file)
    #[arg(long)]
    seconds: Option<String>,
    /// Seconds beyond the limit before a move loses (10 without a file)
    #[arg(long)]
    allowance: Option<f64>,
    /// Random plies that every opening begins with (2 without a file)
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=100))]
    opening: Option<u32>,
    /// MiB for each player (256)
    #[arg(long, value_parser = clap::value_parser!(u32).range(32..))]
    memory: Option<u32>,
    /// Chooses the openings (1)
    #[arg(long)]
    seed: Option<u64>,
    /// Only pairs with the first player
    #[arg(long)]
    first_against_all: bool,
    /// Keep only the games, one JSON object a line, in this file
    #[arg(long, value_name = "FILE", conflicts_with = "results")]
    record: Option<PathBuf>,
    /// Play only this part of a file's games, such as 2/8, for --join; its results need a place of their own
    #[arg(
        long,
        value_name = "K/N",
        requires = "results",
        conflicts_with = "join"
    )]
    part: Option<Part>,
    /// Put the results of parts together instead of playing: their folders
    #[arg(long, value_name = "FOLDER", num_args = 1..)]
    join: Vec<PathBuf>,
    /// Print a JSON object for every pair
    #[arg(long)]
    json: bool,
    /// Print Markdown tables, as without --json
    #[arg(long, hide = true, conflicts_with = "json")]
    markdown: bool,
}

impl Match {
    pub fn run(self) -> Result<()> {
        let config = match Path::new(&self.what).extension() {
            Some(extension) if extension == "toml" => self.read_file(Path::new(&self.what))?,
            _ => self.read_words()?,
        };
        config.check()?;
        if !self.join.is_empty() {
            return self.join(&config);
        }
        crate::cli::stop_on_signals(run::interrupt)?;
        let progress = progress::Progress::new(&config);
        orphans::adopt();
        let played = run::run(&config, &progress);
        orphans::end();
        progress.end();
        self.report(&config, &played?)
    }

    /// Takes over what the parts have; an error where some games are in none.
    fn join(&self, config: &Config) -> Result<()> {
        let (played, missing) = run::join(config, &self.join)?;
        self.report(config, &played)?;
        match missing {
            0 => Ok(()),
            _ => bail!(
                "{missing} games are in none of the parts; the same command without --join plays them"
            ),
        }
    }

    /// What stands in a file; how many games, how many at a time and where they go may be said beside it.
    fn read_file(&self, path: &Path) -> Result<Config> {
        let others = [
            ("--player", !self.players.is_empty()),
            ("--seconds", self.seconds.is_some()),
            ("--allowance", self.allowance.is_some()),
            ("--opening", self.opening.is_some()),
            ("--memory", self.memory.is_some()),
            ("--seed", self.seed.is_some()),
            ("--first-against-all", self.first_against_all),
            ("--record", self.record.is_some()),
            ("a variant", !self.variant.is_empty()),
        ];
        if let Some((name, _)) = others.iter().find(|(_, given)| *given) {
            bail!("the match file says what {name} would say");
        }
        let mut config = config::read(path)?;
        config.games = self.games.unwrap_or(config.games);
        config.concurrency = self.concurrency.unwrap_or(config.concurrency);
        config.results = self.results.clone().or(config.results);
        config.part = self.part;
        Ok(config)
    }

    /// Our own searchers in one game.
    fn read_words(&self) -> Result<Config> {
        if self.part.is_some() || !self.join.is_empty() {
            bail!("--part and --join are for match files");
        }
        if self.what.contains(['/', '.']) {
            bail!("{}: a match file ends in .toml", self.what);
        }
        let variant = Variant::read(&format!("{} {}", self.what, self.variant.join(" ")))?;
        let mut config = Config::empty();
        config.title = variant.name();
        config.variants = vec![variant];
        for player in &self.players {
            config.engines.push(EngineSetup::own(player, self.memory)?);
        }
        if config.engines.len() < 2 {
            bail!("a match takes two --player or more, all different");
        }
        config.games = self.games.unwrap_or(100);
        config.concurrency = self.concurrency.unwrap_or_else(session::options::cores);
        config.seed = self.seed.unwrap_or(config.seed);
        config.openings = Openings::Plies(self.opening.unwrap_or(2));
        config.allowance = self.allowance.unwrap_or(10.0);
        config.time = match self.seconds.as_deref().unwrap_or("0.1") {
            "off" => Time::Unlimited,
            text => {
                let seconds = text.parse();
                Time::Move(
                    seconds
                        .map_err(|_| anyhow!("--seconds takes a number or off, not '{text}'"))?,
                )
            }
        };
        if self.first_against_all {
            config.pairing = Pairing::FirstAgainstAll;
        }
        (config.results, config.journal) = (self.results.clone(), self.record.clone());
        Ok(config)
    }

    fn report(&self, config: &Config, played: &Played) -> Result<()> {
        // The table is shown also where no file can be written.
        let written = match &config.results {
            Some(folder) => report::write(config, played, folder),
            None => Ok(()),
        };
        if self.json {
            super::print(&report::json_lines(config, played))?;
        } else {
            super::print(&report::markdown(config, played))?;
        }
        written?;
        let kept = config.results.is_some() || config.journal.is_some();
        if let Some(error) = &played.failed {
            match kept {
                true => bail!("{error:#}; the same command goes on where this stopped"),
                false => bail!(
                    "{error:#}; these games are counted above and kept nowhere: --results or --record keep them"
                ),
            }
        }
        match (played.interrupted, kept) {
            (true, true) => Err(anyhow!(
                "interrupted; the same command goes on where this stopped"
            )),
            (true, false) => Err(anyhow!(
                "interrupted; these games are lost: --results or --record keep them, and let the same command go on"
            )),
            (false, _) => Ok(()),
        }
    }
}
