//! Values of several moves, and what values are worth: through the program.

use crate::common::Engine;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};
use treeline::game::{Calibration, Player};
use treeline::session::networks;
use treeline::{games, search};

/// A variant that is quickly searched, and a depth.
const GAMES: [(&str, u32); 7] = [
    ("breakthrough size=6x6", 3),
    ("connect-four", 5),
    ("draughts", 4),
    ("hex size=5", 2),
    ("kalah", 5),
    ("lines-of-action size=6", 2),
    ("othello", 4),
];

/// Alpha-beta by which equal depths have equal values.
const PLAIN: &str = "alpha-beta-classic table=off heuristic=default";

fn stats(engine: &mut Engine) -> Value {
    serde_json::from_str(&engine.ok("search_stats")).unwrap()
}

/// Searches the position to this depth for the side to move.
fn searched(engine: &mut Engine, depth: u32, multipv: usize) -> Value {
    let turn = engine.ok("side_to_move");
    engine.ok(&format!("set_option multipv {multipv}"));
    engine.ok(&format!("set_option depth {depth}"));
    engine.ok(&format!("reg_genmove {turn}"));
    stats(engine)
}

#[test]
fn so_many_moves_as_asked_have_the_values_of_searches_of_their_own() {
    let mut bounds = 0;
    for (game, depth) in GAMES {
        let arguments = ["--game", game, "--network", "none", "--set", "seconds=off"];
        let mut engine = Engine::start(&arguments);
        engine.ok("set_option threads 1");
        engine.ok(&format!("set_searcher {PLAIN}"));
        // Where moves differ.
        for _ in 0..3 {
            let turn = engine.ok("side_to_move");
            let moves = engine.ok("legal_moves");
            let moves: Vec<&str> = moves.split_whitespace().collect();
            engine.ok(&format!("play {turn} {}", moves[moves.len() / 3]));
        }
        let turn = engine.ok("side_to_move");
        let one = searched(&mut engine, depth, 1);
        let several = searched(&mut engine, depth, 3);
        assert_eq!(one["value"], several["value"], "{game}");
        let moves = several["moves"].as_array().unwrap();
        let mut last = f64::INFINITY;
        let exact = moves.len().min(3);
        for m in &moves[..exact] {
            let value = m["value"].as_f64().unwrap();
            assert!(m["bound"].is_null() && value <= last, "{game}: {several}");
            last = value;
            engine.ok(&format!("play {turn} {}", m["move"].as_str().unwrap()));
            let sign = if engine.ok("side_to_move") == turn {
                1.0
            } else {
                -1.0
            };
            let own = searched(&mut engine, depth - 1, 1);
            assert_eq!(own["value"].as_f64(), Some(sign * value), "{game}: {m}");
            engine.ok("undo");
        }
        let others = &moves[exact..];
        bounds += others.iter().filter(|m| m["bound"] == "upper").count();
        let worse = |m: &Value| m["value"].as_f64().unwrap() <= last;
        assert!(others.iter().all(worse), "{game}: {several}");
        // More than there are: all.
        let all = searched(&mut engine, depth, 1000);
        let moves = all["moves"].as_array().unwrap();
        let legal = engine.ok("legal_moves");
        assert_eq!(moves.len(), legal.split_whitespace().count(), "{game}");
        assert!(moves.iter().all(|m| m["bound"].is_null()), "{game}: {all}");
    }
    assert!(bounds > 30, "{bounds}");
}

