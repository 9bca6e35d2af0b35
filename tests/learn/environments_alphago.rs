//! AlphaGo in an environment: its three stages, its teacher, and that a run which was killed is the run that was not.

use super::environments::{episodes, prepared};
use super::*;
use serde_json::Value;
use std::time::Duration;

/// What all runs here have.
const COMMON: &[&str] = &["stop.minutes=off", "train.batch=16", "save.minutes=0.002"];

const ALPHAGO: &[&str] = &[
    "run.method=alphago",
    "search.first=50",
    "search.replay=1000",
    "search.every=1",
    "search.simulations=12",
    "search.hidden=32",
    "search.latent=16",
    "search.support=3",
    "search.returns=5",
    "search.discount=0.9",
    "search.temperature=0.5",
    "search.temperature-steps=100",
    "search.temperature-end=0.1",
    "train.rate=0.005",
    "alphago.playout=4",
    "alphago.playout-rate=0.05",
];

fn alphago(place: &Place, name: &str, more: &[&str]) -> PathBuf {
    prepared(place, name, "copied", &[COMMON, ALPHAGO, more].concat())
}

/// A run of DQN that knows the corridor.
fn teacher(place: &Place) -> PathBuf {
    let more = [
        "stop.steps=900",
        "dqn.first=200",
        "dqn.replay=1000",
        "dqn.every=1",
        "dqn.target=50",
        "dqn.epsilon-steps=400",
        "dqn.epsilon-end=0.05",
        "dqn.hidden=16",
        "train.rate=0.01",
    ];
    let run = prepared(place, "teacher", "copied", &[COMMON, &more].concat());
    finish(&run);
    run
}

/// The episodes of a stage.
fn of_stage<'a>(all: &'a [Value], stage: &str) -> Vec<&'a Value> {
    all.iter().filter(|line| line["stage"] == stage).collect()
}

fn mean(lines: &[&Value], key: &str) -> f64 {
    let sum: f64 = lines.iter().map(|line| line[key].as_f64().unwrap()).sum();
    sum / lines.len() as f64
}

#[test]
fn a_teachers_actions_are_learned_and_then_searched_with() {
    if !trains() {
        return;
    }
    let place = Place::new("imitated");
    let taught = format!("alphago.teacher={}", teacher(&place).display());
    let more = [
        taught.as_str(),
        "alphago.recorded=400",
        "alphago.gradient=100",
        "stop.steps=900",
    ];
    let run = alphago(&place, "run", &more);
    finish(&run);
    let all = episodes(&run);
    let stages = ["recorded", "gradient", "valued"].map(|stage| of_stage(&all, stage));
    let [recorded, gradient, valued] = &stages;
    // One after the other, each ending with an episode.
    assert!(all.iter().eq(stages.iter().flatten().copied()));
    let begins = |line: &Value| line["steps"].as_u64().unwrap() - line["length"].as_u64().unwrap();
    assert!((400..420).contains(&begins(gradient[0])), "{}", gradient[0]);
    assert!((500..540).contains(&begins(valued[0])), "{}", valued[0]);
    // The teacher knows the way, in four steps; after a while both policies name its actions before they learn them.
    let late = &recorded[recorded.len() - 20..];
    assert!(mean(late, "length") < 6.0 && mean(late, "return") > 0.9);
    assert!(mean(late, "named") > 0.8 && mean(late, "named-fast") > 0.8);
    assert!(recorded[0].get("entropy").is_none() && gradient[0].get("named").is_none());
    // So does the policy by itself, without having seen a reward, and with the search.
    assert!(mean(gradient, "length") < 6.0, "{}", gradient[0]);
    assert!(mean(gradient, "entropy") < 0.4, "{}", gradient[0]);
    let late = &valued[valued.len() - 20..];
    assert!(mean(late, "length") < 6.0 && mean(late, "return") > 0.9);
    // Values were learned, 0.9 to the powers of 0 to 3: before, their distributions cost two nats. The policy stayed.
    assert!((mean(late, "worth") - 0.86).abs() < 0.1, "{}", late[0]);
    assert!(mean(late, "loss") < 1.0, "{}", late[0]);
    let change = mean(late, "entropy") - mean(gradient, "entropy");
    assert!(change.abs() < 0.1, "{change}");
}

#[test]
fn without_a_teacher_the_gradient_finds_the_way() {
    if !trains() {
        return;
    }
    let place = Place::new("gradient");
    let more = [
        "alphago.recorded=300",
        "alphago.gradient=2500",
        "alphago.iteration=20",
        "alphago.gradient-rate=0.003",
        "stop.steps=2800",
    ];
    let run = alphago(&place, "run", &more);
    finish(&run);
    let all = episodes(&run);
    let [recorded, gradient] = ["recorded", "gradient"].map(|stage| of_stage(&all, stage));
    // By chance it takes long.
    assert!(mean(&recorded, "length") > 10.0 && mean(&recorded, "named") < 0.7);
    let late = &gradient[gradient.len() - 20..];
    assert!(mean(late, "length") < 6.0, "{}", late[0]);
    assert!(mean(late, "entropy") < mean(&gradient[..10], "entropy") - 0.2);
}

/// A run's episodes without what the clock says.
fn timeless(run: &Path) -> Vec<Value> {
    let mut all = episodes(run);
    for line in &mut all {
        let line = line.as_object_mut().unwrap();
        line.retain(|key, _| key != "minutes" && key != "speed");
    }
    all
}

