//! Opening books as their users have them: grown, broken off, damaged, and played from.

use crate::common::{Engine, run};
use serde_json::Value;
use std::fs;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::process::Command;

const GAME: &str = "connect-four width=5 height=4";

/// Runs `treeline book`; what it said, and whether it succeeded.
fn book(arguments: &[&str]) -> (String, bool) {
    let output = run(&[&["book"], arguments].concat(), "");
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8(text).unwrap(), output.status.success())
}

/// Adds positions to a book; quick searches.
fn grow(path: &Path, positions: &str) -> (String, bool) {
    let file = path.to_str().unwrap();
    let quick = [
        "--searcher",
        "alpha-beta exact=off",
        "--set",
        "nodes=300",
        "--set",
        "threads=1",
        "--set",
        "memory=64",
        "--set",
        "network=none",
        "--seconds",
        "60",
    ];
    let arguments = ["grow", file, "--game", GAME, "--positions", positions];
    book(&[&arguments[..], &quick].concat())
}

fn grown(positions: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a small.book");
    let (said, good) = grow(&path, positions);
    assert!(good, "{said}");
    (folder, path)
}

fn check(path: &Path) -> String {
    let (said, good) = book(&["check", path.to_str().unwrap()]);
    assert!(good, "{said}");
    said
}

#[test]
fn it_grows_goes_on_and_is_shown() {
    let (_folder, path) = grown("30");
    let (said, good) = grow(&path, "30");
    assert!(good && said.contains("60 positions, 30 new"), "{said}");
    let said = check(&path);
    assert!(
        said.starts_with(&format!("{GAME}: alpha-beta exact=off, ")),
        "{said}"
    );
    assert!(
        said.contains("\n60 positions, ") && said.contains(", 0 not reached from the start"),
        "{said}"
    );
    let file = path.to_str().unwrap();
    let (said, good) = book(&["show", file]);
    assert!(
        good && said.contains("b to move") && said.contains(" %"),
        "{said}"
    );
    let (said, good) = book(&["show", file, "--moves", "a a a a"]);
    assert!(!good && said.contains("has not this position"), "{said}");
    let (said, good) = book(&["show", file, "--moves", "z"]);
    assert!(!good && said.contains('z'), "{said}");
    // The game stands in the book.
    let more = ["grow", file, "--positions", "1", "--set", "nodes=100"];
    let (said, good) = book(&more);
    assert!(good && said.contains("61 positions, 1 new"), "{said}");
    assert!(said.contains("was begun otherwise: "), "{said}");
}

#[test]
fn half_a_line_is_left_out() {
    let (_folder, path) = grown("5");
    let whole = fs::read(&path).unwrap();
    // An end that an editor left out is no loss, and the next line begins on its own.
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert!(check(&path).contains("\n5 positions"));
    let (said, good) = grow(&path, "1");
    assert!(good && said.contains("6 positions, 1 new"), "{said}");
    assert!(check(&path).contains("\n6 positions"));
    for cut in [2, 20, 45] {
        fs::write(&path, &whole[..whole.len() - cut]).unwrap();
        assert!(check(&path).contains("\n4 positions"));
        let (said, good) = grow(&path, "1");
        assert!(good && said.contains("5 positions, 1 new"), "{said}");
    }
    // Not even the first line.
    fs::write(&path, &whole[..20]).unwrap();
    let (said, good) = grow(&path, "2");
    assert!(good && said.contains("2 positions, 2 new"), "{said}");
}

