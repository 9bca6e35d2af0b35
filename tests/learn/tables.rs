//! Pattern tables learn in every build, with or without libtorch.

use super::*;
use crate::common::Engine;

const TABLES: &[&str] = &[
    "run.architecture=patterns(2)",
    "stop.generations=3",
    "play.games=60",
    "play.first-games=60",
    "play.portion=5",
    "play.nodes=200",
    "train.batch=64",
    "train.passes=2",
    "train.rate=0.02",
];

fn losses(run: &Path) -> Vec<f64> {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let line = |line: &str| -> f64 {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["value_loss"]
            .as_f64()
            .unwrap_or_else(|| panic!("{line}"))
    };
    text.lines().map(line).collect()
}

#[test]
fn tables_learn_play_and_teach_the_next_run() {
    let place = Place::new("tables");
    let (first, second) = (place.run("first"), place.run("second"));
    let keep = [TABLES, &["replay.keep=on"]].concat();
    prepare(&first, "othello size=6", "treestrap", &keep);
    finish(&first);
    let learned = losses(&first);
    assert_eq!(learned.len(), 3);
    let network = first.join("network.safetensors");
    let mut engine = Engine::start(&["--network", network.to_str().unwrap()]);
    engine.ok("set_option simulations 100");
    assert!(
        engine.ok("evaluate").starts_with("network "),
        "it evaluates"
    );
    engine.ok("genmove b");
    // Tables of another number of stages begin where those stand.
    let from = format!("data.from={}", first.to_str().unwrap());
    let more = [
        &keep[..],
        &["run.architecture=patterns(4)", "stop.generations=1", &from],
    ]
    .concat();
    prepare(&second, "othello size=6", "treestrap", &more);
    finish(&second);
    let taught = losses(&second);
    assert!(
        taught.last().unwrap() < &learned[0],
        "{learned:?} {taught:?}"
    );
}

#[test]
fn a_killed_run_of_tables_goes_on_as_if_nothing_had_happened() {
    let place = Place::new("killed");
    let (whole, cut) = (place.run("whole"), place.run("cut"));
    for run in [&whole, &cut] {
        prepare(run, "othello size=6", "treestrap", TABLES);
    }
    finish(&whole);
    let toml = cut.join("learn.toml");
    let text = fs::read_to_string(&toml).unwrap();
    for generations in ["1", "2", "3"] {
        let part = text.replace("generations = 3", &format!("generations = {generations}"));
        assert!(generations == "3" || part != text);
        fs::write(&toml, part).unwrap();
        finish(&cut);
    }
    let network = |run: &Path| fs::read(run.join("network.safetensors")).unwrap();
    assert!(network(&whole) == network(&cut), "the weights differ");
}

#[test]
fn a_network_that_fails_the_gate_learns_on_or_is_discarded() {
    let place = Place::new("gate");
    // Nobody who moves at random wins forty games of forty.
    let gate = [
        "train.gate=1",
        "train.gate-games=40",
        "train.gate-draws=out",
        "watch.searcher=random",
    ];
    let finished = |name: &str, failed: &str| {
        let run = place.run(name);
        let more = [TABLES, &gate, &[failed]].concat();
        prepare(&run, "othello size=6", "treestrap", &more);
        let said = finish(&run);
        let network = fs::read(run.join("network.safetensors")).unwrap();
        (said, losses(&run), network)
    };
    let (said, on, player) = finished("on", "train.gate-failed=learns");
    assert!(said.contains("it must learn more"), "{said}");
    let (said, anew, same) = finished("anew", "train.gate-failed=discarded");
    assert!(said.contains("it is discarded"), "{said}");
    // The same player played the same games; who begins anew each time knows less in the end.
    assert!(player == same, "another network plays");
    assert_eq!(on[0], anew[0]);
    assert!(on[2] < anew[2], "{on:?} {anew:?}");
}

#[test]
fn what_tables_cannot_do_is_said() {
    let place = Place::new("said");
    let said = |name: &str, game: &str, pairs: &[&str]| {
        let run = place.run(name);
        let mut arguments = vec![run.to_str().unwrap(), "--game", game];
        for pair in TABLES.iter().chain(pairs) {
            arguments.extend(["--set", pair]);
        }
        let done = output(&mut treeline(&arguments));
        assert!(!done.status.success());
        said(&done)
    };
    let none = said("none", "hex size=5", &[]);
    assert!(none.contains("the game declares no patterns"), "{none}");
    let average = said("average", "othello size=6", &["train.average=10"]);
    assert!(
        average.contains("[train] average: pattern tables"),
        "{average}"
    );
    let decay = said("decay", "othello size=6", &["train.weight-decay=0.1"]);
    assert!(decay.contains("[train] weight-decay"), "{decay}");
    let other = said("other", "othello size=6", &["data.from=nowhere"]);
    assert!(other.contains("[data] from"), "{other}");
    // What sees features knows better than to be trained by libtorch, but planes need it.
    if !cfg!(feature = "torch") {
        let planes = said("planes", "othello size=6", &["run.architecture=cnet(4,8)"]);
        assert!(planes.contains("built without libtorch"), "{planes}");
    }
    let norm = ["run.architecture=inc(8)", "train.norm=on"];
    let norm = said("norm", "othello size=6", &norm);
    assert!(
        norm.contains("[train] norm: networks of features"),
        "{norm}"
    );
}
