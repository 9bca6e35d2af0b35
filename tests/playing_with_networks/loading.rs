//! Where networks are named, which are refused, what they cost and how long they stay.

use super::*;

#[test]
fn what_is_no_network_for_this_leaves_the_engine_as_it_was() {
    let folder = Folder::new("hostile");
    let good = weights("cnet(4,8)", "breakthrough", "", 1);
    let file = folder.network("good", &good);
    let bytes = fs::read(&file).unwrap();
    let mut bad: Vec<(String, &str)> = vec![
        (folder.path("missing"), "no network is called"),
        (folder.path(""), "is a directory"),
    ];
    let mut write = |name: &str, bytes: &[u8], reason: &'static str| {
        fs::write(folder.0.path().join(name), bytes).unwrap();
        bad.push((folder.path(name), reason));
    };
    write("empty", b"", "not a readable safetensors file");
    write("short", &bytes[..bytes.len() - 3], "the file is cut off");
    write(
        "long",
        &[&bytes[..], b"more"].concat(),
        "not a readable safetensors file",
    );
    let mut huge = bytes.clone();
    huge[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    write("huge", &huge, "not a readable safetensors file");
    let mut nan = bytes.clone();
    let last = nan.len() - 4;
    nan[last..].copy_from_slice(&f32::NAN.to_le_bytes());
    write("nan", &nan, "not a finite number");
    for (name, change, reason) in [
        (
            "game",
            ("game", "othello"),
            "for the game othello, and breakthrough is wanted",
        ),
        (
            "variant",
            ("variant", "size=6x6"),
            "for the variant size=6x6, and (default) is wanted",
        ),
        (
            "version",
            ("encoding", "7"),
            "for planes of version 7, and 1 or 2 is wanted",
        ),
        (
            "architecture",
            ("architecture", "cnet(5,8)"),
            "shape [5, 2, 3, 3] expected for cnet(5,8)",
        ),
        (
            "unknown",
            ("architecture", "gpt(5)"),
            "architecture 'gpt(5)'",
        ),
    ] {
        let mut changed = good.clone();
        changed.meta.set(change.0, change.1).unwrap();
        write(name, &changed.to_bytes().unwrap(), reason);
    }
    let mut board = weights("cnet(4,8)", "breakthrough", "size=7x8", 1);
    board.meta.variant = String::new();
    write("board", &board.to_bytes().unwrap(), "for an input of 2x8x7");
    #[cfg(unix)]
    {
        let path = folder.path("pipe");
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        bad.push((path, "is a pipe"));
    }
    let mut engine = quick(&["--searcher", "alpha-beta"]);
    for network in ["none", &file] {
        engine.ok(&format!("set_network {network}"));
        let before = engine.ok("evaluate");
        for (path, reason) in &bad {
            for line in [
                format!("set_network {path}"),
                format!("set_option network {path}"),
            ] {
                let refusal = engine.refused(&line);
                assert!(refusal.contains(reason), "{line}: {refusal}");
            }
            assert_eq!(engine.ok("get_option network"), network, "{path}");
            assert_eq!(engine.ok("evaluate"), before, "{path}");
        }
        engine.ok("genmove b");
        engine.ok("genmove w");
        let used = stats(&mut engine)["network"].as_str().map(String::from);
        assert_eq!(used.as_deref().unwrap_or("none"), network);
    }
    // A bit at a time, in the header and behind it: a sentence, or a network that plays.
    let mut engine = quick(&["--searcher", "alpha-beta", "--network", &file]);
    let flipped = folder.path("flipped");
    let length = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut refused = 0;
    for at in (0..length).step_by(7).chain([length, bytes.len() - 1]) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        fs::write(&flipped, &changed).unwrap();
        let answer = engine
            .client
            .call(&format!("set_network {flipped}"), crate::common::PATIENCE);
        refused += u32::from(answer.is_err());
        engine.ok("reg_genmove b");
    }
    assert!(refused > 20, "{refused}");
}

/// The lines of `list_networks` for what is in use; the client makes blanks of tabs.
fn used(engine: &mut Engine) -> Vec<String> {
    let all = engine.ok("list_networks");
    let lines = all.lines().filter(|line| line.ends_with(" used"));
    lines.map(str::to_string).collect()
}

