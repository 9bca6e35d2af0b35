//! `alphago`: from recorded games to a policy, from its own results to a better one, then to a value.

use super::*;
use treeline_nets::file::Weights;

const GAME: &str = "connect-four width=4 height=4 line=3";

/// Keys of a run as short as can be, with a generation for each stage.
const SHORT: &[&str] = &[
    "run.architecture=a0(1,4,4)",
    "alphago.iterations=1",
    "alphago.valued=20",
    "alphago.deepest=6",
    "alphago.gate=off",
    "play.games=10",
    "play.nodes=50",
    "play.portion=5",
    "train.batch=8",
    "train.passes=2",
];

/// Games of three forms: text with two, SGF, and a match of ours. The last is given up.
fn records(folder: &Path) {
    fs::create_dir(folder).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write(
        "1.txt",
        &format!(
            "# two games\ngame: {GAME}\n1. a b 2. a b 3. a\n\ngame: {GAME}\nb c a d\nc c d d\n"
        ),
    );
    write(
        "2.sgf",
        "(;FF[4]GM[1000]XG[connect-four width=4 height=4 line=3];B[a];W[d];B[a];W[d];B[a])",
    );
    write(
        "3.jsonl",
        &format!(
            "{{\"game\":\"{GAME}\",\"a\":\"x\",\"b\":\"y\",\"winner\":\"b\",\"moves\":[\"b\",\"c\",\"d\"]}}\n"
        ),
    );
}

