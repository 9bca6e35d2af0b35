//! Searches with a seed, on one thread and with limits that are no times, find what they always found: the move, its value, how much was
//! searched, the line. `signatures.tsv` has a row for each; what changes a search on purpose changes its rows, and says so.
//!
//! A row: the game with its variant, the searcher, its move, and what `search_stats` says of it. The position is the one after nine
//! plies: ply `i` is the legal move number `(7919 i + 3) mod n`.
//!
//! `TREELINE_SIGNATURES=FILE cargo test --test all signatures` writes the rows as they are now.

use crate::common::Engine;
use serde_json::Value;

const RECORDED: &str = include_str!("signatures.tsv");
const LIMITS: [&str; 4] = ["simulations 150", "nodes 4000", "memory 64", "threads 1"];

/// A session of the game after nine plies, and whose turn it is.
fn after_nine_plies(game: &str) -> (Engine, String) {
    let mut engine = Engine::start(&[]);
    engine.ok(&format!("set_game {game}"));
    engine.ok("set_option seconds off");
    for limit in LIMITS {
        engine.ok(&format!("set_option {limit}"));
    }
    if game.starts_with("hex") {
        // Its network sees planes, which takes minutes where nothing is optimised.
        engine.ok("set_option network none");
    }
    for i in 0..9 {
        let turn = engine.ok("side_to_move");
        let moves = engine.ok("legal_moves");
        let moves: Vec<&str> = moves.split_whitespace().collect();
        if moves.is_empty() {
            break;
        }
        let chosen = moves[(i * 7919 + 3) % moves.len()];
        engine.ok(&format!("play {turn} {chosen}"));
    }
    let turn = engine.ok("side_to_move");
    (engine, turn)
}

/// What `search_stats` says, without what depends on the machine.
fn shown(stats: &Value) -> String {
    let field = |name: &&str| match &stats[*name] {
        Value::Null => format!("{name}=None"),
        Value::String(text) => format!("{name}={text}"),
        Value::Number(number) if *name == "value" => {
            format!("{name}={:.6}", number.as_f64().unwrap())
        }
        other => format!("{name}={other}"),
    };
    let names = [
        "value",
        "proven",
        "nodes",
        "simulations",
        "evaluations",
        "playouts",
        "depth",
    ];
    let fields: Vec<String> = names.iter().map(field).collect();
    let moves = stats["pv"].as_array().unwrap().iter();
    let pv: Vec<&str> = moves.map(|m| m.as_str().unwrap()).collect();
    format!("{} pv={}", fields.join(" "), pv.join(","))
}

#[test]
fn seeded_searches_find_what_they_always_found() {
    let mut now = Vec::new();
    let mut session: Option<(String, Engine, String)> = None;
    for row in RECORDED.lines() {
        let words: Vec<&str> = row.split('\t').collect();
        let [game, searcher, ..] = words[..] else {
            panic!("not a row: {row}");
        };
        if session.as_ref().is_none_or(|(name, ..)| name != game) {
            let (engine, turn) = after_nine_plies(game);
            session = Some((game.into(), engine, turn));
        }
        let (_, engine, turn) = session.as_mut().unwrap();
        let shallow = ["minimax", "alpha-beta-classic"].contains(&searcher);
        engine.ok(&format!("set_searcher {searcher}"));
        engine.ok(&format!(
            "set_option depth {}",
            if shallow { "4" } else { "off" }
        ));
        engine.ok("set_option seed 7");
        engine.ok("clear_cache");
        let best = engine.ok(&format!("reg_genmove {turn}"));
        let stats = serde_json::from_str(&engine.ok("search_stats")).unwrap();
        now.push(format!("{game}\t{searcher}\t{best}\t{}", shown(&stats)));
    }
    if let Ok(file) = std::env::var("TREELINE_SIGNATURES") {
        std::fs::write(file, now.join("\n") + "\n").unwrap();
    }
    let differ = now
        .iter()
        .zip(RECORDED.lines())
        .filter(|(now, then)| now != then);
    let differ: Vec<String> = differ
        .map(|(now, then)| format!("{then}\nis now\n{now}"))
        .collect();
    assert!(
        differ.is_empty(),
        "{} differ:\n{}",
        differ.len(),
        differ.join("\n\n")
    );
}
