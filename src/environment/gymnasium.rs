//! An environment in a process: requests on its stdin, answers on its stdout, as tools/environments/gymnasium_pipe.py says.

use super::{About, Environment, EnvironmentError, Space, Step};
use crate::referee::process::{Input, Log, Process, Program};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// The other end, which is run by Python as it is.
const SCRIPT: &str = include_str!("../../tools/environments/gymnasium_pipe.py");
const SETUP: &str = "; tools/environments/setup.sh makes target/environments with Gymnasium and the Arcade Learning Environment";
/// Bytes of an answer's line, and of an observation.
const LONGEST_LINE: u64 = 1 << 16;
const LARGEST: usize = 1 << 22;
/// How long it may take to end when its stdin is closed.
const FAREWELL: Duration = Duration::from_millis(500);

/// How an environment is made.
#[derive(Debug, Clone)]
pub struct Making {
    /// Its name in Gymnasium, such as `ALE/Pong-v5`.
    pub name: String,
    /// A program that speaks as the script does, with its arguments; none: `python` runs the script.
    pub program: Option<Vec<String>>,
    /// Python with Gymnasium.
    pub python: String,
    /// How long an answer may take.
    pub patience: Duration,
    /// Rows and columns of frames.
    pub side: usize,
    /// Frames of a step.
    pub skip: u32,
    /// Most steps of doing nothing at the beginning.
    pub no_ops: u32,
    /// The chance that an action is repeated.
    pub sticky: f64,
    /// Whether a lost life ends an episode.
    pub lives: bool,
    /// Whether all actions of the console are there, not only those that the game knows.
    pub all_actions: bool,
    /// Most steps of an episode.
    pub length: u32,
}

/// Answers that may be written; what is missing is not said.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Answer {
    error: Option<String>,
    bytes: usize,
    name: String,
    actions: usize,
    #[serde(rename = "numbers")]
    count: usize,
    copies: bool,
    reward: f64,
    terminated: bool,
    truncated: bool,
    /// Of a step how many there were, of an environment their rows and columns.
    frames: usize,
}

/// What the thread that reads says.
enum Heard {
    Answer(Box<Answer>, Vec<u8>),
    Garbage(String),
}

/// An environment in a process, which ends with it.
#[derive(Debug)]
pub struct Gymnasium {
    process: Process,
    input: Option<Input>,
    answers: Receiver<Heard>,
    program: String,
    patience: Duration,
    about: About,
    observation: Vec<u8>,
}

impl Gymnasium {
    /// Starts the process and has it make the environment.
    pub fn start(making: &Making) -> Result<Self, EnvironmentError> {
        let own = vec![making.python.clone(), "-c".into(), SCRIPT.into()];
        let (program, mend) = match &making.program {
            Some(words) => (words.join(" "), ""),
            None => (making.python.clone(), SETUP),
        };
        let failed = |error| EnvironmentError::Start {
            program: program.clone(),
            error,
            mend,
        };
        let words = Program {
            words: making.program.clone().unwrap_or(own),
            directory: None,
            environment: Vec::new(),
        };
        let log = Log::open(None).map_err(failed)?;
        let (process, output, input) = Process::start(&words, log).map_err(failed)?;
        let (sender, answers) = sync_channel(1);
        let reader = thread::Builder::new().name("environment".into());
        let reads = reader.spawn(move || read(output, &sender));
        reads.map_err(failed)?;
        let mut made = Gymnasium {
            process,
            input: Some(input),
            answers,
            program,
            patience: making.patience,
            about: About {
                name: making.name.clone(),
                actions: 0,
                space: Space::Numbers(0),
                copies: false,
            },
            observation: Vec::new(),
        };
        made.make(making, mend)?;
        Ok(made)
    }

    fn make(&mut self, making: &Making, mend: &'static str) -> Result<(), EnvironmentError> {
        let told = self.ask(&json!({
            "make": making.name, "side": making.side, "skip": making.skip, "no-ops": making.no_ops, "sticky": making.sticky,
            "lives": making.lives, "all-actions": making.all_actions, "length": making.length,
        }));
        let (answer, _) = told.map_err(|error| match error {
            EnvironmentError::Refused { name, text, .. } => {
                // What is not installed is named so by Python.
                let missing = text.starts_with("ModuleNotFoundError");
                let mend = if missing { mend } else { "" };
                EnvironmentError::Refused { name, text, mend }
            }
            other => other,
        })?;
        let space = match (answer.frames, answer.count) {
            (side @ 1.., 0) => Space::Frames(side),
            (0, count @ 1..) => Space::Numbers(count),
            _ => return Err(self.garbage("neither frames nor numbers are seen")),
        };
        if answer.actions == 0 || answer.actions > 1 << 16 || space.bytes() > LARGEST {
            return Err(self.garbage("sizes that cannot be"));
        }
        self.about = About {
            name: match answer.name.is_empty() {
                true => making.name.clone(),
                false => plain(&answer.name),
            },
            actions: answer.actions,
            space,
            copies: answer.copies,
        };
        Ok(())
    }

