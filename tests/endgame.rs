//! Endgame tables as their users have them: computed by a command, damaged, cut off, and used by searches.

use crate::common::{Engine, endgame_cache};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

const BINARY: &str = env!("CARGO_BIN_EXE_treeline");
const DRAUGHTS: [&str; 2] = ["--game", "draughts"];
/// Searchers that ask tables.
const SEARCHERS: [&str; 4] = ["auto", "alpha-beta", "ubfm", "mcts"];

/// What the command says about `folder`, and whether it succeeded.
fn endgame(folder: &Path, arguments: &[&str]) -> (String, bool) {
    let mut command = Command::new(BINARY);
    command.args(["endgame", "draughts"]).args(arguments);
    let output = command.arg("--folder").arg(folder).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8(text).unwrap(), output.status.success())
}

/// A cache with the tables of two and three pieces, made once.
fn cache() -> &'static Path {
    static CACHE: OnceLock<tempfile::TempDir> = OnceLock::new();
    CACHE.get_or_init(|| endgame_cache("draughts", "3")).path()
}

/// A copy of the tables, to do something to.
fn copy() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["draughts-2.endgame", "draughts-3.endgame"] {
        fs::copy(cache().join("endgame").join(name), folder.path().join(name)).unwrap();
    }
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn damaged_tables_are_named_and_computed_again() {
    let folder = copy();
    let path: PathBuf = folder.path().join("draughts-3.endgame");
    let whole = fs::read(&path).unwrap();
    let (text, done) = endgame(folder.path(), &["--pieces", "3", "--check"]);
    assert!(
        done && text.matches("positions right").count() == 2,
        "{text}"
    );
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    let mut bomb = whole[..32].to_vec();
    bomb.extend(std::iter::repeat_n(0x55, 1 << 22));
    for (what, bytes) in [
        ("damaged", flipped),
        ("damaged", whole[..whole.len() - 1].to_vec()),
        ("damaged", whole[..7].to_vec()),
        ("damaged", Vec::new()),
        ("no endgame table", vec![b'x'; 4096]),
        ("too long", bomb),
        (
            "no endgame table",
            fs::read(folder.path().join("draughts-2.endgame")).unwrap(),
        ),
    ] {
        fs::write(&path, bytes).unwrap();
        let (text, done) = endgame(folder.path(), &["--pieces", "3"]);
        let named = text.contains("draughts-3.endgame: ") && text.contains(what);
        assert!(done && named && text.contains("computed again"), "{text}");
        assert!(fs::read(&path).unwrap() == whole, "{what}");
    }
    let (text, done) = endgame(folder.path(), &["--pieces", "9"]);
    assert!(
        !done && text.contains("--pieces is 2 to 4 pieces, not 9"),
        "{text}"
    );
}

/// A search does not use a damaged table, and plays on.
#[test]
fn searches_do_without_a_damaged_table() {
    let folder = copy();
    let inside = folder.path().join("endgame");
    fs::create_dir(&inside).unwrap();
    fs::write(inside.join("draughts-2.endgame"), "x".repeat(99)).unwrap();
    fs::rename(
        folder.path().join("draughts-3.endgame"),
        inside.join("draughts-3.endgame"),
    )
    .unwrap();
    let mut engine = Engine::with_cache(folder.path().to_str().unwrap(), &DRAUGHTS);
    begin(&mut engine, "alpha-beta");
    engine.ok("set_position W:WK1,K2:BK28");
    engine.ok("genmove b");
    assert_eq!(proven(&mut engine), Value::Null);
}

