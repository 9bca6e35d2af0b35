//! One engine of a match: how to start it and its dictionary.

use super::super::board::Variant;
use super::super::clock::{Budget, Time};
use super::super::process::Program;
use super::super::spelling::Moves;
use super::super::template::{Fill, UnknownGap};
use anyhow::{Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Characters of an engine's name; the file of its log has them in its own.
const LONGEST_NAME: usize = 200;

/// What an engine speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    #[default]
    Gtp,
    /// Hub, version 2: draughts.
    Hub,
    /// Othello.
    Nboard,
}

/// How a GTP engine is told the time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "TellText", into = "TellText")]
pub enum Tell {
    /// Not at all: its command line or its setup says what it may use.
    Nothing,
    /// By `time_settings` and `time_left`.
    TimeSettings,
    /// The same for clocks, and our own `set_option seconds` for a fixed time a move.
    SetOption,
    /// By commands with `{seconds}`: once a game where every move has the same time, else before each move.
    Commands(Vec<String>),
}

/// As a file has it: one of the words, or commands.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum TellText {
    Word(String),
    Commands(Vec<String>),
}

impl From<TellText> for Tell {
    fn from(text: TellText) -> Self {
        match text {
            TellText::Word(word) if word == "none" => Tell::Nothing,
            TellText::Word(word) if word == "time_settings" => Tell::TimeSettings,
            TellText::Word(word) if word == "set_option" => Tell::SetOption,
            // A command without a list around it.
            TellText::Word(command) => Tell::Commands(vec![command]),
            TellText::Commands(commands) => Tell::Commands(commands),
        }
    }
}

impl From<Tell> for TellText {
    fn from(tell: Tell) -> Self {
        match tell {
            Tell::Nothing => TellText::Word("none".into()),
            Tell::TimeSettings => TellText::Word("time_settings".into()),
            Tell::SetOption => TellText::Word("set_option".into()),
            Tell::Commands(commands) => TellText::Commands(commands),
        }
    }
}

/// Removes paths from an engine's conditions, so that a match can go on in another folder and with another build.
pub(super) fn leave_places_out(engine: &mut Value) {
    let own = engine["own"] == true;
    let Some(fields) = engine.as_object_mut() else {
        return;
    };
    fields.remove("directory");
    let command = fields.get_mut("command").and_then(Value::as_array_mut);
    if let Some(program) = command.and_then(|words| words.first_mut()) {
        let path = PathBuf::from(program.as_str().unwrap_or_default());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        *program = match own {
            true => "treeline".into(),
            false => name.into(),
        };
    }
}

/// When an engine is started anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Restart {
    /// Only where it has to be.
    #[default]
    Never,
    /// Before every game.
    Game,
}

/// One engine, everything filled in.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct EngineSetup {
    pub name: String,
    /// The program and its arguments, which may have gaps.
    pub command: Vec<String>,
    /// What to do where there is no such program, for its error.
    #[serde(skip)]
    pub needs: Option<String>,
    pub directory: Option<PathBuf>,
    pub environment: BTreeMap<String, String>,
    pub protocol: Protocol,
    /// The games that it plays; all where the list is empty.
    pub plays: Vec<String>,
    /// Said once a process.
    pub start: Vec<String>,
    /// Said before each game (GTP).
    pub new_game: Vec<String>,
    /// The command for a position (GTP), with the gap `{position}`.
    pub position: Option<String>,
    pub genmove: String,
    pub time: Tell,
    /// The command for the numbers of the last search (GTP), a JSON object as our `search_stats` writes it.
    pub stats: Option<String>,
    pub colours: [String; 2],
    pub moves: Moves,
    pub restart: Restart,
    /// Whether it is this very program: what its searcher says is checked before the first game.
    pub own: bool,
    /// Its own limits, where they differ from the match's.
    pub seconds: Option<f64>,
    pub allowance: Option<f64>,
}

impl EngineSetup {
    /// An engine with the defaults of its protocol.
    pub fn new(name: String, command: Vec<String>, protocol: Protocol) -> Self {
        let words = |words: &[&str]| words.iter().map(|w| w.to_string()).collect();
        let (start, new_game): (Vec<String>, Vec<String>) = match protocol {
            Protocol::Gtp => (Vec::new(), words(&["boardsize {size}", "clear_board"])),
            Protocol::Hub => (Vec::new(), Vec::new()),
            Protocol::Nboard => (words(&["nboard 2"]), Vec::new()),
        };
        EngineSetup {
            name,
            command,
            needs: None,
            directory: None,
            environment: BTreeMap::new(),
            protocol,
            plays: Vec::new(),
            start,
            new_game,
            position: None,
            genmove: "genmove".into(),
            time: Tell::TimeSettings,
            stats: None,
            colours: ["b".into(), "w".into()],
            moves: Moves {
                pass: (protocol == Protocol::Nboard).then(|| "PA".into()),
                ..Moves::default()
            },
            restart: Restart::default(),
            own: false,
            seconds: None,
            allowance: None,
        }
    }

    /// One of our own searchers, `NAME [option=value …]`, behind this very program.
    pub fn own(searcher: &str, memory: Option<u32>) -> Result<Self> {
        let name = searcher.split_whitespace().collect::<Vec<_>>().join(" ");
        let command = EngineSetup::own_command(searcher, memory)?;
        let mut setup = EngineSetup::new(name, command, Protocol::Gtp);
        setup.speak_our_own(searcher);
        Ok(setup)
    }

