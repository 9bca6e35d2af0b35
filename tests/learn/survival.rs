//! Kills at any moment, broken files, full disks, and a second program.

use super::*;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::process::Child;
use std::time::Duration;
use treeline::game::random;

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

/// The names of the files that a run has written so far.
fn written(run: &Path) -> BTreeSet<OsString> {
    let folders = ["data", "checkpoints"].map(|name| fs::read_dir(run.join(name)));
    let entries = folders.into_iter().flatten().flatten().flatten();
    entries.map(|entry| entry.file_name()).collect()
}

fn generations(run: &Path) -> Vec<u64> {
    let lines = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let generation = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["generation"].as_u64().unwrap()
    };
    lines.lines().map(generation).collect()
}

/// A program that works on the run and says nothing.
fn begun(run: &Path) -> Child {
    treeline(&[run.to_str().unwrap()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn the_same_seed_gives_the_same_network_however_often_it_is_killed() {
    let place = Place::new("killed");
    survives(&place, (SMALL_BOARD, "treestrap", 1), SMALL);
}

/// Columns and rows.
const SMALL_BOARD: &str = "connect-four width=4 height=4";

#[test]
fn a_course_of_its_own_goes_on_where_it_was_killed() {
    if !trains() {
        return;
    }
    let place = Place::new("killed-dqn");
    // The target network changes in the middle of a generation, and is not the learned one between.
    let keys = [
        "run.architecture=a0(1,8,8)",
        "stop.generations=3",
        "play.games=20",
        "train.batch=16",
        "dqn.steps=150",
        "dqn.target=70",
        "dqn.double=on",
        "dqn.epsilon-games=40",
    ];
    survives(&place, (SMALL_BOARD, "dqn", 1), &keys);
}

#[test]
fn the_three_networks_of_a_model_go_on_where_they_were_killed() {
    if !trains() {
        return;
    }
    let place = Place::new("killed-muzero");
    let keys = [
        "run.architecture=fcgp(1,8,8)",
        "muzero.latent=4",
        "muzero.dynamics=fcgp(1,8,8)",
        "muzero.prediction=a0(1,8,8)",
        "muzero.steps=40",
        "muzero.plies=4",
        "muzero.priority=1",
        "muzero.reanalyse=30",
        "stop.generations=3",
        "play.games=20",
        "play.simulations=8",
        "train.batch=16",
    ];
    survives(&place, (SMALL_BOARD, "muzero", 3), &keys);
}

#[test]
fn each_stage_of_a_method_goes_on_where_it_was_killed() {
    if !trains() {
        return;
    }
    let place = Place::new("killed-alphago");
    // A generation for each stage, and an earlier self in the pool after the second.
    let keys = [
        "run.architecture=a0(1,8,8)",
        "alphago.recorded=40",
        "alphago.iterations=1",
        "alphago.refresh=1",
        "alphago.gate=off",
        "alphago.valued=80",
        "alphago.deepest=8",
        "play.games=40",
        "play.nodes=300",
        "play.portion=5",
        "train.batch=8",
        "train.passes=5",
    ];
    survives(&place, (SMALL_BOARD, "alphago", 2), &keys);
}

#[test]
fn networks_on_the_same_games_go_on_where_they_were_killed() {
    if !trains() {
        return;
    }
    let keys = [
        "run.architecture=a0(1,4,4)",
        "small.architecture=a0(1,2,2)",
        "stop.generations=3",
        "play.games=4",
        "play.simulations=4",
        "play.longest=30",
        "train.batch=8",
        "train.passes=2",
        "train.gate=off",
    ];
    for (method, several) in [("three-stage", 2), ("mpv", 2), ("hybrid", 3)] {
        let place = Place::new(&format!("killed-{method}"));
        survives_kills(&place, ("draughts", method, several), &keys, 3);
    }
}

/// The networks that a run ends with, by the names of their files.
fn networks(run: &Path) -> Vec<(OsString, Vec<u8>)> {
    let entries = fs::read_dir(run).unwrap().map(Result::unwrap);
    let files =
        entries.filter(|entry| entry.path().extension().is_some_and(|e| e == "safetensors"));
    let mut networks: Vec<_> = files
        .map(|file| (file.file_name(), fs::read(file.path()).unwrap()))
        .collect();
    networks.sort_unstable();
    networks
}

/// A run that is killed again and again ends as one that was not.
fn survives(place: &Place, run: (&str, &str, usize), keys: &[&str]) {
    survives_kills(place, run, keys, 8);
}

/// As [`survives`], with fewer kills, unless the environment says how many.
fn survives_kills(
    place: &Place,
    (game, method, several): (&str, &str, usize),
    keys: &[&str],
    kills: u32,
) {
    let whole = place.run("whole");
    prepare(&whole, game, method, keys);
    finish(&whole);
    let whole = networks(&whole);
    assert_eq!(whole.len(), several);
    let mut rng = random::seeded(std::process::id().into());
    let kills: u32 = std::env::var("TREELINE_LEARN_KILLS").map_or(kills, |n| n.parse().unwrap());
    let mut hits = 0;
    for number in 1.. {
        let run = place.run(&format!("killed-{number}"));
        prepare(&run, game, method, keys);
        while hits < kills {
            let before = written(&run);
            let mut child = begun(&run);
            // A kill counts once it has done something, which this way it always has.
            while child.try_wait().unwrap().is_none() && written(&run) == before {
                std::thread::sleep(Duration::from_millis(2));
            }
            let wait = u64::from(random::pick(&mut rng, 300));
            std::thread::sleep(Duration::from_millis(wait));
            if let Some(status) = child.try_wait().unwrap() {
                assert!(status.success(), "{status}");
                break;
            }
            // Now and then it is asked to end instead.
            match hits % 4 {
                3 => drop(Command::new("kill").arg(child.id().to_string()).status()),
                _ => drop(child.kill()),
            }
            child.wait().unwrap();
            hits += 1;
        }
        finish(&run);
        assert!(networks(&run) == whole, "the network depends on the kills");
        assert_eq!(generations(&run), [1, 2, 3]);
        // Also those of a generation whose training went on.
        assert_eq!(figures(&run), figures(&place.run("whole")));
        if hits == kills {
            return;
        }
    }
}

#[test]
fn games_that_are_gone_are_played_again() {
    let place = Place::new("gone");
    let run = place.run("run");
    // It trains for long, so that it is killed while it does.
    let keys = [
        SMALL,
        &["stop.generations=1", "train.passes=100", "train.batch=8"],
    ]
    .concat();
    prepare(&run, "connect-four width=4 height=4", "treestrap", &keys);
    let mut child = begun(&run);
    // What is half written and not yet named by a number is no checkpoint.
    let trains = |folder: fs::DirEntry| {
        let standing = fs::read_to_string(folder.path().join("standing.json"));
        folder.file_name() != "part" && standing.is_ok_and(|text| text.contains("\"train\""))
    };
    while !fs::read_dir(run.join("checkpoints")).is_ok_and(|entries| entries.flatten().any(trains))
    {
        assert!(child.try_wait().unwrap().is_none(), "it ended early");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    fs::remove_dir_all(run.join("data")).unwrap();
    let toml = run.join("learn.toml");
    let text = fs::read_to_string(&toml).unwrap();
    let shorter = text.replace("passes = 100", "passes = 1");
    assert_ne!(shorter, text);
    fs::write(&toml, shorter).unwrap();
    let text = finish(&run);
    assert!(text.contains("generation 1 is played again"), "{text}");
    assert_eq!(generations(&run), [1]);
}

#[test]
fn the_generation_that_reaches_the_evaluations_is_the_last() {
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
    let place = Place::new("full");
    // With random endings training comes before the first game.
    for endings in ["off", "200"] {
        let endings = format!("play.random-endings={endings}");
        let keys = [SMALL, &[&endings]].concat();
        let make = |name: &str| {
            let run = place.run(&format!("{name}-{endings}"));
            prepare(&run, "connect-four width=4 height=4", "treestrap", &keys);
            run
        };
        let (whole, run) = (make("whole"), make("full"));
        finish(&whole);
        for blocks in [1, 2, 4, 8] {
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
        let network = |run: &Path| fs::read(run.join("network.safetensors")).unwrap();
        assert!(network(&run) == network(&whole), "{endings}");
    }
}

#[test]
fn one_program_at_a_time() {
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
    let mut first = begun(&run);
    while !run.join("data").is_dir() {
        assert!(first.try_wait().unwrap().is_none(), "it ended early");
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
