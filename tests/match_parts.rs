//! A match in parts: the same games as in one, none lost and none doubled.

use crate::common::matches::{Folder, play, referee};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Two games, two pairs, and an odd number of games; a new process for each game, so that none depends on those before.
const MATCH: &str = "game = [\"breakthrough size=4x5\", \"connect-four width=4 height=4\"]\ngames = 5\n\
    pairing = \"first-against-all\"\n\
    [[engine]]\nsearcher = \"minimax plies=2 seed=1\"\nmemory = 32\nrestart = \"game\"\n\
    [[engine]]\nsearcher = \"greedy seed=2\"\nmemory = 32\nrestart = \"game\"\n\
    [[engine]]\nsearcher = \"random seed=3\"\nmemory = 32\nrestart = \"game\"\n";

/// What a clock does not decide of the games in a folder of results, by what names them.
fn games(results: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(results.join("games.jsonl")).unwrap();
    let mut games = BTreeMap::new();
    for line in text.lines().skip(1) {
        let game: Value = serde_json::from_str(line).unwrap();
        let of = |keys: &[&str]| keys.iter().map(|key| game[key].to_string()).collect();
        let before = games.insert(of(&["game", "a", "b", "number"]), of(&["moves", "winner"]));
        assert_eq!(before, None, "twice: {line}");
    }
    games
}

fn part(file: &Path, part: &str, results: &Path) -> Command {
    let mut command = referee(file);
    command.args(["--part", part, "--results"]).arg(results);
    command
}

fn join(file: &Path, results: &Path, parts: &[PathBuf]) -> Output {
    let mut command = referee(file);
    command
        .arg("--results")
        .arg(results)
        .arg("--join")
        .args(parts);
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn parts_together_are_the_match() {
    let folder = Folder::new("parts");
    let file = folder.file(MATCH);
    let rows = |output: &Output| -> Vec<Value> {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let row = |line: &str| serde_json::from_str::<Value>(line).unwrap();
        text.lines().map(row).collect()
    };
    let whole = rows(&play(&file));
    let all = games(&folder.path().join("match.results"));
    assert_eq!(all.len(), 20);
    let parts: Vec<PathBuf> = (1..=3)
        .map(|number| {
            let results = folder.path().join(format!("part-{number}"));
            let played = part(&file, &format!("{number}/3"), &results)
                .output()
                .unwrap();
            assert!(played.status.success(), "{}", said(&played));
            assert!(games(&results).len() >= 5);
            results
        })
        .collect();
    let joined = folder.path().join("joined");
    let two = join(&file, &joined, &parts[..2]);
    let missing = 20 - games(&parts[0]).len() - games(&parts[1]).len();
    let text = format!("{missing} games are in none of the parts");
    assert!(
        !two.status.success() && said(&two).contains(&text),
        "{}",
        said(&two)
    );
    // Those that are there already are not taken twice.
    let three = join(&file, &joined, &parts);
    assert!(three.status.success(), "{}", said(&three));
    assert_eq!(games(&joined), all);
    for (a, b) in whole.iter().zip(rows(&three)) {
        for key in ["a_wins", "draws", "b_wins", "games"] {
            assert_eq!(a[key], b[key], "{key}");
        }
    }
}

#[test]
fn parts_that_do_not_belong_together_are_refused() {
    let folder = Folder::new("others");
    let file = folder.file(MATCH);
    let (first, joined) = (folder.path().join("first"), folder.path().join("joined"));
    let played = part(&file, "1/12", &first).output().unwrap();
    assert!(played.status.success(), "{}", said(&played));
    for (wrong, reason) in [
        ("0/3", "a part is K/N"),
        ("4/3", "a part is K/N"),
        ("1/13", "has 12 openings"),
    ] {
        let refused = part(&file, wrong, &folder.path().join("wrong"))
            .output()
            .unwrap();
        assert!(
            said(&refused).contains(reason),
            "{wrong}: {}",
            said(&refused)
        );
    }
    let nothing = join(&file, &joined, &[folder.path().join("nothing")]);
    assert!(
        said(&nothing).contains("there are no games of a part"),
        "{}",
        said(&nothing)
    );
    // Another build of the program.
    let other = folder.path().join("other");
    let played = part(&file, "2/12", &other).output().unwrap();
    assert!(played.status.success(), "{}", said(&played));
    let path = other.join("games.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("Treeline ", "Treeline 0.0.1, not ")).unwrap();
    let mixed = join(&file, &joined, &[first.clone(), other]);
    assert!(
        said(&mixed).contains("in one part and 'Treeline 0.0.1"),
        "{}",
        said(&mixed)
    );
    assert!(!joined.exists());
    let seed = folder.file(&MATCH.replacen("games = 5", "games = 5\nseed = 2", 1));
    let changed = join(&seed, &joined, &[first]);
    assert!(
        said(&changed).contains("seed was 1 and is now 2"),
        "{}",
        said(&changed)
    );
}
