//! `treeline play` over a pipe, as a person would type.

use crate::common::Engine;
use std::io::Write;
use std::process::{Command, Stdio};

/// What is shown to somebody who types these lines; the game is always played to the same end.
fn shown(arguments: &[&str], lines: &str) -> String {
    let fixed = [
        "--set",
        "seconds=off",
        "--set",
        "nodes=100",
        "--set",
        "seed=1",
        "--set",
        "threads=1",
    ];
    let mut child = Command::new(env!("CARGO_BIN_EXE_treeline"))
        .arg("play")
        .args(arguments)
        .args(fixed)
        .args(["--set", "memory=64"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // It may have ended before it read everything.
    let _ = child.stdin.take().unwrap().write_all(lines.as_bytes());
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{arguments:?} {lines:?}: {output:?}"
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_engine_answers_and_undo_takes_both_moves_back() {
    let text = shown(&["connect-four"], "d\nundo\nundo\nquit\n");
    assert!(text.contains("You play b against auto."), "{text}");
    assert_eq!(text.matches("w plays ").count(), 1, "{text}");
    assert!(text.contains("nothing to take back"), "{text}");
    // The empty board at the start and after the undo.
    assert_eq!(text.matches("  1 . . . . . . . 1").count(), 2, "{text}");
}

#[test]
fn a_person_plays_either_side_both_or_none() {
    let second = shown(&["kalah", "--as", "w"], "");
    assert!(second.contains("\nb plays "), "{second}");
    let both = shown(&["kalah", "--as", "both"], "3\n6\n1\nquit\n");
    let engine = ["b plays ", "w plays "];
    assert!(engine.iter().all(|text| !both.contains(text)), "{both}");
    assert_eq!(both.matches(" to move\n").count(), 4, "{both}");
    let none = shown(&["connect-four", "width=4", "height=4", "--as", "none"], "");
    assert!(
        none.contains("has won.") || none.contains("The game is drawn."),
        "{none}"
    );
    let turned = shown(&["connect-four"], "side w\nquit\n");
    assert!(turned.contains("b plays "), "{turned}");
}

#[test]
fn hints_and_mistakes_are_answered() {
    let lines = "hint\nz9\nd5\nmoves\nseconds soon\nside red\nhelp\ngame chess\nset nodes 50\nload /nowhere\n";
    let text = shown(&["connect-four", "--as", "both"], lines);
    for part in [
        "hint: ",
        "cannot read the move 'z9'",
        "illegal move d5",
        "\na b c d e f g\n",
        "not 'soon'",
        "b, w, both or none",
        "takes your last move back",
        "unknown game 'chess'",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Nothing of it changed the game, so that the board was shown once.
    assert_eq!(text.matches("b to move").count(), 1, "{text}");
}

#[test]
fn a_game_is_kept_and_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["game.txt", "game.sgf"] {
        let path = folder.path().join(name).display().to_string();
        let first = shown(
            &["othello"],
            &format!("d3\nsave {path}\nsave {path}\nquit\n"),
        );
        assert!(first.contains("cannot write"), "{first}");
        let mut engine = Engine::start(&[]);
        engine.ok(&format!("loadsgf {path}"));
        let board = engine.ok("showboard");
        let board = board.split("\nothello").next().unwrap().trim();
        for arguments in [&["othello", "--load", &path][..], &["hex"]] {
            let lines = format!("load {path}\nquit\n");
            let text = shown(arguments, &lines);
            assert!(text.contains(board), "{text} {board}");
        }
    }
}

#[test]
fn boards_are_coloured_when_asked_for() {
    for game in treeline::games::ENTRIES {
        let plain = shown(&[game.name], "");
        assert!(!plain.contains('\x1b'), "{plain}");
        let coloured = shown(&[game.name, "--colours", "always"], "");
        assert!(coloured.contains("\x1b["), "{coloured}");
        assert!(coloured.contains("b to move"), "{coloured}");
    }
}

/// Whoever cannot move passes without being asked.
#[test]
fn a_pass_without_a_choice_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.txt");
    // Player one cannot move, player two can.
    std::fs::write(&file, "game: othello size=6\nposition: wb4/6/6/6/6/6 b\n").unwrap();
    let path = file.to_str().unwrap();
    let text = shown(
        &["othello", "size=6", "--as", "both", "--load", path],
        "moves\n",
    );
    assert!(text.contains("b has no other move than pass."), "{text}");
    assert!(text.contains("\nc1\n"), "{text}");
}
