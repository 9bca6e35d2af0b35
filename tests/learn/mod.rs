//! Runs of `treeline learn` through the real binary: they learn, they can be killed, and what they leave others can read.
//!
//! Training networks over planes needs the feature `torch`; without it those tests skip and say so.

mod data;
mod elsewhere;
mod environments;
mod environments_alphago;
mod methods;
mod mistakes;
mod pieces;
mod stages;
mod survival;
mod tables;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A folder that goes with the test.
struct Place(TempDir);

impl Place {
    fn new(name: &str) -> Place {
        Place(tempfile::Builder::new().prefix(name).tempdir().unwrap())
    }

    fn run(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn treeline(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_treeline"));
    command.arg("learn").args(arguments);
    command
}

fn output(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap()
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// Whether this build can train networks over planes.
fn trains() -> bool {
    let trains = cfg!(feature = "torch");
    if !trains {
        // Once, and past the test harness, which keeps what passing tests print.
        static SAID: std::sync::Once = std::sync::Once::new();
        SAID.call_once(|| {
            let text = "SKIPPED: no network over planes learns; that needs --features torch (tools/libtorch/setup.sh fetches libtorch)";
            let _ = writeln!(std::io::stderr(), "{text}");
        });
    }
    trains
}

/// Begins a small run that repeats itself exactly.
fn prepare(run: &Path, game: &str, method: &str, more: &[&str]) {
    let run = run.to_str().unwrap();
    let mut arguments = vec![run, "--prepare", "--game", game, "--method", method];
    for pair in [
        "run.threads=1",
        "stop.minutes=off",
        "watch.minutes=off",
        "train.checkpoint=0.1",
    ]
    .iter()
    .chain(more)
    {
        arguments.extend(["--set", pair]);
    }
    let made = output(&mut treeline(&arguments));
    assert!(made.status.success(), "{}", said(&made));
}

const SMALL: &[&str] = &[
    "run.architecture=inc(16,4)",
    "stop.generations=3",
    "play.games=40",
    "play.first-games=20",
    "play.portion=5",
    "play.nodes=100",
    "train.batch=64",
    "train.passes=3",
];

fn finish(run: &Path) -> String {
    let done = output(&mut treeline(&[run.to_str().unwrap()]));
    assert!(done.status.success(), "{}", said(&done));
    said(&done)
}
