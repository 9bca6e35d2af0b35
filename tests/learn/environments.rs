//! Environments: what a process may do to us, and a run that learns one, is killed and goes on.

use super::*;
use std::time::Duration;
use treeline::environment::{Environment, EnvironmentError, Gymnasium, Making, Space};

/// A corridor of five places, numbered; the right end is a reward. The name says what goes wrong.
const CORRIDOR: &str = r#"
import json, struct, sys, time
name, place, steps, copies = None, 0, 0, {}
for line in sys.stdin:
    request = json.loads(line)
    told, seen = {}, False
    if "make" in request:
        name = request["make"]
        if name == "refuses":
            told = {"error": "NameNotFound: no such thing"}
        else:
            told = {"name": name, "actions": 2, "numbers": 5, "copies": name == "copied"}
    elif "reset" in request:
        place, steps, seen = 0, 0, True
    elif "copy" in request:
        copies[request["copy"]] = (place, steps)
    elif "restore" in request:
        (place, steps), seen = copies[request["restore"]], True
    elif "forget" in request:
        del copies[request["forget"]]
    else:
        steps += 1
        if steps > 3 and name == "dies":
            sys.exit("it fell over")
        if steps > 3 and name == "hangs":
            time.sleep(600)
        if steps > 3 and name == "babbles":
            print("hello", flush=True)
            continue
        place = max(0, place + (1 if request["step"] == 1 else -1))
        seen = True
        told = {"reward": float(place == 4), "terminated": place == 4, "truncated": steps >= 20, "frames": 1}
    body = struct.pack("<5f", *(float(i == place) for i in range(5))) if seen else b""
    if steps > 3 and name == "shortens":
        body = body[:7]
    told.update({"bytes": len(body)} if seen else {})
    sys.stdout.buffer.write(json.dumps(told).encode() + b"\n" + body)
    sys.stdout.flush()
"#;

pub fn corridor(place: &Place) -> String {
    let script = place.run("corridor.py");
    fs::write(&script, CORRIDOR).unwrap();
    format!("python3 {}", script.display())
}

fn making(name: &str, program: Option<&str>) -> Making {
    Making {
        name: name.into(),
        program: program.map(|program| program.split(' ').map(String::from).collect()),
        python: python(),
        patience: Duration::from_secs(60),
        side: 84,
        skip: 4,
        no_ops: 30,
        sticky: 0.0,
        lives: false,
        all_actions: false,
        length: 1000,
    }
}

/// Python with Gymnasium, if anybody made it.
fn python() -> String {
    let made = "target/environments/bin/python";
    std::env::var("TREELINE_ENVIRONMENTS").unwrap_or_else(|_| made.into())
}

/// What comes of going right for as long as nothing fails.
fn walked(environment: &mut Gymnasium) -> EnvironmentError {
    environment.reset(1).unwrap();
    for _ in 0..10 {
        match environment.step(0) {
            Ok(step) => assert!(!step.terminated),
            Err(error) => return error,
        }
    }
    panic!("nothing failed");
}

#[test]
fn a_process_is_an_environment() {
    let place = Place::new("corridor");
    let mut environment = Gymnasium::start(&making("corridor", Some(&corridor(&place)))).unwrap();
    let about = environment.about();
    assert_eq!((about.actions, about.space), (2, Space::Numbers(5)));
    for _ in 0..2 {
        environment.reset(7).unwrap();
        for place in 1..=4u8 {
            let step = environment.step(1).unwrap();
            assert_eq!(step.terminated, place == 4);
            assert_eq!(step.reward, f32::from(place == 4));
            let one = usize::from(place) * 4..usize::from(place) * 4 + 4;
            assert_eq!(environment.observation()[one], 1f32.to_le_bytes());
        }
    }
}