    /// Options of the session stand with those of the searcher, as `set_option` takes both.
    pub(super) fn own_command(searcher: &str, memory: Option<u32>) -> Result<Vec<String>> {
        let program = std::env::current_exe()?;
        let mut command = vec![
            program.to_string_lossy().into_owned(),
            "--game".into(),
            "{game} {variant}".into(),
        ];
        let mut words = searcher.split_whitespace();
        let name = words.next().unwrap_or_default().to_string();
        command.extend(["--searcher".into(), name]);
        let mut set = |pair: String| command.extend(["--set".into(), pair]);
        set("threads=1".into());
        set(format!("memory={}", memory.unwrap_or(256)));
        words.for_each(|pair| set(pair.into()));
        Ok(command)
    }

    /// The dictionary of this program, and the time that the searcher's words name.
    pub(super) fn speak_our_own(&mut self, searcher: &str) {
        let commands = ["set_game {game} {variant}", "clear_cache", "get_ready"];
        self.new_game = commands.map(String::from).to_vec();
        self.position = Some("set_position {position}".into());
        self.stats = Some("search_stats".into());
        self.time = Tell::SetOption;
        self.own = true;
        let mut own = searcher
            .split_whitespace()
            .filter_map(|word| word.strip_prefix("seconds="));
        if let Some(text) = own.next_back() {
            self.seconds = text.parse().ok();
            if self.seconds.is_none() {
                self.time = Tell::Nothing;
            }
        }
    }

    /// The command with its gaps filled. A gap that cannot be filled was refused by [`EngineSetup::check`].
    pub fn program(&self, variant: &Variant, time: Time) -> Program {
        let fill = self.fill(variant, time);
        let words = self
            .command
            .iter()
            .map(|word| fill.fill(word).unwrap_or_default());
        Program {
            // A gap that is filled with nothing, such as the default variant, is no argument.
            words: words.filter(|word| !word.is_empty()).collect(),
            directory: self.directory.clone(),
            environment: self.environment.clone().into_iter().collect(),
        }
    }

    /// Its time in a match that allows `time`.
    pub fn limit(&self, time: Time) -> Time {
        self.seconds.map_or(time, Time::Move)
    }

    /// What fills the gaps of the command line: the game, and seconds for a move where all moves have the same.
    fn fill(&self, variant: &Variant, time: Time) -> Fill {
        let fill = Fill::of_game(variant);
        match self.limit(time) {
            time @ Time::Move(_) => fill.with_time(&Budget {
                time,
                left: [0.0; 2],
                wait: std::time::Duration::ZERO,
            }),
            _ => fill,
        }
    }

    /// Everything of it that makes games comparable: what it is told, without the paths of its files.
    pub fn conditions(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or(Value::Null);
        leave_places_out(&mut value);
        value
    }

    pub fn check(&self, variants: &[Variant], time: Time, from_positions: bool) -> Result<()> {
        let length = self.name.chars().count();
        if !(1..=LONGEST_NAME).contains(&length) || self.name.chars().any(char::is_control) {
            bail!(
                "a name has 1 to {LONGEST_NAME} characters; in a match file 'name' gives a shorter one"
            );
        }
        if self.command.is_empty() {
            bail!("the command is missing");
        }
        if from_positions && self.protocol == Protocol::Gtp && self.position.is_none() {
            bail!("openings begin at positions, and it has no command 'position'");
        }
        for variant in variants {
            let game = variant.entry.name;
            if !self.plays.is_empty() && !self.plays.iter().any(|g| g == game) {
                bail!("it does not play {game}, only {}", self.plays.join(", "));
            }
            let only = match self.protocol {
                Protocol::Gtp => game,
                Protocol::Hub => "draughts",
                Protocol::Nboard => "othello",
            };
            if only != game {
                bail!("its protocol is for {only}, not {game}");
            }
            self.check_gaps(variant, time)?;
        }
        Ok(())
    }

    /// Its own limits. Text that is no number at all was refused when it was read.
    pub(super) fn check_numbers(&self) -> Result<()> {
        let refuse = |what: String| Err(anyhow!("engine {}: {what}", self.name));
        match (self.seconds, self.allowance) {
            (Some(seconds), _) if !(seconds > 0.0 && seconds <= 1e7) => {
                refuse(format!("seconds: a positive number, not {seconds}"))
            }
            (_, Some(allowance)) if !(0.0..=1e7).contains(&allowance) => {
                refuse(format!("allowance: from 0 seconds, not {allowance}"))
            }
            _ => Ok(()),
        }
    }

    fn check_gaps(&self, variant: &Variant, time: Time) -> Result<()> {
        let refuse = |text: &str, gap: UnknownGap| {
            anyhow!("'{text}': nothing is known of {gap} in {}", variant.name())
        };
        let mut fill = self.fill(variant, time);
        // Said once a process, or after the move: the variant may be another by then.
        for text in self.start.iter().chain(&self.stats) {
            Fill::default()
                .fill(text)
                .map_err(|gap| anyhow!("'{text}': {gap} is not filled in here, only in command, new-game, position, genmove and time"))?;
        }
        for text in self
            .command
            .iter()
            .chain(&self.new_game)
            .chain([&self.genmove])
        {
            fill.fill(text).map_err(|gap| refuse(text, gap))?;
        }
        if let Tell::Commands(commands) = &self.time
            && let [word] = &commands[..]
            && !word.contains([' ', '{'])
        {
            bail!(
                "time: '{word}' is none of time_settings, set_option and none, and no command with a gap such as {{seconds}}"
            );
        }
        // On a clock the seconds of a move are known when it comes; without any limit these commands are left out.
        for name in ["seconds", "milliseconds", "centiseconds"] {
            fill.set(name, "1".into());
        }
        if let Tell::Commands(commands) = &self.time {
            for text in commands {
                fill.fill(text).map_err(|gap| refuse(text, gap))?;
            }
        }
        Ok(())
    }
}
