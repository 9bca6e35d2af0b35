//! A run's work piece by piece, each by a command of its own: what comes out is what one machine makes. Pattern tables, so that
//! it is tested in every build.

use super::*;
use serde_json::Value;

const TABLES: &[&str] = &[
    "run.architecture=patterns(2)",
    "stop.generations=3",
    "play.games=20",
    "play.first-games=12",
    "play.portion=5",
    "play.nodes=100",
    "train.batch=64",
    "train.passes=2",
    "train.rate=0.02",
    "replay.generations=2",
];

/// Portions of each generation: of 12, 18 and 20 games.
const PORTIONS: [u32; 3] = [3, 4, 4];

/// Makes the configuration of a small run.
fn settings(place: &Place, name: &str, more: &[&str]) -> PathBuf {
    let run = place.run(name);
    prepare(
        &run,
        "othello size=6",
        "treestrap",
        &[TABLES, more].concat(),
    );
    run.join("learn.toml")
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The receipt of a piece.
fn receipt(arguments: &[&str]) -> Value {
    let done = output(&mut treeline(arguments));
    assert!(done.status.success(), "{arguments:?}: {}", said(&done));
    serde_json::from_slice(&done.stdout).unwrap()
}

/// Why there is none.
fn refused(arguments: &[&str]) -> String {
    let done = output(&mut treeline(arguments));
    assert!(!done.status.success(), "{arguments:?}: {}", said(&done));
    said(&done)
}

fn portion<'a>(
    toml: &'a Path,
    network: Option<&'a Path>,
    generation: &'a str,
    number: &'a str,
    out: &'a Path,
) -> Vec<&'a str> {
    let mut arguments = vec![
        "portion",
        text(toml),
        "--generation",
        generation,
        "--number",
        number,
        "--out",
        text(out),
    ];
    if let Some(network) = network {
        arguments.extend(["--network", text(network)]);
    }
    arguments
}

fn train<'a>(toml: &'a Path, at: Option<&'a Path>, data: &'a Path, out: &'a Path) -> Vec<&'a str> {
    let mut arguments = vec![
        "train",
        text(toml),
        "--data",
        text(data),
        "--out",
        text(out),
    ];
    if let Some(at) = at {
        arguments.extend(["--checkpoint", text(at)]);
    }
    arguments
}

#[test]
fn a_run_by_pieces_is_the_run_of_one_machine() {
    let place = Place::new("pieces");
    let toml = settings(&place, "whole", &["replay.keep=on"]);
    finish(&place.run("whole"));
    let data = place.run("data");
    let mut at: Option<PathBuf> = None;
    for (generation, portions) in (1..).zip(PORTIONS) {
        let player = at.as_ref().map(|at| at.join("player.safetensors"));
        // In any order.
        for number in (0..portions).rev() {
            let (generation, number) = (generation.to_string(), number.to_string());
            let made = receipt(&portion(
                &toml,
                player.as_deref(),
                &generation,
                &number,
                &data,
            ));
            assert!(made["states"].as_u64() > Some(0), "{made}");
        }
        let out = place.run(&format!("after-{generation}"));
        let made = receipt(&train(&toml, at.as_deref(), &data, &out));
        assert_eq!(
            made["trained"]["standing"]["generation"], generation,
            "{made}"
        );
        at = Some(out);
    }
    let read = |path: PathBuf| fs::read(&path).unwrap_or_else(|e| panic!("{path:?}: {e}"));
    let mut shards = 0;
    for entry in fs::read_dir(&data).unwrap() {
        let name = entry.unwrap().file_name();
        let whole = place.run("whole").join("data").join(&name);
        assert!(read(data.join(&name)) == read(whole), "{name:?}");
        shards += 1;
    }
    assert_eq!(shards, 2 * PORTIONS.iter().sum::<u32>());
    let player = at.unwrap().join("player.safetensors");
    let network = place.run("whole").join("network.safetensors");
    assert!(read(player.clone()) == read(network), "the networks differ");
    // And its strength.
    let out = place.run("match.json");
    let one = [
        "match",
        text(&toml),
        "--network",
        text(&player),
        "--opponent",
        "random",
        "--out",
        text(&out),
    ];
    receipt(&one);
    let score: Value = serde_json::from_slice(&read(out)).unwrap();
    let games = ["first", "second"].map(|seat| {
        let counts = score[seat].as_array().unwrap().iter();
        counts.map(|count| count.as_u64().unwrap()).sum::<u64>()
    });
    assert_eq!(games, [20, 20], "{score}");
}