#[test]
fn recorded_games_are_learned_then_results_then_values() {
    if !trains() {
        return;
    }
    let place = Place::new("stages");
    let folder = place.run("records");
    records(&folder);
    let from = format!("alphago.records={}", folder.display());
    let keep = ["alphago.recorded=4", "alphago.test=0", "replay.keep=on"];
    let run = place.run("run");
    let keys = [SHORT, &keep, &[&from]].concat();
    prepare(&run, GAME, "alphago", &keys);
    let text = finish(&run);
    assert!(text.contains("3 generations, 34 games"), "{text}");
    // The recorded games as they were, one given up for player two.
    let games = fs::read_to_string(run.join("data/g000001-p000000.jsonl")).unwrap();
    let games: Vec<serde_json::Value> = games
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let shown = |i: usize| {
        (
            games[i]["moves"].as_str().unwrap(),
            games[i]["result"].as_i64(),
        )
    };
    assert_eq!(shown(0), ("a b a b a", Some(1)));
    assert_eq!(shown(2), ("a d a d a", Some(1)));
    assert_eq!(shown(3), ("b c d", Some(-1)));
    let line = |i: usize| -> serde_json::Value {
        let lines = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
        serde_json::from_str(lines.lines().nth(i).unwrap()).unwrap()
    };
    let of = |i: usize, key: &str| line(i)[key].as_f64().unwrap();
    // Values are left alone in the first stage; the last has one state a game, but of games that the random move ended.
    assert!(of(0, "value_loss") == 0.0 && of(0, "policy_loss") > 0.0);
    assert!(of(1, "value_loss") > 0.0 && of(1, "rate") == 0.0001);
    assert!(of(2, "replay") <= 20.0 && of(2, "replay") > 10.0);
    // Its bundle plays, and the earlier selves are not in it.
    let bundle = fs::read_to_string(run.join("network.toml")).unwrap();
    assert_eq!(bundle.lines().count(), 2, "{bundle}");
    let own = format!(
        "alphago network={}/network.toml simulations=8",
        run.display()
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_treeline"));
    command.args(["match", GAME, "--games", "2", "--seconds", "off"]);
    command.args(["--player", &own, "--player", "random"]);
    let played = output(&mut command);
    assert!(played.status.success(), "{}", said(&played));
    // There is nothing more to learn, whatever [stop] says.
    let again = finish(&run);
    assert!(again.contains("3 generations, 34 games"), "{again}");
    assert!(
        again.contains("network.toml\nits last stage is over"),
        "{again}"
    );
}

#[test]
fn a_policy_that_loses_to_its_opponents_is_discarded_for_the_newest_of_them() {
    if !trains() {
        return;
    }
    let place = Place::new("stages");
    let run = place.run("run");
    // Whoever does not win every game has lost.
    let gate = [
        "alphago.gate=1",
        "alphago.recorded=10",
        "alphago.iterations=2",
        "stop.generations=1",
    ];
    prepare(&run, GAME, "alphago", &[SHORT, &gate].concat());
    let file = run.join("learn.toml");
    let whole = fs::read_to_string(&file).unwrap();
    let (stop, rest) = whole.split_once("[play]").unwrap();
    let until = |generations: u32| {
        let stop = stop.replace(
            "generations = 1\n",
            &format!("generations = {generations}\n"),
        );
        fs::write(&file, format!("{stop}[play]{rest}")).unwrap();
        let text = finish(&run);
        let network = Weights::read(&run.join("network.safetensors")).unwrap();
        (text, network.tensors)
    };
    let (_, first) = until(1);
    let (text, second) = until(2);
    assert!(!text.contains("discarded"), "{text}");
    assert_ne!(first, second);
    // The last iteration is looked at although it is not the hundredth.
    let (text, third) = until(3);
    let said =
        "of the points against earlier selves in iteration 2: discarded for the newest of them";
    assert!(text.contains(said), "{text}");
    assert_eq!(first, third);
}

#[test]
fn the_value_is_learned_last_and_the_policies_stay() {
    if !trains() {
        return;
    }
    let place = Place::new("stay");
    let after = |generations: usize| {
        let run = place.run(&format!("run-{generations}"));
        let stop = format!("stop.generations={generations}");
        let keys = [SHORT, &["alphago.recorded=20", &stop]].concat();
        prepare(&run, GAME, "alphago", &keys);
        let text = finish(&run);
        assert!(text.contains("the fast policy"), "{text}");
        let read = |name: &str| Weights::read(&run.join(name)).unwrap();
        [
            read("network.safetensors"),
            read("network.playout.safetensors"),
        ]
    };
    let runs = [1, 2, 3].map(after);
    for (name, tensor) in &runs[0][0].tensors {
        let later = &runs[1][0].tensors[name];
        assert!(later != tensor, "{name}");
        assert!(runs[2][0].tensors[name] != *later, "{name}");
    }
    assert_eq!(runs[0][1].tensors, runs[2][1].tensors);
}

#[test]
fn records_that_are_none_are_named_with_file_and_line() {
    let place = Place::new("no-records");
    let folder = place.run("records");
    records(&folder);
    let mut number = 0;
    let mut refused = |recorded: usize, name: &str, text: &str, reason: &str| {
        let file = folder.join(name);
        if !name.is_empty() {
            fs::write(&file, text).unwrap();
        }
        number += 1;
        let run = place.run(&format!("run-{number}"));
        let from = format!("alphago.records={}", folder.display());
        let count = format!("alphago.recorded={recorded}");
        let begun = output(&mut treeline(&[
            run.to_str().unwrap(),
            "--prepare",
            "--game",
            GAME,
            "--method",
            "alphago",
            "--set",
            &from,
            "--set",
            &count,
        ]));
        let said = said(&begun);
        assert!(!begun.status.success() && said.contains(reason), "{said}");
        assert!(said.contains(name), "{said}");
        let _ = fs::remove_file(&file);
    };
    refused(
        5,
        "",
        "",
        "4 games of connect-four width=4 height=4 line=3, and [alphago] recorded asks for 5",
    );
    let game = format!("game: {GAME}\n");
    let illegal = format!("{game}a b a\n\n{game}a a\na a a b\n");
    refused(
        6,
        "4.txt",
        &illegal,
        "the game in line 4: move 5: 'a' is no legal move",
    );
    refused(
        5,
        "4.txt",
        "game: hex size=5\na1\n",
        "in line 1: it is one of hex size=5x5, and connect-four",
    );
    refused(
        5,
        "4.txt",
        &format!("{game}a b a b a b\n"),
        "move 6: 'b' after the end of the game",
    );
    refused(5, "4.txt", "", "no game in it");
    fs::remove_dir_all(&folder).unwrap();
    refused(1, "", "", "[alphago] records: ");
}

#[test]
fn a_fast_policy_has_a_policy() {
    let place = Place::new("no-policy");
    let run = place.run("run");
    let refused = |set: &str, reason: &str| {
        let begun = output(&mut treeline(&[
            run.to_str().unwrap(),
            "--prepare",
            "--game",
            GAME,
            "--method",
            "alphago",
            "--set",
            set,
        ]));
        let said = said(&begun);
        assert!(!begun.status.success() && said.contains(reason), "{said}");
    };
    refused("alphago.playout=r1(2,4)", "[alphago] playout: r1(2,4)");
    refused(
        "run.architecture=inc(8)",
        "alphago learns moves, and inc(8) has no policy",
    );
    refused("alphago.pool=11", "[alphago] option pool takes 1..10");
}
