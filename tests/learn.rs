//! Runs of `treeline learn` through the real binary: they learn, they can be killed, and what they leave others can read.
//!
//! Training needs the feature `torch`; without it those tests skip and say so.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use treeline::game::random;
use treeline_nets::file::Weights;

/// A folder that goes with the test.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path =
            std::env::temp_dir().join(format!("treeline-learn-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    fn run(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn treeline(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_treeline"));
    command.arg("learn").args(arguments);
    command
}

fn output(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap()
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// Whether this build can train.
fn trains() -> bool {
    let trains = cfg!(feature = "torch");
    if !trains {
        eprintln!(
            "SKIPPED: training needs --features torch; tools/libtorch/setup.sh fetches libtorch"
        );
    }
    trains
}

/// Begins a small run that repeats itself exactly.
fn prepare(run: &Path, game: &str, method: &str, more: &[&str]) {
    let run = run.to_str().unwrap();
    let mut arguments = vec![run, "--prepare", "--game", game, "--method", method];
    for pair in [
        "run.threads=1",
        "stop.minutes=off",
        "watch.minutes=off",
        "train.checkpoint=0.1",
    ]
    .iter()
    .chain(more)
    {
        arguments.extend(["--set", pair]);
    }
    let made = output(&mut treeline(&arguments));
    assert!(made.status.success(), "{}", said(&made));
}

const SMALL: &[&str] = &[
    "run.architecture=inc(16,4)",
    "stop.generations=3",
    "play.games=40",
    "play.first-games=20",
    "play.portion=5",
    "play.nodes=100",
    "train.batch=64",
    "train.passes=3",
];

fn finish(run: &Path) -> String {
    let done = output(&mut treeline(&[run.to_str().unwrap()]));
    assert!(done.status.success(), "{}", said(&done));
    said(&done)
}

#[test]
fn mistakes_are_explained_before_anything_begins() {
    let place = Place::new("mistakes");
    let at = |name: &str| place.run(name).to_str().unwrap().to_string();
    let refuse = |arguments: &[&str], reason: &str| {
        let refused = output(&mut treeline(arguments));
        let text = said(&refused);
        assert!(
            !refused.status.success() && text.contains(reason),
            "{arguments:?}: {text}"
        );
    };
    refuse(&[&at("nothing")], "say --game");
    refuse(&[&at("x"), "--game", "go"], "unknown game 'go'");
    refuse(
        &[&at("x"), "--game", "hex", "--method", "luck"],
        "treestrap, descent",
    );
    refuse(
        &[&at("x"), "--game", "hex", "--set", "play.games"],
        "SECTION.KEY=VALUE",
    );
    refuse(
        &[&at("x"), "--game", "hex", "--set", "play.games=-1"],
        "[play] option games takes",
    );
    for (set, reason) in [
        ("run.architecture=inc(0)", "inc(0)"),
        ("run.planes=1", "inc(128) sees features, not planes"),
        (
            "run.network=none.safetensors",
            "[run] network: none.safetensors",
        ),
        (
            "run.network=nets/models/breakthrough-inc128.safetensors",
            "its game is 'breakthrough', and 'hex' is to be learned",
        ),
        (
            "run.network=breakthrough-inc128",
            "[run] network: a file is meant",
        ),
        (
            "watch.searcher=luck",
            "[watch] searcher: no searcher is called 'luck'",
        ),
        ("watch.opponents=luck", "[watch] opponents: no searcher"),
        (
            "watch.opponents=random,alpha-beta heuristic=ms",
            "[watch] opponents: alpha-beta: ",
        ),
        (
            "play.searcher=descent ends=score",
            "[play] searcher: descent: ends=score: this game counts no points",
        ),
    ] {
        refuse(
            &[&at("x"), "--game", "hex", "--prepare", "--set", set],
            reason,
        );
    }
    assert!(
        !place.run("x").join("learn.toml").exists(),
        "it cannot begin"
    );
    fs::write(place.run("file"), "").unwrap();
    refuse(
        &[&at("file"), "--game", "hex", "--prepare"],
        "a run is a folder",
    );
    refuse(&["plot", &at("nothing")], "no run is there");
    refuse(&["export", &at("nothing"), &at("x.npy")], "no run is there");
    prepare(&place.run("there"), "hex size=4", "treestrap", &[]);
    let other = "run.game is hex size=4, not hex; edit it";
    refuse(&[&at("there"), "--game", "hex"], other);
    let other = "play.epsilon is 0.06, not 0.5";
    refuse(&[&at("there"), "--set", "play.epsilon=0.5"], other);
    let other = "run.method is treestrap, not alphazero; edit it";
    refuse(&[&at("there"), "--method", "alphazero"], other);
    refuse(&["plot", &at("there")], "no generation is over yet");
    fs::write(
        place.run("there").join("learn.toml"),
        "[play]\ngames = 1.5\n",
    )
    .unwrap();
    refuse(
        &[&at("there")],
        if cfg!(feature = "torch") {
            "option games takes"
        } else {
            "libtorch"
        },
    );
    // One that lost its file is not begun anew in its own remains.
    prepare(&place.run("lost"), "hex size=4", "treestrap", &[]);
    fs::rename(
        place.run("lost").join("learn.toml"),
        place.run("lost").join("metrics.jsonl"),
    )
    .unwrap();
    let lost = [&at("lost"), "--game", "hex", "--prepare"];
    refuse(&lost, "has lost its learn.toml");
    if !cfg!(feature = "torch") {
        refuse(&[&at("there")], "tools/libtorch/setup.sh");
    }
}

#[test]
fn a_run_leaves_a_network_that_plays_and_data_that_others_read() {
    if !trains() {
        return;
    }
    let place = Place::new("whole");
    let run = place.run("run");
    let more = [
        SMALL,
        &[
            "watch.minutes=0.01",
            "watch.games=4",
            "watch.seconds=0.002",
            "watch.opponents=random",
        ],
    ]
    .concat();
    prepare(&run, "connect-four width=4 height=4", "treestrap", &more);
    let text = finish(&run);
    assert!(text.contains("3 generations"), "{text}");
    assert!(
        text.contains("against random") && text.contains("Elo"),
        "{text}"
    );
    // The command that began it.
    let path = run.to_str().unwrap();
    let mut command = vec![
        path,
        "--game",
        "connect-four height=4 width=4",
        "--method",
        "treestrap",
    ];
    more.iter().for_each(|pair| command.extend(["--set", pair]));
    let again = output(&mut treeline(&command));
    assert!(again.status.success(), "{}", said(&again));
    let again = said(&again);
    let network = run.join("network.safetensors");
    let hint = format!("treeline --network {}", network.display());
    assert!(
        again.contains("3 generations") && again.contains(&hint),
        "a run that is over is over: {again}"
    );
    let mut engine = common::Engine::start(&[
        "--network",
        network.to_str().unwrap(),
        "--searcher",
        "alpha-beta",
        "--set",
        "simulations=100",
    ]);
    assert!(engine.ok("evaluate").contains("inc(16,4)"));
    engine.ok("genmove b");
    for name in ["loss", "error", "length", "duplicates", "score", "elo"] {
        let _ = fs::remove_file(run.join("plots").join(format!("{name}.png")));
    }
    let drawn = output(&mut treeline(&["plot", run.to_str().unwrap()]));
    assert!(drawn.status.success(), "{}", said(&drawn));
    for name in ["loss", "error", "length", "duplicates", "score", "elo"] {
        let picture = fs::read(run.join("plots").join(format!("{name}.png"))).unwrap();
        assert!(
            picture.starts_with(b"\x89PNG") && picture.len() > 2000,
            "{name}"
        );
    }
    events_are_records(&run);
    let file = place.run("states.npy");
    let exported = output(&mut treeline(&[
        "export",
        run.to_str().unwrap(),
        file.to_str().unwrap(),
    ]));
    assert!(exported.status.success(), "{}", said(&exported));
    numpy_reads(&file, &run);
    let learned = fs::read(&network).unwrap();
    fs::remove_dir_all(run.join("checkpoints")).unwrap();
    let lost = output(&mut treeline(&[path]));
    assert!(
        !lost.status.success() && said(&lost).contains("no checkpoint that can be read"),
        "{}",
        said(&lost)
    );
    assert!(
        fs::read(&network).unwrap() == learned,
        "nothing is written over"
    );
}

/// Lengths and checksums of the file for TensorBoard.
fn events_are_records(run: &Path) {
    let folder = fs::read_dir(run.join("events")).unwrap();
    let file = folder.map(|entry| entry.unwrap().path()).next().unwrap();
    let bytes = fs::read(file).unwrap();
    let (mut at, mut records) = (0, 0);
    let masked = |data: &[u8]| {
        crc32c::crc32c(data)
            .rotate_right(15)
            .wrapping_add(0xa282_ead8)
            .to_le_bytes()
    };
    while at < bytes.len() {
        let length = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
        assert_eq!(bytes[at + 8..at + 12], masked(&bytes[at..at + 8]));
        let data = &bytes[at + 12..at + 12 + length];
        assert_eq!(bytes[at + 12 + length..at + 16 + length], masked(data));
        at += 16 + length;
        records += 1;
    }
    // The version, three generations, and the matches of some.
    let matches = fs::read_to_string(run.join("matches.jsonl")).unwrap();
    let mut matched: Vec<u64> = matches
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["generation"].as_u64().unwrap()
        })
        .collect();
    matched.dedup();
    assert_eq!(records, 4 + matched.len());
    assert!(bytes.windows(9).any(|name| name == b"match/elo"));
}