#[test]
fn what_is_no_book_is_refused_and_left_alone() {
    let (folder, path) = grown("3");
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let head = format!("{}\n{}\n", lines[0], lines[1]);
    let other = folder.path().join("b.book");
    let file = other.to_str().unwrap();
    for (content, reason) in [
        ("no book\n".to_string(), "no opening book"),
        ("{}\n".into(), "no opening book"),
        (text.replace("\"book\":1", "\"book\":9"), "version 9"),
        (text.replace("connect-four", "tiddlywinks"), "unknown game"),
        (
            format!("{head}{}\n", lines[1]),
            "line 3: its position was there before",
        ),
        (
            format!("{head}{{\"position\":\"nonsense\",\"moves\":[[\"a\",0.5]]}}\n"),
            "line 3: ",
        ),
        (format!("{head}garbage\n"), "line 3: "),
        (text.replacen("[\"", "[\"z", 1), "line 2: 'z"),
        (
            format!("{}\n{}\n", lines[0], with_score(lines[1], 1.5)),
            "from 0 to 1",
        ),
    ] {
        fs::write(&other, &content).unwrap();
        for arguments in [
            vec!["check", file],
            vec!["show", file],
            vec!["grow", file, "--positions", "1", "--game", GAME],
        ] {
            let (said, good) = book(&arguments);
            assert!(
                !good && said.contains(reason),
                "{arguments:?} {reason}: {said}"
            );
        }
        assert_eq!(fs::read_to_string(&other).unwrap(), content);
    }
    // What is no file at all is not read: nobody writes into this pipe.
    #[cfg(target_os = "linux")]
    {
        let pipe = folder.path().join("pipe");
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        let pipe = pipe.to_str().unwrap();
        for arguments in [
            vec!["check", pipe],
            vec!["grow", pipe, "--positions", "1", "--game", GAME],
        ] {
            let (said, good) = book(&arguments);
            assert!(!good && said.contains("no regular file"), "{said}");
        }
    }
    let file = path.to_str().unwrap();
    let (said, good) = book(&["grow", file, "--positions", "1", "--game", "hex"]);
    assert!(!good && said.contains("a book of connect-four"), "{said}");
    let (said, good) = book(&["grow", "/nowhere/at/all.book", "--game", "hex"]);
    assert!(!good && said.contains("/nowhere/at/all.book"), "{said}");
    let (said, good) = book(&["grow", "/nowhere/at/all.book"]);
    assert!(!good && said.contains("--game"), "{said}");
    let dumb = [
        "grow",
        "--game",
        "hex",
        "--searcher",
        "random",
        "--positions",
        "1",
    ];
    let fresh = folder.path().join("c.book");
    let (said, good) = book(&[&dumb[..], &[fresh.to_str().unwrap()]].concat());
    assert!(
        !good && said.contains("does not say what a move is worth"),
        "{said}"
    );
    // A start that is refused leaves nothing that another would have to go by.
    assert_eq!(fs::read_to_string(&fresh).unwrap(), "");
    let fresh = fresh.to_str().unwrap();
    let (said, good) = book(&["grow", fresh, "--game", "hex", "--seconds", "off"]);
    assert!(!good && said.contains("never ends"), "{said}");
    let (said, good) = book(&["check", "/nowhere.book"]);
    assert!(!good && said.matches("os error").count() == 1, "{said}");
}

/// The search plays the first, and no other is thought better of.
#[test]
fn moves_are_best_first_and_proven_positions_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a small.book");
    let file = path.to_str().unwrap();
    let quick = [
        "--searcher",
        "mcts",
        "--set",
        "simulations=400",
        "--set",
        "memory=64",
    ];
    let arguments = ["grow", file, "--game", "hex size=4", "--positions", "25"];
    let (said, good) = book(&[&arguments[..], &quick].concat());
    assert!(good, "{said}");
    let text = fs::read_to_string(&path).unwrap();
    for line in text.lines().skip(1) {
        let line: Value = serde_json::from_str(line).unwrap();
        let scores: Vec<f64> = line["moves"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m[1].as_f64().unwrap())
            .collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{line}");
    }
    // A proven one: all that there is of Connect Four.
    let path = folder.path().join("b.book");
    let file = path.to_str().unwrap();
    let arguments = [
        "grow",
        file,
        "--game",
        "connect-four width=4 height=4",
        "--positions",
        "3",
        "--seconds",
        "60",
    ];
    let (said, good) = book(&arguments);
    assert!(good && said.contains("1 position, 1 new"), "{said}");
    let (said, good) = book(&["show", file]);
    assert!(good && said.contains("b to move, a proven draw"), "{said}");
    assert!(!said.contains("ends here"), "{said}");
    let set = format!("book={file}");
    let mut engine = Engine::start(&["--game", "connect-four width=4 height=4", "--set", &set]);
    engine.ok("genmove b");
    let stats: Value = serde_json::from_str(&engine.ok("search_stats")).unwrap();
    assert_eq!(
        (&stats["searcher"], &stats["proven"]),
        (&"book".into(), &"draw".into())
    );
}

