//! What a page asks and is answered.

use super::wire::Web;
use serde_json::{Value, json};

#[test]
fn the_page_and_its_files_are_served_and_small() {
    let web = Web::start(&[]);
    let page = web.get("/", &[]);
    assert_eq!(page.status, 200);
    assert!(
        page.header("content-type")
            .unwrap()
            .starts_with("text/html")
    );
    let mut bytes = page.body.len();
    let mut waiting: Vec<String> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    let names = |text: &str| -> Vec<String> {
        let quoted = text.split('"').skip(1).step_by(2);
        let files = quoted.filter(|word| [".js", ".css", ".svg"].iter().any(|e| word.ends_with(e)));
        files
            .map(|word| word.trim_start_matches("./").to_string())
            .collect()
    };
    waiting.extend(names(&page.body));
    while let Some(name) = waiting.pop() {
        if seen.contains(&name) {
            continue;
        }
        let file = web.get(&format!("/{name}"), &[]);
        assert_eq!(file.status, 200, "{name}");
        bytes += file.body.len();
        waiting.extend(names(&file.body));
        seen.push(name);
    }
    assert!(seen.len() > 5, "{seen:?}");
    assert!(bytes < 300_000, "{bytes} bytes");
}

#[test]
fn every_game_is_told_as_places_and_ways() {
    let web = Web::start(&[]);
    let mut page = web.page();
    let catalogue = page.ask(&json!({"id": 1, "ask": "catalogue"}));
    let games = catalogue["games"].as_array().unwrap();
    assert_eq!(games.len(), treeline::games::ENTRIES.len());
    for entry in treeline::games::ENTRIES {
        let variants = std::iter::once(&"").chain(entry.variants);
        for variant in variants {
            let question = json!({"id": 2, "ask": "look", "game": entry.name, "variant": variant});
            let view = page.ask(&question);
            assert!(view.get("error").is_none(), "{view}");
            let spots = view["board"]["spots"].as_array().unwrap();
            let names: Vec<&Value> = spots.iter().map(|spot| &spot["name"]).collect();
            assert!(names.len() > 4, "{} {variant}", entry.name);
            let ways = view["ways"].as_array().unwrap();
            assert!(!ways.is_empty());
            for way in ways {
                for trail in way[1].as_array().unwrap() {
                    for place in trail.as_array().unwrap() {
                        assert!(names.contains(&place), "{} {variant}: {way}", entry.name);
                    }
                }
            }
        }
    }
}

#[test]
fn a_place_is_what_the_moves_lead_to() {
    let web = Web::start(&[]);
    let mut page = web.page();
    let view = page.ask(&json!({"id": 1, "ask": "look", "game": "hex", "variant": "size=5 swap=on", "moves": ["c3", "swap-pieces", ["b", "a1"]]}));
    let moves = json!([["b", "c3"], ["w", "swap-pieces"], ["b", "a1"]]);
    assert_eq!(view["moves"], moves, "{view}");
    assert_eq!(
        (&view["turn"], &view["last"]),
        (&json!("w"), &json!(["a1"]))
    );
    let over = page
        .ask(&json!({"id": 2, "ask": "look", "game": "connect-four", "moves": "a b a b a b a"}));
    assert_eq!(over["outcome"], "b");
    assert_eq!(over["ways"], json!([]));
}