/// The newest checkpoint's file of Adam's memory.
fn memory(run: &Path) -> Vec<u8> {
    let folders = fs::read_dir(run.join("checkpoints")).unwrap();
    let names = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let newest: u64 = names.filter_map(|name| name.parse().ok()).max().unwrap();
    let folder = run.join("checkpoints").join(newest.to_string());
    fs::read(folder.join("optimizer.safetensors")).unwrap()
}

#[test]
fn a_run_that_is_killed_becomes_what_it_would_have_been() {
    if !trains() {
        return;
    }
    let place = Place::new("killed");
    let taught = format!("alphago.teacher={}", teacher(&place).display());
    let more = [
        taught.as_str(),
        // Less than a stage, so that some is forgotten.
        "search.replay=200",
        "search.priority=1",
        "alphago.recorded=400",
        "alphago.gradient=500",
        "alphago.iteration=20",
        "stop.steps=1500",
    ];
    let [whole, killed] = ["whole", "killed"].map(|name| alphago(&place, name, &more));
    finish(&whole);
    let newest = |key: &str| {
        let text = fs::read_to_string(killed.join("metrics.jsonl")).unwrap_or_default();
        // The last line may be half written.
        let lines = text.lines().rev();
        let mut lines = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.next().map_or(Value::Null, |line| line[key].clone())
    };
    let mut stages = Vec::new();
    for steps in [60, 250, 390, 520, 800, 940, 1100, 1300] {
        let mut child = treeline(&[killed.to_str().unwrap()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while child.try_wait().unwrap().is_none() {
            // Before the first checkpoint there is nothing to go on from.
            let saved = killed.join("network.safetensors").exists();
            if saved && newest("steps").as_u64() > Some(steps) {
                let _ = child.kill();
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        stages.push(newest("stage"));
    }
    for stage in ["recorded", "gradient", "valued"] {
        assert!(stages.iter().any(|last| last == stage), "{stages:?}");
    }
    finish(&killed);
    let [all, others] = [&whole, &killed].map(|run| timeless(run));
    assert_eq!(all.len(), others.len());
    for (one, other) in all.iter().zip(&others) {
        for (key, value) in one.as_object().unwrap() {
            let [value, found] = [value, &other[key]];
            let near = |(a, b): (f64, f64)| (a - b).abs() <= 1e-9 * (1.0 + a.abs());
            let is_near = value.as_f64().zip(found.as_f64()).is_some_and(near);
            assert!(value == found || is_near, "{key}: {one}, not {other}");
        }
    }
    let network = |run: &Path| fs::read(run.join("network.safetensors")).unwrap();
    assert!(network(&whole) == network(&killed));
    assert!(memory(&whole) == memory(&killed));
    // What is not needed any more is gone.
    assert!(fs::read_dir(killed.join("data")).unwrap().count() < 4);
}

#[test]
fn what_it_cannot_learn_from_is_named() {
    if !trains() {
        return;
    }
    let place = Place::new("unfit");
    let fails = |run: &Path, wanted: &[&str]| {
        let done = output(&mut treeline(&[run.to_str().unwrap()]));
        let text = said(&done);
        let says = wanted.iter().all(|wanted| text.contains(wanted));
        assert!(!done.status.success() && says, "{text}");
    };
    let run = prepared(&place, "uncopied", "corridor", &[COMMON, ALPHAGO].concat());
    fails(&run, &["its states cannot be copied, which alphago needs"]);

    let unlearned = ["run.method=dqn"];
    let other = prepared(&place, "other", "corridor", &unlearned);
    let same = prepared(&place, "same", "copied", &unlearned);
    let itself = alphago(&place, "itself", &[]);
    let game = place.run("game");
    prepare(&game, "connect-four", "dqn", &[]);
    for (number, (path, wanted)) in [
        (&other, "that run's run.environment is corridor, not copied"),
        (&same, "that run has no network yet"),
        (&itself, "that run learns by alphago; a teacher does by dqn"),
        (&game, "that run learns no environment"),
        (&place.run("nowhere"), "no run is there"),
    ]
    .into_iter()
    .enumerate()
    {
        let path = path.display();
        let more = format!("alphago.teacher={path}");
        let run = alphago(&place, &format!("run{number}"), &[&more]);
        fails(&run, &[&format!("[alphago] teacher: {path}: "), wanted]);
    }
}

#[test]
fn what_it_remembers_is_missed_and_an_environment_that_changed_is_noticed() {
    if !trains() {
        return;
    }
    let place = Place::new("changed");
    // It ends within an episode: by chance none of these is over after 2 steps.
    let run = alphago(&place, "run", &["alphago.recorded=300", "stop.steps=302"]);
    finish(&run);
    let told = |run: &Path, steps: &str, wanted: &str| {
        let file = run.join("learn.toml");
        let text = fs::read_to_string(&file).unwrap();
        let line = text.lines().find(|line| line.starts_with("steps = "));
        fs::write(&file, text.replace(line.unwrap(), steps)).unwrap();
        let done = output(&mut treeline(&[run.to_str().unwrap()]));
        assert!(said(&done).contains(wanted), "{}", said(&done));
        done.status.success()
    };
    // What is seen is another now.
    let script = place.run("corridor.py");
    let text = fs::read_to_string(&script).unwrap();
    let other = text.replace("float(i == place)", "2.0 * (i == place)");
    assert_ne!(text, other);
    fs::write(&script, other).unwrap();
    assert!(told(&run, "steps = 340", "does not repeat itself"));
    fs::remove_dir_all(run.join("data")).unwrap();
    let missing = "/data: the steps from 0 to 340 that the checkpoint needs are missing";
    assert!(!told(&run, "steps = 350", missing));
}
