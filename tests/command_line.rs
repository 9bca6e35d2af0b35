//! The program's arguments: what each subcommand answers, and what is refused with which words.

use std::process::{Command, Output, Stdio};

fn treeline(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_treeline"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Arguments, whether they are taken, and what is said of them: on stdout if they are, on stderr if not.
const CASES: &[(&[&str], bool, &str)] = &[
    (&["-V"], true, "treeline "),
    #[cfg(target_arch = "x86_64")]
    (&["--version"], true, "\nbuilt for "),
    (&["-h"], true, "Usage: treeline"),
    (&["--help"], true, "treeline learn breakthrough"),
    (&["games"], true, "lines-of-action"),
    (&["games"], true, "size=3x4..23x42 (default 8x8): "),
    (&["perft", "breakthrough", "3"], true, " 11132 "),
    (
        &["perft", "connect-four", "2", "width=4", "height=4"],
        true,
        " 16 ",
    ),
    (&["perft", "go", "1"], false, "no game is called go"),
    (&["perft", "hex", "101"], false, "100"),
    (&["perft", "hex", "1", "size=0"], false, "size"),
    (
        &["perft", "hex", "1", "--position", "x"],
        false,
        "treeline: ",
    ),
    (&["solve", "--game", "hex size=3"], true, "win "),
    (&["solve", "--game", "hex", "size=3"], true, "win "),
    (
        &["solve", "--game", "hex", "size=3", "--margin"],
        false,
        "nobody counts points in this game",
    ),
    (
        &[
            "solve", "--game", "othello", "--margin", "--method", "df-pn",
        ],
        false,
        "only the game's own solver counts points",
    ),
    (
        &["solve", "--game", "othello", "--network", "nowhere.st"],
        false,
        "nowhere.st",
    ),
    (
        &[
            "solve", "--game", "kalah", "houses=3", "seeds=3", "--margin",
        ],
        true,
        "win +2 1 2 2",
    ),
    (
        &[
            "bench",
            "--game",
            "hex size=3",
            "--searcher",
            "greedy",
            "--work",
            "0",
        ],
        true,
        "size=3",
    ),
    (&["config"], true, "searcher = "),
    (&["completions", "bash"], true, "complete -F _treeline"),
    (&["completions", "zsh"], true, "#compdef treeline"),
    (&["completions", "fish"], true, "complete -c treeline"),
    (
        &["completions", "powershell"],
        true,
        "Register-ArgumentCompleter",
    ),
    (&["completions", "elvish"], true, "edit:completion"),
    (&["completions", "csh"], false, "powershell"),
    (&["man"], true, ".TH treeline 1"),
    (&["man"], true, "treeline\\-learn"),
    (
        &["man", "Cargo.toml/man"],
        false,
        "cannot write pages to Cargo.toml/man",
    ),
    (&["--config", "/nowhere.toml"], false, "/nowhere.toml"),
    (
        &["--config", "Cargo.toml"],
        false,
        "Cargo.toml: TOML parse error",
    ),
    (
        &["--log", "/nowhere/log"],
        false,
        "cannot write /nowhere/log",
    ),
    (&["--game", "chess"], false, "unknown game 'chess'"),
    (
        &["--game", "hex", "size=7", "swap=on"],
        false,
        "stands in quotes: --game \"hex size=7 swap=on\"",
    ),
    (
        &["bench", "--searcher", "mcts", "exploration=1"],
        false,
        "stands in quotes: --searcher \"mcts exploration=1\"",
    ),
    (&["review", "/nowhere"], false, "/nowhere"),
    (&["play", "chess"], false, "unknown game 'chess'"),
    (&["play", "hex", "--as", "red"], false, "b, w, both or none"),
    (&["--searcher", "chess"], false, "chess"),
    (
        &["--network", "/nowhere.safetensors"],
        false,
        "/nowhere.safetensors",
    ),
    (&["--device", "tpu"], false, "tpu"),
    (&["--precision", "f8"], false, "f8"),
    (&["--set", "seconds"], false, "NAME=VALUE"),
    (&["--set", "seconds=soon"], false, "not 'soon'"),
    (
        &["--set", "second=5"],
        false,
        "unknown option 'second'; known: seconds, ",
    ),
    (
        &["--searcher", "ubfm", "--set", "second=5"],
        false,
        ", epsilon, ",
    ),
    (&["--connections", "2"], false, "--listen"),
    (&["--idle", "2"], false, "--listen"),
    (
        &["--listen", "0", "--connections", "1024"],
        false,
        "1024 connections cannot share",
    ),
    (&["--listen", "nowhere"], false, "cannot listen on nowhere"),
    (
        &["match", "tools/matches/quick.toml", "--seconds", "1"],
        false,
        "the match file says what --seconds would say",
    ),
    (
        &["match", "tools/matches/none.toml"],
        false,
        "tools/matches/none.toml",
    ),
    (
        &[
            "match",
            "hex",
            "--seconds",
            "soon",
            "--player",
            "random",
            "--player",
            "greedy",
        ],
        false,
        "--seconds takes a number or off, not 'soon'",
    ),
    (
        &["bench", "--game", "hex", "--searcher", "deep"],
        false,
        "--searcher takes auto, ",
    ),
    (
        &["net", "info", "/nowhere.safetensors"],
        false,
        "/nowhere.safetensors",
    ),
];

#[test]
fn arguments_are_taken_or_refused_with_a_reason() {
    for (arguments, taken, text) in CASES {
        let output = treeline(arguments);
        let said = match taken {
            true => &output.stdout,
            false => &output.stderr,
        };
        let said = String::from_utf8_lossy(said);
        assert_eq!(output.status.success(), *taken, "{arguments:?}: {output:?}");
        assert!(said.contains(text), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
        if !taken {
            assert!(output.stdout.is_empty(), "{arguments:?}: {output:?}");
        }
    }
}

#[test]
fn the_printed_configuration_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("treeline.toml");
    std::fs::write(&file, treeline(&["config"]).stdout).unwrap();
    let output = treeline(&["--config", file.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_taken_port_is_told() {
    let holder = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = holder.local_addr().unwrap().port().to_string();
    let output = treeline(&["--listen", &port]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{output:?}");
    let place = format!("cannot listen on 127.0.0.1:{port}: ");
    assert!(said.contains(&place), "{said}");
}

#[test]
fn a_match_of_words_is_counted_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().to_str().unwrap();
    let play = |games: &str| {
        let common = ["match", "breakthrough", "size=6x6", "--seconds", "off"];
        let players = ["--player", "greedy", "--player", "random", "--seed", "3"];
        let kept = ["--games", games, "--results", results];
        let output = treeline(&[&common[..], &players, &kept].concat());
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let row = |games| format!("| breakthrough size=6x6 | greedy | random | {games} |");
    assert!(play("2").contains(&row(2)));
    let games = || std::fs::read_to_string(folder.path().join("games.jsonl")).unwrap();
    let before = games();
    assert!(play("4").contains(&row(4)));
    assert!(games().starts_with(&before) && games().len() > before.len());
}

#[test]
fn every_subcommand_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let output = treeline(&["man", folder.path().to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    for name in [
        "treeline",
        "treeline-learn",
        "treeline-match",
        "treeline-man",
    ] {
        let page = std::fs::read_to_string(folder.path().join(format!("{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{name}: {page}");
    }
}

/// Nehalem has what x86-64-v2 asks for, and no AVX.
#[cfg(target_arch = "x86_64")]
#[test]
fn an_old_processor_is_told_what_it_lacks() {
    let on = |processor: &str| {
        let emulators = ["qemu-x86_64", "qemu-x86_64-static"];
        emulators.iter().find_map(|emulator| {
            Command::new(emulator)
                .args([
                    "-cpu",
                    processor,
                    env!("CARGO_BIN_EXE_treeline"),
                    "--version",
                ])
                .stdin(Stdio::null())
                .output()
                .ok()
        })
    };
    let (Some(old), Some(new)) = (on("Nehalem"), on("max")) else {
        // Past the test harness, which keeps what passing tests print.
        let text = b"SKIPPED: no qemu-x86_64 (in Debian's qemu-user)\n";
        std::io::Write::write_all(&mut std::io::stderr(), text).unwrap();
        return;
    };
    assert!(new.status.success(), "{new:?}");
    let said = String::from_utf8_lossy(&old.stderr);
    if cfg!(target_feature = "avx2") {
        assert_eq!(old.status.code(), Some(1), "{old:?}");
        assert!(old.stdout.is_empty(), "{old:?}");
        let parts = [
            "this one lacks ",
            "avx2",
            "bmi2",
            "target-cpu=x86-64\" runs here",
        ];
        assert!(parts.iter().all(|part| said.contains(part)), "{said}");
        assert!(!said.contains("popcnt"), "it has that: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    } else {
        assert!(old.status.success(), "{old:?}");
    }
}

/// Somebody who types `treeline` into a terminal is told what to do; a program behind a pipe is not.
#[cfg(unix)]
#[test]
fn a_terminal_gets_a_hint_and_a_pipe_none() {
    let quiet = treeline(&[]);
    assert!(
        quiet.stdout.is_empty() && quiet.stderr.is_empty(),
        "{quiet:?}"
    );
    let command = format!("{} </dev/tty", env!("CARGO_BIN_EXE_treeline"));
    let in_terminal = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = in_terminal else {
        // Past the test harness, which keeps what passing tests print.
        let text = b"SKIPPED: no script (in Debian's bsdutils)\n";
        std::io::Write::write_all(&mut std::io::stderr(), text).unwrap();
        return;
    };
    // What is typed before somebody reads waits in the terminal.
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"quit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("'treeline play'") && said.contains("GTP"),
        "{said}"
    );
}

/// What a file says must not move the cursor of the terminal that shows it, nor change its colours.
#[test]
fn control_characters_of_files_are_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.display().to_string()
    };
    let game = "game: connect-four\nblack: A\u{1b}[31mnn\nd d\n";
    let quick = ["--set", "seconds=off", "--set", "nodes=10"];
    for arguments in [
        vec!["match", &file("match.toml", "\u{1b}[2J = 1\n")],
        vec!["match", &file("key.toml", "\"a\\u001b[2J\" = 1\n")],
        [&["review", &file("game.txt", game)][..], &quick].concat(),
        vec![
            "review",
            &file("moves.txt", "game: connect-four\nd \u{1b}[2J\n"),
        ],
    ] {
        let output = treeline(&arguments);
        let said = [output.stdout, output.stderr].concat();
        assert!(said.len() > 10, "{arguments:?}");
        assert!(!said.contains(&0x1b), "{}", String::from_utf8_lossy(&said));
    }
}

/// A position of 19 empty squares from the FFO suite (M. Buro, J. de la Torre), and its known score.
#[test]
fn a_network_advises_the_solver_of_othello() {
    let position = "2w2w2/3wwwb1/1b1bwbww/2bbbwww/bbbbwwww/bbbwbbww/bbbbbb2/bwbb1w2 w";
    let positions = |network: &str| {
        let line = ["--margin", "--network", network, "--position", position];
        let output = treeline(&[&["solve", "--game", "othello"], &line[..]].concat());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut lines = text.lines();
        let verdict = lines.next().unwrap_or_default();
        assert!(verdict.starts_with("draw +0 c3 "), "{network}: {text}");
        let count = lines.next().and_then(|line| line.split(' ').next());
        count.unwrap().parse::<u64>().unwrap()
    };
    let (alone, advised) = (positions("none"), positions("auto"));
    assert!(advised < alone, "{advised} positions, alone {alone}");
}
