//! `treeline analyze`: JSON lines in, JSON lines out.

use crate::common::Engine;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};
use treeline::game::{Rng, random};
use treeline::options::Values;
use treeline::search::Stop;
use treeline::search::proof::seen_by;
use treeline::session::options::SPECS;
use treeline::session::{Caps, Selection, Session};

const GAMES: [&str; 7] = [
    "breakthrough",
    "connect-four",
    "draughts",
    "hex",
    "kalah",
    "lines-of-action",
    "othello",
];

/// What the program answers to these lines; every line of it is JSON.
fn answers(arguments: &[&str], input: &[u8]) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_treeline"))
        .arg("analyze")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "{:?}", output.status);
    let text = String::from_utf8(output.stdout).unwrap();
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"));
    text.lines().map(read).collect()
}

fn ask(arguments: &[&str], requests: &[Value]) -> Vec<Value> {
    let lines: String = requests.iter().map(|r| format!("{r}\n")).collect();
    answers(arguments, lines.as_bytes())
}

fn of<'a>(answers: &'a [Value], id: &str) -> Vec<&'a Value> {
    answers.iter().filter(|a| a["id"] == id).collect()
}

#[test]
fn the_same_search_answers_as_over_gtp() {
    for game in GAMES {
        for searcher in ["auto", "mcts"] {
            let nodes = 400;
            let request = json!({
                "id": "1", "game": game, "searcher": searcher, "nodes": nodes, "seed": 7, "includePolicy": true,
            });
            let found = ask(&["--threads", "1", "--set", "memory=128"], &[request]);
            let [found] = found.as_slice() else {
                panic!("{found:?}");
            };
            let mut engine = Engine::start(&["--game", game, "--searcher", searcher]);
            for option in ["memory 128", "threads 1", "seconds off", "seed 7"] {
                engine.ok(&format!("set_option {option}"));
            }
            engine.ok(&format!("set_option nodes {nodes}"));
            engine.ok("clear_cache");
            assert_eq!(engine.ok("reg_genmove b"), found["move"], "{found}");
            let stats: Value = serde_json::from_str(&engine.ok("search_stats")).unwrap();
            let root = &found["rootInfo"];
            for name in ["nodes", "simulations", "depth", "pv", "network", "proven"] {
                assert_eq!(stats[name], root[name], "{game} {searcher} {name}");
            }
            let (a, b) = (stats["value"].as_f64(), root["value"].as_f64());
            assert!((a.unwrap() - b.unwrap()).abs() < 1e-4, "{game} {searcher}");
            assert_eq!(found["moveInfos"][0]["order"], 0);
            assert!(found["policy"].is_object() || found["policy"].is_null());
        }
    }
}

#[test]
fn turns_are_analysed_and_a_finished_game_has_a_result() {
    let request = json!({
        "id": "game", "game": "connect-four", "moves": [["b", "a"], ["w", "b"], "a", "b", "a", "b", "a"],
        "analyzeTurns": [0, 6, 7], "simulations": 200, "searcher": "mcts", "reportDuringSearchEvery": 0.01,
    });
    let found = ask(&["--threads", "2"], &[request]);
    let last = |turn: u64| {
        let mut ended = found
            .iter()
            .filter(|a| a["turnNumber"] == turn && a["isDuringSearch"] == false);
        let only = ended.next().unwrap().clone();
        assert!(ended.next().is_none());
        only
    };
    assert_eq!(last(0)["rootInfo"]["currentPlayer"], "b");
    let winning = last(6);
    assert_eq!(winning["moveInfos"][0]["move"], "a");
    assert_eq!(winning["moveInfos"][0]["proven"], "win");
    assert_eq!(winning["rootInfo"]["proven"], "win");
    assert_eq!(last(7)["rootInfo"]["result"], "b");
}

#[test]
fn a_lucky_play_out_proves_nothing() {
    let request = json!({
        "id": "1", "game": "lines-of-action", "searcher": "mcts", "nodes": 20, "seed": 3,
    });
    let found = ask(&["--threads", "1"], &[request]);
    let moves = found[0]["moveInfos"].as_array().unwrap();
    assert!(moves.iter().any(|m| m["value"] == 1.0), "{moves:?}");
    assert!(moves.iter().all(|m| m["proven"].is_null()), "{moves:?}");
    assert!(found[0]["rootInfo"]["proven"].is_null());
}