#[test]
fn thinking_is_reported_answered_and_stopped() {
    let web = Web::start(&["--set", "memory=128"]);
    let mut page = web.page();
    let endless = json!({"id": 7, "ask": "think", "game": "hex", "searcher": "mcts", "seconds": "off", "reportDuringSearchEvery": 0.02});
    page.say(&endless);
    for _ in 0..3 {
        let answer = page.hear().unwrap();
        assert_eq!(
            (&answer["id"], &answer["isDuringSearch"]),
            (&json!(7), &json!(true))
        );
        assert!(!answer["moveInfos"].as_array().unwrap().is_empty());
    }
    // Its game can be looked at meanwhile.
    let view = page.ask(&json!({"id": 8, "ask": "look", "game": "hex"}));
    assert_eq!(view["turn"], "b");
    page.say(&json!({"id": 9, "ask": "stop"}));
    let answer = page.last(&json!(7));
    assert!(answer["move"].is_string(), "{answer}");
    // A further question ends the one before.
    page.say(
        &json!({"id": 10, "ask": "think", "game": "hex", "searcher": "mcts", "seconds": "off"}),
    );
    let next = page
        .ask(&json!({"id": 11, "ask": "think", "game": "hex", "searcher": "mcts", "nodes": 50}));
    assert!(next["rootInfo"]["visits"].as_u64() >= Some(50), "{next}");
}

