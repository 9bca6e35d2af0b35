//! The protocol document is executable: every transcript under `protocol/transcripts/` is replayed through the binary, and
//! the reference lists exactly the commands that exist.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use treeline_protocol::transcript::{Step, Transcript, matches};

/// A transcript with the lists of what the program was built with filled in.
fn read(file: &Path) -> Transcript {
    let lines = |names: Vec<&str>| names.join("\n< ");
    let games = treeline::games::ENTRIES.iter().map(|entry| entry.name);
    let searchers = treeline::search::entries().map(|entry| entry.name);
    let text = std::fs::read_to_string(file).unwrap();
    let text = text.replace("{games}", &lines(games.collect()));
    let text = text.replace("{searchers}", &lines(searchers.collect()));
    Transcript::parse(&text).unwrap()
}

/// Sends and compares line by line, as a controller that waits for each reply.
fn replay(file: &Path) {
    let transcript = read(file);
    let mut child = Command::new(env!("CARGO_BIN_EXE_treeline"))
        // Not `auto`, which changes with what is measured.
        .args([
            "--searcher",
            "mcts",
            "--set",
            "threads=1",
            "--set",
            "simulations=200",
            "--set",
            "seed=1",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let mut compared = 0;
    for step in transcript.steps() {
        match step {
            Step::Send { text, .. } => writeln!(stdin, "{text}").unwrap(),
            Step::Expect { line, pattern } => {
                let found = lines.next();
                let fits = found.as_ref().is_some_and(|found| matches(pattern, found));
                assert!(
                    fits,
                    "{}:{line}: expected {pattern:?}, found {found:?}",
                    file.display()
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 0, "{} expects nothing", file.display());
    drop(stdin);
    assert_eq!(lines.next(), None, "{}: more than expected", file.display());
    assert!(child.wait().unwrap().success());
}

#[test]
fn transcripts_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/transcripts");
    let mut replayed = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "gtp") {
            replay(&path);
            replayed += 1;
        }
    }
    assert!(replayed >= 4, "{replayed} transcripts");
}

/// The rows of the reference's tables.
fn documented() -> Vec<(String, String)> {
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/README.md");
    let text = std::fs::read_to_string(reference).unwrap();
    let commands = text
        .split("\n## Commands\n")
        .nth(1)
        .expect("a section Commands");
    let commands = commands.split("\n### Players").next().unwrap();
    let rows = commands.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let usage = row.split('`').nth(1).unwrap().replace("\\|", "|");
        let (name, arguments) = usage.split_once(' ').unwrap_or((&usage, ""));
        (name.to_string(), arguments.to_string())
    })
    .collect()
}

#[test]
fn the_reference_lists_every_command() {
    let documented = documented();
    let commands = treeline::server::commands::all();
    let real: Vec<_> = commands
        .map(|c| (c.name.to_string(), c.arguments.to_string()))
        .collect();
    for row in &real {
        assert!(
            documented.contains(row),
            "protocol/README.md has no row for {row:?}"
        );
    }
    for row in &documented {
        assert!(
            real.contains(row),
            "protocol/README.md lists {row:?}, which does not exist"
        );
    }
}
