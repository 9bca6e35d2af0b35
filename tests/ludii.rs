//! The Ludii agent and the bridge to Ludii's agents, against a real Ludii.
//!
//! Needs a JDK and the variable `LUDII_JAR`, the path of a Ludii.jar (ludii.games/download.php). Without it the tests say so
//! and pass; docs/results/ludii.md has their last real run.

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output};
use std::sync::OnceLock;
use std::time::Duration;
use treeline_protocol::{Client, spawn};

const ENGINE: &str = env!("CARGO_BIN_EXE_treeline");
/// Not a limit that a healthy run comes near.
const PATIENCE: Duration = Duration::from_secs(600);

/// Where the JARs are built, or nothing where there is no Ludii.
fn built() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
    let Ok(ludii) = std::env::var("LUDII_JAR") else {
        // Past the test harness, which keeps what passing tests print.
        let note = "\nSKIPPED: the tests of the Ludii agent. Set LUDII_JAR=/path/to/Ludii.jar to run them.\n";
        std::io::stderr().write_all(note.as_bytes()).unwrap();
        return None;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ludii");
    let output = Command::new("tools/ludii/build.sh")
        .arg(&ludii)
        .arg(&folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    Some(folder)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// `run.sh` with an engine; `None` where there is no Ludii.
fn tool(engine: &str) -> Option<Command> {
    let mut command = Command::new("tools/ludii/run.sh");
    command
        .env("TREELINE_LUDII", built()?)
        .env("TREELINE", engine);
    Some(command)
}

fn matches(engine: &str, arguments: &[&str]) -> Option<Output> {
    Some(tool(engine)?.arg("match").args(arguments).output().unwrap())
}

fn tallies(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines = text(&output.stdout);
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn both_have_the_same_legal_moves_and_results() {
    let Some(mut rules) = tool(ENGINE) else {
        return;
    };
    let output = rules.args(["rules", "3"]).output().unwrap();
    let lines = text(&output.stdout);
    assert!(output.status.success(), "{lines}\n{}", text(&output.stderr));
    assert_eq!(lines.lines().count(), 12, "{lines}");
    for line in lines.lines() {
        assert!(line.contains(", 0 games with a difference"), "{line}");
    }
}

#[test]
fn the_agent_finishes_games_of_all_seven_without_a_rejected_move() {
    let limits = ["--games", "2", "--seconds", "0.05", "--turns", "60"];
    let Some(output) = matches(ENGINE, &limits) else {
        return;
    };
    let tallies = tallies(&output);
    // Seven games, each against Alpha-Beta and UCT.
    assert_eq!(tallies.len(), 14);
    for tally in &tallies {
        assert_eq!(tally["games"], 2, "{tally}");
        assert_eq!(tally["rejected"], 0, "{tally}");
        assert_eq!(tally["engine_starts"], 1, "{tally}");
        assert!(tally["searches_with_reuse"].as_u64() > Some(0), "{tally}");
    }
}

#[test]
fn the_agent_keeps_to_a_number_of_simulations_and_shows_visits() {
    let by_count = [
        "--games",
        "1",
        "--seconds",
        "-1",
        "--iterations",
        "50",
        "--opponents",
        "Random",
        "--ludii",
        "Kalah.lud",
    ];
    let Some(output) = matches(ENGINE, &by_count) else {
        return;
    };
    assert!(tallies(&output)[0]["searches"].as_u64() > Some(0));
    let watched = [
        "--games",
        "1",
        "--seconds",
        "0.3",
        "--turns",
        "6",
        "--opponents",
        "Random",
        "--watch",
        "yes",
        "--ludii",
        "Breakthrough.lud",
    ];
    let tally = &tallies(&matches(ENGINE, &watched).unwrap())[0];
    assert!(tally["shown"].as_u64() > Some(0), "{tally}");
}

#[cfg(unix)]
#[test]
fn an_engine_that_dies_is_started_again() {
    use std::os::unix::fs::PermissionsExt;

    let Some(folder) = built() else { return };
    let dying = folder.join("dying");
    std::fs::write(&dying, format!("#!/bin/sh\nsed -u 60q | {ENGINE}\n")).unwrap();
    std::fs::set_permissions(&dying, PermissionsExt::from_mode(0o755)).unwrap();
    let limits = [
        "--games",
        "2",
        "--seconds",
        "0.02",
        "--opponents",
        "Random",
        "--ludii",
        "Kalah.lud",
    ];
    let tally = &tallies(&matches(dying.to_str().unwrap(), &limits).unwrap())[0];
    assert_eq!(tally["rejected"], 0, "{tally}");
    assert!(tally["engine_starts"].as_u64() > Some(1), "{tally}");
}

#[test]
fn what_cannot_be_played_is_refused_with_the_reason() {
    let cases = [
        ("/nowhere/treeline", "Kalah.lud", "", "TREELINE="),
        ("false", "Kalah.lud", "", "cannot start the engine"),
        (ENGINE, "Chess.lud", "", "does not play Chess"),
        (ENGINE, "Breakthrough.lud", "Board/Hexagon", "Board/Hexagon"),
        (ENGINE, "Hex.lud", "End Rules/Misere", "End Rules/Misere"),
        (ENGINE, "Reversi.lud", "Board Size/12x12", "12"),
    ];
    for (engine, game, options, reason) in cases {
        let mut arguments = vec!["--games", "1", "--ludii", game];
        if !options.is_empty() {
            arguments.extend(["--options", options]);
        }
        let Some(output) = matches(engine, &arguments) else {
            return;
        };
        let errors = text(&output.stderr);
        assert!(!output.status.success(), "{game} {options}: {errors}");
        assert!(errors.contains(reason), "{game} {options}: {errors}");
    }
}

/// An engine behind a pipe.
struct Player {
    child: Child,
    client: Client<ChildStdout, ChildStdin>,
}

impl Player {
    fn new(command: &mut Command) -> Self {
        let (child, client) = spawn(command).unwrap();
        Player { child, client }
    }

    fn call(&mut self, line: &str) -> String {
        self.client
            .call(line, PATIENCE)
            .unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    fn refusal(&mut self, line: &str) -> String {
        self.client.call(line, PATIENCE).unwrap_err().to_string()
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn bridge(agent: &str) -> Option<Player> {
    let mut command = tool(ENGINE)?;
    command.args(["bridge", agent, "--seconds", "0.02"]);
    Some(Player::new(&mut command))
}

#[test]
fn ludiis_agents_play_all_seven_games_through_the_bridge() {
    for agent in ["Alpha-Beta", "UCT"] {
        let Some(mut ludii) = bridge(agent) else {
            return;
        };
        let mut ours = Player::new(&mut Command::new(ENGINE));
        assert_eq!(ludii.call("name"), format!("Ludii {agent}"));
        ours.call("set_option simulations 20");
        for game in [
            "breakthrough size=5x5",
            "connect-four",
            "draughts length=80",
            "hex size=4 swap=on",
            "kalah",
            "lines-of-action length=40",
            "othello size=6",
        ] {
            play(game, &mut ludii, &mut ours);
        }
    }
}

/// One game; the engine that knows the rules says whose turn it is.
fn play(game: &str, ludii: &mut Player, ours: &mut Player) {
    let command = format!("set_game {game}");
    ludii.call(&command);
    ours.call(&command);
    let mut plies = 0;
    loop {
        let side = ours.call("side_to_move");
        if side == "none" {
            break;
        }
        let (mover, other): (&mut Player, &mut Player) = match side.as_str() {
            "b" => (&mut *ludii, &mut *ours),
            _ => (&mut *ours, &mut *ludii),
        };
        let answer = mover.call(&format!("genmove {side}"));
        other.call(&format!("play {side} {answer}"));
        plies += 1;
    }
    assert!(plies > 4, "{game}: {plies} plies");
    // The bridge agrees on the last position, where Ludii's game is over as well.
    let result = ludii.call("game_result");
    assert!(
        result == "none" || result == ours.call("game_result"),
        "{game}: {result}"
    );
    ludii.call("undo");
    ours.call("undo");
    let mut legal: Vec<String> = words(&ludii.call("legal_moves"));
    let mut expected = words(&ours.call("legal_moves"));
    legal.sort();
    expected.sort();
    assert_eq!(legal.len(), expected.len(), "{game}");
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn the_bridge_refuses_with_a_sentence() {
    let Some(mut ludii) = bridge("Alpha-Beta") else {
        return;
    };
    for (line, reason) in [
        ("set_game chess", "no game is called 'chess'"),
        ("set_game kalah seeds=5", "seeds=4 only"),
        ("set_game hex size=3x5", "square boards"),
        ("set_game breakthrough colour=red", "colour"),
        ("genmove w", "turn of b"),
        ("play b a1a8", "illegal move"),
        ("play green a2a3", "expected a colour"),
        ("undo", "cannot undo"),
        ("time_settings 1", "expected"),
        ("set_option contempt 5", "no option is called"),
        ("fly", "unknown command"),
    ] {
        let found = ludii.refusal(line);
        assert!(found.contains(reason), "{line}: {found}");
    }
    // Nothing of this has done harm.
    ludii.call("time_settings 0 0.05 1");
    assert_eq!(ludii.call("genmove b").len(), 4);
    ludii.call("undo");
    assert_eq!(words(&ludii.call("legal_moves")).len(), 22);
}