#[test]
fn the_same_limits_give_the_same_answer_as_analyze() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let web = Web::start(&[
        "--searches",
        "1",
        "--set",
        "memory=128",
        "--set",
        "threads=1",
    ]);
    let mut page = web.page();
    for game in treeline::games::ENTRIES {
        let fields =
            json!({"id": 1, "game": game.name, "searcher": "mcts", "nodes": 300, "seed": 3});
        let mut question = fields.clone();
        question["ask"] = json!("think");
        let ours = page.ask(&question);
        let mut line = fields;
        line["id"] = json!("1");
        let mut child = Command::new(env!("CARGO_BIN_EXE_treeline"))
            .args(["analyze", "--threads", "1", "--set", "memory=128"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(format!("{line}\n").as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        let theirs: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(ours["moveInfos"], theirs["moveInfos"], "{}", game.name);
    }
}

#[test]
fn refusals_name_the_field_and_change_nothing() {
    let web = Web::start(&["--set", "memory=128"]);
    let mut page = web.page();
    let hex = |name: &str, value: Value| {
        let mut question = json!({"id": 1, "ask": "think", "game": "hex", "nodes": 5});
        question[name] = value;
        question
    };
    for (field, question) in [
        ("ask", json!({"id": 1})),
        ("ask", json!({"id": 1, "ask": "explode"})),
        ("game", json!({"id": 1, "ask": "look"})),
        (
            "game",
            json!({"id": 1, "ask": "look", "game": "<script>alert(1)</script>"}),
        ),
        (
            "variant",
            json!({"id": 1, "ask": "look", "game": "hex", "variant": {"size": 99}}),
        ),
        (
            "position",
            json!({"id": 1, "ask": "look", "game": "hex", "position": "x"}),
        ),
        ("moves", hex("moves", json!(["a1", "a1"]))),
        ("searcher", hex("searcher", json!("none"))),
        ("seconds", hex("seconds", json!(-1))),
        ("options", hex("options", json!({"memory": 100_000}))),
        ("options", hex("options", json!({"threads": 1000}))),
        ("ask", hex("nonsense", json!(1))),
        ("network", hex("network", json!("/etc/passwd"))),
        ("network", hex("network", json!("/nonexistent"))),
        (
            "network",
            hex("options", json!({"network": "../secret.safetensors"})),
        ),
    ] {
        let answer = page.ask(&question);
        assert_eq!(answer["field"], field, "{question}: {answer}");
        if field == "network" {
            assert_eq!(
                answer["error"],
                "files cannot be reached over this connection"
            );
        }
    }
    assert_eq!(
        page.ask(&json!({"id": 2, "ask": "look", "game": "hex"}))["turn"],
        "b"
    );
}

#[test]
fn games_are_opened_and_written_with_their_variations() {
    let web = Web::start(&[]);
    let mut page = web.page();
    let text = "(;GM[11]SZ[5]PB[Ann](;B[aa];W[b2])(;B[c3](;W[d4])(;W[c3])))";
    let found = page.ask(&json!({"id": 1, "ask": "open", "text": text, "game": "kalah"}));
    let tree = json!([
        [0, "b", "a1"],
        [1, "w", "b2"],
        [0, "b", "c3"],
        [3, "w", "d4"]
    ]);
    assert_eq!(found["tree"], tree, "{found}");
    assert_eq!(
        (&found["length"], &found["leftOut"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(found["names"], json!(["Ann", null]));
    let mut question = json!({"id": 2, "ask": "write", "form": "sgf", "game": found["game"], "variant": found["variant"],
        "moves": [["b", "a1"], ["w", "b2"]], "variations": tree.as_array().unwrap()[2..].to_vec()});
    let written = page.ask(&question);
    let record = written["text"].as_str().unwrap();
    assert!(
        record.ends_with("(;B[a1];W[b2])(;B[c3];W[d4]))"),
        "{record}"
    );
    assert_eq!(written["name"], "hex.sgf");
    for (field, value) in [
        ("form", json!("pdn")),
        ("form", json!("exe")),
        ("moves", json!(["a1", "a1"])),
        ("variations", json!([[0, "x", "a1"]])),
        ("game", json!("none")),
    ] {
        let kept = question[field].take();
        question[field] = value;
        assert_eq!(page.ask(&question)["field"], field, "{question}");
        question[field] = kept;
    }
    for text in ["", "(;GM[11]", "game: hex\na1 a1", "game: hex\na\u{7}1"] {
        let refused = page.ask(&json!({"id": 3, "ask": "open", "text": text, "game": "hex"}));
        assert_eq!(refused["field"], "text", "{text}: {refused}");
    }
}

/// Passes that a transcript leaves out come back, and no move is lost in any form.
#[test]
fn a_whole_game_of_othello_survives_every_form() {
    let web = Web::start(&["--set", "memory=64"]);
    let mut page = web.page();
    let mut moves = json!([]);
    loop {
        let place = json!({"id": 1, "ask": "look", "game": "othello", "moves": moves});
        let view = page.ask(&place);
        moves = view["moves"].clone();
        let Some(way) = view["ways"].as_array().unwrap().last() else {
            break;
        };
        moves
            .as_array_mut()
            .unwrap()
            .push(json!([view["turn"], way[0]]));
    }
    for form in ["txt", "sgf", "ggf", "transcript"] {
        let question =
            json!({"id": 2, "ask": "write", "form": form, "game": "othello", "moves": moves});
        let written = page.ask(&question);
        let open = json!({"id": 3, "ask": "open", "text": written["text"], "game": "kalah"});
        let found = page.ask(&open);
        assert_eq!(found["form"], form, "{written}");
        let tree = found["tree"].as_array().unwrap().iter();
        let again: Vec<Value> = tree.map(|step| json!([step[1], step[2]])).collect();
        assert_eq!(json!(again), moves, "{form}");
    }
}

#[test]
fn every_option_is_offered_with_help_and_range_within_the_caps() {
    use treeline::session::options::SPECS;
    let web = Web::start(&[
        "--searches",
        "2",
        "--set",
        "memory=128",
        "--set",
        "threads=3",
    ]);
    let mut page = web.page();
    let catalogue = page.ask(&json!({"id": 1, "ask": "catalogue"}));
    let rows = catalogue["options"].as_array().unwrap();
    let row = |name: &str| rows.iter().find(|row| row["name"] == name);
    let mut question = json!({"id": 2, "ask": "think", "game": "kalah", "nodes": 5});
    for spec in SPECS {
        let Some(row) = row(spec.name) else {
            // What a page is not told, it cannot set either.
            let value = match spec.name {
                "live" => "stderr",
                "solve-method" => "exact",
                "solve-margin" => "on",
                _ => "5",
            };
            question["options"] = json!({ spec.name: value });
            assert_eq!(page.ask(&question)["field"], "options", "{}", spec.name);
            continue;
        };
        assert_eq!(row["help"], spec.help);
        assert!(row["range"].as_str().is_some_and(|range| !range.is_empty()));
    }
    assert_eq!(rows.len() + 6, SPECS.len());
    let memory = row("memory").unwrap();
    assert_eq!(
        (&memory["default"], &memory["max"], &memory["range"]),
        (&json!("64"), &json!(64), &json!("32..64"))
    );
    assert_eq!(row("threads").unwrap()["max"], 3);
    for (options, good) in [
        (
            json!({"memory": 64, "threads": 3, "seed": 7, "depth": 2}),
            true,
        ),
        (json!({"memory": 65}), false),
        (json!({"threads": 4}), false),
    ] {
        question["options"] = options;
        let answer = page.ask(&question);
        assert_eq!(answer["move"].is_string(), good, "{question}: {answer}");
    }
    // `auto` is no way around the cap; with nothing to choose nothing is offered.
    let web = Web::start(&["--set", "memory=64", "--set", "threads=1"]);
    let mut page = web.page();
    let told = page.ask(&json!({"id": 1, "ask": "catalogue"}))["options"].to_string();
    assert!(!told.contains("\"threads\"") && !told.contains("\"memory\""));
    question["options"] = json!({"threads": "auto"});
    let alone = treeline::session::options::cores() == 1;
    assert_eq!(page.ask(&question)["move"].is_string(), alone);
}

#[test]
fn networks_of_files_go_by_their_stems() {
    let folder = tempfile::tempdir().unwrap();
    let shipped = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/nets/models/breakthrough-inc128.safetensors"
    );
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (mine, pair) = (path("mine.safetensors"), path("a pair.toml"));
    std::fs::copy(shipped, &mine).unwrap();
    let text = "main = \"mine.safetensors\"\nsmall = \"mine.safetensors\"\n";
    std::fs::write(&pair, text).unwrap();
    let usual = format!("network={mine}");
    let arguments = ["--network", &pair, "--set", &usual, "--set", "memory=256"];
    let web = Web::start(&[&arguments[..], &["--set", "threads=1"]].concat());
    let mut page = web.page();
    let catalogue = page.ask(&json!({"id": 1, "ask": "catalogue"}));
    let secret = folder.path().to_str().unwrap();
    assert!(!catalogue.to_string().contains(secret));
    let networks = catalogue["networks"].as_array().unwrap();
    for name in ["mine", "a pair", "breakthrough-inc128"] {
        let told = json!({"name": name, "game": "breakthrough"});
        assert!(networks.contains(&told), "{networks:?}");
    }
    // Each from a page of its own, which has no tree yet.
    let think = |game: &str, network: Option<&str>| {
        let mut page = web.page();
        let question = json!({"id": 2, "ask": "think", "game": game, "searcher": "az", "nodes": 100, "seed": 1, "network": network});
        let answer = page.ask(&question);
        assert!(!answer.to_string().contains(secret), "{answer}");
        answer
    };
    let wanted = think("breakthrough", Some("breakthrough-inc128"));
    assert!(wanted["move"].is_string(), "{wanted}");
    // What the values are worth is known of the network in the program only.
    let found = |answer: &Value| -> Vec<Value> {
        let moves = answer["moveInfos"].as_array().unwrap().iter();
        let fields = moves.map(|m| json!([m["move"], m["visits"], m["value"], m["pv"]]));
        fields.collect()
    };
    for network in [Some("mine"), Some("a pair"), None] {
        let answer = think("breakthrough", network);
        assert_eq!(found(&answer), found(&wanted), "{network:?}");
        assert_eq!(answer["rootInfo"]["calibrated"], false, "{network:?}");
    }
    assert_eq!(wanted["rootInfo"]["calibrated"], true, "{wanted}");
    let without = think("breakthrough", Some("none"));
    assert!(without["moveInfos"] != wanted["moveInfos"], "{without}");
    let unfit = think("hex", Some("mine"));
    assert_eq!(unfit["field"], "network", "{unfit}");
    for network in [&*mine, "mine.safetensors", "nothing"] {
        let refused = think("breakthrough", Some(network));
        let text = "files cannot be reached over this connection";
        assert_eq!(refused["error"], text, "{network}");
    }
    // What cannot be told apart or read does not start.
    let twin = path("breakthrough-inc128.safetensors");
    std::fs::copy(shipped, &twin).unwrap();
    std::fs::create_dir(path("more")).unwrap();
    let other = path("more/mine.safetensors");
    std::fs::copy(shipped, &other).unwrap();
    for (files, reason) in [
        (vec![&twin], "its name belongs to a network of the program"),
        (
            vec![&mine, &other],
            "two files with networks are called mine",
        ),
        (vec![&path("nothing")], "there is no such file"),
    ] {
        let files = files.iter().flat_map(|file| ["--network", file]);
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_treeline"))
            .args(["web", "--no-open", "--listen", "0"])
            .args(files)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(reason), "{said}");
    }
}

#[test]
fn a_network_is_for_its_own_game_and_the_others_have_theirs() {
    let usual = [
        "--set",
        "network=breakthrough-inc128",
        "--set",
        "memory=256",
        "--set",
        "threads=1",
    ];
    let web = Web::start(&usual);
    let mut page = web.page();
    let catalogue = page.ask(&json!({"id": 1, "ask": "catalogue"}));
    assert_eq!(catalogue["networkFor"], "breakthrough");
    for entry in treeline::games::ENTRIES {
        let question = json!({"id": 2, "ask": "think", "game": entry.name, "nodes": 20});
        let answer = page.ask(&question);
        assert!(answer["move"].is_string(), "{}: {answer}", entry.name);
        let own = answer["rootInfo"]["network"] == "breakthrough-inc128";
        assert_eq!(own, entry.name == "breakthrough", "{answer}");
    }
    // Whoever asks for it where it does not fit is told so.
    let question =
        json!({"id": 3, "ask": "think", "game": "kalah", "nodes": 20, "network": "hex-fcgp6x64"});
    assert_eq!(page.ask(&question)["field"], "network");
}

#[test]
fn pondering_keeps_the_tree_and_gives_way() {
    let web = Web::start(&[
        "--searches",
        "1",
        "--set",
        "memory=64",
        "--set",
        "threads=1",
    ]);
    let mut page = web.page();
    let ponder = json!({"id": 1, "ask": "think", "game": "hex", "searcher": "mcts", "seconds": "off", "ponder": true, "reportDuringSearchEvery": 0.02});
    page.say(&ponder);
    for _ in 0..10 {
        assert_eq!(page.hear().unwrap()["isDuringSearch"], true);
    }
    // What it found serves the answer to whatever is played.
    let visits = |answer: &Value| {
        let moves = answer["moveInfos"].as_array().unwrap().iter();
        moves.map(|m| m["visits"].as_u64().unwrap()).sum::<u64>()
    };
    let best = |answer: &Value| answer["moveInfos"][0]["move"].clone();
    page.say(&json!({"id": 2, "ask": "stop"}));
    let found = page.last(&json!(1));
    let next = json!({"id": 3, "ask": "think", "game": "hex", "searcher": "mcts", "moves": [best(&found)], "nodes": 5});
    let warm = visits(&page.ask(&next));
    let mut stranger = web.page();
    let cold = visits(&stranger.ask(&next));
    assert!(warm > cold + 20, "{warm} {cold}");
    // Another page's search ends it at once, and it does not take a place that another one has.
    page.say(&ponder);
    assert_eq!(page.hear().unwrap()["isDuringSearch"], true);
    let endless = json!({"id": 4, "ask": "think", "game": "hex", "searcher": "mcts", "seconds": "off", "reportDuringSearchEvery": 0.02});
    stranger.say(&endless);
    assert_eq!(stranger.hear().unwrap()["isDuringSearch"], true);
    assert!(page.last(&json!(1))["move"].is_string());
    assert_eq!(page.ask(&ponder)["noResults"], true);
    assert_eq!(stranger.hear().unwrap()["isDuringSearch"], true);
}