/// What the manual promises of numpy, where it is at hand.
fn numpy_reads(file: &Path, run: &Path) {
    let python = std::env::var("TREELINE_PYTHON").unwrap_or_else(|_| "python3".into());
    let code = "import sys, glob, numpy\n\
                states = numpy.load(sys.argv[1])\n\
                parts = [numpy.load(f) for f in sorted(glob.glob(sys.argv[2] + '/data/*.npy'))]\n\
                assert (numpy.concatenate(parts) == states).all()\n\
                assert states['features'].shape[1:] == (2, 2) and abs(states['value']).max() <= 1\n\
                assert set(states['result']) <= {-1.0, 0.0, 1.0} and set(states['kind']) <= {0, 1, 2}\n\
                print('read', len(states))";
    let present = Command::new(&python).args(["-c", "import numpy"]).output();
    if !present.is_ok_and(|present| present.status.success()) {
        eprintln!(
            "SKIPPED: no numpy; set TREELINE_PYTHON to a Python that has it (tools/libtorch/python.sh)"
        );
        return;
    }
    let read = Command::new(&python)
        .args(["-c", code])
        .arg(file)
        .arg(run)
        .output()
        .unwrap();
    assert!(said(&read).contains("read "), "{}", said(&read));
}

#[test]
fn every_method_learns() {
    if !trains() {
        return;
    }
    let place = Place::new("methods");
    for (name, method, more) in [
        (
            "descent",
            "descent",
            &[
                "run.architecture=cnet(4,8)",
                "play.nodes=20",
                "train.passes=1",
            ][..],
        ),
        (
            "zero",
            "alphazero",
            &[
                "run.architecture=a0(1,8)",
                "play.simulations=16",
                "play.fast=0.5",
                "play.fast-simulations=4",
                "train.gate=0.1",
                "train.gate-games=2",
            ],
        ),
        (
            "gumbel",
            "alphazero",
            &[
                "run.architecture=a0(1,8)",
                "play.searcher=puct root=gumbel",
                "play.temperature=0",
                "play.simulations=8",
            ],
        ),
        (
            "implicit",
            "implicit-combined-descent",
            &[
                "run.architecture=cnet(4,8)",
                "play.nodes=20",
                "train.passes=1",
            ],
        ),
        (
            "depth",
            "descent",
            &[
                "run.architecture=cnet(4,8)",
                "play.searcher=descent ends=depth",
                "play.nodes=20",
                "play.random-endings=500",
                "train.passes=1",
            ],
        ),
        (
            "poly",
            "polygames",
            &["run.architecture=a0(1,8)", "play.simulations=16"],
        ),
        (
            "ends",
            "treestrap",
            &[
                "run.architecture=inc(8)",
                "play.random-endings=500",
                "data.states=terminal",
                "data.images=all",
            ],
        ),
        (
            "roots",
            "treestrap",
            &[
                "run.architecture=cnet(4,8)",
                "run.planes=1",
                "data.states=root",
                "play.nodes=50",
                "replay.keep=on",
            ],
        ),
    ] {
        let run = place.run(name);
        let more = [
            &[
                "stop.generations=2",
                "play.games=4",
                "play.portion=2",
                "train.batch=32",
            ],
            more,
        ]
        .concat();
        prepare(&run, "breakthrough size=5x6", method, &more);
        let text = finish(&run);
        assert!(text.contains("2 generations, 8 games"), "{name}: {text}");
        let lines = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
        for line in lines.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let number = |key: &str| line[key].as_f64().unwrap();
            assert!(
                number("value_loss") > 0.0 && number("shown") > 0.0,
                "{name}: {line}"
            );
            let learns_policy = method == "alphazero" || method == "polygames";
            assert_eq!(number("policy_loss") > 0.0, learns_policy, "{name}: {line}");
        }
    }
}

