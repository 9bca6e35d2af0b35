//! Files that the program reads and writes: what is no file, what cannot be written whole, what somebody else fills.

use crate::common::matches::{Folder, play};
use crate::common::{Engine, PATIENCE, Server};
use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::process::Command;
use treeline_protocol::spawn;

#[cfg(unix)]
#[test]
fn a_record_that_cannot_be_written_leaves_nothing_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.sgf");
    // A limit on the size of files is a full disk that a test can have.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\""]);
    let (child, client) = spawn(command.arg(env!("CARGO_BIN_EXE_treeline"))).unwrap();
    let mut full = Engine { child, client };
    let refusal = full.refused(&format!("printsgf {}", file.display()));
    assert!(refusal.contains("cannot write"), "{refusal}");
    assert!(!file.exists(), "a stump");
    Engine::start(&[]).ok(&format!("printsgf {}", file.display()));
    // What was there before is not taken for a stump.
    full.refused(&format!("printsgf {}", file.display()));
    assert!(file.exists());
}

#[test]
fn what_keeps_readers_waiting_is_no_record() {
    let mut engine = Engine::start(&[]);
    for path in [
        "/proc/kmsg",
        "/proc/self/mem",
        "/proc/cpuinfo",
        "/dev/zero",
        "/dev/stdin",
        "/",
    ] {
        let refusal = engine.refused(&format!("loadsgf {path}"));
        assert!(refusal.contains("cannot load file"), "{path}: {refusal}");
    }
}

#[test]
fn records_of_no_game_and_no_board_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.sgf");
    let mut engine = Engine::start(&["--game", "othello"]);
    engine.ok("play b d3");
    let before = engine.ok("position");
    for (record, reason) in [
        ("# nothing", "no game in it"),
        ("colour: b", "unknown word 'colour:'"),
        ("hello", "cannot read"),
        ("[GameType \"25\"]\n1. 12-16 *", "game type 25"),
        ("{\"game\":\"othello\"}", "'moves' is missing"),
        ("(;GM[11]SZ[4294967297])", "SZ[4294967297]"),
        ("(;GM[11]SZ[-1])", "SZ[-1]"),
        ("(;GM[11]SZ[5:])", "SZ[5:]"),
        ("(;GM[11]SZ[x])", "SZ[x]"),
        ("(;GM[11]SZ[400])", "size"),
        ("(;GM[-1];B[d3])", "GM[-1]"),
        ("(;GM[4294967307])", "cannot load"),
        ("(;GM[999])", "GM[999]"),
        ("(;GM[0])", "GM[0]"),
        ("(;GM[])", "cannot load"),
        ("(;GM[1]SZ[8])", "Go"),
    ] {
        fs::write(&file, record).unwrap();
        let refusal = engine.refused(&format!("loadsgf {}", file.display()));
        assert!(refusal.contains(reason), "{record}: {refusal}");
        assert_eq!(engine.ok("position"), before, "{record}");
    }
}

#[test]
fn a_record_without_a_number_is_of_the_present_game() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.hsgf");
    let record =
        "(;FF[4]EV[hex.ld.DEFAULT]PB[p]PW[q]SZ[5]RE[B]SO[x];W[ba];B[swap];W[cc];B[resign])";
    fs::write(&file, record).unwrap();
    let mut engine = Engine::start(&[]);
    let load = format!("loadsgf {}", file.display());
    engine.refused(&load);
    engine.ok("set_game hex");
    engine.ok(&load);
    // The stone on b1 has become one of the second player's on the mirrored cell.
    assert_eq!(engine.ok("position"), "5/w4/2b2/5/5 w");
    engine.ok("undo");
    assert_eq!(engine.ok("legal_moves").split(' ').count(), 24);
}

/// In every form that a game can be saved in it loads again, moves and all.
#[test]
fn what_is_saved_loads() {
    for entry in treeline::games::ENTRIES {
        let folder = tempfile::tempdir().unwrap();
        let mut engine = Engine::start(&["--game", entry.name, "--set", "nodes=20"]);
        for _ in 0..4 {
            let turn = engine.ok("side_to_move");
            engine.ok(&format!("genmove {turn}"));
        }
        let position = engine.ok("position");
        for (name, only) in [
            ("game.sgf", ""),
            ("game.txt", ""),
            ("game.pdn", "draughts"),
            ("game.ggf", "othello"),
            ("game.transcript", "othello"),
        ] {
            let path = folder.path().join(name).display().to_string();
            let save = format!("save {path}");
            if !only.is_empty() && entry.name != only {
                let refusal = engine.refused(&save);
                assert!(refusal.contains(&format!("is for {only}")), "{refusal}");
                continue;
            }
            engine.ok(&save);
            assert!(engine.refused(&save).contains("cannot write"), "{path}");
            engine.ok("clear_board");
            engine.ok(&format!("load {path}"));
            assert_eq!(engine.ok("position"), position, "{} {name}", entry.name);
            engine.ok("undo");
            engine.ok(&format!("load {path} 5"));
            assert_eq!(engine.ok("position"), position, "{} {name}", entry.name);
        }
    }
}

