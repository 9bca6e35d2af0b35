//! What the engine promises beyond single commands: trees that survive, limits, clocks, reproducible searches, TCP.

use crate::common::{Engine, PATIENCE, Server, piped};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use treeline_protocol::Client;

#[test]
fn every_game_is_played_to_its_end_by_every_searcher() {
    for entry in treeline::games::ENTRIES {
        let mut engine = Engine::start(&["--game", entry.name, "--set", "threads=1"]);
        engine.ok("set_option depth 2");
        if entry.name == "hex" {
            // Its network sees planes, which takes minutes where nothing is optimised.
            engine.ok("set_network none");
        }
        // Presets, which differ in options only, come last.
        let mut searchers: Vec<_> = treeline::search::entries().collect();
        searchers.sort_by_key(|searcher| !searcher.preset.is_empty());
        let mut large = true;
        for searcher in searchers {
            let preset = !searcher.preset.is_empty();
            if entry.name == "hex" && preset && large {
                // Some of their play-outs and evaluations are slow.
                engine.ok("set_game hex size=5");
                engine.ok("set_network none");
                large = false;
            }
            let simulations = if preset { 4 } else { 20 };
            engine.ok("clear_board");
            engine.ok(&format!("set_option simulations {simulations}"));
            engine.ok(&format!("set_searcher {}", searcher.name));
            let mut plies = 0;
            loop {
                let side = engine.ok("side_to_move");
                if side == "none" {
                    break;
                }
                let legal = engine.ok("legal_moves");
                let played = engine.ok(&format!("genmove {side}"));
                assert!(
                    legal.split(' ').any(|m| m == played),
                    "{} {}: {played} of {legal}",
                    entry.name,
                    searcher.name
                );
                plies += 1;
            }
            assert_eq!(
                engine.ok("legal_moves"),
                "",
                "{} after {plies} plies",
                entry.name
            );
            let (result, score) = (engine.ok("game_result"), engine.ok("final_score"));
            match result.as_str() {
                "draw" => assert_eq!(score, "0"),
                winner => assert!(
                    score.starts_with(&format!("{}+", winner.to_uppercase())),
                    "{score}"
                ),
            }
            let (winner, loser) = if result == "b" {
                ("b", "w")
            } else {
                ("w", "b")
            };
            let expected = if result == "draw" { "pass" } else { "resign" };
            assert_eq!(
                engine.ok(&format!("genmove {loser}")),
                expected,
                "{}",
                entry.name
            );
            assert_eq!(
                engine.ok(&format!("genmove {winner}")),
                "pass",
                "{}",
                entry.name
            );
            while engine.client.call("undo", PATIENCE).is_ok() {
                plies -= 1;
            }
            assert_eq!(plies, 0, "{}: as many undos as plays", entry.name);
        }
    }
}

#[test]
fn the_tree_survives_play_undo_and_replay() {
    let mut engine = Engine::start(&[
        "--searcher",
        "mcts",
        "--set",
        "simulations=20000",
        "--set",
        "threads=1",
        "--set",
        "seconds=off",
    ]);
    let first = engine.ok("genmove b");
    assert_eq!(engine.stat("reused_nodes"), 0.0);
    let pv: serde_json::Value = serde_json::from_str(&engine.ok("search_stats")).unwrap();
    let expected = pv["pv"][1].as_str().unwrap().to_string();
    engine.ok(&format!("play w {expected}"));
    engine.ok("genmove b");
    let kept = engine.stat("reused_nodes");
    assert!(kept > 50.0, "{kept}");
    // Back to the start and forth again by another way of asking.
    for _ in 0..3 {
        engine.ok("undo");
    }
    engine.ok("reg_genmove b");
    assert!(engine.stat("reused_nodes") >= 20000.0);
    engine.ok(&format!("play b {first}"));
    engine.ok(&format!("play w {expected}"));
    engine.ok("reg_genmove b");
    assert!(
        engine.stat("reused_nodes") >= 20000.0,
        "the second search of this position counts too"
    );
    engine.ok("clear_board");
    engine.ok("reg_genmove b");
    assert!(
        engine.stat("reused_nodes") >= 40000.0,
        "a new game begins where the last one did"
    );
    engine.ok("clear_cache");
    engine.ok("reg_genmove b");
    assert_eq!(engine.stat("reused_nodes"), 0.0);
}

