//! A run's configuration: one commented TOML file whose every key is a row of `specs`.

mod kinds;
mod method;
mod own;
mod plan;
mod playing;
mod preset;
mod presets;
mod sheet;
mod specs;
mod words;

pub use kinds::{Section, flag, int, real, text};
pub use method::{Learns, METHODS, Method};
pub use plan::{Seed, Stage, cores};
pub use sheet::{known, set as set_key, set_all, text_of, written};
pub use specs::SECTIONS;
pub use words::{GATE_DRAWS, GATE_FAILED, IMAGES, Images, STATES, States, TRAINS_IN};

use crate::options::Values;
use crate::referee::board::Variant;
use crate::search;
use anyhow::{Context, Result, anyhow};
use std::path::Path;

/// The file of a run's folder.
pub const FILE: &str = "learn.toml";

/// What a run is told to do.
#[derive(Debug, Clone)]
pub struct Config {
    pub variant: Variant,
    /// Whether its file says by which method; those of earlier versions did not.
    named: bool,
    /// One for each section.
    values: Vec<Values>,
}

/// A searcher and its options.
#[derive(Debug, Clone)]
pub struct Searcher {
    pub name: &'static str,
    pub values: Values,
}

impl Searcher {
    /// Reads `NAME key=value …`.
    pub fn read(text: &str) -> Result<Searcher> {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        let entry = search::find(name).with_context(|| {
            let name = crate::options::shorten(name);
            format!("no searcher is called '{name}'; 'treeline config' lists them all")
        })?;
        let mut values = entry.values();
        values
            .set_pairs(words)
            .with_context(|| entry.name.to_string())?;
        Ok(Searcher {
            name: entry.name,
            values,
        })
    }
}

fn method_of_run(name: &str) -> Result<&'static Method> {
    Method::find(name).context("[run] method")
}

impl Config {
    /// A game's configuration by a method, its keys changed as `(section, key, value)` say; an error is a sentence. Where
    /// the changes name another method, it is that one's.
    pub fn new(method: &Method, changes: &[(String, String, String)]) -> Result<Config> {
        let named = |(section, key, _): &&_| (section, key) == (&"run".into(), &"method".into());
        let method = match changes.iter().rfind(named) {
            Some((.., name)) => method_of_run(name)?,
            None => method,
        };
        let mut values = method.values();
        for (section, key, value) in changes {
            set_key(SECTIONS, &mut values, section, key, value)?;
        }
        Config::of(values, true)
    }

    /// By which method it learns.
    pub fn method(&self) -> Result<&'static Method> {
        method_of_run(self.get("run").word("method"))
    }

    /// Reads a run's file; an error names it.
    pub fn read(path: &Path) -> Result<Config> {
        let text = text_of(path)?;
        Config::parse(&text).with_context(|| path.display().to_string())
    }

    /// Reads a file's text; keys that it lacks are as its method has them.
    pub fn parse(text: &str) -> Result<Config> {
        let file: toml::Table = toml::from_str(text)?;
        let named = file.get("run").and_then(|run| run.get("method"));
        let is_named = named.is_some();
        let mut values = match named.and_then(toml::Value::as_str) {
            Some(name) => method_of_run(name)?.values(),
            None => METHODS[0].values(),
        };
        set_all(SECTIONS, &mut values, file)?;
        Config::of(values, is_named)
    }

    fn of(values: Vec<Values>, named: bool) -> Result<Config> {
        let of = |name: &str| section(&values, name);
        let variant = Variant::read(of("run").name("game"))?;
        let config = Config {
            variant,
            named,
            values: values.clone(),
        };
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<()> {
        let play = self.get("play");
        let known = |section: &str, key: &str| {
            let read = Searcher::read(self.get(section).name(key));
            read.map(drop).with_context(|| format!("[{section}] {key}"))
        };
        known("play", "searcher")?;
        known("watch", "searcher")?;
        if play.real("fast").unwrap_or(0.0) > 0.0 {
            known("play", "fast-searcher")?;
        }
        self.opponents()?;
        let counted = ["nodes", "simulations", "depth"].map(|limit| play.int(limit));
        match counted.iter().any(Option::is_some) || play.real("seconds").is_some() {
            true => Ok(()),
            false => Err(anyhow!(
                "[play] needs a limit for its searches: nodes, simulations, depth or seconds"
            )),
        }
    }

    /// Where this configuration, a run's, is not what `wanted` says of a key.
    pub fn contradicts(&self, wanted: &Config, section: &str, key: &str) -> Option<String> {
        if (section, key) == ("run", "method") && !self.named {
            return None;
        }
        let is_game = (section, key) == ("run", "game");
        let [old, new] =
            [self, wanted].map(|config| (&config.variant, config.get(section).get(key)));
        let same = old.1 == new.1
            || is_game && old.0.entry.name == new.0.entry.name && old.0.values == new.0.values;
        match (same, old.1, new.1) {
            (false, Some(old), Some(new)) => Some(format!("{section}.{key} is {old}, not {new}")),
            _ => None,
        }
    }

    /// The values of a section.
    pub fn get(&self, name: &str) -> &Values {
        let at = SECTIONS.iter().position(|section| section.name == name);
        debug_assert!(at.is_some(), "{name}");
        &self.values[at.unwrap_or(0)]
    }

    /// The fixed opponents of its matches, with the text that names each.
    pub fn opponents(&self) -> Result<Vec<(String, Searcher)>> {
        let text = self.get("watch").name("opponents");
        let names = text.split(',').map(str::trim);
        let names = names.filter(|name| !name.is_empty() && *name != "none");
        names
            .map(|name| {
                let read = Searcher::read(name).context("[watch] opponents")?;
                Ok((name.to_string(), read))
            })
            .collect()
    }

    /// The whole number of a key that cannot be off, as a size.
    pub fn size(&self, section: &str, key: &str) -> usize {
        self.get(section).int(key).unwrap_or(0).max(0) as usize
    }

    /// The whole file, with what every key means.
    pub fn to_toml(&self) -> String {
        let mut out = String::from(
            "# A run of 'treeline learn'; docs/learning.md explains it. It can be changed while nothing runs; what changes then\n\
             # holds from where the run stands. What it began with, it keeps: game, architecture and planes; and method says only\n\
             # what keys are that are missing here.\n",
        );
        let own = self.get("run").word("method");
        for (section, values) in SECTIONS.iter().zip(&self.values) {
            if !section.methods.is_empty() && !section.methods.contains(&own) {
                continue;
            }
            out += &written(section, values);
        }
        out
    }
}

