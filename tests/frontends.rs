//! What front ends and other programs' files bring, through the real binary.

use crate::common::{Engine, dialogue, frames, small_settings};
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
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dialogue.log");
    {
        let mut engine = Engine::start(&["--log", file.to_str().unwrap(), "--searcher", "greedy"]);
        engine.ok("play b a2a3");
        engine.client.send("lz-analyze w 1").unwrap();
        engine.client.interrupt().unwrap();
        engine.client.receive(crate::common::PATIENCE).unwrap();
        engine.ok("name");
    }
    let log = std::fs::read_to_string(&file).unwrap();
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
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hex.sgf");
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
}

/// A search that ends by its count, so that nothing depends on the machine.
const BY_COUNT: &[&str] = &[
    "--searcher",
    "mcts",
    "--set",
    "threads=1",
    "--set",
    "seed=1",
    "--set",
    "seconds=off",
    "--set",
    "simulations=3000",
];

fn by_count(game: &str) -> Engine {
    Engine::start(&[&["--game", game], BY_COUNT].concat())
}

#[test]
fn hexgui_swaps_colours_and_leaves_the_stone() {
    let mut engine = by_count("hex size=3 swap=on");
    engine.ok("hexgui-analyze_commands");
    engine.ok("play black b2");
    engine.ok("play white swap-pieces");
    assert_eq!(engine.ok("position"), "3/1b1/3 w swapped-sides");
    engine.ok("play white a1");
    engine.ok("undo");
    engine.ok("undo");
    assert_eq!(engine.ok("position"), "3/1b1/3 w");
    // The engine's own swap means the same: the stone stays black, and HexGui lets White play on.
    assert_eq!(engine.ok("genmove white"), "swap-pieces");
    assert_eq!(engine.ok("position"), "3/1b1/3 w swapped-sides");
    engine.ok("play white c1");
    assert_eq!(engine.ok("position"), "2w/1b1/3 b");
    engine.ok("undo");
    engine.ok("undo");
    assert_eq!(engine.ok("position"), "3/1b1/3 w");
    // Thinking without playing changes nothing.
    assert_eq!(engine.ok("reg_genmove w"), "swap-pieces");
    assert_eq!(engine.ok("position"), "3/1b1/3 w");
    // To anybody else the stone changes its cell and its colour.
    let mut other = by_count("hex size=3 swap=on");
    other.ok("play b a2");
    other.ok("play w swap-pieces");
    assert_eq!(other.ok("position"), "1w1/3/3 b");
}

#[test]
fn gogui_has_no_column_i_in_any_command() {
    let sequence = "gogui-play_sequence b J1 w A1 b J2 w A2 b J3 w A3 b J4 w A4 b J5 w A5 b J6 w A6 b J7 w A7 b J8 w H9";
    let mut engine = by_count("hex size=9");
    engine.ok(sequence);
    // GoGui's lowest row is the board's last one. Only one move wins at once; an engine that is not told of GoGui calls it i1.
    assert_eq!(engine.ok("genmove b"), "i1");
    engine.ok("undo");
    engine.ok("gogui-version 1.6.0");
    assert_eq!(engine.ok("reg_genmove b"), "J9");
    assert_eq!(engine.ok("genmove b"), "J9");
    engine.ok("undo");
    assert!(engine.refused("play b I9").contains("column other than i"));
    engine.ok("play b j9");
    assert_eq!(engine.ok("game_result"), "b");
    // The rules' side has no such command, and is recognised by what it is asked.
    let mut rules = by_count("hex size=9");
    rules.ok("gogui-rules_board_size");
    rules.ok("play b J9");
    assert!(
        rules.ok("position").starts_with("8b/9/"),
        "{}",
        rules.ok("position")
    );
    // Games that GoGui cannot show keep their own names.
    let mut other = Engine::start(&[]);
    other.ok("gogui-version 1.6.0");
    other.ok("play b a2a3");
}

