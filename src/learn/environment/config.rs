//! The configuration of a run that learns an environment: one commented TOML file whose every key is a row here.

use super::sections::{METHODS, SECTIONS};
use crate::environment::Making;
use crate::learn::config::{Section, known, set_all, set_key, text_of, written};
use crate::options::Values;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::time::Duration;

/// What a run is told to do.
#[derive(Debug, Clone)]
pub struct Config {
    values: Vec<Values>,
}

/// A section, a key, a value.
pub type Change = (String, String, String);

impl Config {
    /// The defaults, changed; an error is a sentence.
    pub fn new(changes: &[Change]) -> Result<Config> {
        let mut values = defaults();
        for (section, key, value) in changes {
            set_key(SECTIONS, &mut values, section, key, value)?;
        }
        let sections = changes.iter().map(|(section, ..)| section.as_str());
        Config { values }.checked(sections)
    }

    /// Whether a file is one of these, and not a run's that learns a game.
    pub fn is_of(path: &Path) -> bool {
        let table: Option<toml::Table> = text_of(path).ok().and_then(|text| text.parse().ok());
        let run = table.as_ref().and_then(|table| table.get("run"));
        run.is_some_and(|run| run.get("environment").is_some())
    }

    /// Reads a run's file; an error names it.
    pub fn read(path: &Path) -> Result<Config> {
        let named = || path.display().to_string();
        let file: toml::Table = toml::from_str(&text_of(path)?).with_context(named)?;
        let mut values = defaults();
        let sections: Vec<String> = file.keys().cloned().collect();
        set_all(SECTIONS, &mut values, file).with_context(named)?;
        let sections = sections.iter().map(String::as_str);
        Config { values }.checked(sections).with_context(named)
    }

    /// Whether the method is one of these, and the sections that were named are its own.
    fn checked<'a>(self, mut sections: impl Iterator<Item = &'a str>) -> Result<Config> {
        let method = self.method();
        if !METHODS.contains(&method) {
            bail!(
                "[run] method: environments are learned by {}, not by {}",
                METHODS.join(", "),
                crate::options::shorten(method)
            );
        }
        let foreign = |name: &&str| {
            let section = SECTIONS.iter().find(|section| section.name == *name);
            section.is_some_and(|section| !is_of_method(section, method))
        };
        if let Some(name) = sections.find(foreign) {
            bail!("[{name}] is nothing that {method} looks at");
        }
        let own = self.own();
        if self.size(own, "first") > self.size(own, "replay") {
            bail!("[{own}] first is more than replay, which would never be so full");
        }
        if method == "alphago" && self.size("alphago", "iteration") > self.size(own, "replay") {
            bail!("[alphago] iteration is more than [{own}] replay, which would never be so full");
        }
        Ok(self)
    }

    /// The same with another value of a key.
    pub fn with(&self, section: &str, key: &str, value: &str) -> Result<Config> {
        let mut values = self.values.clone();
        set_key(SECTIONS, &mut values, section, key, value)?;
        Ok(Config { values })
    }

    /// How it learns.
    pub fn method(&self) -> &str {
        self.get("run").name("method")
    }

    /// The section that says what the method remembers and how it explores.
    pub fn own(&self) -> &'static str {
        match self.method() {
            "dqn" => "dqn",
            _ => "search",
        }
    }

    /// The values of a section.
    pub fn get(&self, name: &str) -> &Values {
        &self.values[known(SECTIONS, name).unwrap_or(0)]
    }

    /// A whole number that cannot be off.
    pub fn size(&self, section: &str, key: &str) -> usize {
        self.get(section).int(key).unwrap_or(0).max(0) as usize
    }

    /// A number that cannot be off.
    pub fn real(&self, section: &str, key: &str) -> f64 {
        self.get(section).real(key).unwrap_or(0.0)
    }

    /// Where this configuration, a run's, is not what `wanted` says of a key.
    pub fn contradicts(&self, wanted: &Config, section: &str, key: &str) -> Option<String> {
        let [old, new] = [self, wanted].map(|config| config.get(section).get(key));
        match (old, new) {
            (Some(old), Some(new)) if old != new => {
                Some(format!("{section}.{key} is {old}, not {new}"))
            }
            _ => None,
        }
    }

    /// How the environment is made.
    pub fn making(&self) -> Making {
        let environment = self.get("environment");
        let small = |key| u32::try_from(self.size("environment", key)).unwrap_or(u32::MAX);
        let program = environment.name("program");
        Making {
            name: self.get("run").name("environment").to_string(),
            program: (program != "gymnasium")
                .then(|| program.split_whitespace().map(String::from).collect()),
            python: environment.name("python").to_string(),
            patience: Duration::from_secs_f64(self.real("environment", "patience")),
            side: self.size("environment", "side"),
            skip: small("skip"),
            no_ops: small("no-ops"),
            sticky: self.real("environment", "sticky"),
            lives: environment.flag("lives"),
            all_actions: environment.flag("all-actions"),
            length: small("length"),
        }
    }

    /// The whole file, with what every key means.
    pub fn to_toml(&self) -> String {
        let mut out = String::from(
            "# A run of 'treeline learn --environment'; docs/environments.md explains it. It can be changed while nothing runs; what\n\
             # changes then holds from where the run stands. Its environment and network stay.\n",
        );
        for (section, values) in SECTIONS.iter().zip(&self.values) {
            if is_of_method(section, self.method()) {
                out += &written(section, values);
            }
        }
        out
    }
}

fn is_of_method(section: &Section, method: &str) -> bool {
    section.methods.is_empty() || section.methods.contains(&method)
}

fn defaults() -> Vec<Values> {
    SECTIONS
        .iter()
        .map(|section| Values::new(section.specs))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_as_the_same() {
        for method in METHODS {
            written_and_read(method);
        }
    }

    fn written_and_read(method: &str) {
        let own = if method == "dqn" { "dqn" } else { "search" };
        let change = |section: &str, key: &str, value: &str| {
            (section.to_string(), key.to_string(), value.to_string())
        };
        let changes = [change("run", "method", method), change(own, "returns", "1")];
        let config = Config::new(&changes).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learn.toml");
        std::fs::write(&path, config.to_toml()).unwrap();
        assert!(Config::is_of(&path));
        let read = Config::read(&path).unwrap();
        assert_eq!(read.to_toml(), config.to_toml());
        assert_eq!(read.size(own, "returns"), 1);
        for own in ["muzero", "alphago"] {
            assert_eq!(read.to_toml().contains(&format!("[{own}]")), method == own);
        }
    }

    #[test]
    fn mistakes_are_named() {
        let error = |section: &str, key: &str, value: &str| {
            let change = (section.into(), key.into(), value.into());
            format!("{:#}", Config::new(&[change]).unwrap_err())
        };
        assert!(
            error("run", "method", "descent")
                .contains("learned by dqn, muzero, alphazero, alphago, not by descent")
        );
        assert!(error("muzero", "unroll", "3").contains("[muzero] is nothing that dqn looks at"));
        assert!(error("dqn", "replay", "5000").contains("first is more than replay"));
        let changes = [
            ("run", "method", "alphago"),
            ("search", "replay", "2000"),
            ("alphago", "iteration", "2001"),
        ];
        let changes = changes.map(|(s, k, v)| (s.into(), k.into(), v.into()));
        let told = Config::new(&changes).unwrap_err().to_string();
        assert!(told.contains("[alphago] iteration is more than [search] replay"));
        assert!(error("dqn", "depth", "1").contains("unknown option 'depth'"));
        assert!(error("play", "games", "1").contains("no section [play]; known: run, stop"));
    }
}