    fn garbage(&self, what: &str) -> EnvironmentError {
        EnvironmentError::Garbage {
            program: self.program.clone(),
            what: plain(what),
        }
    }

    /// Says a request and waits for the answer.
    fn ask(&mut self, request: &Value) -> Result<(Answer, Vec<u8>), EnvironmentError> {
        let line = format!("{request}\n");
        let said = self.input.as_mut().is_some_and(|input| {
            input
                .write_all(line.as_bytes())
                .and_then(|()| input.flush())
                .is_ok()
        });
        if !said {
            return Err(self.ended());
        }
        match self.answers.recv_timeout(self.patience) {
            Ok(Heard::Answer(answer, bytes)) => match &answer.error {
                Some(text) => Err(EnvironmentError::Refused {
                    name: self.about.name.clone(),
                    text: plain(text),
                    mend: "",
                }),
                None => Ok((*answer, bytes)),
            },
            Ok(Heard::Garbage(what)) => Err(self.garbage(&what)),
            Err(RecvTimeoutError::Timeout) => Err(EnvironmentError::Hangs {
                program: self.program.clone(),
                seconds: self.patience.as_secs_f64(),
            }),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    fn ended(&self) -> EnvironmentError {
        let last = self.process.last_words();
        EnvironmentError::Ended {
            program: self.program.clone(),
            last: match last.is_empty() {
                true => String::new(),
                false => format!(": {}", plain(&last)),
            },
        }
    }

    /// An answer with an observation, which is the one of now.
    fn ask_seen(&mut self, request: &Value) -> Result<Answer, EnvironmentError> {
        let (answer, bytes) = self.ask(request)?;
        let wanted = self.about.space.bytes();
        if bytes.len() != wanted {
            let found = bytes.len();
            return Err(self.garbage(&format!(
                "an observation of {found} bytes instead of {wanted}"
            )));
        }
        self.observation = bytes;
        Ok(answer)
    }
}

impl Environment for Gymnasium {
    fn about(&self) -> &About {
        &self.about
    }

    fn reset(&mut self, seed: u64) -> Result<(), EnvironmentError> {
        // Gymnasium takes 32 bits everywhere.
        self.ask_seen(&json!({ "reset": seed & 0x7fff_ffff }))
            .map(drop)
    }

    fn step(&mut self, action: usize) -> Result<Step, EnvironmentError> {
        let answer = self.ask_seen(&json!({ "step": action }))?;
        let reward = answer.reward as f32;
        if !reward.is_finite() {
            return Err(self.garbage("a reward that is not finite"));
        }
        Ok(Step {
            reward,
            terminated: answer.terminated,
            truncated: answer.truncated,
            frames: u32::try_from(answer.frames).unwrap_or(1).clamp(1, 1000),
        })
    }

    fn observation(&self) -> &[u8] {
        &self.observation
    }

    fn copy(&mut self, number: u64) -> Result<(), EnvironmentError> {
        self.ask(&json!({ "copy": number })).map(drop)
    }

    fn restore(&mut self, number: u64) -> Result<(), EnvironmentError> {
        self.ask_seen(&json!({ "restore": number })).map(drop)
    }

    fn forget(&mut self, number: u64) -> Result<(), EnvironmentError> {
        self.ask(&json!({ "forget": number })).map(drop)
    }
}

impl Drop for Gymnasium {
    fn drop(&mut self) {
        // It ends when nothing more can be asked; what does not is killed with all that it started.
        drop(self.input.take());
        self.process.wait(FAREWELL);
    }
}

/// Reads answers until the end, or until one is none.
fn read(output: impl Read, sender: &SyncSender<Heard>) {
    let mut output = BufReader::with_capacity(1 << 16, output);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut output)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
        {
            Ok(1..) if line.ends_with(b"\n") => {}
            Ok(n) if n as u64 == LONGEST_LINE => {
                let _ = sender.send(Heard::Garbage("a line without end".into()));
                return;
            }
            _ => return,
        }
        let answer: Answer = match serde_json::from_slice(&line) {
            Ok(answer) => answer,
            Err(_) => {
                let said = String::from_utf8_lossy(&line).trim().to_string();
                let _ = sender.send(Heard::Garbage(said));
                return;
            }
        };
        if answer.bytes > LARGEST {
            let _ = sender.send(Heard::Garbage(format!("{} bytes", answer.bytes)));
            return;
        }
        let mut bytes = vec![0; answer.bytes];
        if output.read_exact(&mut bytes).is_err()
            || sender.send(Heard::Answer(Box::new(answer), bytes)).is_err()
        {
            return;
        }
    }
}

/// What a process says, fit for a line of ours.
fn plain(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    clean.take(300).collect()
}
