//! Every method learns, from nothing or from another network.

use super::*;
use treeline_nets::file::Weights;

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
            "baseline",
            "mpv-baseline",
            &[
                "run.architecture=a0(1,8)",
                "play.games=4",
                "play.simulations=8",
                "train.gate-games=2",
                "train.passes=1",
            ],
        ),
        (
            "alphas",
            "alphas",
            &[
                "run.architecture=a0(1,8)",
                "play.games=4",
                "play.simulations=8",
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
            "dqn",
            "dqn",
            &["run.architecture=a0(1,8,8)", "dqn.steps=4", "dqn.plies=3"],
        ),
        (
            "model",
            "muzero",
            &[
                "run.architecture=fcgp(1,8,8)",
                "muzero.latent=4",
                "muzero.dynamics=fcgp(1,8,8)",
                "muzero.prediction=a0(1,8,8)",
                "muzero.steps=4",
                "muzero.plies=6",
                "muzero.priority=0.5",
                "muzero.reanalyse=10",
                "play.simulations=8",
            ],
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
            // The entries with a network of two heads, whatever their method is called.
            let learns_policy = method == "muzero" || more.contains(&"run.architecture=a0(1,8)");
            assert_eq!(number("policy_loss") > 0.0, learns_policy, "{name}: {line}");
        }
    }
}

