//! What a search tells of its moves, and what goes on between them.

use crate::common::{Engine, piped, run};
use std::io::Write;
use std::time::Duration;

#[test]
fn analyses_say_what_is_proven_and_what_is_a_bound() {
    let first = |arguments: &[&str], moves: &[&str], wanted: &dyn Fn(&str) -> bool| {
        let (mut child, mut stdin, mut lines) = piped(arguments);
        for line in moves {
            writeln!(stdin, "{line}").unwrap();
            assert_eq!(lines.next().unwrap().trim(), "=");
            assert_eq!(lines.next().unwrap(), "");
        }
        writeln!(stdin, "lz-analyze 5").unwrap();
        assert_eq!(lines.next().unwrap(), "= ");
        // The first line that is as far as wanted.
        let found = lines.by_ref().find(|line| wanted(line)).unwrap();
        drop(stdin);
        lines.for_each(drop);
        assert!(child.wait().unwrap().success());
        found
    };
    // Black wins in column a; elsewhere White stops that, or wins in column b.
    let play = [
        "play b a", "play w b", "play b a", "play w b", "play b a", "play w b",
    ];
    let all = |line: &str| line.matches(" proven ").count() == 7;
    let line = first(&["--game", "connect-four"], &play, &all);
    let best = "info move a visits 1 winrate 10000 proven win order 0 pv a";
    assert!(line.starts_with(best), "{line}");
    assert!(!line.contains(" bound "), "{line}");
    let arguments = [
        "--game",
        "breakthrough",
        "--searcher",
        "alpha-beta",
        "--set",
        "threads=1",
    ];
    let bound = |line: &str| line.contains(" bound upper ");
    let line = first(&arguments, &[], &bound);
    // Those that are compared, and what stood among them; for one who asks for one, soon only the best.
    let exact = |line: &str| {
        let moves = line.split("info move ").skip(1);
        moves.take_while(|m| !m.contains(" bound ")).count()
    };
    assert!(exact(&line) >= 4, "{line}");
    let arguments = [&arguments[..], &["--set", "multipv=1"]].concat();
    first(&arguments, &[], &|line: &str| exact(line) == 1);
}

#[test]
fn pondering_serves_the_next_search_and_ends_with_any_line() {
    // The tree of a move is small; what is more was found on the opponent's time.
    let most = |ponder: &str| {
        let option = format!("ponder={ponder}");
        let arguments = ["--game", "lines-of-action", "--searcher", "mcts"];
        let set = [
            "--set",
            &option,
            "--set",
            "memory=128",
            "--set",
            "seconds=off",
            "--set",
            "nodes=20",
        ];
        let mut engine = Engine::start(&[&arguments[..], &set[..]].concat());
        let mut most = 0.0f64;
        for _ in 0..5 {
            engine.ok("genmove b");
            std::thread::sleep(Duration::from_millis(100));
            let reply = engine.ok("legal_moves");
            let reply = reply.split_whitespace().next().unwrap();
            engine.ok(&format!("play w {reply}"));
            engine.ok("reg_genmove b");
            most = most.max(engine.stat("reused_nodes"));
            engine.ok("undo");
            engine.ok("undo");
        }
        most
    };
    let (without, with) = (most("off"), most("on"));
    assert!(without < 200.0 && with > without + 50.0, "{without} {with}");
}

#[test]
fn a_searcher_that_ignores_its_network_says_so() {
    let said = |searcher: &str| {
        let network = ["--set", "network=breakthrough-inc128"];
        let arguments = [
            &["--game", "breakthrough", "--searcher", searcher],
            &network[..],
        ];
        let output = run(&arguments.concat(), "showboard\nquit\n");
        String::from_utf8(output.stderr).unwrap()
    };
    let text = said("mcts");
    let line = "mcts makes no use of the network breakthrough-inc128";
    assert_eq!(text.matches(line).count(), 1, "{text}");
    assert!(!said("alpha-beta").contains("no use"));
}
