//! Matches from files through the binary, each in a folder of its own.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A folder that is gone with the test.
pub struct Folder(TempDir);

impl Folder {
    pub fn new(name: &str) -> Self {
        Folder(tempfile::Builder::new().prefix(name).tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes the match file.
    pub fn file(&self, text: &str) -> PathBuf {
        let path = self.path().join("match.toml");
        fs::write(&path, text).unwrap();
        path
    }

    /// The games that were kept.
    pub fn games(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path().join("match.results/games.jsonl")).unwrap();
        text.lines()
            .skip(1)
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// The command that plays a file.
pub fn referee(file: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_treeline"));
    command.arg("match").arg(file).arg("--json");
    command
}

/// Plays a match that must succeed.
pub fn play(file: &Path) -> Output {
    let output = referee(file).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    output
}
