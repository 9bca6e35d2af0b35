//! What a match says of its games: in the journal, in its tables, and nothing where it did not begin.

use crate::common::matches::{Folder, play, referee};
use std::fs;
use std::process::Command;
use treeline::referee::config::{self, Tell};

/// This program as an engine of somebody else, which is not asked for statistics.
fn silent() -> String {
    let program = env!("CARGO_BIN_EXE_treeline");
    format!(
        "[[engine]]\nname = \"silent\"\nnew-game = [\"set_game {{game}} {{variant}}\"]\n\
         command = [\"{program}\", \"--set\", \"memory=32\", \"--searcher\", \"alpha-beta\", \"--set\", \"depth=2\"]\n"
    )
}

const TELLING: &str =
    "[[engine]]\nname = \"telling\"\nmemory = 32\nsearcher = \"alpha-beta depth=3\"\n";

#[test]
fn the_journal_has_value_depth_and_time_of_every_move() {
    let folder = Folder::new("searches");
    let head = "game = \"breakthrough size=5x5\"\ngames = 2\n[openings]\nplies = 2\n";
    play(&folder.file(&format!("{head}{TELLING}{}", silent())));
    for game in folder.games() {
        let moves = game["moves"].as_array().unwrap();
        let searches = game["searches"].as_array().unwrap();
        assert_eq!(searches.len() + 2, moves.len(), "{game}");
        let movers = game["movers"].as_str().unwrap().as_bytes();
        let telling = if game["a_first"] == true { b'b' } else { b'w' };
        for (search, mover) in searches.iter().zip(&movers[2..]) {
            assert!(search["seconds"].as_f64() >= Some(0.0), "{search}");
            if *mover == telling {
                assert!(search["depth"].is_u64(), "{search}");
                let value = search["value"].as_f64().unwrap();
                assert!((-1.0..=1.0).contains(&value), "{search}");
            } else {
                assert!(search.get("depth").is_none() && search.get("value").is_none());
            }
        }
    }
    let json: Vec<serde_json::Value> = {
        let output = play(&folder.path().join("match.toml"));
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    assert!(
        json[0]["mean_depth"][0].as_f64() >= Some(1.0),
        "{}",
        json[0]
    );
    assert!(json[0]["mean_depth"][1].is_null() && json[0]["mean_nodes"][1].is_null());
    // What an engine does not say is no zero.
    let table = fs::read_to_string(folder.path().join("match.results/table.md")).unwrap();
    let row = table
        .lines()
        .find(|line| line.contains("| silent | telling | 0."));
    assert!(row.unwrap().ends_with(" | – | – |"), "{table}");
    let row = table
        .lines()
        .find(|line| line.contains("| telling | silent | 0."));
    assert!(!row.unwrap().contains('–'), "{table}");
}

#[test]
fn a_match_that_cannot_begin_leaves_nothing_behind() {
    let folder = Folder::new("nothing");
    let wrong = "[[engine]]\nname = \"none\"\ncommand = [\"false\"]\n";
    let results = folder.path().join("far/away/results");
    let file = folder.file(&format!(
        "game = \"breakthrough\"\nresults = \"far/away/results\"\n{TELLING}{wrong}"
    ));
    assert!(!referee(&file).output().unwrap().status.success());
    assert!(!folder.path().join("far").exists());
    // What was there stays.
    fs::create_dir_all(&results).unwrap();
    fs::write(results.join("notes"), "mine").unwrap();
    assert!(!referee(&file).output().unwrap().status.success());
    let left: Vec<_> = fs::read_dir(&results).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let record = folder.path().join("record.jsonl");
    let mut command = Command::new(env!("CARGO_BIN_EXE_treeline"));
    command.args([
        "match",
        "hex",
        "--player",
        "mcts",
        "--player",
        "mcts threads=x",
        "--record",
    ]);
    assert!(!command.arg(&record).output().unwrap().status.success());
    assert!(!record.exists());
}

#[test]
fn both_sides_of_the_files_for_ludii_have_the_same_time() {
    let tools = concat!(env!("CARGO_MANIFEST_DIR"), "/tools");
    let shipped = config::read(format!("{tools}/matches/ludii.toml").as_ref()).unwrap();
    assert!(
        shipped
            .engines
            .iter()
            .all(|engine| engine.time == Tell::SetOption)
    );
    let folder = Folder::new("ludii");
    let file = folder.file(&format!(
        "game = \"hex\"\n{TELLING}[[engine]]\nfile = \"{tools}/opponents/ludii.toml\"\n"
    ));
    let own = config::read(&file).unwrap();
    if std::env::var_os("LUDII_AGENT").is_none() {
        assert_eq!(own.engines[1].name, "Ludii: Ludii AI");
        assert_eq!(own.engines[1].command[2], "Ludii AI");
    }
    // Java is not there in every test, and the agent is named by whoever reads this.
    let mut named = referee(&file);
    let output = named
        .env("LUDII_AGENT", "class=a.B c")
        .env_remove("LUDII_JAR")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("engine Ludii: class=a.B c"), "{said}");
}

#[test]
fn an_engine_of_another_protocol_that_says_nothing_of_its_search_has_no_numbers() {
    let folder = Folder::new("hub");
    let faulty = format!("{}/tests/engines/faulty.sh", env!("CARGO_MANIFEST_DIR"));
    let output = play(&folder.file(&format!(
        "game = \"draughts\"\ngames = 2\n[adjudication]\ndraw-after = 8\n{TELLING}\
         [[engine]]\nname = \"hub\"\nprotocol = \"hub\"\n\
         command = [\"{faulty}\", \"hub\", \"genmove\", \"wrong-move\"]\n"
    )));
    let row: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        row["mean_depth"][0].is_number() && row["mean_depth"][1].is_null(),
        "{row}"
    );
    assert!(
        row["mean_nodes"][1].is_null() && row["mean_seconds"][1].is_number(),
        "{row}"
    );
}