fn section<'a>(values: &'a [Values], name: &str) -> &'a Values {
    let at = SECTIONS.iter().position(|section| section.name == name);
    &values[at.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::sheet::LARGEST;
    use super::*;

    #[test]
    fn what_is_written_is_read_as_the_same() {
        for method in METHODS {
            let change = ("play".into(), "games".into(), "7".into());
            let config = Config::new(method, &[change]).unwrap();
            let text = config.to_toml();
            let read = Config::parse(&text).unwrap();
            assert_eq!(read.to_toml(), text, "{}", method.name);
            assert_eq!(read.size("play", "games"), 7);
        }
    }

    #[test]
    fn keys_that_are_missing_are_the_methods() {
        let config = Config::parse("[run]\nmethod = \"alphazero\"\n[play]\ngames = 7\n").unwrap();
        let (play, run) = (config.get("play"), config.get("run"));
        assert_eq!(play.int("simulations"), Some(200));
        assert_eq!((play.int("nodes"), play.int("games")), (None, Some(7)));
        assert_eq!(run.name("architecture"), "a0(4,64)");
        let changes = [("run".into(), "method".into(), "alphazero".into())];
        let config = Config::new(&METHODS[0], &changes).unwrap();
        assert_eq!(config.get("play").int("simulations"), Some(200));
    }

    #[test]
    fn a_file_is_read_to_its_end_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let length = usize::try_from(LARGEST).unwrap();
        std::fs::write(
            &path,
            format!("{}\n[stop]\nminutes = 5\n", "#".repeat(length)),
        )
        .unwrap();
        let error = Config::read(&path).unwrap_err().to_string();
        assert!(error.contains("longer than"), "{error}");
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text: &str| format!("{:#}", Config::parse(text).unwrap_err());
        assert!(error("[plays]\n").contains("no section [plays]; known: run, stop"));
        assert!(error("[play]\ngames = 0\n").contains("[play] option games takes 1.."));
        assert!(error("[play]\ngame = 0\n").contains("unknown option 'game'; known: searcher"));
        assert!(error("games = 3\n").contains("outside"));
        assert!(error("[play]\nsearcher = \"deep-blue\"\n").contains("no searcher is called"));
        assert!(error("[play]\nsearcher = \"ubfm x=1\"\n").contains("ubfm: unknown option 'x'"));
        assert!(error("[play]\nnodes = \"off\"\n").contains("needs a limit"));
        assert!(error("[run]\nmethod = \"luck\"\n").contains("one of treestrap, descent"));
        assert!(error("[run]\ngame = \"go\"\n").contains("unknown game"));
        assert!(error("[watch]\nopponents = \"alpha-beta, x\"\n").contains("'x'"));
    }
}