#[test]
fn a_process_that_fails_is_named_with_what_it_did() {
    let place = Place::new("failing");
    let program = corridor(&place);
    let start = |name: &str| Gymnasium::start(&making(name, Some(&program)));
    for (name, wanted) in [
        ("dies", "corridor.py) ended: it fell over"),
        ("babbles", "says what is no answer: hello"),
        ("shortens", "an observation of 7 bytes instead of 20"),
    ] {
        let error = walked(&mut start(name).unwrap()).to_string();
        assert!(error.contains(wanted), "{error}");
    }
    let hasty = Making {
        patience: Duration::from_millis(300),
        ..making("hangs", Some(&program))
    };
    // Python may take longer to start than that.
    let error = match Gymnasium::start(&hasty) {
        Ok(mut environment) => walked(&mut environment),
        Err(error) => error,
    };
    assert!(
        error.to_string().contains("no answer within 0.3 s"),
        "{error}"
    );
    let error = start("refuses").unwrap_err().to_string();
    assert_eq!(error, "refuses: NameNotFound: no such thing");
    let error = Gymnasium::start(&making("x", Some("/nowhere/at/all"))).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("cannot run /nowhere/at/all: No such file"),
        "{error}"
    );
    let lacking = Making {
        python: "/nowhere/python".into(),
        ..making("CartPole-v1", None)
    };
    let error = Gymnasium::start(&lacking).unwrap_err().to_string();
    assert!(
        error.contains("tools/environments/setup.sh makes"),
        "{error}"
    );
}

#[test]
fn gymnasiums_own_are_played_copied_and_brought_back() {
    if !Path::new(&python()).is_file() {
        let text = "SKIPPED: no environments of Gymnasium's; run tools/environments/setup.sh, or set TREELINE_ENVIRONMENTS to its Python";
        let _ = writeln!(std::io::stderr(), "{text}");
        return;
    }
    let mut pole = Gymnasium::start(&making("CartPole-v1", None)).unwrap();
    assert_eq!(pole.about().space, Space::Numbers(4));
    pole.reset(3).unwrap();
    let steps = (1..200).find(|_| pole.step(1).unwrap().is_last());
    assert!(
        steps.is_some_and(|steps| (5..30).contains(&steps)),
        "{steps:?}"
    );
    assert!(
        pole.copy(1)
            .unwrap_err()
            .to_string()
            .contains("cannot be copied")
    );

    let error = Gymnasium::start(&making("ALE/Tetris-v77", None))
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("ALE/Tetris-v77: "), "{error}");

    let mut pong = Gymnasium::start(&making("ALE/Pong-v5", None)).unwrap();
    let about = pong.about().clone();
    assert_eq!(
        (about.actions, about.space, about.copies),
        (6, Space::Frames(84), true)
    );
    let played = |pong: &mut Gymnasium, actions: &[usize]| {
        let steps = actions.iter().map(|action| pong.step(*action).unwrap());
        let frames: u32 = steps.map(|step| step.frames).sum();
        (frames, pong.observation().to_vec())
    };
    pong.reset(5).unwrap();
    played(&mut pong, &[2; 30]);
    pong.copy(9).unwrap();
    let first = played(&mut pong, &[3; 12]);
    assert_eq!(first.0, 48);
    played(&mut pong, &[2; 12]);
    pong.restore(9).unwrap();
    assert_eq!(played(&mut pong, &[3; 12]), first);
    pong.forget(9).unwrap();
    assert!(
        pong.restore(9)
            .unwrap_err()
            .to_string()
            .contains("KeyError")
    );
}

