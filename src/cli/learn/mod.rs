//! `treeline learn`: begins and goes on with runs, draws them, gives their data away.

mod elsewhere;
mod environment;
mod pieces;

use crate::learn::config::{Config, METHODS, Method};
use crate::learn::data::{Npy, Rows, Shards};
use crate::learn::folder::Folder;
use crate::learn::run::{self, Ended, Status, Tell};
use crate::learn::watch;
use crate::learn::{checkpoint, play, study, train};
use crate::session::networks;
use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Subcommand};
use elsewhere::Told;
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  treeline learn breakthrough                       begin, or go on, in the folder breakthrough/
  treeline learn small --game \"hex size=5\" --set stop.minutes=30
  treeline learn zero --game connect-four --method alphazero
  treeline learn pong --environment ALE/Pong-v5
  treeline learn plot breakthrough
  treeline --network breakthrough/network.safetensors

A run may be killed at any time; the same command goes on where it was. --prepare makes a learn.toml that explains every \
key, for --set or to be edited; docs/learning.md says what happens."
)]
pub struct Learn {
    #[command(subcommand)]
    command: Option<Sub>,
    /// A run's folder. Where there is none yet, one is begun; a game's name begins a run of that game
    #[arg(required = true)]
    run: Option<PathBuf>,
    /// What a fresh run plays: a game and its variant
    #[arg(long)]
    game: Option<String>,
    /// What a fresh run learns instead of a game: an environment of Gymnasium's, such as ALE/Pong-v5 (docs/environments.md)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["game", "elsewhere"])]
    environment: Option<String>,
    /// How a fresh run learns: treestrap, descent, alphazero …, see 'treeline learn methods'
    #[arg(long, value_parser = Method::find)]
    method: Option<&'static Method>,
    /// A key of a fresh run's configuration; may be repeated
    #[arg(long = "set", value_name = "SECTION.KEY=VALUE")]
    set: Vec<String>,
    /// Only make the folder with its learn.toml
    #[arg(long)]
    prepare: bool,
    /// Have portions, trainings and matches done by whoever reads stdout and answers on stdin, a JSON object a line, such as
    /// tools/ray/learn.py
    #[arg(long, conflicts_with = "prepare")]
    elsewhere: bool,
}

#[derive(Debug, Subcommand)]
enum Sub {
    /// Draw a run: loss, strength, length of games, error, duplicates, as SVG in its folder plots/
    Plot {
        /// A run's folder
        run: PathBuf,
        /// PNG instead of SVG; only in a build with --features png
        #[arg(long)]
        png: bool,
    },
    /// Write the states that a run has on disk into one file for numpy.load
    Export {
        /// A run's folder
        run: PathBuf,
        /// The file to write, such as states.npy
        file: PathBuf,
        /// Only this many of the newest generations
        #[arg(long)]
        generations: Option<u32>,
    },
    /// Compare a learned model along the moves of fresh games with what it says of the true states, as a table
    Examine {
        /// A run's folder, whose method is muzero
        run: PathBuf,
        /// Games that are played for it; nothing was learned from them
        #[arg(long, default_value_t = 50)]
        games: u32,
        /// Moves along which the model is unrolled, at most
        #[arg(long, default_value_t = 5)]
        steps: usize,
    },
    /// Explain the methods
    Methods,
    #[command(flatten)]
    Piece(pieces::Sub),
}

impl Learn {
    pub fn run(self) -> Result<()> {
        match &self.command {
            Some(Sub::Plot { run, png }) => {
                let format = match png {
                    true => watch::Format::Png,
                    false => watch::Format::Svg,
                };
                let folder = Folder::open(run)?;
                let made = match crate::learn::environment::Config::is_of(&folder.config()) {
                    true => crate::learn::environment::plot(&folder, format)?,
                    false => watch::plot(&folder, format)?,
                };
                let names: Vec<String> = made.iter().map(|p| p.display().to_string()).collect();
                crate::cli::print(&names.join("\n"))
            }
            Some(Sub::Export {
                run,
                file,
                generations,
            }) => export(&Folder::open(run)?, file, *generations),
            Some(Sub::Examine { run, games, steps }) => {
                let folder = Folder::open(run)?;
                let config = Config::read(&folder.config())?;
                let team = checkpoint::Checkpoints::open(&folder.checkpoints())?.newest()?;
                let team = team.map_or_else(|| play::first(&config), |at| Ok(at.player))?;
                let named = || folder.path().display().to_string();
                let found = study::examine(&config, &team, *games, *steps).with_context(named)?;
                crate::cli::print(&found.to_string())
            }
            Some(Sub::Methods) => {
                let lines: Vec<String> = METHODS
                    .iter()
                    .map(|method| format!("{}\n  {}", method.name, method.help))
                    .collect();
                let papers = "NIM, MSB: papers, listed under \"Searchers\" in README.md";
                crate::cli::print(&format!("{}\n\n{papers}", lines.join("\n")))
            }
            Some(Sub::Piece(piece)) => piece.run(),
            None => self.learn(),
        }
    }

