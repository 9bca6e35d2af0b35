//! Kalah's endgame tables as their users have them: what they bring the solver and the searches, files that are damaged.

use crate::common::{Engine, endgame_cache};
use std::fs;
use std::path::Path;
use std::process::Command;

const BINARY: &str = env!("CARGO_BIN_EXE_treeline");
/// Searchers that ask tables, the solver aside.
const SEARCHERS: [&str; 3] = ["alpha-beta exact=off", "ubfm", "mcts"];

/// What `solve --margin` says of a position with 24 seeds in houses under these rules, the positions that it searched, and its log.
fn solved(cache: &Path, rule: &str) -> (String, u64, String) {
    let mut command = Command::new(BINARY);
    command.env("TREELINE_CACHE", cache);
    command.args([
        "solve", "--game", "kalah", rule, "--margin", "--memory", "64",
    ]);
    command.args(["--position", "2,3,0,4,1,2:12 1,0,5,2,3,1:12 b"]);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (found, work) = text.split_once('\n').unwrap();
    let found = found.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let positions = work.split(' ').next().unwrap().parse().unwrap();
    (found, positions, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn kalahs_solver_uses_tables_and_finds_the_same() {
    let cache = endgame_cache("kalah", "10");
    let nothing = tempfile::tempdir().unwrap();
    let off = "empty-capture=off";
    let (alone, many, _) = solved(nothing.path(), off);
    let (found, few, _) = solved(cache.path(), off);
    assert_eq!(found, alone);
    assert!(few < many, "{few}, {many}");
    // Tables of other rules are none of this game's.
    let on = "empty-capture=on";
    assert_eq!(solved(cache.path(), on).1, solved(nothing.path(), on).1);
    // A damaged one is named and left aside, with all above it.
    let damaged = cache.path().join("endgame").join("kalah-6-9.endgame");
    fs::write(&damaged, "x".repeat(99)).unwrap();
    let (with_less, positions, log) = solved(cache.path(), off);
    assert_eq!(with_less, alone);
    assert!(few < positions && positions <= many, "{positions}");
    let named = log.contains("an endgame table is not used") && log.contains("kalah-6-9.endgame");
    assert!(named, "{log}");
    let mut command = Command::new(BINARY);
    command.env("TREELINE_CACHE", cache.path());
    let output = command
        .args(["endgame", "kalah", "--pieces", "10"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("kalah-6-9.endgame: no endgame table of this version; computed again"),
        "{text}"
    );
    assert!(text.contains("kalah-6-10.endgame: there already"), "{text}");
    assert_eq!(solved(cache.path(), off).1, few);
}

#[test]
fn sizes_and_games_without_tables_are_said() {
    let refused = |arguments: &[&str]| {
        let output = Command::new(BINARY)
            .arg("endgame")
            .args(arguments)
            .output()
            .unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let text = refused(&["kalah", "--pieces", "40"]);
    assert!(text.contains("--pieces is 2 to 27 seeds, not 40"), "{text}");
    let text = refused(&["kalah", "houses=11"]);
    assert!(text.contains("houses"), "{text}");
    let text = refused(&["hex"]);
    assert!(
        text.contains("hex has no endgame tables; draughts and kalah have"),
        "{text}"
    );
}

/// Two plies before ten seeds are left, with a limit that no search proves anything within by itself.
#[test]
fn searches_prove_what_tables_say() {
    let cache = endgame_cache("kalah", "10");
    let folder = cache.path().to_str().unwrap();
    let mut with = Engine::with_cache(folder, &["--game", "kalah", "--set", "memory=64"]);
    let mut without = Engine::start(&["--game", "kalah"]);
    for searcher in SEARCHERS {
        for (position, outcome) in [
            ("1,0,2,0,1,1:16 2,0,1,1,0,0:23 b", "loss"),
            ("0,2,1,0,0,2:18 1,0,3,0,1,0:20 b", "win"),
            ("0,0,3,0,1,0:20 0,2,0,2,0,2:18 w", "draw"),
        ] {
            let solved = without.ok(&format!("set_position {position}"));
            assert_eq!(solved, "");
            assert_eq!(
                without.ok("solve 60").split(' ').next(),
                Some(outcome),
                "{position}"
            );
            let turn = without.ok("side_to_move");
            let proven = [&mut with, &mut without].map(|engine| {
                for line in ["seconds off", "threads 1"] {
                    engine.ok(&format!("set_option {line}"));
                }
                engine.ok(&format!("set_searcher {searcher}"));
                for line in ["nodes 12", "simulations 12"] {
                    engine.ok(&format!("set_option {line}"));
                }
                engine.ok(&format!("set_position {position}"));
                engine.ok(&format!("genmove {turn}"));
                let stats: serde_json::Value =
                    serde_json::from_str(&engine.ok("search_stats")).unwrap();
                stats["proven"].as_str().map(String::from)
            });
            assert_eq!(
                proven,
                [Some(outcome.to_string()), None],
                "{searcher} {position}"
            );
        }
    }
}