#[test]
fn a_worker_plays_what_it_is_asked_for_and_survives_what_cannot_be_done() {
    let place = Place::new("worker");
    let toml = settings(&place, "run", &[]);
    let (data, other) = (place.run("data"), place.run("other"));
    receipt(&portion(&toml, None, "1", "2", &data));
    let request = |id: u32, generation: u32, number: u32| {
        let (settings, out) = (text(&toml), text(&other));
        serde_json::json!({ "id": id, "piece": "portion", "settings": settings, "generation": generation,
            "number": number, "out": out })
    };
    let mut worker = treeline(&["worker"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut asked = worker.stdin.take().unwrap();
    let mut answers = std::io::BufReader::new(worker.stdout.take().unwrap());
    let mut answer = || -> Value {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut answers, &mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{line}: {e}"))
    };
    let program = answer()["program"].clone();
    assert!(program.as_str().unwrap().contains(", build "), "{program}");
    for (id, generation, number) in [(7, 1, 2), (8, 1, 3), (9, 0, 0), (10, 1, 0)] {
        writeln!(asked, "{}", request(id, generation, number)).unwrap();
        let answer = answer();
        assert_eq!(answer["id"], id);
        if [7, 10].contains(&id) {
            assert_eq!(answer["receipt"]["program"], program, "{answer}");
        } else {
            let error = answer["error"].as_str().unwrap();
            assert!(error.contains("there is no portion"), "{error}");
        }
    }
    drop(asked);
    assert!(worker.wait().unwrap().success());
    for extension in ["npy", "jsonl"] {
        let file =
            |folder: &Path| fs::read(folder.join(format!("g000001-p000002.{extension}"))).unwrap();
        assert!(file(&data) == file(&other), "{extension}");
    }
}

#[test]
fn pieces_name_what_is_missing_or_broken_and_leave_nothing_half_written() {
    let place = Place::new("refused");
    let toml = settings(&place, "run", &[]);
    let (data, out) = (place.run("data"), place.run("out"));
    for number in ["0", "2"] {
        receipt(&portion(&toml, None, "1", number, &data));
    }
    let training = train(&toml, None, &data, &out);
    let said = refused(&training);
    assert!(said.contains("g000001-p000001 is missing"), "{said}");
    receipt(&portion(&toml, None, "1", "1", &data));
    let shard = data.join("g000001-p000001.npy");
    let whole = fs::read(&shard).unwrap();
    fs::write(&shard, &whole[..whole.len() - 1]).unwrap();
    let said = refused(&training);
    assert!(
        said.contains("g000001-p000001.npy: it is cut off"),
        "{said}"
    );
    assert!(!out.exists());
    fs::write(&shard, &whole).unwrap();
    let games = data.join("g000001-p000001.jsonl");
    let lines = fs::read_to_string(&games).unwrap();
    fs::write(&games, lines.split_once('\n').unwrap().1).unwrap();
    let said = refused(&training);
    assert!(
        said.contains("g000001-p000001 has 4 games, where a portion has 5"),
        "{said}"
    );
    fs::write(&games, lines).unwrap();
    fs::create_dir(&out).unwrap();
    fs::write(out.join("thesis.txt"), "mine").unwrap();
    let said = refused(&training);
    assert!(
        said.contains("it holds something that is no checkpoint"),
        "{said}"
    );
    assert!(out.join("thesis.txt").exists());
    fs::remove_dir_all(&out).unwrap();
    receipt(&training);
    let network = out.join("player.safetensors");
    let bytes = fs::read(&network).unwrap();
    fs::write(&network, &bytes[..bytes.len() / 2]).unwrap();
    let elsewhere = place.run("elsewhere");
    let said = refused(&portion(&toml, Some(&network), "2", "0", &elsewhere));
    assert!(said.contains("player.safetensors"), "{said}");
    let next = train(&toml, Some(&out), &data, &elsewhere);
    let said = refused(&next);
    assert!(said.contains("player.safetensors"), "{said}");
    assert!(!elsewhere.exists());
    let nowhere = place.run("nowhere.toml");
    let said = refused(&portion(&nowhere, None, "1", "0", &data));
    assert!(said.contains("nowhere.toml"), "{said}");
}
