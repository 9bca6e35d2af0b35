//! Imports run one way: options → memory → game → games → eval → search → session → server | referee → learn → cli; the crates beside them know nobody.

use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom up. A module may use those before it.
const ORDER: &[&str] = &[
    "statistics",
    "options",
    "memory",
    "game",
    "games",
    "eval",
    "search",
    "session",
    "server",
    "referee",
    "learn",
    "cli",
];
/// Uses that the order would allow and the design forbids: evaluators and search know no game; the referee knows rules and
/// protocols and never what thinks behind them, our own engine least of all.
const FORBIDDEN: &[(&str, &str)] = &[
    ("eval", "games"),
    ("search", "games"),
    ("referee", "eval"),
    ("referee", "search"),
    ("referee", "session"),
    ("referee", "server"),
    ("learn", "session"),
    ("learn", "server"),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found
}

/// The top-level modules of this crate that a source text names behind `crate::`.
fn used(text: &str) -> Vec<String> {
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let mut names = Vec::new();
    for line in code {
        for (at, _) in line.match_indices("crate::") {
            let rest = &line[at + "crate::".len()..];
            let name: String = rest
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            match name.is_empty() {
                // `use crate::{a, b::c}` hides names from this test.
                true => names.push(format!("a group: {line}")),
                false => names.push(name),
            }
        }
    }
    names
}

#[test]
fn imports_run_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut checked = 0;
    for (rank, module) in ORDER.iter().enumerate() {
        for file in sources(&root.join(module)) {
            for name in used(&fs::read_to_string(&file).unwrap()) {
                let target = ORDER.iter().position(|m| *m == name);
                let target =
                    target.unwrap_or_else(|| panic!("{}: unknown module {name}", file.display()));
                assert!(
                    target <= rank,
                    "{} uses {name}, which is above it",
                    file.display()
                );
                assert!(
                    !FORBIDDEN.contains(&(module, name.as_str())),
                    "{} uses {name}, which it must not know",
                    file.display()
                );
                checked += 1;
            }
        }
    }
    assert!(
        checked > 50,
        "only {checked} uses were found: the test sees nothing"
    );
    for entry in fs::read_dir(&root).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let known =
            ORDER.contains(&name.as_str()) || ["lib.rs", "main.rs"].contains(&name.as_str());
        assert!(known, "src/{name} has no place in the order");
    }
}

#[test]
fn the_crates_beside_know_nobody() {
    for folder in ["protocol", "nets"] {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(folder)
            .join("Cargo.toml");
        let text = fs::read_to_string(manifest).unwrap();
        let dependencies = text.split("[dependencies]").nth(1).unwrap_or("");
        assert!(
            !dependencies.contains("path"),
            "{folder} depends on a part of this project"
        );
        for file in sources(
            &Path::new(env!("CARGO_MANIFEST_DIR"))
                .join(folder)
                .join("src"),
        ) {
            let text = fs::read_to_string(&file).unwrap();
            for game in treeline::games::ENTRIES {
                assert!(
                    !text.contains(&format!("\"{}\"", game.name)),
                    "{} names {}",
                    file.display(),
                    game.name
                );
            }
        }
    }
}