#[test]
fn a_network_stays_with_the_searcher_and_goes_with_its_game() {
    let folder = Folder::new("stays");
    let file = folder.network("any", &weights("fcgp(1,4)", "breakthrough", "", 2));
    let fixed = folder.network("fixed", &weights("cnet(4,8)", "breakthrough", "", 1));
    let mut engine = quick(&["--searcher", "alpha-beta"]);
    engine.ok(&format!("set_network {fixed}"));
    assert_eq!(
        used(&mut engine),
        [format!("{fixed} breakthrough cnet(4,8) used")]
    );
    engine.ok("set_searcher random");
    engine.ok("set_searcher alpha-beta");
    assert_eq!(engine.ok("get_option network"), fixed);
    let refusal = engine.refused("set_searcher mcts network=none");
    assert!(refusal.contains("set_option network"), "{refusal}");
    assert_eq!(engine.ok("get_option network"), fixed);
    // The game's own default in other words is the same board.
    engine.ok("set_game breakthrough size=8");
    assert_eq!(engine.ok("get_option network"), fixed);
    engine.ok("set_game breakthrough size=6");
    assert_eq!(engine.ok("get_option network"), "auto");
    assert!(engine.ok("evaluate").starts_with("network none"));
    assert_eq!(used(&mut engine), [""; 0]);
    // One for every board stays on every board.
    engine.ok(&format!("set_network {file}"));
    engine.ok("boardsize 7 9");
    assert_eq!(engine.ok("get_option network"), file);
    engine.ok("genmove b");
    assert_eq!(stats(&mut engine)["network"], file.as_str());
    engine.ok("set_game othello");
    assert_eq!(engine.ok("get_option network"), "auto");
    engine.ok("set_network none");
    engine.ok("set_game breakthrough");
    assert_eq!(engine.ok("get_option network"), "none");
    assert!(engine.refused("set_network").contains("expected a network"));
}