#[test]
fn two_plays_in_a_row_imply_the_forced_pass_between() {
    let mut engine = Engine::start(&[
        "--game",
        "othello",
        "--searcher",
        "random",
        "--set",
        "seed=1",
    ]);
    let mut seen = 0;
    while seen < 3 {
        engine.ok("clear_board");
        loop {
            let side = engine.ok("side_to_move");
            if side == "none" {
                break;
            }
            if engine.ok("legal_moves") != "pass" {
                engine.ok(&format!("genmove {side}"));
                continue;
            }
            let other = if side == "b" { "w" } else { "b" };
            let before = engine.ok("position");
            engine.refused(&format!("play {other} a9"));
            assert_eq!(
                engine.ok("position"),
                before,
                "a refused move plays no pass either"
            );
            let played = engine.ok(&format!("reg_genmove {other}"));
            assert_eq!(engine.ok("position"), before, "nor does reg_genmove");
            engine.ok(&format!("play {other} {played}"));
            let after = engine.ok("position");
            engine.ok("undo");
            assert_eq!(engine.ok("position"), before, "one undo for one play");
            engine.ok(&format!("play {side} pass"));
            engine.ok(&format!("play {other} {played}"));
            assert_eq!(engine.ok("position"), after);
            seen += 1;
        }
    }
}

#[test]
fn limits_are_kept_to_the_last_simulation() {
    let mut engine = Engine::start(&[
        "--searcher",
        "mcts",
        "--set",
        "seconds=off",
        "--set",
        "threads=2",
    ]);
    engine.ok("set_option simulations 1000");
    engine.ok("genmove b");
    assert_eq!(engine.stat("simulations"), 1000.0);
    engine.ok("set_option simulations off");
    engine.ok("set_option nodes 5000");
    engine.ok("genmove w");
    let nodes = engine.stat("nodes");
    // Threads look at the common count between batches.
    assert!((5000.0..5100.0).contains(&nodes), "{nodes}");
    engine.ok("set_option nodes off");
    engine.ok("set_option simulations 2000");
    engine.ok("set_option depth 2");
    engine.ok("clear_cache");
    engine.ok("genmove b");
    assert_eq!(engine.stat("depth"), 2.0);
}

#[test]
fn the_same_seed_gives_the_same_search() {
    let search = || {
        let mut engine = Engine::start(&[
            "--set",
            "simulations=5000",
            "--set",
            "threads=1",
            "--set",
            "seed=9",
        ]);
        engine.ok("set_option seconds off");
        let mut moves: Vec<String> = Vec::new();
        for colour in ["b", "w", "b", "w"] {
            moves.push(engine.ok(&format!("genmove {colour}")));
            let mut stats: serde_json::Value =
                serde_json::from_str(&engine.ok("search_stats")).unwrap();
            stats["seconds"] = serde_json::Value::Null;
            moves.push(stats.to_string());
        }
        moves
    };
    assert_eq!(search(), search());
}