    fn learn(&self) -> Result<()> {
        let path = self.run.as_deref().unwrap_or(Path::new(""));
        if self.environment.is_some() || environment::is_there(path) {
            return environment::learn(self, path);
        }
        let folder = match path.join(crate::learn::config::FILE).is_file() {
            true => self.go_on(path)?,
            false => self.begin(path)?,
        };
        if self.prepare {
            return crate::cli::print(&folder.config().display().to_string());
        }
        crate::cli::stop_on_signals(run::interrupt)?;
        if self.elsewhere {
            let ended = run::run(&folder, &Told::default(), Some(elsewhere::wire()))?;
            return report(&folder, &ended, &|text| {
                eprintln!("{text}");
                Ok(())
            });
        }
        let live = Live::new();
        let ended = run::run(&folder, &live, None);
        live.end();
        report(&folder, &ended?, &crate::cli::print)
    }

    /// A run that is there; what the arguments say must be what its file says.
    fn go_on(&self, path: &Path) -> Result<Folder> {
        let folder = Folder::open(path)?;
        let mut changes = self.changes()?;
        if let Some(game) = &self.game {
            changes.push(("run".into(), "game".into(), game.clone()));
        }
        let told = changes.iter().map(|(s, k, _)| (s.as_str(), k.as_str()));
        let told: Vec<_> = self
            .method
            .map(|_| ("run", "method"))
            .into_iter()
            .chain(told)
            .collect();
        if told.is_empty() {
            return Ok(folder);
        }
        let file = folder.config();
        let found = Config::read(&file)?;
        let method = self.method.map_or_else(|| found.method(), Ok)?;
        let wanted = Config::new(method, &changes)?;
        let other = |(section, key): (&str, &str)| found.contradicts(&wanted, section, key);
        match told.into_iter().find_map(other) {
            None => Ok(folder),
            Some(difference) => Err(anyhow!(
                "{}: {difference}; edit it, or leave --game, --method and --set out",
                file.display()
            )),
        }
    }

    fn begin(&self, path: &Path) -> Result<Folder> {
        let name = path.file_name().and_then(|name| name.to_str());
        let game = match (&self.game, name) {
            (Some(game), _) => game.clone(),
            (None, Some(name)) if crate::games::find(name).is_some() => name.into(),
            (None, _) => {
                bail!(
                    "{}: no run is there, and it is no game's name: say --game",
                    path.display()
                );
            }
        };
        let mut changes = self.changes()?;
        changes.insert(0, ("run".into(), "game".into(), game));
        let network = changes
            .iter()
            .rfind(|(s, k, _)| (s.as_str(), k.as_str()) == ("run", "network"));
        if let Some((.., name)) = network.filter(|(.., name)| !networks::is_file(name)) {
            bail!(
                "[run] network: a file is meant, not '{name}'; the program's own networks are those of nets/models/ in its sources"
            );
        }
        let method = self.method.unwrap_or(&METHODS[0]);
        let config = Config::new(method, &changes)?;
        if !self.prepare {
            train::available(&config)?;
        }
        Folder::create(path, method, &changes)
    }

    /// What --set says: section, key, value.
    fn changes(&self) -> Result<Vec<(String, String, String)>> {
        let mut changes = Vec::new();
        for pair in &self.set {
            let split = pair.split_once('=').and_then(|(key, value)| {
                let (section, key) = key.split_once('.')?;
                Some((section.into(), key.into(), value.into()))
            });
            changes.push(
                split.with_context(|| format!("--set takes SECTION.KEY=VALUE, not '{pair}'"))?,
            );
        }
        Ok(changes)
    }
}

