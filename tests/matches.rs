//! `treeline match` through the binary: counts, seats, records that survive an interruption, refusals.

use serde_json::Value;
use std::process::{Command, Output};

fn play(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_treeline"))
        .arg("match")
        .args(args)
        .output()
        .unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn every_pair_plays_equally_many_games_from_both_seats() {
    let directory = tempfile::tempdir().unwrap();
    let record = directory.path().join("games.jsonl");
    let base = [
        "breakthrough",
        "size=5x5",
        "--seconds",
        "off",
        "--memory",
        "32",
        "--concurrency",
        "2",
        "--record",
        record.to_str().unwrap(),
        "--player",
        "random",
        "--player",
        "greedy",
        "--player",
        "minimax plies=2",
    ];
    let first = lines(&play(&[&base[..], &["--games", "6", "--json"]].concat()));
    assert_eq!(first.len(), 3);
    for pair in &first {
        assert_eq!(pair["games"], 6);
    }
    // Half of the record and half a line, as after a kill.
    let text = std::fs::read_to_string(&record).unwrap();
    assert_eq!(text.lines().count(), 1 + 18);
    for (i, line) in text.lines().enumerate().skip(1) {
        let game: Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            game["a_first"],
            game["number"].as_u64().unwrap().is_multiple_of(2),
            "{i}"
        );
    }
    // A pair of games begins with one opening.
    let opening = |number: u64, a: &str| {
        let games = text
            .lines()
            .skip(1)
            .map(|l| serde_json::from_str::<Value>(l).unwrap());
        let mut games = games.filter(|g| g["number"] == number && g["a"] == a);
        let game = games.next().unwrap();
        (game["moves"][0].clone(), game["moves"][1].clone())
    };
    assert_eq!(opening(0, "random"), opening(1, "random"));
    let openings: std::collections::HashSet<String> = (0..3)
        .map(|i| format!("{:?}", opening(2 * i, "random")))
        .collect();
    assert!(openings.len() > 1);
    let keep: Vec<&str> = text.lines().take(1 + 9).collect();
    std::fs::write(&record, format!("{}\n{{\"game\":\"br", keep.join("\n"))).unwrap();
    let second = lines(&play(&[&base[..], &["--games", "6", "--json"]].concat()));
    assert!(second.iter().all(|pair| pair["games"] == 6), "{second:?}");
    // The half line is gone, and its game was played.
    let text = std::fs::read_to_string(&record).unwrap();
    assert_eq!(text.lines().count(), 1 + 18);
    assert!(
        text.lines()
            .all(|line| serde_json::from_str::<Value>(line).is_ok())
    );
    // Looking two plies ahead beats not looking.
    let pair = &second[1];
    assert_eq!(
        (&pair["a"], &pair["b"]),
        (&"random".into(), &"minimax plies=2".into())
    );
    assert!(pair["b_wins"].as_u64().unwrap() >= 4, "{pair}");
    let markdown = play(&[&base[..], &["--games", "6"]].concat());
    let markdown = String::from_utf8(markdown.stdout).unwrap();
    assert!(
        markdown.contains("| breakthrough size=5x5 | random | greedy | 6 | "),
        "{markdown}"
    );
    // Everybody has a rating.
    assert!(
        markdown.contains("| Elo | breakthrough size=5x5 |"),
        "{markdown}"
    );
    assert!(markdown.contains("\n| minimax plies=2 | "), "{markdown}");
}

#[test]
fn a_file_that_is_no_record_is_left_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let record = directory.path().join("precious.txt");
    let play = || {
        play(&[
            "connect-four",
            "--seconds",
            "off",
            "--memory",
            "32",
            "--games",
            "2",
            "--record",
            record.to_str().unwrap(),
            "--player",
            "random",
            "--player",
            "greedy",
        ])
    };
    for foreign in [
        "no end of line",
        "a line\nand half of one",
        "a line\n",
        "{\"treeline-match\":2,\"conditions\":{}}\n{\"game\"",
        "\n\n{\"",
    ] {
        std::fs::write(&record, foreign).unwrap();
        let output = play();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("precious.txt"), "{said}");
        assert_eq!(std::fs::read_to_string(&record).unwrap(), foreign);
    }
    // A kill may come while the first line is written.
    for torn in ["", "{\"treel", "{\"treeline-match\":1,\"condi"] {
        std::fs::write(&record, torn).unwrap();
        assert!(play().status.success());
        let text = std::fs::read_to_string(&record).unwrap();
        assert_eq!(text.lines().count(), 1 + 2, "{text}");
    }
}

#[test]
fn what_cannot_be_played_is_refused_with_a_reason() {
    for (args, reason) in [
        (
            &["chess", "--player", "random", "--player", "greedy"][..],
            "unknown game 'chess'",
        ),
        (&["hex", "--player", "random"], "two --player or more"),
        (
            &["hex", "--player", "random", "--player", "random"],
            "all with different names",
        ),
        (
            &["hex", "--player", "random", "--player", "foo"],
            "unknown searcher 'foo'",
        ),
        (
            &["hex", "--player", "random", "--player", "greedy foo=1"],
            "unknown option 'foo'",
        ),
        (
            &["hex", "--player", "random", "--player", "greedy foo"],
            "NAME=VALUE",
        ),
        (
            &["hex", "size=99", "--player", "random", "--player", "greedy"],
            "size",
        ),
        (
            &[
                "hex",
                "--player",
                "random",
                "--player",
                "greedy",
                "--record",
                "/nowhere/x",
            ],
            "/nowhere/x",
        ),
    ] {
        let output = play(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(reason), "{said}");
        assert!(output.stdout.is_empty());
    }
}
