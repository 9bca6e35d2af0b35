//! Levels of `auto`, through the program.

use crate::common::Engine;
use std::io::Write;
use std::process::{Command, Stdio};

const GAMES: [&str; 7] = [
    "breakthrough",
    "connect-four",
    "draughts",
    "hex",
    "kalah",
    "lines-of-action",
    "othello",
];

fn engine(game: &str) -> Engine {
    let mut engine = Engine::start(&["--game", game, "--set", "level=1"]);
    for option in ["memory 64", "threads 1", "seconds off"] {
        engine.ok(&format!("set_option {option}"));
    }
    engine
}

/// The first moves of a game of this level against itself.
fn opening(engine: &mut Engine, level: u32, seed: u32, plies: usize) -> Vec<String> {
    engine.ok("clear_board");
    engine.ok(&format!("set_option level {level}"));
    engine.ok(&format!("set_option seed {seed}"));
    let colours = ["b", "w"].into_iter().cycle().take(plies);
    colours
        .map(|colour| engine.ok(&format!("genmove {colour}")))
        .collect()
}

#[test]
fn every_game_has_levels_and_a_seed_repeats_them() {
    for game in GAMES {
        let mut engine = engine(game);
        let mut different = 0;
        for level in [1, 5] {
            // Of the games in which one player may move twice, the first move alone.
            let plies = if game == "kalah" { 1 } else { 4 };
            let first = opening(&mut engine, level, 7, plies);
            let stats = engine.ok("search_stats");
            assert!(!stats.contains("solver"), "{game}: {stats}");
            assert_eq!(
                opening(&mut engine, level, 7, plies),
                first,
                "{game} {level}"
            );
            different +=
                u32::from((8..14).any(|seed| opening(&mut engine, level, seed, plies) != first));
        }
        assert!(different > 0, "{game}: every seed plays the same");
    }
}

#[test]
fn a_level_is_an_option_of_auto_with_a_range() {
    let mut engine = Engine::start(&["--game", "kalah"]);
    assert!(engine.ok("list_options").contains("level"));
    for wrong in ["0", "11", "3.5", "weak", ""] {
        let reason = engine.refused(&format!("set_option level {wrong}"));
        assert!(!reason.is_empty(), "{wrong}");
    }
    assert!(
        engine
            .refused("set_option level 11")
            .contains("1..10 or off")
    );
    for right in ["1", "10", "off"] {
        engine.ok(&format!("set_option level {right}"));
    }
    engine.ok("set_searcher auto level=3");
    assert!(
        engine
            .refused("set_searcher mcts level=3")
            .contains("level")
    );
    engine.ok("set_searcher mcts");
    assert!(engine.refused("set_option level 3").contains("level"));
}

#[test]
fn every_level_takes_a_win_and_blocks_one() {
    let mut engine = engine("connect-four");
    for level in 1..10 {
        for seed in 1..6 {
            for (moves, best) in [
                // Three of its own in a column, and three of the opponent's.
                (vec!["a", "b", "a", "b", "a", "g"], "a"),
                (vec!["b", "a", "g", "a", "d", "a"], "a"),
            ] {
                engine.ok("clear_board");
                engine.ok(&format!("set_option level {level}"));
                engine.ok(&format!("set_option seed {seed}"));
                for (i, column) in moves.iter().enumerate() {
                    let colour = if i % 2 == 0 { "b" } else { "w" };
                    engine.ok(&format!("play {colour} {column}"));
                }
                assert_eq!(engine.ok("genmove b"), best, "level {level}, seed {seed}");
            }
        }
    }
}

#[test]
fn the_solver_is_for_level_ten() {
    let mut engine = Engine::start(&["--game", "connect-four", "--set", "memory=64"]);
    // A position that the solver answers at once.
    for (i, column) in "cdafggbbeadgadbdgfegcbaaff".chars().enumerate() {
        engine.ok(&format!("play {} {column}", ["b", "w"][i % 2]));
    }
    for (level, solved) in [("9", false), ("10", true), ("1", false), ("off", true)] {
        engine.ok(&format!("set_option level {level}"));
        engine.ok("reg_genmove b");
        let stats = engine.ok("search_stats");
        assert_eq!(
            stats.contains("\"solver\""),
            solved,
            "level {level}: {stats}"
        );
    }
}

#[test]
fn a_stronger_level_wins_a_match() {
    let output = Command::new(env!("CARGO_BIN_EXE_treeline"))
        .args([
            "match",
            "breakthrough",
            "--games",
            "8",
            "--json",
            "--seconds",
            "10",
            "--seed",
            "1",
        ])
        .args([
            "--player",
            "auto level=1 memory=64",
            "--player",
            "auto level=5 memory=64",
        ])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let rows = text
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let row = rows.into_iter().find(|row| row.get("a_wins").is_some());
    let row = row.unwrap();
    let first = row["a"].as_str().unwrap().starts_with("auto level=1 ");
    let weak = if first { "a_wins" } else { "b_wins" };
    assert!(row[weak].as_u64().unwrap() <= 1, "{text}");
}

#[test]
fn play_takes_a_level_as_argument_and_as_a_line() {
    let shown = |arguments: &[&str], lines: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_treeline"))
            .args(["play", "connect-four", "--set", "memory=64"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(text).unwrap())
    };
    for arguments in [["--level", "2"], ["--set", "level=2"]] {
        let (good, text) = shown(&arguments, "d\nlevel 3\nd\nlevel 12\nquit\n");
        assert!(good && text.matches("w plays ").count() == 2, "{text}");
        assert!(text.contains("1..10 or off"), "{text}");
    }
    let (good, text) = shown(&["--level", "0"], "");
    assert!(!good && text.contains("1..10 or off"), "{text}");
}