#[test]
fn a_run_goes_on_from_a_networks_weights() {
    if !trains() {
        return;
    }
    let place = Place::new("from");
    let (run, more) = (place.run("first"), place.run("more"));
    prepare(&run, "connect-four", "treestrap", SMALL);
    finish(&run);
    let first = run.join("network.safetensors");
    // Steps of hardly any size, so that weights can be compared; and no training on random endings, which would unlearn.
    let network = format!("run.network={}", first.display());
    let gently = [
        &network,
        "play.random-endings=50",
        "train.rate=1e-9",
        "train.rate-end=1e-9",
        "watch.minutes=0.01",
        "watch.opponents=none",
        "watch.games=2",
        "watch.seconds=0.002",
    ];
    prepare(
        &more,
        "connect-four",
        "treestrap",
        &[SMALL, &gently].concat(),
    );
    finish(&more);
    let weights = |run: &Path| Weights::read(&run.join("network.safetensors")).unwrap();
    let (old, new) = (weights(&run), weights(&more));
    let origin = format!("before: {}", old.meta.origin);
    assert!(new.meta.origin.starts_with("treeline") && new.meta.origin.contains(&origin));
    for (name, tensor) in &old.tensors {
        let pairs = tensor.data.iter().zip(&new.tensors[name].data);
        assert!(
            pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-4),
            "{name}"
        );
    }
    // What it began with is an opponent, even the only one.
    let matches = fs::read_to_string(more.join("matches.jsonl")).unwrap();
    assert!(matches.contains(r#""opponent":"g0""#), "{matches}");
    // The file is needed at the beginning only.
    fs::remove_file(&first).unwrap();
    finish(&more);
}

#[test]
fn the_loss_sinks() {
    if !trains() {
        return;
    }
    let place = Place::new("sinks");
    let run = place.run("run");
    prepare(
        &run,
        "connect-four width=4 height=4",
        "treestrap",
        &[SMALL, &["stop.generations=6"]].concat(),
    );
    finish(&run);
    let lines = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let losses: Vec<f64> = lines
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["value_loss"].as_f64().unwrap()
        })
        .collect();
    assert_eq!(losses.len(), 6);
    assert!(losses[5] < 0.8 * losses[0], "{losses:?}");
}