/// What the program answers to these lines; every line of it is JSON.
fn analysed(requests: &[Value]) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_treeline"))
        .args(["analyze", "--threads", "1", "--set", "memory=128"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines: String = requests.iter().map(|r| format!("{r}\n")).collect();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn bad_numbers_of_moves_are_refused_and_a_solved_position_has_all() {
    let mut engine = Engine::start(&["--game", "connect-four"]);
    for bad in ["0", "-1", "1001", "few"] {
        let refusal = engine.refused(&format!("set_option multipv {bad}"));
        assert!(refusal.contains("multipv"), "{refusal}");
    }
    let bad = json!({"id": "1", "game": "hex", "multipv": 0, "nodes": 10});
    let refused = analysed(&[bad]);
    assert_eq!(refused[0]["field"], "multipv", "{refused:?}");
    // The solver proves the others, too, where several are asked for.
    for turn in ["b a", "w b", "b a", "w b", "b a", "w b"] {
        engine.ok(&format!("play {turn}"));
    }
    engine.ok("set_searcher alpha-beta");
    // On a busy machine a second is not enough; it ends with the last proof.
    engine.ok("set_option seconds off");
    engine.ok("set_option multipv 3");
    assert_eq!(engine.ok("reg_genmove b"), "a");
    let found = stats(&mut engine);
    let moves = found["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 7, "{found}");
    assert!(moves.iter().all(|m| m["proven"].is_string()), "{found}");
    assert_eq!(found["expected"], 1.0);
}

#[test]
fn rows_are_of_searchers_and_networks_that_there_are() {
    /// Networks that the program takes only where they are named, of which no matches were played.
    const WITHOUT: &[&str] = &["connect-four-inc1024"];
    for game in games::ENTRIES {
        let rows = game.tuning.calibrations;
        for (i, row) in rows.iter().enumerate() {
            let values = search::find(row.searcher).unwrap().values();
            assert_eq!(search::family(row.searcher, &values), Some(row.searcher));
            assert!(
                (0.2..5.0).contains(&row.scale) && row.bias.abs() < 2.0,
                "{row:?}"
            );
            let same = |other: &Calibration| {
                (other.searcher, other.network) == (row.searcher, row.network)
            };
            assert!(!rows[..i].iter().any(same), "{row:?}");
            let mut own = networks::shipped().filter(|network| network.game == game.name);
            assert!(
                row.network
                    .is_none_or(|name| own.any(|network| network.name == name)),
                "{row:?}"
            );
        }
    }
    for network in networks::shipped() {
        let rows = games::find(network.game).unwrap().tuning.calibrations;
        let has = rows.iter().any(|row| row.network == Some(network.name));
        assert_eq!(has, !WITHOUT.contains(&network.name), "{}", network.name);
    }
}

#[test]
fn expected_scores_are_those_of_the_games_row_everywhere() {
    let game = games::find("breakthrough").unwrap();
    let row = game
        .tuning
        .calibrations
        .iter()
        .find(|row| row.searcher == "ubfm")
        .unwrap();
    let request = |id: &str, searcher: &str| json!({"id": id, "game": "breakthrough", "searcher": searcher, "nodes": 300, "seed": 1, "moves": ["a2a3"]});
    let answers = analysed(&[request("row", "auto"), request("plain", "minimax plies=1")]);
    let of = |id: &str| answers.iter().find(|answer| answer["id"] == id).unwrap();
    let number = |value: &Value| value.as_f64().unwrap() as f32;
    let check = |id: &str, row: &Calibration, calibrated: bool| {
        let answer = of(id);
        assert_eq!(answer["rootInfo"]["calibrated"], calibrated, "{answer}");
        let lines = answer["moveInfos"].as_array().unwrap();
        assert!(lines.len() > 5, "{answer}");
        for line in lines
            .iter()
            .chain([&answer["rootInfo"]])
            .filter(|line| line["proven"].is_null())
        {
            let expected = row.expected(number(&line["value"]), None, Player::Two);
            assert!((number(&line["winrate"]) - expected).abs() < 1e-4, "{line}");
        }
    };
    check("row", row, true);
    check("plain", &Calibration::PLAIN, false);
    let mut engine = Engine::start(&[
        "--game",
        "breakthrough",
        "--set",
        "seconds=off",
        "--set",
        "nodes=300",
        "--set",
        "threads=1",
    ]);
    engine.ok("play b a2a3");
    engine.ok("reg_genmove w");
    let found = stats(&mut engine);
    let expected = row.expected(number(&found["value"]), None, Player::Two);
    assert!(
        (number(&found["expected"]) - expected).abs() < 1e-6,
        "{found}"
    );
    assert_eq!(found["calibrated"], true);
    // Another judge, and another board without a network.
    engine.ok("set_searcher ubfm heuristic=benchmark");
    engine.ok("reg_genmove w");
    let found = stats(&mut engine);
    assert_eq!(found["calibrated"], false);
    let expected = (1.0 + number(&found["value"])) / 2.0;
    assert!(
        (number(&found["expected"]) - expected).abs() < 1e-6,
        "{found}"
    );
}