#[test]
fn gogui_is_shown_squares() {
    let mut engine = Engine::start(&["--game", "connect-four"]);
    assert_eq!(engine.ok("gogui-rules_board_size"), "7");
    engine.ok("boardsize 7");
    engine.ok("play b D1");
    let board = engine.ok("gogui-rules_board");
    let rows: Vec<&str> = board.trim().lines().collect();
    assert_eq!(rows.len(), 7, "{board}");
    assert_eq!((rows[0], rows[6]), ("? ? ? ? ? ? ?", ". . . X . . ."));
    assert_eq!(engine.ok("gogui-rules_legal_moves"), "A1 B1 C1 D2 E1 F1 G1");
    // A column is no square to GoGui: the answer says where the stone lands.
    engine.ok("set_searcher random");
    let answer = engine.ok("genmove w");
    let grid = engine.ok("gogui-rules_board");
    let row: usize = answer[1..].parse().unwrap();
    let line = grid.trim().lines().nth(7 - row).unwrap();
    let column = usize::from(answer.as_bytes()[0] - b'A');
    assert_eq!(line.as_bytes()[2 * column], b'O', "{answer}\n{grid}");
    // Another size is another board all the same.
    engine.ok("boardsize 8");
    assert_eq!(engine.ok("gogui-rules_board_size"), "8");
    let mut hex = Engine::start(&["--game", "hex size=3x2"]);
    assert_eq!(hex.ok("gogui-rules_board_size"), "3 3 hex");
    hex.ok("play b A2");
    assert_eq!(hex.ok("position"), "b2/3 w");
    assert_eq!(hex.ok("gogui-rules_board").trim(), "? ? ?\nX . .\n. . .");
}