#[test]
fn what_cannot_be_learned_is_refused_before_anything_is_made() {
    let place = Place::new("refused");
    let run = place.run("run");
    let name = run.to_str().unwrap();
    for (more, wanted) in [
        (
            ["--method", "descent"],
            "learned by dqn, muzero, alphazero, alphago, not by descent",
        ),
        (["--set", "dqn.nonsense=1"], "unknown option 'nonsense'"),
        (
            ["--set", "muzero.unroll=2"],
            "[muzero] is nothing that dqn looks at",
        ),
        (["--set", "play.games=1"], "no section [play]"),
        (["--game", "hex"], "cannot be used with"),
    ] {
        let arguments = [&[name, "--environment", "x"][..], &more].concat();
        let done = output(&mut treeline(&arguments));
        assert!(
            !done.status.success() && said(&done).contains(wanted),
            "{}",
            said(&done)
        );
        assert!(!run.exists());
    }
    if !cfg!(feature = "torch") {
        let done = output(&mut treeline(&[name, "--environment", "x"]));
        assert!(
            said(&done).contains("built without libtorch"),
            "{}",
            said(&done)
        );
        assert!(!run.exists());
    }
    let done = output(&mut treeline(&[
        name,
        "--environment",
        "ALE/Pong-v5",
        "--prepare",
    ]));
    assert!(done.status.success(), "{}", said(&done));
    let text = fs::read_to_string(run.join("learn.toml")).unwrap();
    assert!(text.contains("environment = \"ALE/Pong-v5\"") && text.contains("epsilon-steps = "));
    // What is there is not another environment's.
    let done = output(&mut treeline(&[name, "--environment", "CartPole-v1"]));
    assert!(
        said(&done).contains("run.environment is ALE/Pong-v5, not CartPole-v1"),
        "{}",
        said(&done)
    );
}