/// The network of a run that nothing interrupted.
fn undisturbed(place: &Place, name: &str) -> Vec<u8> {
    let run = place.run(name);
    prepare(&run, "connect-four width=4 height=4", "treestrap", SMALL);
    finish(&run);
    fs::read(run.join("network.safetensors")).unwrap()
}

/// Of each generation's games, what no clock decides.
fn figures(run: &Path) -> Vec<[f64; 4]> {
    let lines = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let figures = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        ["plies", "error", "nodes", "evaluations"].map(|key| line[key].as_f64().unwrap())
    };
    lines.lines().map(figures).collect()
}

#[test]
fn the_same_seed_gives_the_same_network_however_often_it_is_killed() {
    if !trains() {
        return;
    }
    let place = Place::new("killed");
    let whole = undisturbed(&place, "whole");
    let run = place.run("killed");
    prepare(&run, "connect-four width=4 height=4", "treestrap", SMALL);
    let mut rng = random::seeded(std::process::id().into());
    let kills: u32 = std::env::var("TREELINE_LEARN_KILLS").map_or(8, |n| n.parse().unwrap());
    for kill in 0..kills {
        let mut child = treeline(&[run.to_str().unwrap()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let wait = 100 + u64::from(random::pick(&mut rng, 1500));
        std::thread::sleep(Duration::from_millis(wait));
        // Now and then it is asked to end instead.
        match kill % 4 {
            3 => drop(Command::new("kill").arg(child.id().to_string()).status()),
            _ => drop(child.kill()),
        }
        child.wait().unwrap();
    }
    finish(&run);
    let found = fs::read(run.join("network.safetensors")).unwrap();
    assert!(found == whole, "the network depends on the kills");
    let lines = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let generations: Vec<u64> = lines
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["generation"]
                .as_u64()
                .unwrap()
        })
        .collect();
    assert_eq!(generations, [1, 2, 3]);
    // Also those of a generation whose training went on.
    assert_eq!(figures(&run), figures(&place.run("whole")));
}

