//! Imports run one way: between crates, between the rooms of the program, and between the files of a room.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What each crate may depend on. Whoever is not here is a game: those know `game` and `any`, and nobody knows them but the
/// program.
const CRATES: &[(&str, &[&str])] = &[
    ("protocol", &[]),
    ("nets", &[]),
    ("torch", &["nets"]),
    ("web", &[]),
    ("game", &[]),
    ("search", &["game", "nets"]),
    ("any", &["game", "nets", "search"]),
];
const OF_GAMES: &[&str] = &["game", "any"];

/// The program's rooms from the bottom up. A room may use those before it.
const ROOMS: &[&str] = &[
    "statistics",
    "threads",
    "options",
    "memory",
    "game",
    "eval",
    "search",
    "games",
    "files",
    "book",
    "session",
    "analysis",
    "review",
    "play",
    "server",
    "referee",
    "environment",
    "learn",
    "web",
    "cli",
];
/// Rooms that are crates; the program shows them under these names.
const ELSEWHERE: &[&str] = &["options", "memory", "game", "eval", "search"];
/// Uses that the order would allow and the design forbids: the referee knows rules and protocols and never what thinks behind
/// them, our own engine least of all.
const FORBIDDEN: &[(&str, &str)] = &[
    ("referee", "eval"),
    ("referee", "search"),
    ("referee", "session"),
    ("referee", "analysis"),
    ("referee", "server"),
    ("learn", "session"),
    ("learn", "server"),
    ("web", "server"),
    ("web", "referee"),
    ("web", "learn"),
    ("web", "environment"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

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

/// The code without comments and without what follows the first `#[cfg(test)]` that begins a module in the file.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The names that follow `before` in a source text; of a group in braces, the first names inside.
fn named(code: &str, before: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        let letters = text.trim_start().chars();
        letters
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    let mut names = Vec::new();
    for (at, _) in code.match_indices(before) {
        let rest = &code[at + before.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            names.push(word(rest));
            continue;
        };
        let (mut depth, mut start) = (0, 0);
        for (i, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => {
                    names.push(word(&group[start..i]));
                    break;
                }
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    names.push(word(&group[start..i]));
                    start = i + 1;
                }
                _ => {}
            }
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The folders of this project that a crate's manifest names as dependencies of the library.
fn dependencies(folder: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
    let section = text.split("[dependencies]").nth(1).unwrap_or("");
    let section = section.split("\n[").next().unwrap();
    let paths = section
        .lines()
        .filter_map(|line| line.split("path = \"").nth(1));
    paths
        .map(|rest| {
            let path = rest.split('"').next().unwrap();
            path.trim_start_matches("../").to_string()
        })
        .collect()
}

#[test]
fn crates_know_only_those_below() {
    for (folder, allowed) in CRATES {
        for used in dependencies(folder) {
            assert!(
                allowed.contains(&used.as_str()),
                "{folder} depends on {used}"
            );
        }
    }
    let mut games = 0;
    for entry in fs::read_dir(root().join("games")).unwrap() {
        let folder = entry.unwrap().file_name().into_string().unwrap();
        for used in dependencies(&format!("games/{folder}")) {
            assert!(
                OF_GAMES.contains(&used.as_str()),
                "games/{folder} depends on {used}"
            );
        }
        games += 1;
    }
    assert_eq!(
        games,
        treeline::games::ENTRIES.len(),
        "a game that Cargo.toml does not list, or the other way round"
    );
}

#[test]
fn nobody_below_names_a_game() {
    for (folder, _) in CRATES {
        for file in sources(&root().join(folder).join("src")) {
            let text = code(&file);
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

#[test]
fn rooms_know_only_those_below() {
    let src = root().join("src");
    let mut checked = 0;
    for (rank, room) in ROOMS.iter().enumerate() {
        let files = match *room {
            "games" => vec![src.join("games.rs")],
            room if ELSEWHERE.contains(&room) => continue,
            room => sources(&src.join(room)),
        };
        for file in files {
            for name in named(&code(&file), "crate::") {
                let target = ROOMS.iter().position(|other| *other == name);
                let target =
                    target.unwrap_or_else(|| panic!("{}: unknown room {name}", file.display()));
                assert!(
                    target <= rank,
                    "{} uses {name}, which is above it",
                    file.display()
                );
                assert!(
                    !FORBIDDEN.contains(&(room, name.as_str())),
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
    for entry in fs::read_dir(&src).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let name = name.trim_end_matches(".rs");
        assert!(
            ROOMS.contains(&name) || ["lib", "main"].contains(&name),
            "src/{name} has no place in the order"
        );
    }
}

/// Who imports whom among the files and folders of one folder, by `super::` and by the modules that its own file declares. The
/// folder's own file (`mod.rs`, `lib.rs`) only holds the others together: what it says for itself may be used by all.
fn imports(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut members: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        if path.is_dir() {
            members.entry(name).or_default().extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") && name != "mod" && name != "lib" {
            members.entry(name).or_default().push(path);
        }
    }
    let names: BTreeSet<String> = members.keys().cloned().collect();
    let depth = folder.components().count();
    let is_test = |path: &Path| {
        path.iter()
            .any(|part| part == "tests" || part == "tests.rs")
    };
    let mut found = BTreeMap::new();
    for (name, files) in members {
        let mut used = BTreeSet::new();
        for file in files.iter().filter(|file| !is_test(file)) {
            // From a file of this folder `super::` leads here; from one further down it takes more of them.
            let mut ups = file.components().count() - depth;
            if file.file_stem().is_some_and(|stem| stem == "mod") {
                ups -= 1;
            }
            let text = code(file);
            let before = "super::".repeat(ups.max(1));
            for (at, _) in text.match_indices(&before) {
                if text[..at].ends_with("super::") || text[..at].ends_with("self::") {
                    continue;
                }
                let here = &text[at..];
                used.extend(
                    named(&here[..here.len().min(2000)], &before)
                        .into_iter()
                        .take(1),
                );
                if here[before.len()..].starts_with('{') {
                    let end = here.find("};").unwrap_or(here.len());
                    used.extend(named(&here[..end + 1], &before));
                }
            }
        }
        used.retain(|other| names.contains(other) && *other != name);
        found.insert(name, used);
    }
    found
}

/// A circle of imports that begins and ends at `from`, if there is one.
fn circle(graph: &BTreeMap<String, BTreeSet<String>>, from: &str) -> Option<Vec<String>> {
    let mut paths = vec![vec![from.to_string()]];
    let mut seen = BTreeSet::new();
    while let Some(path) = paths.pop() {
        for next in graph.get(path.last()?).into_iter().flatten() {
            let mut longer = path.clone();
            longer.push(next.clone());
            if next == from {
                return Some(longer);
            }
            if seen.insert(next.clone()) {
                paths.push(longer);
            }
        }
    }
    None
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_path_buf()];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(folders(&path));
        }
    }
    found
}

#[test]
fn files_of_a_room_do_not_import_each_other_in_circles() {
    let mut circles = BTreeSet::new();
    let mut crates: Vec<PathBuf> = CRATES.iter().map(|(name, _)| root().join(name)).collect();
    crates.push(root().to_path_buf());
    for entry in fs::read_dir(root().join("games")).unwrap() {
        crates.push(entry.unwrap().path());
    }
    let mut edges = 0;
    for folder in crates.iter().flat_map(|c| folders(&c.join("src"))) {
        let graph = imports(&folder);
        edges += graph.values().map(BTreeSet::len).sum::<usize>();
        for name in graph.keys() {
            if let Some(found) = circle(&graph, name) {
                let shown = folder.strip_prefix(root()).unwrap().display().to_string();
                let mut members = found.clone();
                members.sort();
                members.dedup();
                circles.insert(format!("{shown}: {}", members.join(" ")));
            }
        }
    }
    assert!(
        edges > 200,
        "only {edges} imports were found: the test sees nothing"
    );
    assert!(circles.is_empty(), "{circles:#?}");
}