/// The figures of a run's episodes.
pub fn episodes(run: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A run in the corridor, whose states can be copied (`copied`) or not, prepared.
pub fn prepared(place: &Place, name: &str, environment: &str, more: &[&str]) -> PathBuf {
    let run = place.run(name);
    let program = format!("environment.program={}", corridor(place));
    let path = run.to_str().unwrap();
    let mut arguments = vec![path, "--environment", environment, "--prepare"];
    for pair in [program.as_str(), "environment.length=20"]
        .iter()
        .chain(more)
    {
        arguments.extend(["--set", pair]);
    }
    let done = output(&mut treeline(&arguments));
    assert!(done.status.success(), "{}", said(&done));
    run
}

#[test]
fn what_was_killed_before_it_saved_anything_begins_anew() {
    if !trains() {
        return;
    }
    let place = Place::new("unsaved");
    let more = ["stop.steps=1000000", "dqn.first=1000"];
    let run = prepared(&place, "run", "corridor", &more);
    let name = run.to_str().unwrap();
    let mut child = treeline(&[name])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // It saves after three minutes, or when it is over.
    while fs::read_to_string(run.join("metrics.jsonl")).is_ok_and(|text| text.is_empty())
        || !run.join("metrics.jsonl").exists()
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    let _ = child.wait();
    assert!(!run.join("network.safetensors").exists());
    let config = fs::read_to_string(run.join("learn.toml")).unwrap();
    let shorter = config.replace("steps = 1000000\n", "steps = 400\n");
    assert_ne!(shorter, config);
    fs::write(run.join("learn.toml"), shorter).unwrap();
    let told = finish(&run);
    assert!(
        told.contains("begins in") && told.contains("over after"),
        "{told}"
    );
    let steps: u64 = episodes(&run)
        .iter()
        .map(|line| line["length"].as_u64().unwrap())
        .sum();
    assert!(
        steps <= 400,
        "those of the first attempt are counted: {told}"
    );
}

#[test]
fn a_corridor_is_learned_by_a_run_that_is_killed() {
    if !trains() {
        return;
    }
    let place = Place::new("environment");
    let more = [
        "stop.minutes=off",
        "stop.steps=1500",
        "dqn.first=200",
        "dqn.replay=1000",
        "dqn.every=1",
        "dqn.target=50",
        "dqn.epsilon-steps=400",
        "dqn.epsilon-end=0",
        "dqn.hidden=16",
        "train.rate=0.01",
        "train.batch=16",
        "save.minutes=0.002",
    ];
    let run = prepared(&place, "run", "corridor", &more);
    let name = run.to_str().unwrap();
    let mut steps = 0;
    for _ in 0..3 {
        let mut child = treeline(&[name])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while child.try_wait().unwrap().is_none() {
            let newest = fs::read_to_string(run.join("metrics.jsonl")).unwrap_or_default();
            if run.join("network.safetensors").exists() && newest.lines().count() > steps {
                let _ = child.kill();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        steps =
            fs::read_to_string(run.join("metrics.jsonl")).map_or(0, |text| text.lines().count());
    }
    let told = finish(&run);
    assert!(
        told.contains("goes on in") && told.contains("over after"),
        "{told}"
    );
    let all = episodes(&run);
    let numbers: Vec<u64> = all
        .iter()
        .map(|line| line["episode"].as_u64().unwrap())
        .collect();
    assert!(
        numbers.iter().copied().eq(1..=numbers.len() as u64),
        "{numbers:?}"
    );
    let last = all.last().unwrap();
    // Four steps to the right are as few as it takes.
    assert!(
        last["mean"].as_f64() > Some(0.9) && last["length"].as_u64() < Some(7),
        "{last}"
    );
    assert!(last["steps"].as_u64() <= Some(1500));

    let drawn = output(&mut treeline(&["plot", name]));
    assert!(said(&drawn).contains("return.svg"), "{}", said(&drawn));
    assert!(
        fs::read_to_string(run.join("plots/return.svg"))
            .unwrap()
            .contains("thousand frames")
    );

    // An environment that dies ends the run with what was learned.
    let text = fs::read_to_string(run.join("learn.toml")).unwrap();
    let text = text
        .replace("\"corridor\"", "\"dies\"")
        .replace("steps = 1500", "steps = 9000");
    fs::write(run.join("learn.toml"), text).unwrap();
    let done = output(&mut treeline(&[name]));
    assert!(
        !done.status.success() && said(&done).contains("ended: it fell over"),
        "{}",
        said(&done)
    );
    assert!(run.join("network.safetensors").is_file());
}

/// A run that searches before each step.
fn searching(place: &Place, method: &str, name: &str) -> PathBuf {
    let run = place.run(&format!("{method}-{name}"));
    let program = format!("environment.program={}", corridor(place));
    let path = run.to_str().unwrap();
    let mut arguments = vec![path, "--environment", name, "--method", method, "--prepare"];
    for pair in [
        program.as_str(),
        "stop.minutes=off",
        "stop.steps=1500",
        "environment.length=20",
        // Long enough for the reward to be found by chance, whenever the run is killed.
        "search.first=300",
        "search.noise=0.5",
        "search.replay=1000",
        "search.every=1",
        "search.simulations=24",
        "search.hidden=32",
        "search.latent=16",
        "search.support=3",
        "search.returns=5",
        "search.discount=0.9",
        "search.temperature-steps=600",
        "search.temperature-end=0.1",
        "train.rate=0.005",
        "train.batch=16",
        "save.minutes=0.002",
    ] {
        arguments.extend(["--set", pair]);
    }
    let done = output(&mut treeline(&arguments));
    assert!(done.status.success(), "{}", said(&done));
    run
}

#[test]
fn a_corridor_is_learned_by_search_in_a_model_and_in_copies() {
    if !trains() {
        return;
    }
    let place = Place::new("searching");
    for (method, name) in [("muzero", "corridor"), ("alphazero", "copied")] {
        let run = searching(&place, method, name);
        let mut child = treeline(&[run.to_str().unwrap()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while child.try_wait().unwrap().is_none() {
            if run.join("network.safetensors").exists() {
                let _ = child.kill();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let told = finish(&run);
        assert!(
            told.contains("goes on in") && told.contains("over after"),
            "{told}"
        );
        let all = episodes(&run);
        let last = all.last().unwrap();
        // Four steps to the right are as few as it takes; some are drawn by their visits.
        assert!(
            last["mean"].as_f64() > Some(0.9) && last["length"].as_u64() < Some(12),
            "{method}: {last}"
        );
        assert!(last["worth"].as_f64() > Some(0.5), "{method}: {last}");
    }
    // What cannot be copied is not searched in copies.
    let run = searching(&place, "alphazero", "corridor");
    let done = output(&mut treeline(&[run.to_str().unwrap()]));
    assert!(
        !done.status.success()
            && said(&done).contains("its states cannot be copied, which alphazero needs"),
        "{}",
        said(&done)
    );
}