#[test]
fn whoever_proves_says_so_of_each_move() {
    let searchers = [
        "auto",
        "greedy",
        "minimax",
        "alpha-beta",
        "ubfm",
        "descent",
        "mcts",
        "puct",
        "mpv",
        "dqn",
        "proof-number",
    ];
    // Black wins by the fourth stone in column a.
    let won = ["a", "b", "a", "b", "a", "b"];
    let ask_for = |searcher: &&str| {
        json!({
            "id": searcher, "game": "connect-four", "moves": won, "searcher": searcher, "nodes": 300, "seed": 1,
        })
    };
    let requests: Vec<Value> = searchers.iter().map(ask_for).collect();
    for found in ask(&["--threads", "1"], &requests) {
        let first = &found["moveInfos"][0];
        assert_eq!(
            (&first["move"], &first["proven"]),
            (&json!("a"), &json!("win")),
            "{found}"
        );
        let sure = |m: &&Value| m["proven"] == "win" && m["move"] != "a";
        let others = found["moveInfos"].as_array().unwrap();
        assert_eq!(others.iter().filter(sure).count(), 0, "{found}");
    }
}

/// A session of a game that is not over after so many random moves.
fn after_random_moves(game: &str, plies: usize) -> Session {
    let mut options = Values::new(SPECS);
    for (name, value) in [("memory", "128"), ("threads", "1"), ("network", "none")] {
        options.set(name, value).unwrap();
    }
    options.set("seconds", "60").unwrap();
    let mut words = game.split(' ').map(String::from);
    let game = Selection {
        name: words.next().unwrap(),
        pairs: words.collect(),
    };
    let searcher = Selection::plain("random");
    let mut session = Session::new(options, Caps::default(), &game, &searcher).unwrap();
    let mut rng: Rng = random::seeded(5);
    while session.game.outcome().is_some() || session.game.moves_so_far().len() < plies {
        if session.game.outcome().is_some() {
            session.new_game();
        }
        let moves = session.game.legal_moves();
        let turn = session.game.turn();
        let at = random::pick(&mut rng, moves.len() as u32) as usize;
        session.game.play(turn, &moves[at]).unwrap();
    }
    session
}

#[test]
fn a_solver_proves_every_move() {
    let cases = [
        ("connect-four", "auto", 20),
        ("connect-four", "alpha-beta", 24),
        ("kalah", "auto", 22),
        ("othello size=6", "auto", 20),
        ("othello", "auto", 50),
        ("hex size=4", "proof-number", 3),
    ];
    for (game, searcher, plies) in cases {
        let mut session = after_random_moves(game, plies);
        let turn = session.game.turn();
        let mut request = json!({
            "id": "1", "game": game, "position": session.game.position(), "searcher": searcher, "network": "none", "seconds": 60,
        });
        let arguments = ["--threads", "1", "--set", "memory=128"];
        let found = ask(&arguments, &[request.clone()]);
        let moves = found[0]["moveInfos"].as_array().unwrap();
        let mut words = Vec::new();
        for played in session.game.legal_moves() {
            session.game.play(turn, &played).unwrap();
            let outcome = match session.game.outcome() {
                Some(outcome) => outcome,
                None => session
                    .solve(None, &Stop::default(), 1)
                    .unwrap()
                    .outcome
                    .unwrap(),
            };
            assert!(session.game.undo());
            let word = seen_by(outcome, turn);
            let told = moves.iter().find(|m| m["move"] == played);
            assert_eq!(told.unwrap()["proven"], word, "{game} {played}: {moves:?}");
            words.push(word);
        }
        assert_eq!(moves.len(), words.len());
        let best = ["win", "draw", "loss"]
            .into_iter()
            .find(|w| words.contains(w));
        assert_eq!(found[0]["rootInfo"]["proven"], best.unwrap(), "{game}");
        // Whoever wants the move only does not pay for the others.
        request["everyMove"] = json!(false);
        let quick = ask(&arguments, &[request]);
        let nodes = |found: &[Value]| found[0]["rootInfo"]["nodes"].as_u64().unwrap();
        assert!(nodes(&quick) <= nodes(&found), "{game}");
        assert_eq!(quick[0]["move"], found[0]["move"], "{game}");
    }
}

#[test]
fn a_level_tells_no_value_and_is_no_weaker_where_the_truth_is_asked_for() {
    let mut request =
        json!({"id": "1", "game": "breakthrough", "searcher": "auto level=2", "seconds": 0.1});
    let arguments = ["--threads", "1", "--set", "memory=128"];
    let weak = ask(&arguments, &[request.clone()]);
    assert!(weak[0]["move"].is_string());
    assert!(weak[0]["rootInfo"]["value"].is_null(), "{weak:?}");
    assert_eq!(weak[0]["moveInfos"], json!([]));
    request["fullStrength"] = json!(true);
    let strong = ask(&arguments, &[request]);
    assert!(strong[0]["rootInfo"]["value"].is_number(), "{strong:?}");
    assert!(!strong[0]["moveInfos"].as_array().unwrap().is_empty());
}