#[test]
fn a_run_goes_on_from_a_networks_weights() {
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
fn values_may_be_shown_less_often_than_policies() {
    if !trains() {
        return;
    }
    let place = Place::new("values");
    let losses = |name: &str, more: &[&str]| {
        let run = place.run(name);
        let keys = [
            "run.architecture=a0(1,8)",
            "stop.generations=1",
            "play.games=4",
            "play.simulations=8",
            "train.batch=64",
            "train.passes=2",
        ];
        prepare(
            &run,
            "breakthrough size=5x6",
            "alphazero",
            &[&keys, more].concat(),
        );
        finish(&run);
        let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
        let line: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        ["value_loss", "policy_loss", "shown"].map(|key| line[key].as_f64().unwrap())
    };
    let both = losses("both", &[]);
    let half = losses("half", &["train.value-passes=1"]);
    let hardly = losses("hardly", &["train.value-passes=0.0001"]);
    // As many states, of which the values of hardly one in two thousand are to be learned, and here are not.
    assert_eq!((both[2], half[2]), (hardly[2], hardly[2]));
    assert_eq!(hardly[0], 0.0);
    assert!(both[0] > 0.0 && half[0] > 0.0 && both[0] != half[0]);
    // It is as far off on those that it is taught.
    assert!((half[0] / both[0] - 1.0).abs() < 0.5, "{half:?} {both:?}");
    assert!(
        (hardly[1] / both[1] - 1.0).abs() < 0.2,
        "{hardly:?} {both:?}"
    );
}

#[test]
fn the_loss_sinks() {
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

#[test]
fn a_learned_model_is_compared_with_what_is_true() {
    if !trains() {
        return;
    }
    let place = Place::new("examined");
    let run = place.run("run");
    let keys = [
        "run.architecture=fcgp(1,4,4)",
        "muzero.latent=2",
        "muzero.dynamics=fcgp(1,4,4)",
        "muzero.prediction=a0(1,4,4)",
        "muzero.support=5",
        "muzero.steps=40",
        // It begins without an opinion, and is to have one.
        "train.rate=0.02",
        "train.rate-end=0.02",
        "stop.generations=1",
        "play.games=4",
        "play.simulations=4",
    ];
    prepare(
        &run,
        "connect-four width=4 height=4 line=3",
        "muzero",
        &keys,
    );
    let examine = |run: &Path| {
        let run = run.to_str().unwrap();
        output(&mut treeline(&[
            "examine", run, "--games", "3", "--steps", "2",
        ]))
    };
    // Also before anything was learned.
    assert!(examine(&run).status.success());
    finish(&run);
    let examined = examine(&run);
    let text = said(&examined);
    assert!(examined.status.success(), "{text}");
    let cells = |k: usize| -> Vec<String> {
        let row = text
            .lines()
            .find(|line| line.starts_with(&format!("| {k} |")));
        let cells = row.unwrap().split('|').map(|cell| cell.trim().to_string());
        cells.collect()
    };
    let number = |k: usize, cell: usize| cells(k)[cell].parse::<f64>().unwrap();
    // What it says of the position itself is what it says of the true state.
    assert_eq!(
        (number(0, 3), number(0, 4), number(0, 5)),
        (100.0, 0.0, 0.0)
    );
    assert_eq!(number(0, 6), number(0, 7));
    assert_eq!(
        (number(0, 9), number(1, 9), number(2, 9)),
        (0.0, 3.0, 3.0),
        "{text}"
    );
    assert_eq!(number(1, 2), number(0, 2) - 3.0);
    assert!(number(1, 4) > 0.0 && number(1, 5) > 0.0, "{text}");
    // The values of a support are as good as numbers elsewhere.
    let own = format!(
        "muzero network={}/network.toml simulations=8",
        run.display()
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_treeline"));
    command.args([
        "match",
        "connect-four width=4 height=4 line=3",
        "--games",
        "2",
    ]);
    command.args(["--seconds", "off", "--player", &own, "--player", "random"]);
    let played = output(&mut command);
    assert!(played.status.success(), "{}", said(&played));
    let other = place.run("other");
    prepare(&other, "connect-four", "dqn", &[]);
    let refused = said(&examine(&other));
    assert!(
        refused.contains("its method, dqn, learns no model"),
        "{refused}"
    );
}

#[test]
fn a_learned_q_beats_random_moves() {
    if !trains() {
        return;
    }
    let place = Place::new("q");
    let run = place.run("run");
    let keys = [
        "run.architecture=a0(1,16,16)",
        "stop.generations=24",
        "play.games=50",
        "play.portion=50",
        "dqn.steps=100",
        "dqn.epsilon-end=0.3",
        "dqn.epsilon-games=600",
        "watch.minutes=10",
        "watch.opponents=random",
        "watch.earlier=0",
        "watch.games=200",
    ];
    prepare(&run, "connect-four width=4 height=4 line=3", "dqn", &keys);
    finish(&run);
    let matches = fs::read_to_string(run.join("matches.jsonl")).unwrap();
    let played: serde_json::Value = serde_json::from_str(matches.lines().last().unwrap()).unwrap();
    let won = |seat: &str| played[seat][0].as_u64().unwrap();
    let won = won("first") + won("second");
    assert!(won > 160, "{won} of 200");
}

#[test]
fn several_networks_learn_from_the_same_games() {
    if !trains() {
        return;
    }
    let place = Place::new("several");
    // What games are worth when they are cut off is seldom 0, which is where values begin.
    let game = "draughts length=60 no-progress=20 progress=captures";
    for (method, roles) in [
        ("three-stage", &["early"][..]),
        ("mpv", &["small"]),
        ("hybrid", &["small", "early"]),
    ] {
        let keys = [
            "run.architecture=a0(1,4,4)",
            "small.architecture=a0(1,2,2)",
            "play.games=2",
            "play.portion=1",
            "play.simulations=9",
            "train.passes=2",
            "train.batch=16",
            "train.gate-games=2",
            "train.gate=0",
        ];
        let after = |generations: usize| {
            let run = place.run(&format!("{method}-{generations}"));
            let stop = format!("stop.generations={generations}");
            prepare(&run, game, method, &[&keys[..], &[&stop]].concat());
            finish(&run);
            run
        };
        let runs = [1, 2].map(after);
        for role in std::iter::once("").chain(roles.iter().copied()) {
            let name = match role {
                "" => "network.safetensors".to_string(),
                role => format!("network.{role}.safetensors"),
            };
            let [first, second] = runs
                .each_ref()
                .map(|run| Weights::read(&run.join(&name)).unwrap());
            // MPV's small policy, and the large one.
            let outputs = if role.is_empty() { 2501 } else { 201 };
            assert_eq!(first.meta.shape.policy, outputs, "{method} {name}");
            // All of them go on learning.
            for (tensor, data) in &first.tensors {
                assert!(second.tensors[tensor] != *data, "{method} {name} {tensor}");
            }
        }
        let bundle = runs[1].join("network.toml");
        let own = format!("{method} network={} simulations=3", bundle.display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_treeline"));
        command.args(["match", game, "--games", "2", "--seconds", "off"]);
        command.args(["--player", &own, "--player", "random"]);
        let played = output(&mut command);
        assert!(played.status.success(), "{method}: {}", said(&played));
    }
}

#[test]
fn a_game_without_an_early_part_has_no_network_for_it() {
    let place = Place::new("no-early");
    let run = place.run("run");
    let arguments = [
        run.to_str().unwrap(),
        "--prepare",
        "--game",
        "connect-four",
        "--method",
        "three-stage",
    ];
    let prepared = output(&mut treeline(&arguments));
    let begun = output(&mut treeline(&[run.to_str().unwrap()]));
    let text = said(&prepared) + &said(&begun);
    assert!(!begun.status.success(), "{text}");
    assert!(
        text.contains("no position that it is early") || !trains(),
        "{text}"
    );
}
