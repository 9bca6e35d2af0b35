//! The configuration of a run that learns an environment: one commented TOML file whose every key is a row here.

use crate::environment::Making;
use crate::learn::config::{
    Section, flag, int, known, real, set_all, set_key, text, text_of, written,
};
use crate::options::Values;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::time::Duration;

const BIG: i64 = 1_000_000_000_000;

/// Where the paper's Table 4.5 (ALPHAS) is silent or learns nothing from frames, values are those of Mnih et al. 2015 (Nature 518) and
/// of Machado et al. 2018, with steps of Adam and a replay for two cores.
pub const SECTIONS: &[Section] = &[
    Section {
        name: "run",
        help: "what learns, and what",
        methods: &[],
        specs: &[
            text(
                "environment",
                "a name of Gymnasium's, such as ALE/Pong-v5 or CartPole-v1",
                "ALE/Pong-v5",
                "what is learned",
            ),
            text(
                "method",
                "dqn",
                "dqn",
                "how: dqn learns environments, all other methods games",
            ),
            int(
                "seed",
                (0, 1 << 31),
                false,
                "1",
                "of weights, actions and episodes",
            ),
            int(
                "threads",
                (1, 1024),
                false,
                "1",
                "that libtorch computes with",
            ),
            text("device", "auto, cpu or cuda:N", "auto", "where it learns"),
        ],
    },
    Section {
        name: "stop",
        help: "when the run is over; what comes first",
        methods: &[],
        specs: &[
            int("minutes", (1, BIG), true, "180", "minutes of work"),
            int(
                "steps",
                (1, BIG),
                true,
                "off",
                "actions; of Atari's games each is environment.skip frames",
            ),
        ],
    },
    Section {
        name: "environment",
        help: "how it is made; from side on, what is for the Arcade Learning Environment (length is for all)",
        methods: &[],
        specs: &[
            text(
                "python",
                "a program",
                "target/environments/bin/python",
                "Python with Gymnasium; tools/environments/setup.sh makes this one",
            ),
            text(
                "program",
                "a command, or gymnasium",
                "gymnasium",
                "another program that speaks as tools/environments/gymnasium_pipe.py does",
            ),
            real(
                "patience",
                (0.1, 1e6),
                false,
                "60",
                "seconds in which it has to answer",
            ),
            int(
                "side",
                (36, 512),
                false,
                "84",
                "rows and columns that frames are scaled to",
            ),
            int(
                "stack",
                (1, 16),
                false,
                "4",
                "newest frames that the network sees",
            ),
            int("skip", (1, 100), false, "4", "frames that an action lasts"),
            int(
                "no-ops",
                (0, 1000),
                false,
                "30",
                "steps of doing nothing at the beginning, at most, by chance",
            ),
            real(
                "sticky",
                (0.0, 1.0),
                false,
                "0",
                "chance that the console repeats the action before (Machado et al. 2018: 0.25)",
            ),
            flag(
                "lives",
                "off",
                "a lost life ends an episode, and the game goes on in the next",
            ),
            flag(
                "all-actions",
                "off",
                "the console's 18 actions, not only those that the game knows",
            ),
            int(
                "length",
                (1, 10_000_000),
                false,
                "27000",
                "steps of an episode, at most",
            ),
        ],
    },
    Section {
        name: "dqn",
        help: "what it learns from, and how it explores",
        methods: &[],
        specs: &[
            int(
                "replay",
                (100, 10_000_000),
                false,
                "100000",
                "steps that are remembered; a frame of 84x84 is 7 KB",
            ),
            int(
                "first",
                (1, BIG),
                false,
                "10000",
                "steps before the first training, by chance alone; after a restart the replay is filled as far again",
            ),
            int(
                "every",
                (1, 1_000_000),
                false,
                "4",
                "steps for each training",
            ),
            int(
                "target",
                (1, BIG),
                false,
                "500",
                "trainings after which the target network becomes the learning one",
            ),
            real("discount", (0.0, 1.0), false, "0.99", "of a step"),
            int(
                "returns",
                (1, 1000),
                false,
                "3",
                "steps whose rewards count before the target network does (n-step returns)",
            ),
            flag(
                "double",
                "on",
                "the learning network chooses the action that the target network judges (van Hasselt et al. 2016)",
            ),
            flag(
                "dueling",
                "on",
                "Q is a value and advantages (Wang et al. 2016)",
            ),
            int("hidden", (1, 65536), false, "512", "the last hidden layer"),
            flag(
                "signs",
                "on",
                "of rewards only the sign is learned (Mnih et al. 2015)",
            ),
            real(
                "epsilon",
                (0.0, 1.0),
                false,
                "1",
                "chance of a random action at first",
            ),
            real("epsilon-end", (0.0, 1.0), false, "0.01", "and in the end"),
            int(
                "epsilon-steps",
                (1, BIG),
                false,
                "50000",
                "steps in which it falls, after the first",
            ),
        ],
    },
    Section {
        name: "train",
        help: "how it learns",
        methods: &[],
        specs: &[
            int(
                "batch",
                (1, 65536),
                false,
                "32",
                "steps that a training shows",
            ),
            real("rate", (1e-9, 10.0), false, "0.00025", "Adam's step size"),
            real("clip", (1e-6, 1e6), true, "10", "longest gradient"),
        ],
    },
    Section {
        name: "save",
        help: "how often it is made safe",
        methods: &[],
        specs: &[real(
            "minutes",
            (0.001, 1e6),
            false,
            "3",
            "between checkpoints, of which the newest is what a killed run goes on from",
        )],
    },
];

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
        Config { values }.checked()
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
        set_all(SECTIONS, &mut values, file).with_context(named)?;
        Config { values }.checked().with_context(named)
    }

    fn checked(self) -> Result<Config> {
        match self.get("run").name("method") {
            "dqn" => {}
            other => bail!(
                "[run] method: environments are learned by dqn, not by {}",
                crate::options::shorten(other)
            ),
        }
        if self.size("dqn", "first") > self.size("dqn", "replay") {
            bail!("[dqn] first is more than replay, which would never be so full");
        }
        Ok(self)
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
            out += &written(section, values);
        }
        out
    }
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
        let change = ("dqn".into(), "returns".into(), "1".into());
        let config = Config::new(&[change]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learn.toml");
        std::fs::write(&path, config.to_toml()).unwrap();
        assert!(Config::is_of(&path));
        let read = Config::read(&path).unwrap();
        assert_eq!(read.to_toml(), config.to_toml());
        assert_eq!(read.size("dqn", "returns"), 1);
    }

    #[test]
    fn mistakes_are_named() {
        let error = |section: &str, key: &str, value: &str| {
            let change = (section.into(), key.into(), value.into());
            format!("{:#}", Config::new(&[change]).unwrap_err())
        };
        assert!(error("run", "method", "alphazero").contains("learned by dqn, not by alphazero"));
        assert!(error("dqn", "replay", "5000").contains("first is more than replay"));
        assert!(error("dqn", "depth", "1").contains("unknown option 'depth'"));
        assert!(error("play", "games", "1").contains("no section [play]; known: run, stop"));
    }
}