/// Forms of Othello that others write, with a position, passes said and passes left out.
#[test]
fn games_of_othello_are_read_however_they_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game");
    let load = format!("load {}", file.display());
    let mut engine = Engine::start(&[]);
    let board = "BO[6 *O---- ------ ------ ------ ------ *O---O *]";
    let passed = format!("(;GM[Othello]PB[A]TY[6]{board}B[c1]W[PA]B[c6];)");
    for (record, position) in [
        ("F5D6C3\n", "8/8/2b5/3bb3/3wbb2/3w4/8/8 w"),
        (passed.as_str(), "bbb3/6/6/6/6/bbb2w w"),
    ] {
        fs::write(&file, record).unwrap();
        engine.ok(&load);
        assert_eq!(engine.ok("position"), position, "{record}");
    }
    for bad in [
        "(;GM[Othello]BO[8 -- *];)",
        "(;GM[Othello]TY[8a];)",
        "(;GM[Othello]B[d3]",
        "f5d6a1\n",
    ] {
        fs::write(&file, bad).unwrap();
        let before = engine.ok("position");
        engine.refused(&load);
        assert_eq!(engine.ok("position"), before, "{bad}");
    }
}

/// PDN of others names the squares where a capture stops or only its ends; matches write pieces taken.
#[test]
fn captures_are_read_however_pdn_writes_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = Engine::start(&["--game", "draughts"]);
    let start = "[GameType \"20\"]\n[FEN \"W:W28:B22,12,13\"]\n\n";
    let mut ends = Vec::new();
    for (i, word) in ["28x17", "28x17x8x19", "28x19", "28x19x12x13x22"]
        .into_iter()
        .enumerate()
    {
        let file = folder.path().join(format!("{i}.pdn"));
        fs::write(&file, format!("{start}1. {word} *\n")).unwrap();
        let load = format!("loadsgf {}", file.display());
        match i {
            0 => assert!(engine.refused(&load).contains("28x17"), "{word}"),
            _ => {
                engine.ok(&load);
                ends.push(engine.ok("position"));
            }
        }
    }
    assert!(ends.windows(2).all(|two| two[0] == two[1]), "{ends:?}");
}

#[test]
fn comments_of_a_connection_do_not_fill_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let server = Server::start(&["--log", log.to_str().unwrap()]);
    let mut stream = server.connect();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let comment = format!("# {}\n", "x".repeat(1000));
    let mut text = comment.repeat(2000);
    text += &format!("name # {}\n", "x".repeat(500_000));
    text += &format!("{}\nquit\n", "y".repeat(500_000));
    let mut writing = stream.try_clone().unwrap();
    let writer = std::thread::spawn(move || writing.write_all(text.as_bytes()));
    let mut replies = String::new();
    stream.read_to_string(&mut replies).unwrap();
    writer.join().unwrap().unwrap();
    let _ = stream.shutdown(Shutdown::Both);
    assert!(replies.starts_with("= Treeline\n\n?"), "{replies}");
    let text = fs::read_to_string(&log).unwrap();
    assert!(text.len() < 10_000, "{} bytes", text.len());
    assert!(
        text.contains("< name\n") && text.contains("> = Treeline"),
        "{text}"
    );
}

#[test]
fn a_log_has_what_its_own_user_said_in_full() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut engine = Engine::start(&["--log", log.to_str().unwrap()]);
    let long = "z".repeat(5000);
    engine.client.send("name").unwrap();
    engine.client.receive(PATIENCE).unwrap();
    engine.refused(&long);
    let text = fs::read_to_string(&log).unwrap();
    assert!(text.contains(&long));
}

#[test]
fn a_title_of_any_characters_makes_a_picture_that_is_xml() {
    let folder = Folder::new("title");
    play(&folder.file(
        "title = \"a \\u001b[31m <b> & \\uFFFF\"\ngame = \"breakthrough size=5x5\"\ngames = 2\n\
         [[engine]]\nsearcher = \"random\"\nmemory = 32\n\
         [[engine]]\nsearcher = \"greedy\"\nmemory = 32\n",
    ));
    let picture = fs::read_to_string(folder.path().join("match.results/plot.svg")).unwrap();
    let wrong = |c: char| c.is_control() && c != '\n' && c != '\t' && c != '\r' || c == '\u{ffff}';
    assert!(
        picture.contains("&lt;b&gt;") && !picture.contains(wrong),
        "{picture}"
    );
}