#[test]
fn networks_are_named_on_the_command_line_in_files_and_in_matches() {
    let folder = Folder::new("named");
    let file = folder.network("network", &weights("cnet(4,8)", "hex", "size=5", 1));
    let config = folder.path("config.toml");
    let text = format!(
        "game = \"hex size=5\"\nsearcher = \"alpha-beta\"\n[options]\nnetwork = \"{file}\"\n"
    );
    fs::write(&config, text).unwrap();
    let bare = folder.path("bare.toml");
    let text = format!("searcher = \"alpha-beta\"\n[options]\nnetwork = \"{file}\"\n");
    fs::write(&bare, text).unwrap();
    let set = format!("network={file}");
    for arguments in [
        vec!["--config", &config],
        // A file without a game: the command line's, or the network's own.
        vec!["--config", &bare, "--game", "hex size=5"],
        vec!["--config", &bare],
        vec![
            "--game",
            "hex size=5",
            "--searcher",
            "alpha-beta",
            "--set",
            &set,
        ],
        vec![
            "--game",
            "hex size=5",
            "--searcher",
            "alpha-beta",
            "--network",
            &file,
        ],
        // Its game is played.
        vec!["--searcher", "alpha-beta", "--network", &file],
    ] {
        let mut engine = quick(&arguments);
        engine.ok("play b e5");
        engine.refused("play w f6");
        engine.ok("genmove w");
        assert_eq!(
            stats(&mut engine)["network"],
            file.as_str(),
            "{arguments:?}"
        );
    }
    // For another game it is refused before the dialogue begins.
    let program = env!("CARGO_BIN_EXE_treeline");
    let wrong = Command::new(program)
        .args(["--game", "breakthrough", "--network", &file])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(
        !wrong.status.success() && said.contains("for the game hex"),
        "{said}"
    );
    let player = format!("alpha-beta depth=2 network={file}");
    let played = Command::new(program)
        .args([
            "match",
            "hex",
            "size=5",
            "--games",
            "2",
            "--opening",
            "1",
            "--seconds",
            "off",
            "--json",
        ])
        .args(["--player", &player, "--player", "random", "--memory", "64"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&played.stderr).into_owned();
    assert!(played.status.success(), "{said}");
    let bench = Command::new(program)
        .args([
            "bench",
            "--game",
            "hex",
            "--searcher",
            "alpha-beta",
            "--work",
            "0.01",
            "--network",
            &file,
            "size=5",
        ])
        .output()
        .unwrap();
    let line: serde_json::Value = serde_json::from_slice(&bench.stdout).unwrap();
    assert_eq!(line["network"], file.as_str());
}

/// What the program logs when a network runs on the CPU in this precision.
fn logged(file: &str, precision: &str) -> String {
    let precision = format!("precision={precision}");
    let mut program = Command::new(env!("CARGO_BIN_EXE_treeline"));
    program.args([
        "--game",
        "breakthrough",
        "--network",
        file,
        "--set",
        "device=cpu",
    ]);
    program.args(["--set", &precision, "--set", "memory=64"]);
    let done = program.stdin(Stdio::null()).output().unwrap();
    String::from_utf8(done.stderr).unwrap()
}

#[test]
fn devices_and_precisions_are_options() {
    let folder = Folder::new("precision");
    let file = folder.network("network", &weights("cnet(16,32)", "breakthrough", "", 1));
    let mut engine = quick(&["--network", &file]);
    let value = |engine: &mut Engine| -> f64 {
        let shown = engine.ok("evaluate");
        let line = shown.lines().nth(1).unwrap().to_string();
        line.split(' ').nth(1).unwrap().parse().unwrap()
    };
    engine.ok("set_option precision f32");
    let exact = value(&mut engine);
    engine.ok("set_option precision int8");
    let rounded = value(&mut engine);
    assert!((exact - rounded).abs() < 0.05, "{exact}, {rounded}");
    let refusal = engine.refused("set_option precision f64");
    assert!(refusal.contains("auto|f32|int8|bf16|f16"), "{refusal}");
    for (precision, said) in [
        ("auto", false),
        ("f32", false),
        ("int8", false),
        ("bf16", true),
        ("f16", true),
    ] {
        let stderr = logged(&file, precision);
        let notice = format!("precision {precision} is for GPUs; the CPU computes in f32");
        assert_eq!(stderr.contains(&notice), said, "{precision}: {stderr}");
    }
    for device in ["cpu", "auto"] {
        engine.ok(&format!("set_option device {device}"));
        assert_eq!(value(&mut engine), rounded);
    }
    let refusal = engine.refused("set_option device gpu");
    assert!(refusal.contains("auto, cpu or cuda:N"), "{refusal}");
    assert_eq!(engine.ok("get_option device"), "auto");
}

#[test]
fn a_network_counts_as_memory() {
    let folder = Folder::new("memory");
    // 128 numbers to 32768 neurons: 16 MiB of weights.
    let file = folder.network("network", &weights("cnet(8,32768)", "breakthrough", "", 1));
    let mut engine = quick(&["--searcher", "alpha-beta"]);
    engine.ok("set_option memory 32");
    let refusal = engine.refused(&format!("set_network {file}"));
    assert!(refusal.contains("16777216 are left for them"), "{refusal}");
    assert_eq!(engine.ok("get_option network"), "auto");
    engine.ok("set_option memory 64");
    engine.ok(&format!("set_network {file}"));
    engine.ok("genmove b");
    let refusal = engine.refused("set_option memory 32");
    assert!(refusal.contains("option memory leaves 16 MiB"), "{refusal}");
    assert_eq!(engine.ok("get_option memory"), "64");
    engine.ok("genmove w");
}

/// `auto` plays with the game's network where memory is enough for it, whenever that changes.
#[test]
fn auto_does_without_a_network_while_memory_is_not_enough_for_it() {
    let mut engine = quick(&["--searcher", "auto"]);
    engine.ok("set_game othello");
    let with = engine.ok("evaluate");
    engine.ok("set_option memory 32");
    let without = engine.ok("evaluate");
    assert_ne!(without, with);
    engine.ok("genmove b");
    engine.ok("clear_board");
    engine.ok("set_option memory 48");
    assert_eq!(engine.ok("evaluate"), with);
    engine.ok("set_option threads 16");
    assert_eq!(engine.ok("evaluate"), without);
    engine.ok("set_option threads 1");
    assert_eq!(engine.ok("evaluate"), with);
    engine.ok("set_option network none");
    assert_eq!(engine.ok("evaluate"), without);
}

#[test]
fn over_a_connection_no_file_is_named() {
    let folder = Folder::new("connection");
    let file = folder.network("network", &weights("cnet(4,8)", "breakthrough", "", 1));
    let mut settings = small_settings();
    let input = format!(
        "set_network {file}\nset_option network {file}\nset_network /dev/zero\nset_network none\nset_network auto\n"
    );
    let output = dialogue(input.as_bytes(), &settings);
    let refusal = "? files cannot be reached over this connection";
    assert_eq!(frames(&output), [refusal, refusal, refusal, "= ", "= "]);
    // Who started the server may have named one.
    settings.options.set("network", &file).unwrap();
    let output = dialogue(b"get_option network\nlist_networks\n", &settings);
    assert!(
        frames(&output)[1].ends_with("\tcnet(4,8)\tused"),
        "{output}"
    );
}

#[test]
fn images_of_a_position_are_an_option() {
    let mut engine = quick(&["--network", "hex-fcgp6x64"]);
    // A position and its half turn: the network's value, and the prior of a move and of its image.
    let said = |engine: &mut Engine| -> Vec<(f64, f64)> {
        [["f5", "e6", "c3", "h4"], ["f7", "g6", "i9", "d8"]]
            .map(|moves| {
                engine.ok("clear_board");
                for (m, colour) in moves[..3].iter().zip(["b", "w", "b"]) {
                    engine.ok(&format!("play {colour} {m}"));
                }
                let shown = engine.ok("evaluate");
                let number = |begins: &str| -> f64 {
                    let line = shown.lines().find_map(|line| line.strip_prefix(begins));
                    let word = line.unwrap().split(' ').next().unwrap();
                    word.parse().unwrap()
                };
                (number("value "), number(&format!("policy {} ", moves[3])))
            })
            .to_vec()
    };
    engine.ok("set_game hex");
    let none = said(&mut engine);
    assert!((none[0].0 - none[1].0).abs() > 0.001, "{none:?}");
    engine.ok("set_option images mean");
    let mean = said(&mut engine);
    assert_eq!(mean[0], mean[1]);
    let middle = (none[0].0 + none[1].0) / 2.0;
    assert!((mean[0].0 - middle).abs() < 0.0002, "{mean:?}, {none:?}");
    engine.ok("set_option images random");
    let random = said(&mut engine);
    assert!(random.iter().all(|one| none.contains(one)), "{random:?}");
    assert_eq!(random, said(&mut engine));
    let refusal = engine.refused("set_option images all");
    assert!(refusal.contains("none|random|mean"), "{refusal}");
}
