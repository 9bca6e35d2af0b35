//! What front ends and other programs' files bring, through the real binary.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Engine, dialogue, frames, small_settings};
use std::process::{Command, Stdio};

#[test]
fn a_finished_hex_position_is_set_up_in_scan_order() {
    let mut engine = Engine::start(&["--game", "hex size=3"]);
    // The chain is complete with c1's neighbour below; the stones after it come all the same.
    for stone in ["b c1", "w a2", "b b2", "w a3", "b b3", "w c3"] {
        engine.ok(&format!("play {stone}"));
    }
    assert_eq!(engine.ok("game_result"), "b");
    assert_eq!(engine.ok("position"), "2b/wb1/wbw b");
    assert!(engine.refused("play w c3").contains("occupied"));
    assert_eq!(engine.ok("genmove w"), "resign");
    for _ in 0..6 {
        engine.ok("undo");
    }
    assert_eq!(engine.ok("position"), "3/3/3 b");
    // Where no front end needs it, the end is the end.
    engine.ok("set_game connect-four width=4 height=4 line=2");
    for stone in ["b a", "w c", "b b"] {
        engine.ok(&format!("play {stone}"));
    }
    assert!(engine.refused("play w a").contains("the game is over"));
}

#[test]
fn analysis_by_a_searcher_without_candidates_keeps_the_framing() {
    let input = "set_searcher random\n5 lz-analyze b 1\n6 name\n";
    let output = dialogue(input.as_bytes(), &small_settings());
    assert_eq!(frames(&output), ["= ", "=5 ", "=6 Treeline"]);
}

#[test]
fn minimax_says_how_deep_it_looked() {
    let mut engine = Engine::start(&["--searcher", "minimax plies=3", "--set", "seconds=off"]);
    engine.ok("genmove b");
    assert_eq!(engine.stat("depth"), 3.0);
    engine.ok("set_option depth 2");
    engine.ok("genmove w");
    assert_eq!(engine.stat("depth"), 2.0);
}

#[test]
fn a_seed_begins_anew_when_it_is_set_or_the_cache_is_cleared() {
    let options = [
        "--game",
        "othello",
        "--set",
        "threads=1",
        "--set",
        "simulations=300",
        "--set",
        "seconds=off",
    ];
    let mut engine = Engine::start(&options);
    let mut play = |reset: &str| {
        engine.ok(reset);
        let moves: Vec<String> = (0..6).map(|_| engine.ok("reg_genmove b")).collect();
        (
            moves,
            engine
                .ok("search_stats")
                .split("\"seconds\"")
                .next()
                .unwrap()
                .to_string(),
        )
    };
    let first = play("set_option seed 5");
    assert_eq!(play("clear_cache"), first);
    assert_eq!(play("set_option seed 5"), first);
}

#[test]
fn options_of_the_searcher_are_set_like_the_others() {
    let mut engine = Engine::start(&[
        "--searcher",
        "mcts",
        "--set",
        "exploration=0.25",
        "--set",
        "seconds=2",
    ]);
    assert_eq!(engine.ok("get_option exploration"), "0.25");
    assert_eq!(engine.ok("get_option seconds"), "2");
    let output = Command::new(env!("CARGO_BIN_EXE_treeline"))
        .args(["--set", "nonsense=1"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && error.contains("unknown option 'nonsense'"),
        "{error}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_not_silence() {
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_treeline"))
        .stdin(Stdio::piped())
        .stdout(full)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"name\n").unwrap();
    drop(child.stdin.take());
    assert!(!child.wait().unwrap().success());
    // A log that cannot be written ends nothing.
    let mut engine = Engine::start(&["--log", "/dev/full"]);
    assert_eq!(engine.ok("name"), "Treeline");
    assert_eq!(engine.ok("name"), "Treeline");
}

#[test]
fn the_log_has_every_line_of_the_dialogue() {
    let file = std::env::temp_dir().join(format!("treeline-log-{}", std::process::id()));
    {
        let mut engine = Engine::start(&["--log", file.to_str().unwrap(), "--searcher", "greedy"]);
        engine.ok("play b a2a3");
        engine.client.send("lz-analyze w 1").unwrap();
        engine.client.interrupt().unwrap();
        engine.client.receive(common::PATIENCE).unwrap();
        engine.ok("name");
    }
    let log = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let lines: Vec<&str> = log
        .lines()
        .map(|line| line.split_once(' ').unwrap().1)
        .collect();
    assert_eq!(
        lines[..3],
        ["< 1 play b a2a3", "> =1 ", "< 2 lz-analyze w 1"]
    );
    assert!(
        lines.iter().any(|line| line.starts_with("> info move ")),
        "{log}"
    );
    assert!(lines.contains(&"< # interrupt"), "{log}");
}

#[test]
fn records_of_other_programs_are_read() {
    let file = std::env::temp_dir().join(format!("treeline-hex-{}.sgf", std::process::id()));
    let name = file.to_str().unwrap();
    let mut engine = Engine::start(&[]);
    std::fs::write(
        &file,
        "(;FF[4]GM[11]SZ[5]AP[HexGui:0.2];B[a4];W[swap-pieces];B[c3])",
    )
    .unwrap();
    engine.ok(&format!("loadsgf {name}"));
    assert_eq!(
        engine.ok("position"),
        "5/5/2b2/5/5 w".replace("5/5/2b", "3w1/5/2b")
    );
    std::fs::write(&file, "(;FF[4]GM[2]AB[dd]AW[ed]PL[W]C[a comment])").unwrap();
    engine.ok(&format!("loadsgf {name}"));
    assert_eq!(engine.ok("position"), "8/8/8/3bw3/8/8/8/8 w");
    std::fs::write(&file, "(;FF[4]GM[1]SZ[19];B[aa])").unwrap();
    assert!(engine.refused(&format!("loadsgf {name}")).contains("Go"));
    std::fs::remove_file(&file).unwrap();
    engine.ok("set_game hex size=4 swap=on");
    engine.ok("play b a2");
    engine.ok("play w swap-sides");
    engine.ok("play w c3");
    let record = engine.ok("printsgf");
    assert!(
        record.contains("SZ[4]") && record.ends_with(";B[a2];W[swap-sides];W[c3])"),
        "{record}"
    );
    let position = engine.ok("position");
    engine.ok(&format!("printsgf {name}"));
    engine.ok(&format!("loadsgf {name}"));
    assert_eq!(engine.ok("position"), position);
    std::fs::remove_file(&file).unwrap();
}