#[test]
fn the_generation_that_reaches_the_evaluations_is_the_last() {
    if !trains() {
        return;
    }
    let place = Place::new("evaluations");
    let run = place.run("counted");
    let more = ["stop.generations=off", "stop.evaluations=150000"];
    prepare(
        &run,
        "breakthrough size=5x6",
        "treestrap",
        &[SMALL, &more].concat(),
    );
    finish(&run);
    let lines = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let counts: Vec<u64> = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| line["evaluations"].as_u64().unwrap())
        .collect();
    let all: u64 = counts.iter().sum();
    assert!(counts.len() > 1 && all >= 150_000, "{counts:?}");
    assert!(all - counts.last().unwrap() < 150_000, "{counts:?}");
}

#[test]
fn broken_files_are_said_and_done_again() {
    if !trains() {
        return;
    }
    let place = Place::new("broken");
    let whole = undisturbed(&place, "whole");
    let run = place.run("broken");
    let shorter = [SMALL, &["stop.generations=2", "replay.keep=on"]].concat();
    prepare(&run, "connect-four width=4 height=4", "treestrap", &shorter);
    finish(&run);
    let toml = run.join("learn.toml");
    let text = fs::read_to_string(&toml).unwrap();
    fs::write(&toml, text.replace("generations = 2", "generations = 3")).unwrap();
    // The newest checkpoint loses its end.
    let mut numbers: Vec<u64> = fs::read_dir(run.join("checkpoints"))
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok())
        .collect();
    numbers.sort_unstable();
    let newest = run
        .join("checkpoints")
        .join(numbers.last().unwrap().to_string());
    let file = newest.join("network.safetensors");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let text = finish(&run);
    assert!(
        text.contains("going back to the checkpoint before"),
        "{text}"
    );
    assert!(fs::read(run.join("network.safetensors")).unwrap() == whole);
}

/// A limit on the size of files stands for a disk that is full.
#[cfg(unix)]
#[test]
fn a_full_disk_costs_nothing_that_is_safe() {
    if !trains() {
        return;
    }
    let place = Place::new("full");
    let whole = undisturbed(&place, "whole");
    let run = place.run("full");
    prepare(&run, "connect-four width=4 height=4", "treestrap", SMALL);
    for blocks in [1, 8] {
        let full = Command::new("sh")
            .args([
                "-c",
                "trap '' XFSZ; ulimit -f $0; exec \"$@\"",
                &blocks.to_string(),
            ])
            .arg(env!("CARGO_BIN_EXE_treeline"))
            .args(["learn", run.to_str().unwrap()])
            .output()
            .unwrap();
        let text = said(&full);
        assert!(!full.status.success() && text.contains("arge"), "{text}");
    }
    finish(&run);
    assert!(fs::read(run.join("network.safetensors")).unwrap() == whole);
}

#[test]
fn one_program_at_a_time() {
    if !trains() {
        return;
    }
    let place = Place::new("lock");
    let run = place.run("run");
    let long = [
        SMALL,
        &[
            "stop.generations=1000",
            "play.first-games=off",
            "play.games=100000",
        ],
    ]
    .concat();
    prepare(&run, "connect-four width=4 height=4", "treestrap", &long);
    let mut first = treeline(&[run.to_str().unwrap()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !run.join("data").is_dir() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = output(&mut treeline(&[run.to_str().unwrap()]));
    assert!(
        said(&second).contains("another program works on this run"),
        "{}",
        said(&second)
    );
    first.kill().unwrap();
    first.wait().unwrap();
}