#[test]
fn a_network_of_one_game_leaves_the_others_their_own() {
    let requests = ["kalah", "breakthrough"]
        .map(|game| json!({"id": game, "game": game, "nodes": 50, "searcher": "alpha-beta"}));
    let arguments = [
        "--threads",
        "1",
        "--set",
        "memory=128",
        "--network",
        "breakthrough-inc128",
    ];
    let found = ask(&arguments, &requests);
    let network = |game: &str| of(&found, game)[0]["rootInfo"]["network"].clone();
    assert_eq!(network("kalah"), "kalah-inc128", "{found:?}");
    assert_eq!(network("breakthrough"), "breakthrough-inc128");
}

#[test]
fn a_clock_limits_the_search_and_is_checked() {
    let timed = |id: &str, clock: Value| json!({"id": id, "game": "hex", "searcher": "mcts", "clock": clock});
    let good = json!({"kind": "increment", "main": 60, "increment": 0, "left": 0.4});
    let byoyomi = json!({"kind": "byoyomi", "main": 60, "period": 0.3, "periods": 3, "left": 0.3, "stonesLeft": 2});
    let requests = [
        timed("a", good),
        timed("b", byoyomi),
        timed(
            "c",
            json!({"kind": "increment", "main": -1, "increment": 0, "left": 1}),
        ),
        timed("d", json!("fast")),
    ];
    let found = ask(&["--threads", "1", "--set", "memory=128"], &requests);
    for id in ["a", "b"] {
        let seconds = of(&found, id)[0]["rootInfo"]["seconds"].as_f64().unwrap();
        assert!(seconds < 0.4, "{id}: {seconds} s");
    }
    for id in ["c", "d"] {
        assert_eq!(of(&found, id)[0]["field"], "clock", "{found:?}");
    }
}

#[test]
fn a_proven_draw_is_told_from_a_loss() {
    let small = json!({
        "id": "1", "game": "kalah houses=3 seeds=1", "searcher": "minimax plies=30", "depth": 30, "seconds": 60,
    });
    let found = ask(&[], &[small]);
    assert_eq!(found[0]["rootInfo"]["proven"], "draw");
    let moves = found[0]["moveInfos"].as_array().unwrap();
    let proven: Vec<&Value> = moves.iter().map(|m| &m["proven"]).collect();
    assert_eq!(proven, ["draw", "draw", "loss"]);
}

#[test]
fn bounds_are_marked() {
    let request = json!({"id": "1", "game": "breakthrough", "searcher": "alpha-beta", "depth": 5});
    let found = ask(&["--threads", "1"], &[request]);
    let moves = found[0]["moveInfos"].as_array().unwrap();
    assert!(moves[0].get("bound").is_none(), "{moves:?}");
    assert!(
        moves[1..].iter().any(|m| m["bound"] == "upper"),
        "{moves:?}"
    );
}

#[test]
fn an_error_names_its_field_and_disturbs_nobody() {
    let good = json!({"id": "good", "game": "kalah", "nodes": 50});
    let bad = [
        ("id", json!({"game": "kalah"})),
        ("game", json!({"id": "x"})),
        ("game", json!({"id": "x", "game": "chess"})),
        (
            "variant",
            json!({"id": "x", "game": "hex", "variant": "size=99"}),
        ),
        (
            "variant",
            json!({"id": "x", "game": "hex", "variant": {"size": []}}),
        ),
        (
            "position",
            json!({"id": "x", "game": "hex", "position": "nonsense"}),
        ),
        (
            "moves",
            json!({"id": "x", "game": "hex", "moves": ["a1", "a1"]}),
        ),
        (
            "moves",
            json!({"id": "x", "game": "hex", "moves": [["q", "a1"]]}),
        ),
        ("moves", json!({"id": "x", "game": "hex", "moves": 5})),
        (
            "analyzeTurns",
            json!({"id": "x", "game": "hex", "analyzeTurns": [1]}),
        ),
        (
            "analyzeTurns",
            json!({"id": "x", "game": "hex", "analyzeTurns": ["a"]}),
        ),
        (
            "priority",
            json!({"id": "x", "game": "hex", "priority": "high"}),
        ),
        (
            "priorities",
            json!({"id": "x", "game": "hex", "priorities": [1, 2]}),
        ),
        (
            "searcher",
            json!({"id": "x", "game": "hex", "searcher": "none"}),
        ),
        (
            "searcher",
            json!({"id": "x", "game": "hex", "searcher": "mcts exploration=x"}),
        ),
        (
            "network",
            json!({"id": "x", "game": "hex", "network": "missing"}),
        ),
        (
            "network",
            json!({"id": "x", "game": "hex", "network": "othello-patterns6"}),
        ),
        ("seconds", json!({"id": "x", "game": "hex", "seconds": -1})),
        (
            "maxVisits",
            json!({"id": "x", "game": "hex", "maxVisits": 0}),
        ),
        (
            "options",
            json!({"id": "x", "game": "hex", "options": {"nonsense": 1}}),
        ),
        (
            "options",
            json!({"id": "x", "game": "hex", "options": {"threads": 9}}),
        ),
        (
            "options",
            json!({"id": "x", "game": "hex", "options": {"memory": 4096}}),
        ),
        ("seed", json!({"id": "x", "game": "hex", "seed": -1})),
        (
            "includePolicy",
            json!({"id": "x", "game": "hex", "includePolicy": 1}),
        ),
        (
            "reportDuringSearchEvery",
            json!({"id": "x", "game": "hex", "reportDuringSearchEvery": 0}),
        ),
        ("action", json!({"id": "x", "action": "explode"})),
        ("terminateId", json!({"id": "x", "action": "terminate"})),
    ];
    for (field, request) in bad {
        let found = ask(&["--threads", "1"], &[request.clone(), good.clone()]);
        let refused: Vec<_> = found.iter().filter(|a| a.get("error").is_some()).collect();
        assert_eq!(refused.len(), 1, "{request}: {found:?}");
        assert_eq!(refused[0]["field"], field, "{request}: {found:?}");
        assert_eq!(of(&found, "good").len(), 1, "{request}: {found:?}");
    }
    let misspelt = json!({"id": "x", "game": "kalah", "nodes": 5, "simulatons": 3});
    let found = ask(&["--threads", "1"], &[misspelt]);
    assert_eq!(found[0]["warning"], "unknown field");
    assert_eq!(found[0]["field"], "simulatons");
    assert_eq!(found.len(), 2);
}