/// The menu of a front end, run through: every entry answers in the form that its type promises.
fn run_menu(menu: &str, game: &str) {
    let mut engine = by_count(game);
    let menu = engine.ok(menu);
    let drawing = ["gfx", "pspairs", "var"];
    assert!(menu.lines().count() > 3, "{menu}");
    for entry in menu.lines() {
        let [kind, _, command] = entry.split('/').collect::<Vec<_>>()[..] else {
            panic!("{entry}");
        };
        let judged = ["heuristic", "policy", "inferior"];
        let searched = !judged.iter().any(|word| command.ends_with(word));
        if drawing.contains(&kind) && searched {
            assert!(engine.refused(command).contains("nothing"), "{entry}");
        }
    }
    engine.ok("genmove b");
    for entry in menu.lines() {
        let parts: Vec<_> = entry.split('/').collect();
        if parts[2] == "final_score" {
            continue;
        }
        if parts[2].ends_with("policy") {
            assert!(engine.refused(parts[2]).contains("no network"), "{entry}");
            continue;
        }
        let reply = engine.ok(&parts[2].replace("%m", "w"));
        let words: Vec<&str> = reply.split_whitespace().collect();
        let square = |word: &&&str| {
            word.as_bytes()[0].is_ascii_alphabetic() && word[1..].parse::<u32>().is_ok()
        };
        match parts[0] {
            "pspairs" => {
                let may_be_empty = parts[2].ends_with("inferior");
                assert!(may_be_empty || !words.is_empty(), "{entry}");
                assert!(words.len().is_multiple_of(2), "{reply}");
                assert_eq!(
                    words.iter().step_by(2).filter(square).count(),
                    words.len() / 2
                );
            }
            "var" => assert!(words.iter().all(|word| square(&word)), "{reply}"),
            "gfx" => {
                assert!(!reply.is_empty(), "{entry}");
                let known = ["INFLUENCE", "LABEL", "VAR", "TEXT"];
                assert!(
                    reply
                        .lines()
                        .all(|line| known.contains(&line.split(' ').next().unwrap())),
                    "{reply}"
                );
            }
            "param" => assert!(
                !reply.is_empty() && reply.lines().all(|line| line.starts_with('[')),
                "{entry}: {reply}"
            ),
            "string" => assert!(!reply.is_empty()),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn everything_in_the_analyze_menus_works() {
    run_menu("gogui-analyze_commands", "hex size=4");
    run_menu("gogui-analyze_commands", "othello");
    run_menu("hexgui-analyze_commands", "hex size=4");
}

#[test]
fn what_nobody_needs_and_what_the_network_would_play_are_labels() {
    let mut engine = Engine::start(&["--game", "hex", "--set", "memory=64"]);
    engine.ok("hexgui-analyze_commands");
    assert_eq!(engine.ok("hexgui-inferior"), "");
    engine.ok("set_position 11/11/11/11/11/11/11/11/11/2b8/11 w");
    assert_eq!(engine.ok("hexgui-inferior"), "b11 b c11 b");
    let policy = engine.ok("hexgui-policy");
    let shares = policy.split(' ').skip(1).step_by(2);
    let shares: Vec<u32> = shares.map(|n| n.parse().unwrap()).collect();
    assert!(shares.is_sorted_by(|a, b| a >= b), "{policy}");
    assert!((50..=100).contains(&shares.iter().sum::<u32>()), "{policy}");
}

#[test]
fn drawings_need_stones() {
    let mut engine = by_count("breakthrough");
    engine.ok("genmove b");
    assert!(engine.refused("gogui-heuristic").contains("places a stone"));
    assert_eq!(engine.ok("gogui-visits"), "");
    assert!(engine.ok("gogui-search").contains("TEXT b to move: "));
}

#[test]
fn front_ends_edit_options() {
    let mut engine = Engine::start(&["--searcher", "mcts"]);
    let options = engine.ok("gogui-options");
    assert!(
        options.contains("\n[list/off/stderr/stdout] live off"),
        "{options}"
    );
    assert!(options.starts_with("[string] seconds 1\n"), "{options}");
    engine.ok("gogui-options seconds 2.5");
    assert_eq!(engine.ok("get_option seconds"), "2.5");
    let flags = options.lines().filter(|line| line.starts_with("[bool] "));
    assert!(flags.clone().count() > 0, "{options}");
    for line in flags {
        let [_, name, value] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let flipped = if value == "1" { "0" } else { "1" };
        engine.ok(&format!("gogui-options {name} {flipped}"));
        assert!(
            engine
                .ok("gogui-options")
                .contains(&format!("[bool] {name} {flipped}"))
        );
    }
    assert!(
        engine
            .refused("gogui-options live sideways")
            .contains("off|stderr|stdout")
    );
    assert!(
        engine
            .refused("gogui-options nonsense 1")
            .contains("unknown option")
    );
    assert!(engine.refused("gogui-options seconds").contains("a value"));
}

/// Both streams of an engine that searches once for a while.
fn searched(live: &str, game: &str) -> (String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_treeline"))
        .args([
            "--game",
            game,
            "--searcher",
            "mcts",
            "--set",
            "threads=1",
            "--set",
            "seconds=2",
        ])
        .args(["--set", &format!("live={live}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, b"7 genmove b\n").unwrap();
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut out = String::new();
    // Input stays open until the reply is there, since its end would cut the search short.
    while !out.contains("\n=7 ") && !out.starts_with("=7 ") {
        assert!(std::io::BufRead::read_line(&mut stdout, &mut out).unwrap() > 0);
    }
    drop(stdin);
    std::io::Read::read_to_string(&mut stdout, &mut out).unwrap();
    let mut err = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut err).unwrap();
    child.wait().unwrap();
    (out, err)
}

#[test]
fn a_search_in_progress_is_drawn_where_the_front_end_looks() {
    let game = "hex size=6";
    let (out, err) = searched("stderr", game);
    assert!(out.starts_with("=7 "), "{out}");
    let blocks: Vec<&str> = err.split("gogui-gfx:\n").skip(1).collect();
    assert!(!blocks.is_empty(), "{err}");
    for block in blocks {
        let lines: Vec<&str> = block.trim_end().lines().collect();
        let heads: Vec<&str> = lines
            .iter()
            .map(|line| line.split(' ').next().unwrap())
            .collect();
        assert_eq!(
            heads,
            ["CLEAR", "INFLUENCE", "LABEL", "VAR", "TEXT"],
            "{block}"
        );
        assert!(lines[3].starts_with("VAR b "), "{block}");
        assert!(block.contains("\n\n"), "{block}");
    }
    // HexGui reads blocks, each ended by an empty line, until the reply comes.
    let (out, err) = searched("stdout", game);
    assert!(!err.contains("gogui-gfx"), "{err}");
    let frames: Vec<&str> = out.trim_end().split("\n\n").collect();
    let (reply, blocks) = frames.split_last().unwrap();
    assert!(reply.starts_with("=7 "), "{out}");
    assert!(!blocks.is_empty(), "{out}");
    for block in blocks {
        assert!(block.starts_with("gogui-gfx:\nuct\nVAR B "), "{block}");
        for part in ["\nINFLUENCE ", "\nLABEL ", "\nTEXT "] {
            assert!(block.contains(part), "{block}");
        }
    }
    let (out, err) = searched("off", game);
    assert!(
        out.starts_with("=7 ") && !err.contains("gogui-gfx"),
        "{out}{err}"
    );
    // Where moves place no stones there is nothing for HexGui to draw, and the framing holds.
    assert!(searched("stdout", "breakthrough").0.starts_with("=7 "));
}