/// Says how a run ended, and what comes next.
fn report(folder: &Folder, ended: &Ended, print: &dyn Fn(&str) -> Result<()>) -> Result<()> {
    let standing = &ended.standing;
    // Several networks play together.
    let bundle = folder.network().with_extension("toml");
    let network = match bundle.is_file() {
        true => bundle,
        false => folder.network(),
    };
    print(&format!(
        "{} after {:.1} minutes: {} generations, {} games, {} states",
        if ended.complete {
            "over"
        } else {
            "interrupted"
        },
        standing.seconds / 60.0,
        standing.generation.saturating_sub(1),
        standing.games,
        standing.states,
    ))?;
    match (ended.complete, network.is_file()) {
        (true, true) => {
            print(&format!(
                "play with it: treeline --network {}",
                network.display()
            ))?;
            let last = Config::read(&folder.config())?.last_generation();
            match last.is_some_and(|last| standing.generation > last) {
                true => print("its last stage is over"),
                false => print(&format!(
                    "learn more: a larger limit under [stop] in {}, then: treeline learn {}",
                    folder.config().display(),
                    folder.path().display(),
                )),
            }
        }
        (true, false) => print(&format!(
            "no generation was over before [stop] ended it; see {}",
            folder.config().display()
        )),
        (false, _) => Err(anyhow!("interrupted; the same command goes on")),
    }
}

fn export(folder: &Folder, file: &Path, generations: Option<u32>) -> Result<()> {
    let config = Config::read(&folder.config())?;
    let network = match checkpoint::Checkpoints::open(&folder.checkpoints())?.newest()? {
        Some(checkpoint) => checkpoint.network,
        None => play::first(&config)?,
    };
    let (layout, _) = play::player(&config, &network)?;
    let shards = Shards::open(&folder.data(), layout)?;
    let portions = shards.portions()?;
    let newest = portions.last().map_or(0, |portion| portion.generation);
    let mut bytes = Vec::new();
    for portion in portions {
        let far = newest - portion.generation;
        if generations.is_none_or(|most| far < most) {
            let (rows, _) = shards.read(portion)?;
            bytes.extend_from_slice(rows.bytes());
        }
    }
    let rows = Rows::of(layout, bytes);
    if rows.is_empty() {
        bail!("{}: there are no states yet", folder.data().display());
    }
    treeline_nets::file::replace(file, &Npy::write(&rows))?;
    crate::cli::print(&format!(
        "{} states in {}\n\nimport numpy\nstates = numpy.load(\"{}\")\nprint(states.dtype, states[\"value\"].mean())",
        rows.len(),
        file.display(),
        file.display()
    ))
}

/// The live line: a bar on a terminal, else a line a minute.
struct Live {
    bar: ProgressBar,
    terminal: bool,
    told: Mutex<Option<Instant>>,
}

impl Live {
    fn new() -> Live {
        let (bar, terminal) = crate::cli::bar("{msg}");
        Live {
            bar,
            terminal,
            told: Mutex::new(None),
        }
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }

    /// How it stands.
    fn show(&self, text: String) {
        if self.terminal {
            self.bar.set_message(text);
            self.bar.tick();
            return;
        }
        let Ok(mut told) = self.told.lock() else {
            return;
        };
        if told.is_none_or(|at| at.elapsed() >= Duration::from_secs(60)) {
            *told = Some(Instant::now());
            eprintln!("{text}");
        }
    }

    /// A line that stays.
    fn stay(&self, text: &str) {
        match self.terminal {
            true => self.bar.println(text),
            false => eprintln!("{text}"),
        }
    }
}

impl Tell for Live {
    fn status(&self, status: &Status) {
        self.show(describe(status));
    }

    fn game(&self, opponent: &str, done: usize, of: usize) {
        if self.terminal {
            self.show(format!("match against {opponent}, game {done}/{of}"));
        }
    }

    fn line(&self, text: &str) {
        self.stay(text);
    }
}

fn describe(status: &Status) -> String {
    let clock = |seconds: f64| {
        let seconds = seconds as u64;
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        format!("{hours}:{minutes:02}:{:02}", seconds % 60)
    };
    let of = status
        .limit
        .map_or(String::new(), |limit| format!(" of {}", clock(limit)));
    let loss = match status.loss > 0.0 {
        true => format!(" · loss {:.4}", status.loss),
        false => String::new(),
    };
    let (what, rate) = match status.training {
        true => ("training, step", "samples"),
        false => ("playing, game", "evaluations"),
    };
    format!(
        "{}{of} · generation {} {what} {}/{} · {} {rate}/s · {} games, {} states{loss}",
        clock(status.seconds),
        status.generation,
        status.done,
        status.of,
        short(status.rate),
        status.games,
        short(status.states as f64),
    )
}

fn short(number: f64) -> String {
    match number {
        n if n >= 1e6 => format!("{:.1} M", n / 1e6),
        n if n >= 1e3 => format!("{:.1} k", n / 1e3),
        n => format!("{n:.0}"),
    }
}
