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