#[test]
fn a_full_tree_recycles_and_memory_stays_under_its_limit() {
    // Draughts has blocks of many sizes, Hex of few and shrinking ones; eight threads are more than most machines have.
    for (game, threads) in [
        ("breakthrough", 1),
        ("breakthrough", 8),
        ("hex", 2),
        ("draughts", 3),
    ] {
        let threads = format!("threads={threads}");
        let options = [
            "--searcher",
            "mcts",
            "--set",
            "memory=48",
            "--set",
            "seconds=off",
            "--set",
            "simulations=300000",
        ];
        let mut engine =
            Engine::start(&[&options[..], &["--set", &threads, "--game", game]].concat());
        for round in 0..3 {
            engine.ok(&format!("genmove {}", ["b", "w"][round % 2]));
            assert_eq!(
                engine.stat("simulations"),
                300_000.0,
                "a full tree must not end the search"
            );
        }
        if let Ok(status) = std::fs::read_to_string(format!("/proc/{}/status", engine.child.id())) {
            let kibibytes = |name: &str| -> u64 {
                let line = status.lines().find(|line| line.starts_with(name));
                let number = line.unwrap().split_whitespace().nth(1);
                number.unwrap().parse().unwrap()
            };
            // Without the program itself, which takes up to 16 MiB where it is not optimised.
            let kibibytes = kibibytes("VmHWM") - kibibytes("RssFile");
            assert!(kibibytes < 40 << 10, "{game}: {status}");
            assert!(
                kibibytes > 14 << 10,
                "the test did not fill the tree of {game}: {status}"
            );
        }
    }
}

#[test]
fn clocks_rule_when_they_are_set() {
    // Far longer than the test is waited for.
    let options = ["--set", "seconds=100000", "--set", "threads=1"];
    let options = [&options[..], &["--set", "memory=64", "--searcher", "mcts"]].concat();
    let mut engine = Engine::start(&options);
    let think = |engine: &mut Engine, seconds: f64| {
        // CPU seconds of one thread: a busy machine makes them fewer, never more.
        let used = |engine: &mut Engine| engine.ok("cputime").parse::<f64>().unwrap();
        let before = used(engine);
        let turn = engine.ok("side_to_move");
        engine.ok(&format!("genmove {turn}"));
        let cost = used(engine) - before;
        assert!(
            cost <= seconds,
            "{cost} CPU seconds, {seconds} on the clock"
        );
        assert!(engine.stat("simulations") > 0.0);
    };
    engine.ok("time_settings 1 0 0");
    think(&mut engine, 1.0);
    engine.ok("kgs-time_settings byoyomi 0 0.3 3");
    think(&mut engine, 0.3);
    engine.ok("time_left b 0.2 1");
    think(&mut engine, 0.2);
    engine.ok("kgs-time_settings none");
    engine.ok("set_option simulations 10");
    engine.ok("genmove w");
    assert_eq!(engine.stat("simulations"), 10.0);
}