/// A line with another score for its first move.
fn with_score(line: &str, score: f64) -> String {
    let mut line: Value = serde_json::from_str(line).unwrap();
    line["moves"][0][1] = score.into();
    line.to_string()
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_it() {
    let (said, good) = grow(Path::new("/dev/full"), "1");
    assert!(!good && said.contains("/dev/full"), "{said}");
}

#[test]
fn moves_come_from_the_book_until_it_ends() {
    let (_folder, path) = grown("40");
    let file = path.to_str().unwrap();
    let set = format!("book={file}");
    let mut engine = Engine::start(&[
        "--game",
        GAME,
        "--set",
        &set,
        "--set",
        "nodes=50",
        "--set",
        "memory=64",
    ]);
    let searcher = |engine: &mut Engine| {
        let stats: Value = serde_json::from_str(&engine.ok("search_stats")).unwrap();
        stats["searcher"].as_str().unwrap().to_string()
    };
    let first = engine.ok("genmove b");
    assert_eq!(searcher(&mut engine), "book");
    let (shown, _) = book(&["show", file]);
    let best = shown.lines().find(|line| line.contains('%')).unwrap();
    assert!(best.starts_with(&format!("{first} ")), "{first}: {shown}");
    engine.ok("genmove w");
    engine.ok("undo");
    // Undone and thought of again, it is the same; what is only asked for is not played.
    let again = engine.ok("reg_genmove w");
    assert_eq!(engine.ok("genmove w"), again);
    let mut left = false;
    for colour in ["b", "w"].iter().cycle().take(16) {
        engine.ok(&format!("genmove {colour}"));
        left |= searcher(&mut engine) != "book";
    }
    assert!(left, "the book has every position");
    // Without, and as somebody weaker.
    engine.ok("clear_board");
    engine.ok("set_option book off");
    engine.ok("genmove b");
    assert_ne!(searcher(&mut engine), "book");
    engine.ok("clear_board");
    engine.ok(&format!("set_option book {file}"));
    engine.ok("set_searcher auto level=2");
    engine.ok("genmove b");
    assert_ne!(searcher(&mut engine), "book");
    // Another game's book waits, and cannot be chosen.
    engine.ok("set_game othello");
    engine.ok("genmove b");
    assert_ne!(searcher(&mut engine), "book");
    let refusal = engine.refused(&format!("set_option book {file}"));
    assert!(refusal.contains("is of no use in othello"), "{refusal}");
    assert!(
        engine
            .refused("set_option book /nowhere")
            .contains("/nowhere")
    );
    assert_eq!(engine.ok("get_option book"), file);
}

#[test]
fn variety_chooses_between_moves_that_are_nearly_as_good() {
    let (_folder, path) = grown("20");
    let set = format!("book={}", path.to_str().unwrap());
    let firsts = |variety: &str| {
        let moves = (0..12).map(|seed| {
            let seed = format!("seed={seed}");
            let arguments = [
                "--game",
                GAME,
                "--set",
                &set,
                "--set",
                variety,
                "--set",
                &seed,
                "--set",
                "memory=64",
            ];
            Engine::start(&arguments).ok("genmove b")
        });
        moves.collect::<std::collections::BTreeSet<String>>().len()
    };
    assert_eq!(firsts("book-variety=0"), 1);
    assert!(firsts("book-variety=1") > 1);
}