#[cfg(unix)]
#[test]
fn a_full_disk_and_a_kill_leave_nothing_half_written() {
    let folder = copy();
    fs::remove_file(folder.path().join("draughts-3.endgame")).unwrap();
    let full = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$@\"", "sh", BINARY])
        .args(["endgame", "draughts", "--pieces", "3", "--folder"])
        .arg(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&full.stderr);
    assert!(!full.status.success(), "{text}");
    assert!(
        text.contains("draughts-3.endgame: cannot be written"),
        "{text}"
    );
    assert_eq!(names(folder.path()), ["draughts-2.endgame", "lock"]);
    // Killed while it computes the large ones: those that were done stay, and nothing else.
    let mut child = Command::new(BINARY)
        .args(["endgame", "draughts", "--threads", "1", "--folder"])
        .arg(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !folder.path().join("draughts-3.endgame").exists() {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let left = ["draughts-2.endgame", "draughts-3.endgame", "lock"];
    assert_eq!(names(folder.path()), left);
    fs::write(folder.path().join("draughts-3.endgame.part"), "half").unwrap();
    let (text, done) = endgame(folder.path(), &["--pieces", "3"]);
    assert!(done && text.matches("there already").count() == 2, "{text}");
}

fn begin(engine: &mut Engine, searcher: &str) {
    engine.ok("set_option seconds off");
    for limit in ["nodes 400", "simulations 400", "memory 64", "threads 1"] {
        engine.ok(&format!("set_option {limit}"));
    }
    engine.ok("set_option network none");
    engine.ok(&format!("set_searcher {searcher}"));
}

fn proven(engine: &mut Engine) -> Value {
    let stats: Value = serde_json::from_str(&engine.ok("search_stats")).unwrap();
    stats["proven"].clone()
}

/// Won endings of three pieces with their side to move, which 400 nodes without tables do not prove.
const WON: [&str; 3] = ["W:WK25,16:B32", "B:W26,37:BK36", "W:W40,21:B10"];

#[test]
fn won_endings_are_proven_and_won_by_every_searcher() {
    for searcher in SEARCHERS {
        let mut engine = Engine::with_cache(cache().to_str().unwrap(), &DRAUGHTS);
        begin(&mut engine, searcher);
        for start in WON {
            engine.ok(&format!("set_position {start}"));
            let winner = engine.ok("side_to_move");
            let mut plies = 0;
            while engine.ok("game_result") == "none" {
                let turn = engine.ok("side_to_move");
                engine.ok(&format!("genmove {turn}"));
                assert!(proven(&mut engine).is_string(), "{searcher} {start}");
                plies += 1;
                assert!(plies < 60, "{searcher} {start}");
            }
            assert_eq!(engine.ok("game_result"), winner, "{searcher} {start}");
        }
        engine.ok("set_option endgame-tables off");
        engine.ok("set_option nodes 20");
        engine.ok("set_option simulations 20");
        engine.ok(&format!("set_position {}", WON[1]));
        let turn = engine.ok("side_to_move");
        engine.ok(&format!("genmove {turn}"));
        assert_eq!(proven(&mut engine), Value::Null, "{searcher}");
    }
}

/// Three pieces on squares drawn at random, as a line of `set_position`.
fn drawn(random: &mut u64) -> String {
    let mut draw = |n: u64| {
        *random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (*random >> 33) % n
    };
    let mut squares: Vec<u64> = Vec::new();
    while squares.len() < 3 {
        let square = 6 + draw(40);
        if !squares.contains(&square) {
            squares.push(square);
        }
    }
    let king = ["", "K"];
    let piece = |square: &u64, n: u64| format!("{}{square}", king[n as usize]);
    let kinds = [draw(2), draw(2), draw(2)];
    let [a, b, c] = [0, 1, 2].map(|i| piece(&squares[i], kinds[i]));
    match draw(2) {
        0 => format!("W:W{a},{b}:B{c}"),
        _ => format!("B:W{a},{b}:B{c}"),
    }
}

#[test]
fn what_a_search_proves_is_what_the_tables_say() {
    let mut with = Engine::with_cache(cache().to_str().unwrap(), &DRAUGHTS);
    let mut without = Engine::start(&DRAUGHTS);
    for engine in [&mut with, &mut without] {
        begin(engine, "alpha-beta");
    }
    without.ok("set_option nodes 5000");
    without.ok("set_option simulations off");
    let (mut random, mut agreed) = (7, 0);
    for _ in 0..60 {
        let position = drawn(&mut random);
        let results = [&mut with, &mut without].map(|engine| {
            engine.ok(&format!("set_position {position}"));
            if engine.ok("game_result") != "none" {
                return Value::Null;
            }
            let turn = engine.ok("side_to_move");
            engine.ok(&format!("genmove {turn}"));
            proven(engine)
        });
        if results[1] != Value::Null {
            assert_eq!(results[0], results[1], "{position}");
            agreed += 1;
        }
    }
    assert!(agreed >= 15, "{agreed}");
}
