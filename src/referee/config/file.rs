//! Match files and engine files: TOML, with paths relative to the file that names them.

use super::super::board::Variant;
use super::super::clock::Time;
use super::super::spelling::Moves;
use super::{
    Adjudication, Config, EngineSetup, Openings, Pairing, Patience, Protocol, Restart, Scoring,
    Tell,
};
use crate::statistics::sprt::Sprt;
use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Longer files are no settings.
const LARGEST: u64 = 1 << 20;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct File {
    title: Option<String>,
    game: OneOrMore,
    games: Option<u32>,
    seed: Option<u64>,
    concurrency: Option<usize>,
    results: Option<PathBuf>,
    #[serde(default)]
    pairing: Pairing,
    #[serde(default)]
    scoring: Scoring,
    #[serde(default)]
    repetitions: u32,
    #[serde(default)]
    time: Times,
    openings: Option<Opening>,
    #[serde(default)]
    adjudication: Adjudication,
    #[serde(default)]
    patience: Patience,
    sprt: Option<Sprt>,
    #[serde(default)]
    engine: Vec<toml::Table>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Times {
    seconds: Option<f64>,
    main: Option<f64>,
    increment: Option<f64>,
    allowance: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Opening {
    plies: Option<u32>,
    file: Option<PathBuf>,
    #[serde(default)]
    random_seeds: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Engine {
    name: Option<String>,
    /// One of our own searchers with its options, instead of a command.
    searcher: Option<String>,
    memory: Option<u32>,
    command: Option<Command>,
    needs: Option<String>,
    directory: Option<PathBuf>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    protocol: Protocol,
    #[serde(default)]
    plays: Vec<String>,
    #[serde(default)]
    start: Vec<String>,
    new_game: Option<Vec<String>>,
    position: Option<String>,
    genmove: Option<String>,
    time: Option<Tell>,
    stats: Option<String>,
    colours: Option<[String; 2]>,
    #[serde(default)]
    moves: Moves,
    #[serde(default)]
    restart: Restart,
    seconds: Option<f64>,
    allowance: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Command {
    Line(String),
    Words(Vec<String>),
}

/// Reads a match file; an error names the file.
pub fn read(path: &Path) -> Result<Config> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let named = || path.display().to_string();
    let file: File = toml::from_str(&text(path)?).with_context(named)?;
    let mut config = Config::empty();
    config.title = match &file.title {
        Some(title) => title.clone(),
        None => path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
    };
    let games = match &file.game {
        OneOrMore::One(game) => std::slice::from_ref(game),
        OneOrMore::More(games) => games,
    };
    config.variants = games
        .iter()
        .map(|g| Variant::read(g))
        .collect::<Result<_, _>>()
        .with_context(named)?;
    config.games = file.games.unwrap_or(config.games);
    config.seed = file.seed.unwrap_or(config.seed);
    config.concurrency = file.concurrency.unwrap_or(config.concurrency);
    config.results = Some(match &file.results {
        Some(results) => folder.join(results),
        None => path.with_extension("results"),
    });
    (config.pairing, config.scoring) = (file.pairing, file.scoring);
    (config.repetitions, config.sprt) = (file.repetitions, file.sprt);
    (config.adjudication, config.patience) = (file.adjudication, file.patience);
    config.time = file.time.read().with_context(named)?;
    config.allowance = file.time.allowance.unwrap_or(config.allowance);
    if let Some(openings) = &file.openings {
        config.openings = openings.read(folder).with_context(named)?;
    }
    for table in file.engine {
        config.engines.push(engine(table, folder, path)?);
    }
    config.check().with_context(named)?;
    Ok(config)
}

fn text(path: &Path) -> Result<String> {
    let mut text = String::new();
    let opened = std::fs::File::open(path);
    let read = opened.and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text));
    read.with_context(|| path.display().to_string())?;
    if text.len() as u64 > LARGEST {
        let path = path.display();
        bail!("{path}: the file is longer than {LARGEST} bytes");
    }
    Ok(text)
}

impl Times {
    fn read(&self) -> Result<Time> {
        match (self.seconds, self.main, self.increment) {
            (None, None, None) => Ok(Time::Unlimited),
            (Some(seconds), None, None) => Ok(Time::Move(seconds)),
            (None, Some(main), increment) => Ok(Time::Clock {
                main,
                increment: increment.unwrap_or(0.0),
            }),
            _ => Err(anyhow!(
                "time: either seconds for a move, or main with an increment"
            )),
        }
    }
}

impl Opening {
    fn read(&self, folder: &Path) -> Result<Openings> {
        match (self.plies, &self.file, self.random_seeds) {
            (Some(plies), None, false) => Ok(Openings::Plies(plies)),
            (None, None, true) => Ok(Openings::RandomSeeds),
            (None, Some(file), false) => {
                let text = text(&folder.join(file))?;
                let lines = text
                    .lines()
                    .map(|line| line.split('#').next().unwrap_or("").trim());
                Ok(Openings::Lines(
                    lines
                        .filter(|line| !line.is_empty())
                        .map(String::from)
                        .collect(),
                ))
            }
            _ => Err(anyhow!("openings: one of plies, file and random-seeds")),
        }
    }
}

/// An engine of a match file. Keys beside `file` override those in that file.
fn engine(mut table: toml::Table, folder: &Path, path: &Path) -> Result<EngineSetup> {
    anchor(&mut table, folder);
    let base = match table.remove("file") {
        None => None,
        Some(toml::Value::String(file)) => Some(folder.join(file)),
        Some(other) => bail!("{}: engine: file is a path, not {other}", path.display()),
    };
    let mut merged = toml::Table::new();
    if let Some(base) = &base {
        merged = toml::from_str(&text(base)?).with_context(|| base.display().to_string())?;
        anchor(&mut merged, base.parent().unwrap_or(Path::new("")));
    }
    let own_name = table.contains_key("name");
    merged.extend(table);
    let from = base.as_deref().unwrap_or(path);
    let said: Engine = merged
        .try_into()
        .with_context(|| from.display().to_string())?;
    let described = match (&said.name, &said.searcher) {
        (Some(name), _) => name.clone(),
        (None, Some(searcher)) => searcher.split_whitespace().collect::<Vec<_>>().join(" "),
        (None, None) if !own_name && base.is_some() => from
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        (None, None) => bail!("{}: engine: a name is missing", path.display()),
    };
    setup(said, described.clone())
        .with_context(|| format!("{}: engine {described}", path.display()))
}

/// Paths of a table are those of the file it comes from.
fn anchor(table: &mut toml::Table, folder: &Path) {
    if let Some(toml::Value::String(name)) = table.get_mut("name") {
        *name = expand(name);
    }
    if let Some(toml::Value::String(directory)) = table.get_mut("directory") {
        *directory = folder
            .join(expand(directory))
            .to_string_lossy()
            .into_owned();
    }
    let relative = |word: &str| {
        let word = expand(word);
        let path = Path::new(&word);
        match path.is_relative() && path.components().count() > 1 {
            true => absolute(&folder.join(path)),
            false => word,
        }
    };
    let Some(command) = table.get_mut("command") else {
        return;
    };
    match command {
        // Words from here on: the program's path may have blanks in it, other variables may be several words.
        toml::Value::String(line) => {
            let mut words: Vec<String> = Vec::new();
            for word in line.split_whitespace() {
                let path = relative(word);
                match words.is_empty() && Path::new(&path).is_file() {
                    true => words.push(path),
                    false => words.extend(expand(word).split_whitespace().map(String::from)),
                }
            }
            // One that is not there is named with its folder.
            if let Some(first) = words.first_mut() {
                *first = relative(first);
            }
            let words = words.into_iter().map(toml::Value::String);
            *command = toml::Value::Array(words.collect());
        }
        toml::Value::Array(words) => {
            for (i, word) in words.iter_mut().enumerate() {
                if let toml::Value::String(text) = word {
                    *text = if i == 0 { relative(text) } else { expand(text) };
                }
            }
        }
        _ => {}
    }
}

fn absolute(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    path.to_string_lossy().into_owned()
}

/// `${NAME}` and `${NAME:-otherwise}` from the environment.
fn expand(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${") {
        let Some((inside, after)) = behind.split_once('}') else {
            break;
        };
        let (name, otherwise) = inside.split_once(":-").unwrap_or((inside, ""));
        let value = std::env::var(name).ok().filter(|value| !value.is_empty());
        out.push_str(before);
        out.push_str(value.as_deref().unwrap_or(otherwise));
        rest = after;
    }
    out + rest
}

fn setup(said: Engine, name: String) -> Result<EngineSetup> {
    let command = match (&said.searcher, said.command) {
        (Some(searcher), None) => EngineSetup::own_command(searcher, said.memory)?,
        (None, Some(Command::Line(line))) => line.split_whitespace().map(String::from).collect(),
        (None, Some(Command::Words(words))) => words,
        _ => bail!("either a command or a searcher of our own"),
    };
    let mut setup = EngineSetup::new(name, command, said.protocol);
    if let Some(searcher) = &said.searcher {
        setup.speak_our_own(searcher);
    } else if said.memory.is_some() {
        bail!("memory is for our own searchers");
    }
    setup.needs = said.needs;
    setup.directory = said.directory;
    setup.environment = said.environment;
    setup.plays = said.plays;
    if !said.start.is_empty() {
        setup.start = said.start;
    }
    setup.new_game = said.new_game.unwrap_or(setup.new_game);
    setup.position = said.position.or(setup.position);
    setup.genmove = said.genmove.unwrap_or(setup.genmove);
    setup.time = said.time.unwrap_or(setup.time);
    setup.stats = said.stats.or(setup.stats);
    setup.colours = said.colours.unwrap_or(setup.colours);
    setup.moves = Moves {
        pass: said.moves.pass.clone().or(setup.moves.pass),
        ..said.moves
    };
    setup.seconds = said.seconds.or(setup.seconds);
    (setup.restart, setup.allowance) = (said.restart, said.allowance);
    Ok(setup)
}
