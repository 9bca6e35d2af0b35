//! What is not a run, a key or a value is refused before anything begins.

use super::*;

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
    let q = ["--method", "dqn", "--set", "run.architecture=inc(8)"];
    refuse(
        &[&[&at("x")[..], "--game", "hex", "--prepare"], &q[..]].concat(),
        "dqn learns moves, and inc(8) has no policy",
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
            "train.value-passes=0.1",
            "[train] value-passes: the network has no policy",
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
    let many = ["--prepare", "--set", "run.architecture=inc(8,4,60)"];
    refuse(
        &[&[&at("x")[..], "--game", "connect-four"], &many[..]].concat(),
        "[run] architecture: 60 stages expected, but positions have only",
    );
    let zero = ["--method", "alphazero", "--set", "run.architecture=a0(1,8)"];
    let more = ["--set", "train.passes=1", "--set", "train.value-passes=2"];
    refuse(
        &[
            &[&at("x")[..], "--game", "hex", "--prepare"],
            &zero[..],
            &more[..],
        ]
        .concat(),
        "[train] value-passes: there are no more than passes",
    );
    refuse(
        &[
            &at("x"),
            "--game",
            "hex",
            "--prepare",
            "--method",
            "muzero",
            "--set",
            "train.value-passes=1",
        ],
        "[train] value-passes: this method shows values in its own way",
    );
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
    refuse(&[&at("there")], "option games takes");
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
        prepare(&place.run("whole"), "hex size=5", "descent", &[]);
        refuse(&[&at("whole")], "tools/libtorch/setup.sh");
    }
}