#[test]
fn analysis_streams_until_the_next_line() {
    let (mut child, mut stdin, mut lines) = piped(&[]);
    writeln!(stdin, "3 lz-analyze b 5").unwrap();
    assert_eq!(lines.next().unwrap(), "=3 ");
    for _ in 0..3 {
        let line = lines.next().unwrap();
        let words: Vec<&str> = line.split(' ').take(4).collect();
        assert_eq!(
            (words[0], words[1], words[3]),
            ("info", "move", "visits"),
            "{line}"
        );
        assert!(
            line.contains(" winrate ") && line.contains(" pv "),
            "{line}"
        );
    }
    // Even a line that says nothing ends it.
    writeln!(stdin).unwrap();
    let rest: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
    assert!(rest.iter().all(|line| line.starts_with("info ")));
    writeln!(stdin, "4 side_to_move").unwrap();
    assert_eq!(lines.next().unwrap(), "=4 b", "analysis changes nothing");
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn tcp_serves_independent_sessions_up_to_a_limit() {
    let server = Server::start(&["--connections", "2", "--set", "simulations=50"]);
    assert!(
        server.address.starts_with("127.0.0.1:"),
        "{}",
        server.address
    );
    let client = |stream: TcpStream| Client::new(stream.try_clone().unwrap(), stream).unwrap();
    let second = server.connect();
    let (mut one, mut two) = (
        client(server.connect()),
        client(second.try_clone().unwrap()),
    );
    assert_eq!(one.call("set_game connect-four", PATIENCE).unwrap(), "");
    assert_eq!(two.call("play b a2a3", PATIENCE).unwrap(), "");
    assert_eq!(one.call("side_to_move", PATIENCE).unwrap(), "b");
    assert_eq!(two.call("side_to_move", PATIENCE).unwrap(), "w");
    assert!(one.call("genmove b", PATIENCE).is_ok());
    assert!(one.call("loadsgf /etc/passwd", PATIENCE).is_err());
    // The connections share the memory and cannot take each other's.
    assert_eq!(one.call("get_option memory", PATIENCE).unwrap(), "512");
    assert!(one.call("set_option memory 513", PATIENCE).is_err());
    assert!(one.call("set_option threads 1024", PATIENCE).is_err());
    assert!(one.call("set_option memory 64", PATIENCE).is_ok());
    // The third is told why and closed.
    let mut third = BufReader::new(server.connect());
    let mut line = String::new();
    third.read_line(&mut line).unwrap();
    assert_eq!(line, "? all 2 connections are in use\n");
    second.shutdown(std::net::Shutdown::Both).unwrap();
    // A place is free again once the server has seen the drop.
    while client(server.connect()).call("name", PATIENCE).is_err() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(one.call("legal_moves", PATIENCE).unwrap().len(), 13);
}

#[test]
fn sgf_files_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    for entry in treeline::games::ENTRIES {
        for variant in std::iter::once(&"").chain(entry.variants) {
            let file = folder.path().join("game.sgf");
            let _ = std::fs::remove_file(&file);
            let game = format!("{} {variant}", entry.name);
            let mut engine =
                Engine::start(&["--game", &game, "--searcher", "random", "--set", "seed=3"]);
            for _ in 0..12 {
                let side = engine.ok("side_to_move");
                if side != "none" {
                    engine.ok(&format!("genmove {side}"));
                }
            }
            let position = engine.ok("position");
            let record = engine.ok("printsgf");
            engine.ok(&format!("printsgf {}", file.display()));
            assert!(
                engine
                    .refused(&format!("printsgf {}", file.display()))
                    .contains("cannot write")
            );
            let mut other = Engine::start(&[]);
            other.ok(&format!("loadsgf {}", file.display()));
            assert_eq!(other.ok("position"), position, "{game}: {record}");
            assert_eq!(other.ok("printsgf"), record);
            other.ok(&format!("loadsgf {} 3", file.display()));
            assert!(other.ok("undo").is_empty() && other.ok("undo").is_empty());
            assert_eq!(
                other.refused("undo"),
                "cannot undo",
                "{game}: two moves before move 3"
            );
            // A damaged file changes nothing.
            let before = other.ok("position");
            std::fs::write(&file, record.replace(";B[", ";B[zz")).unwrap();
            other.refused(&format!("loadsgf {}", file.display()));
            std::fs::write(&file, &record[..record.len() / 2]).unwrap();
            other.refused(&format!("loadsgf {}", file.display()));
            std::fs::write(&file, "(;".repeat(100_000)).unwrap();
            other.refused(&format!("loadsgf {}", file.display()));
            assert_eq!(other.ok("position"), before);
        }
    }
}

#[test]
fn whoever_types_by_hand_is_told_what_to_type() {
    let mut engine = Engine::start(&["--game", "connect-four"]);
    engine.ok("play b d");
    assert!(engine.refused("genmove").ends_with("to move: genmove w"));
    assert!(engine.refused("reg_genmove").ends_with("reg_genmove w"));
    let refusal = engine.refused("d");
    assert!(
        refusal.starts_with("unknown command; here: showboard"),
        "{refusal}"
    );
    assert!(engine.refused("go").contains("genmove COLOUR"));
    assert_eq!(engine.refused("frobnicate"), "unknown command");
}