#[test]
fn the_highest_priority_goes_first_and_what_waits_can_be_ended() {
    let request = |id: &str, priority: i64| json!({"id": id, "game": "hex", "searcher": "mcts", "simulations": 300, "priority": priority});
    let endless = json!({"id": "endless", "game": "hex", "searcher": "mcts", "seconds": "off", "priority": 9});
    let requests = [
        endless,
        request("low", -1),
        request("gone", 5),
        request("middle", 0),
        request("high", 1),
        json!({"id": "t", "action": "terminate", "terminateId": "gone"}),
        json!({"id": "u", "action": "terminate", "terminateId": "endless"}),
        json!({"id": "v", "action": "query_version"}),
        json!({"id": "w", "action": "clear_cache"}),
    ];
    let found = ask(&["--threads", "1"], &requests);
    let done = found.iter().filter(|a| a.get("action").is_none());
    let mut order: Vec<_> = done.map(|a| a["id"].as_str().unwrap()).collect();
    assert_eq!(of(&found, "gone")[0]["noResults"], true);
    order.retain(|id| !["gone", "endless"].contains(id));
    assert_eq!(order, ["high", "middle", "low"]);
    assert_eq!(of(&found, "v")[0]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(of(&found, "w").len(), 1);
}

#[test]
fn ten_thousand_positions_are_answered() {
    let line = |i: usize| {
        let game = GAMES[i % 7];
        json!({"id": format!("{i}"), "game": game, "searcher": "greedy", "nodes": 1, "network": "none"})
    };
    let requests: Vec<Value> = (0..10_000).map(line).collect();
    let found = ask(&[], &requests);
    assert_eq!(found.len(), 10_000);
    assert!(found.iter().all(|a| a["isDuringSearch"] == false));
}

#[test]
fn hostile_lines_get_errors() {
    let mut rng: Rng = random::seeded(5);
    let pick = |rng: &mut Rng, n: u32| random::pick(rng, n) as usize;
    let good = json!({"id": "q", "game": "othello", "moves": ["d3", "c3"], "analyzeTurns": [0, 2], "nodes": 3}).to_string();
    let mut input: Vec<u8> = Vec::new();
    for _ in 0..400 {
        let mut line = good.clone().into_bytes();
        for _ in 0..pick(&mut rng, 6) {
            let at = pick(&mut rng, line.len() as u32);
            line[at] = random::word(&mut rng) as u8;
        }
        line.retain(|byte| *byte != b'\n');
        input.extend(line);
        input.push(b'\n');
    }
    for line in [
        "[".repeat(100_000),
        "{\"id\":".repeat(10_000),
        "null".into(),
        "{}".into(),
        format!("{{\"id\":\"{}\"}}", "x".repeat(1 << 20)),
        "\u{0}\u{1}".into(),
    ] {
        input.extend(line.into_bytes());
        input.push(b'\n');
    }
    input.extend(
        json!({"id": "last", "game": "othello", "nodes": 3})
            .to_string()
            .into_bytes(),
    );
    let found = answers(&["--set", "memory=64", "--threads", "1"], &input);
    assert_eq!(of(&found, "last").len(), 1);
    assert!(
        found
            .iter()
            .all(|a| !a.to_string().contains("internal error"))
    );
}
