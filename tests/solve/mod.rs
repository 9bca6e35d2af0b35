//! Solving: every game against plain minimax to the end, known results, the command line and the GTP command.
//!
//! What takes long is ignored here and measured in docs/results/solving.md:
//! `cargo test --release --test all solve:: -- --ignored`.

mod hex;
mod kalah;
mod minimax;

use crate::common::Engine;
use std::collections::HashMap;
use std::process::Command;
use treeline::game::prelude::*;
use treeline::game::{Foresight, Line, Outcome, Player, Record, Rng, random};
use treeline::games::{AnyGame, AnyMove, AnyPosition, find};
use treeline::search::proof::{Prover, Question, Solution};
use treeline::search::{self, Control, Limits, Resources, Stop};

/// A question to a game.
trait Visitor {
    type Output;
    fn visit(self, game: AnyGame) -> Self::Output;
}

fn with<V: Visitor>(name: &str, variant: &str, visitor: V) -> V::Output {
    visitor.visit(find(name).unwrap().open_variant(variant).unwrap())
}

fn control() -> Control {
    Control::new(Limits::default(), Stop::default(), 1)
}

fn pick(rng: &mut Rng, n: usize) -> usize {
    random::pick(rng, n as u32) as usize
}

/// `solve` at a position given by moves.
struct Solve<'a> {
    position: &'a str,
    moves: &'a str,
    method: &'a str,
}

impl Visitor for Solve<'_> {
    type Output = Option<&'static str>;

    fn visit(self, game: AnyGame) -> Self::Output {
        let start = match self.position {
            "" => game.start(),
            text => game.read_position(text).unwrap(),
        };
        let mut record = Record::from_position(game.clone(), start);
        for m in self.moves.split_whitespace() {
            let m = game.read_move(record.position(), m).unwrap();
            record.play(m).unwrap();
        }
        let mut prover = Prover::new(512 << 20);
        let solution = solved(&mut prover, &record, self.method);
        let turn = record.turn();
        solution
            .outcome
            .map(|outcome| search::proof::seen_by(outcome, turn))
    }
}

/// Who wins, by a method.
fn solved(prover: &mut Prover, record: &Record<AnyGame>, method: &str) -> Solution<AnyGame> {
    prover
        .solve(record, Question::by(method), None, &control(), &mut |_| ())
        .unwrap()
}

fn value(name: &str, variant: &str, moves: &str) -> &'static str {
    let (position, method) = ("", "df-pn");
    with(
        name,
        variant,
        Solve {
            position,
            moves,
            method,
        },
    )
    .unwrap()
}

#[test]
fn small_boards_have_their_known_values() {
    for (name, variant, expected) in [
        ("breakthrough", "size=3x4", "loss"),
        ("breakthrough", "size=4x4", "loss"),
        ("breakthrough", "size=4x5", "loss"),
        ("connect-four", "width=4 height=4", "draw"),
        ("connect-four", "width=4 height=5", "draw"),
        ("connect-four", "width=5 height=4", "draw"),
    ] {
        assert_eq!(value(name, variant, ""), expected, "{name} {variant}");
    }
}

#[test]
#[ignore = "seconds"]
fn connect_four_five_by_five_is_a_draw() {
    assert_eq!(value("connect-four", "width=5 height=5", ""), "draw");
}

#[test]
#[ignore = "a quarter of a minute"]
fn breakthrough_five_by_five_is_won_by_the_second_player() {
    assert_eq!(value("breakthrough", "size=5", ""), "loss");
}

#[test]
fn the_command_line_solves() {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_treeline"));
        let output = command.arg("solve").args(arguments).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        (said, output.status.success())
    };
    let (said, good) = run(&["--game", "hex", "size=3", "--moves", "b2 a1"]);
    assert!(good && said.starts_with("win "), "{said}");
    assert!(
        said.lines().nth(1).unwrap().ends_with("CPU seconds"),
        "{said}"
    );
    let (said, _) = run(&["--game", "hex", "size=3", "--each"]);
    let wins = said.lines().filter(|line| line.contains(" win ")).count();
    assert_eq!(wins, 5, "{said}");
    let (said, _) = run(&[
        "--game",
        "lines-of-action",
        "--seconds",
        "0.1",
        "--memory",
        "64",
    ]);
    assert!(said.starts_with("unknown\n"), "{said}");
    assert!(!run(&["--game", "chess"]).1);
    assert!(!run(&["--game", "hex", "--method", "exact"]).1);
    assert!(!run(&["--game", "hex", "--seconds", "never"]).1);
}

/// The most KiB that the process held; `None` where the system does not say.
fn peak(engine: &Engine) -> Option<u64> {
    let path = format!("/proc/{}/status", engine.child.id());
    let status = std::fs::read_to_string(path).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn solving_lends_the_searchers_memory_and_gives_it_back() {
    let game = "connect-four width=4 height=4";
    let mut engine = Engine::start(&["--game", game, "--set", "memory=48"]);
    engine.ok("set_option seconds off");
    engine.ok("set_option simulations 20000");
    engine.ok("set_option threads 1");
    engine.ok("reg_genmove b");
    let before = peak(&engine);
    engine.ok("set_option simulations off");
    engine.ok("set_option solve-method df-pn");
    assert!(engine.ok("solve").starts_with("draw "));
    let refusal = engine.refused("set_option solve-method guess");
    assert!(refusal.contains("auto|df-pn|exact"), "{refusal}");
    engine.ok("set_option simulations 20000");
    engine.ok("genmove b");
    assert_eq!(engine.stat("reused_nodes"), 0.0);
    assert_eq!(engine.stat("simulations"), 20000.0);
    if let (Some(before), Some(after)) = (before, peak(&engine)) {
        // Two owners would need some 30 MiB more.
        assert!(after < before + (16 << 10), "{before} KiB, then {after}");
    }
}
