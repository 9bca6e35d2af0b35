//! Memory beside trees and tables: whatever comes in on a pipe or in a file, the process stays near its limit.

use crate::common::{Engine, PATIENCE};
use std::fs;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The most memory that a process ever held, in MiB; 0 where the system does not say.
fn peak(child: &Child) -> u64 {
    status(child, "VmHWM:")
}

/// A figure of the system about a process, in MiB.
fn status(child: &Child, figure: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(figure));
    let kibibytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) / 1024
}

/// What nothing that comes in may add, in MiB.
const ROOM: u64 = 16;

#[test]
fn a_game_that_nothing_ends_is_not_kept_for_ever() {
    let mut engine = Engine::start(&["--set", "memory=32"]);
    engine.ok("set_game draughts draw-rules=off length=off");
    engine.ok("set_position W:WK46:BK45");
    let there_and_back = "b 46-41 w 45-50 b 41-46 w 50-45 ".repeat(250);
    let mut moves = 0;
    let refusal = loop {
        let line = format!("gogui-play_sequence {there_and_back}");
        match engine.client.call(&line, PATIENCE) {
            Ok(_) => moves += 1000,
            Err(error) => break error.to_string(),
        }
        assert!(moves < 200_000, "it grows for ever");
    };
    assert!(refusal.contains("longer ones are not kept"), "{refusal}");
    assert!(moves >= 10_000, "{moves}");
    // The game stays as it is, and can go back.
    assert!(engine.refused("genmove b").contains("longer ones"));
    // But for the program itself, which the system can read again: 12 MiB of an optimised build, 19 of one for tests.
    let program = status(&engine.child, "RssFile:");
    assert!(peak(&engine.child) < 32 + program, "{program}");
    engine.ok("undo");
    engine.ok("genmove w");
}

#[test]
fn what_waits_in_line_takes_little_memory() {
    for line in [
        "name\n".to_string(),
        "x".repeat(100) + "\n",
        "x".repeat(700_000) + "\n",
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_treeline"));
        command.args(["--set", "memory=32"]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // What lasts and takes no memory itself; nothing is taken out of the queue meanwhile.
        stdin.write_all(b"perft 900\n").unwrap();
        std::thread::sleep(Duration::from_millis(300));
        let before = peak(&child);
        let written = Arc::new(AtomicU64::new(0));
        let count = written.clone();
        let writer = std::thread::spawn(move || {
            let block = line.repeat((1 << 20) / line.len());
            for _ in 0..200 {
                if stdin.write_all(block.as_bytes()).is_err() {
                    return;
                }
                count.fetch_add(1, Relaxed);
            }
        });
        // Until the server reads no further.
        let (mut last, mut since) = (0, Instant::now());
        while since.elapsed() < Duration::from_secs(2) && !writer.is_finished() {
            std::thread::sleep(Duration::from_millis(20));
            if written.load(Relaxed) != last {
                (last, since) = (written.load(Relaxed), Instant::now());
            }
        }
        let after = peak(&child);
        child.kill().unwrap();
        child.wait().unwrap();
        writer.join().unwrap();
        assert!(after < before + ROOM, "{before} to {after} MiB");
    }
}

#[test]
fn a_record_of_many_nodes_takes_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.sgf");
    let mut engine = Engine::start(&["--set", "memory=32"]);
    for (text, fits) in [
        (format!("(;GM[2]{})", ";".repeat(262_000)), false),
        (format!("(;GM[2]{})", "(;".repeat(130_000)), false),
        (format!("(;GM[2];C[{}])", "x".repeat(262_000)), true),
        (format!("(;GM[2]AB{})", "[a1]".repeat(60_000)), true),
    ] {
        fs::write(&file, text).unwrap();
        let line = format!("loadsgf {}", file.display());
        assert_eq!(engine.client.call(&line, PATIENCE).is_ok(), fits);
    }
    let after = peak(&engine.child);
    // Tables may be made ready meanwhile, all of them on a busy machine: they are within the limit, the program's own pages are not.
    // The records leave less than 4 MiB beside them.
    let program = status(&engine.child, "RssFile:");
    assert!(after < 32 + program + 4, "{after} and {program} MiB");
}

#[test]
fn a_network_that_cannot_fit_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.safetensors");
    let numbers = 100 << 20;
    let header = format!(
        r#"{{"a":{{"dtype":"F32","shape":[{numbers}],"data_offsets":[0,{}]}}}}"#,
        4 * numbers
    );
    let mut file = fs::File::create(&path).unwrap();
    file.write_all(&(header.len() as u64).to_le_bytes())
        .unwrap();
    file.write_all(header.as_bytes()).unwrap();
    file.set_len(8 + header.len() as u64 + 4 * numbers).unwrap();
    let mut engine = Engine::start(&["--set", "memory=64"]);
    let refusal = engine.refused(&format!("set_network {}", path.display()));
    assert!(refusal.contains("419430400 bytes"), "{refusal}");
    let after = peak(&engine.child);
    assert!(after < 64 + ROOM, "{after} MiB");
}

#[test]
fn threads_are_as_many_as_there_is_memory_for() {
    let mut engine = Engine::start(&["--set", "memory=32", "--set", "threads=1024"]);
    engine.ok("set_searcher mcts-pb-grave-mast");
    engine.ok("set_option seconds off");
    engine.ok("set_option simulations 20000");
    engine.ok("genmove b");
    assert!(engine.stat("threads") <= 16.0);
    let peak = peak(&engine.child);
    assert!(peak < 32 + ROOM + 16, "{peak} MiB");
}

#[test]
fn a_match_of_a_million_games_begins_small() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.jsonl");
    let mut command = Command::new(env!("CARGO_BIN_EXE_treeline"));
    command.args([
        "match",
        "breakthrough",
        "size=5x5",
        "--games",
        "1000000",
        "--concurrency",
        "1",
    ]);
    command.args(["--player", "random", "--player", "greedy", "--record"]);
    let mut child = command.arg(&games).stdout(Stdio::null()).spawn().unwrap();
    let begin = Instant::now();
    let played = || {
        fs::read_to_string(&games)
            .unwrap_or_default()
            .lines()
            .count()
    };
    while played() < 4 && begin.elapsed() < PATIENCE {
        assert!(child.try_wait().unwrap().is_none(), "the match is over");
        std::thread::sleep(Duration::from_millis(10));
    }
    let peak = peak(&child);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(played() >= 4 && peak < 128, "{peak} MiB");
}
