//! A run whose pieces are done elsewhere: this test carries them to workers, each with a folder of its own as on another machine,
//! and is a bad carrier now and then.

use super::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

const TABLES: &[&str] = &[
    "run.architecture=patterns(2)",
    "stop.generations=3",
    "play.games=20",
    "play.first-games=12",
    "play.portion=5",
    "play.nodes=100",
    "train.batch=256",
    "train.passes=2",
    "train.rate=0.02",
    "replay.generations=2",
    "replay.keep=on",
];

fn lines(stdout: ChildStdout) -> Receiver<Value> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            let line = line.unwrap();
            let value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{line}: {e}"));
            let _ = sender.send(value);
        }
    });
    receiver
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(from, to).unwrap_or_else(|e| panic!("{from:?} to {to:?}: {e}"));
}

/// A worker with its folder.
struct Worker {
    folder: PathBuf,
    child: Child,
    asked: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Worker {
    fn start(folder: PathBuf) -> Worker {
        fs::create_dir_all(&folder).unwrap();
        let mut child = treeline(&["worker"])
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let asked = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        let mut worker = Worker {
            folder,
            child,
            asked,
            answers,
        };
        assert!(worker.answer()["program"].is_string());
        worker
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{line}: {e}"))
    }

    /// Gives it a piece with all that it reads.
    fn ask(&mut self, run: &Path, request: &Value) {
        for file in request["reads"].as_array().unwrap() {
            let file = file.as_str().unwrap();
            copy(&run.join(file), &self.folder.join(file));
        }
        writeln!(self.asked, "{request}").unwrap();
    }

    /// Its answer, when the files are back.
    fn bring(&mut self, run: &Path) -> Value {
        let answer = self.answer();
        let files = answer["receipt"]["files"].as_array();
        for file in files.into_iter().flatten() {
            let file = file["path"].as_str().unwrap();
            copy(&self.folder.join(file), &run.join(file));
            // A later run may use the same name.
            fs::remove_file(self.folder.join(file)).unwrap();
        }
        answer
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a carrier does with an answer.
enum Does {
    Tells,
    TellsTwice,
    /// Loses it with the worker, and has the piece done by another.
    Loses,
    KillsTheRun,
    Leaves,
}

/// How a run ended that was carried, and what it said.
struct Ended {
    success: bool,
    said: String,
}

/// Carries the pieces of a run, newest first, to two workers in turn; `does` sees each answer with its request first.
fn carry(place: &Place, run: &Path, mut does: impl FnMut(&Value, &mut Value) -> Does) -> Ended {
    let mut driver = treeline(&[run.to_str().unwrap(), "--elsewhere"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut tell = driver.stdin.take();
    let heard = lines(driver.stdout.take().unwrap());
    let start = |n: usize| Worker::start(place.run(&format!("machine-{n}")));
    let mut workers = [start(0), start(1)];
    let (mut waiting, mut asked) = (Vec::<Value>::new(), 0);
    loop {
        match heard.recv_timeout(Duration::from_millis(if waiting.is_empty() {
            100
        } else {
            2
        })) {
            Ok(mut line) if line["id"].is_u64() => {
                if line["piece"] == "train" {
                    assert!(line["seconds"].as_f64() > Some(1.0), "{line}");
                    // It comes back with a step, and the rest is asked for.
                    line["seconds"] = json!(0.0);
                }
                waiting.push(line);
            }
            Ok(line) => {
                waiting.retain(|one| !line["drop"].to_string().contains(&one["id"].to_string()))
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let Some(request) = waiting.pop() else {
                    continue;
                };
                asked += 1;
                let worker = &mut workers[asked % 2];
                worker.ask(run, &request);
                let mut answer = worker.bring(run);
                answer["by"] = json!("machine-7");
                let times = match does(&request, &mut answer) {
                    Does::Tells => 1,
                    Does::TellsTwice => 2,
                    Does::Loses => {
                        workers[asked % 2] = start(asked % 2);
                        waiting.push(request);
                        0
                    }
                    Does::KillsTheRun => {
                        driver.kill().unwrap();
                        0
                    }
                    Does::Leaves => {
                        tell = None;
                        0
                    }
                };
                for _ in 0..times {
                    // It may have ended with an error in between.
                    let _ = writeln!(tell.as_mut().unwrap(), "{answer}");
                }
            }
        }
    }
    let ended = driver.wait_with_output().unwrap();
    Ended {
        success: ended.status.success(),
        said: String::from_utf8_lossy(&ended.stderr).into_owned(),
    }
}

/// What no clock decides of a run's folder: its network, its rows, and the games without what reading them again rounds.
fn kept(run: &Path) -> Vec<(String, Vec<u8>)> {
    let data = fs::read_dir(run.join("data")).unwrap();
    let mut files: Vec<PathBuf> = data.map(|entry| entry.unwrap().path()).collect();
    files.push(run.join("network.safetensors"));
    files.sort();
    let name = |path: &Path| path.strip_prefix(run).unwrap().display().to_string();
    files
        .iter()
        .map(|path| (name(path), fs::read(path).unwrap()))
        .collect()
}

fn portion(request: &Value) -> Option<(u64, u64)> {
    let of = |key: &str| request[key].as_u64();
    Some((of("generation")?, of("number")?))
}

#[test]
fn a_run_done_elsewhere_is_the_run_of_one_machine_whatever_happens() {
    let place = Place::new("elsewhere");
    let (whole, run) = (place.run("whole"), place.run("run"));
    for run in [&whole, &run] {
        prepare(run, "othello size=6", "treestrap", TABLES);
    }
    finish(&whole);
    // Another program did the second portion: the run ends, and says which.
    let mut portions = 0;
    let other = carry(&place, &run, |_, answer| {
        portions += 1;
        if portions == 2 {
            answer["receipt"]["program"] = json!("treeline 0.0.1, build 0badf00d");
        }
        Does::Tells
    });
    assert!(!other.success);
    for words in [
        "machine-7: portion g000001-p0",
        "'treeline 0.0.1, build 0badf00d'",
    ] {
        assert!(other.said.contains(words), "{}", other.said);
    }
    // Whoever carries leaves.
    let left = carry(&place, &run, |_, _| Does::Leaves);
    assert!(
        !left.success && left.said.contains("the same command goes on"),
        "{}",
        left.said
    );
    // A worker dies, an answer comes twice, and the run is killed in the second generation.
    let (mut lost, mut again) = (false, Vec::new());
    let killed = carry(&place, &run, |request, _| match portion(request) {
        Some((1, _)) => {
            again.push(request["number"].clone());
            match std::mem::replace(&mut lost, true) {
                false => Does::Loses,
                true => Does::TellsTwice,
            }
        }
        Some((2, 1)) => Does::KillsTheRun,
        _ => Does::Tells,
    });
    assert!(!killed.success);
    // One of three was there from before, and one was lost once.
    assert_eq!(again.len(), 3, "{again:?}");
    // Broken rows and a broken training are said and done again; so is what fails.
    let (mut trainings, mut mistakes) = (0, BTreeSet::new());
    let ended = carry(&place, &run, |request, answer| {
        let spoil = |answer: &Value, name: &str| {
            let files = answer["receipt"]["files"].as_array().unwrap().iter();
            let mut paths = files.map(|file| file["path"].as_str().unwrap());
            let path = run.join(paths.find(|path| path.ends_with(name)).unwrap());
            let mut bytes = fs::read(&path).unwrap();
            *bytes.last_mut().unwrap() ^= 1;
            fs::write(path, bytes).unwrap();
        };
        trainings += u32::from(request["piece"] == "train");
        match portion(request) {
            Some((3, 0)) if mistakes.insert("rows") => spoil(answer, ".npy"),
            Some((3, 1)) if mistakes.insert("error") => {
                *answer =
                    json!({ "id": answer["id"], "error": "no space left", "by": "machine-9" });
            }
            Some((3, 2)) if mistakes.insert("path") => {
                answer["receipt"]["files"][0]["path"] = json!("elsewhere/../learn.toml");
            }
            None if mistakes.insert("training") => spoil(answer, "optimizer.safetensors"),
            _ => {}
        }
        Does::Tells
    });
    assert!(ended.success, "{}", ended.said);
    for words in [
        "portion g000003-p000000 is done again: machine-7: ",
        "g000003-p000000.npy: it is not what was made",
        "portion g000003-p000001 is done again: machine-9: ",
        "no space left",
        "portion g000003-p000002 is done again",
        "the training on",
        "optimizer.safetensors: it is not what was made",
    ] {
        assert!(ended.said.contains(words), "{words}: {}", ended.said);
    }
    assert!(trainings > 10, "trainings are done in parts: {trainings}");
    let (whole, run) = (kept(&whole), kept(&run));
    assert_eq!(run.len(), 1 + 2 * (3 + 4 + 4));
    for (a, b) in whole.iter().zip(&run) {
        assert!(a == b, "{} differs from {}", a.0, b.0);
    }
}

#[test]
fn matches_are_played_beside_and_what_fails_always_ends_the_run() {
    let place = Place::new("beside");
    let run = place.run("run");
    let matches = [
        "watch.minutes=0.01",
        "watch.games=2",
        "watch.seconds=0.001",
        "watch.opponents=random, greedy",
        "watch.earlier=1",
        "stop.generations=2",
    ];
    prepare(
        &run,
        "othello size=6",
        "treestrap",
        &[TABLES, &matches].concat(),
    );
    let failed = carry(&place, &run, |_, answer| {
        *answer = json!({ "id": answer["id"], "error": "it is too warm here" });
        Does::Tells
    });
    assert!(
        !failed.success && failed.said.contains("failed 4 times"),
        "{}",
        failed.said
    );
    assert!(
        failed.said.contains("it is too warm here"),
        "{}",
        failed.said
    );
    let ended = carry(&place, &run, |request, _| {
        if portion(request) == Some((1, 0)) {
            // Matches are due, then.
            std::thread::sleep(Duration::from_millis(700));
        }
        Does::Tells
    });
    assert!(ended.success, "{}", ended.said);
    let text = fs::read_to_string(run.join("matches.jsonl")).unwrap();
    let mut generations = BTreeSet::new();
    for line in text.lines() {
        let played: Value = serde_json::from_str(line).unwrap();
        let seats = ["first", "second"].map(|seat| played[seat].as_array().unwrap().clone());
        let games: u64 = seats.iter().flatten().map(|n| n.as_u64().unwrap()).sum();
        assert_eq!(games, 2, "{line}");
        generations.insert((
            played["generation"].as_u64().unwrap(),
            played["opponent"].as_str().unwrap().to_string(),
        ));
    }
    for (generation, opponent) in [(1, "random"), (2, "random"), (2, "greedy"), (2, "g1")] {
        assert!(
            generations.contains(&(generation, opponent.into())),
            "{generations:?}"
        );
    }
    assert!(!run.join("elsewhere").exists());
}
