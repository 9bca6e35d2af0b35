//! Hostile input never crashes, hangs, breaks the framing or changes the game.

use crate::common::{Engine, PATIENCE, dialogue, frames, small_settings};
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use treeline::game::{Rng, random};
use treeline::games;
use treeline::session::Selection;

const ROUNDS: u64 = if cfg!(debug_assertions) { 150 } else { 600 };

/// Pieces of lines: every command's name, and arguments that are nearly right.
fn words() -> Vec<String> {
    let mut words: Vec<String> = treeline::server::commands::all()
        .map(|c| c.name.into())
        .collect();
    words.extend(games::ENTRIES.iter().map(|entry| entry.name.to_string()));
    words.extend(treeline::search::entries().map(|entry| entry.name.to_string()));
    let more = "b w black WHITE p1 p2 x a1 a2a3 b7 d d3 e2e3 32-28 28x19 pass resign swap swap-pieces swap-sides 1 6 0 \
                -1 2147483647 2147483648 99999999999999999999 1e308 -1e308 nan inf 0.0 size=6 size=3x4 size=999 \
                houses=6 seeds=4 width=5 height=4 line=4 swap=on length=off draw-rules=off repetition=off key= =value \
                = exploration=0 plies=2 heuristic=ms heuristic=nonsense seconds simulations nodes depth threads margin \
                absolute canadian byoyomi none / // .. /dev/zero /proc/self/mem 8/8/8/8/8/8/8/8 W:W31:B20 # #x \u{e9} \
                \u{1f600} \u{202e} \u{feff} ' \" \\ ; ( ) % \t";
    words.extend(more.split(' ').map(String::from));
    words
}

fn line(words: &[String], rng: &mut Rng) -> Vec<u8> {
    let count = random::pick(rng, 6);
    let mut line = Vec::new();
    if random::pick(rng, 3) == 0 {
        line.extend(format!("{} ", random::word(rng) % 5_000_000_000).into_bytes());
    }
    for _ in 0..count {
        line.extend(words[random::pick(rng, words.len() as u32) as usize].as_bytes());
        line.push(if random::pick(rng, 20) == 0 {
            b'\t'
        } else {
            b' '
        });
    }
    for _ in 0..random::pick(rng, 8).saturating_sub(5) {
        let at = random::pick(rng, line.len() as u32 + 1) as usize;
        line.insert(at, random::word(rng) as u8);
    }
    // A loop that only ends with its input would not be bounded by it.
    line.push(b'\n');
    line
}

#[test]
fn nearly_right_lines_keep_the_framing() {
    let words = words();
    let settings = small_settings();
    for seed in 0..ROUNDS {
        let mut rng = random::seeded(seed);
        let entry = &games::ENTRIES[seed as usize % games::ENTRIES.len()];
        let mut input = format!("set_game {}\n", entry.name).into_bytes();
        let mut lines = 1;
        for _ in 0..40 {
            let next = line(&words, &mut rng);
            lines += next.iter().filter(|b| **b == b'\n').count();
            input.extend(next);
        }
        let output = dialogue(&input, &settings);
        assert!(frames(&output).len() <= lines, "seed {seed}");
        assert!(!output.contains("internal error"), "seed {seed}: {output}");
    }
}

#[test]
fn random_bytes_keep_the_framing() {
    let settings = small_settings();
    for seed in 0..ROUNDS {
        let mut rng = random::seeded(seed);
        let length = random::pick(&mut rng, 2000);
        let input: Vec<u8> = (0..length).map(|_| random::word(&mut rng) as u8).collect();
        frames(&dialogue(&input, &settings));
    }
}

#[test]
fn a_refused_line_changes_nothing() {
    let bad = [
        "play b",
        "play",
        "play x a1",
        "play b a9z",
        "play b \u{1f600}",
        "play w w w",
        "genmove",
        "genmove 7",
        "boardsize 1",
        "boardsize 0",
        "boardsize 99999999999",
        "boardsize 8 8 8",
        "set_game",
        "set_game chess",
        "set_game kalah x",
        "set_game hex size=1",
        "set_game kalah houses=9999999999999999999999",
        "set_position",
        "set_position x",
        "perft",
        "perft -1",
        "perft 5000000000",
        "undo 1",
        "komi x",
        "time_settings 1",
        "time_settings -1 0 0",
        "time_left b x 0",
        "kgs-time_settings",
        "kgs-time_settings byoyomi 1",
        "set_option",
        "set_option seconds",
        "set_option seconds -1",
        "set_option seconds 1 2",
        "set_option nonsense 1",
        "set_searcher",
        "set_searcher alphago-zero-zero",
        "set_searcher mcts exploration=-1",
        "set_searcher greedy heuristic=nonsense",
        "get_option",
        "get_option nonsense",
        "loadsgf",
        "loadsgf /nonexistent",
        "loadsgf /",
        "loadsgf /dev/zero",
        "gogui-play_sequence b",
        "gogui-setup b",
        "gogui-setup b zz",
        "gogui-setup_player",
        "known_command",
        "analyze x",
        "lz-analyze b 0",
        "reg_genmove",
        "quit now",
        "list_commands x",
        "showboard x",
        "printsgf a b",
        "name name",
        "unknown",
        "1unknown",
        "99999999999 name",
        "5",
        "cputime x",
        "clear_cache x",
        "position x",
        "legal_moves x",
        "final_score x",
        "search_stats x",
        "help nonsense",
    ];
    for entry in games::ENTRIES {
        let mut engine = Engine::start(&[
            "--game",
            entry.name,
            "--set",
            "simulations=20",
            "--set",
            "threads=1",
        ]);
        for colour in ["b", "w"] {
            if engine.ok("side_to_move") == colour {
                engine.ok(&format!("genmove {colour}"));
            }
        }
        let state = |engine: &mut Engine| {
            [
                "position",
                "legal_moves",
                "list_options",
                "showboard",
                "search_stats",
                "printsgf",
                "game_result",
            ]
            .map(|command| engine.ok(command))
        };
        let before = state(&mut engine);
        // Written by hand, since the client refuses to send some of these.
        let mut one = small_settings();
        one.game = Some(Selection::plain(entry.name));
        let output = dialogue((bad.join("\n") + "\n").as_bytes(), &one);
        let replies = frames(&output);
        assert_eq!(replies.len(), bad.len(), "{}: {output}", entry.name);
        for (line, reply) in bad.iter().zip(replies) {
            assert!(reply.starts_with('?'), "{}: {line}: {reply}", entry.name);
            assert!(reply.len() > 3, "{line} is refused without a reason");
            if !line.starts_with(|c: char| c.is_ascii_digit()) {
                engine.refused(line);
            }
        }
        assert_eq!(before, state(&mut engine), "{}", entry.name);
    }
}

#[test]
fn a_line_of_megabytes_is_refused_and_the_next_is_served() {
    let mut input = vec![b'x'; 3 << 20];
    input.extend(b"\n7 name\n");
    input.extend(vec![b'#'; 1 << 19]);
    input.extend(b"\n8 name\n");
    let output = dialogue(&input, &small_settings());
    let frames = frames(&output);
    assert_eq!(frames.len(), 3);
    assert!(
        frames[0].starts_with("? line of 3145728 bytes"),
        "{}",
        frames[0]
    );
    assert_eq!(frames[1..], ["=7 Treeline", "=8 Treeline"]);
}

#[test]
fn commands_during_a_search_wait_for_it() {
    let mut engine = Engine::start(&["--set", "seconds=0.3"]);
    let searching = engine.client.send("genmove b").unwrap();
    let mut ids = vec![searching];
    for line in [
        "name",
        "nonsense",
        "side_to_move",
        "play b a1a1",
        "genmove b",
        "game_result",
    ] {
        ids.push(engine.client.send(line).unwrap());
    }
    let replies: Vec<_> = ids
        .iter()
        .map(|_| engine.client.receive(PATIENCE).unwrap())
        .collect();
    let answered: Vec<u32> = replies.iter().filter_map(|reply| reply.id).collect();
    assert_eq!(answered, ids, "replies come in the order of the commands");
    assert_eq!(
        replies.iter().map(|r| r.ok).collect::<Vec<_>>(),
        [true, true, false, true, false, false, true]
    );
    assert_eq!(replies[3].text, "w");
}

/// Starts the binary, feeds it `input`, and returns the child with its stdin still open.
fn running(input: &str) -> std::process::Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_treeline"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .as_mut()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.stdin.as_mut().unwrap().flush().unwrap();
    child
}

/// Waits for the end; a process that hangs is killed and fails the test.
fn ends_cleanly(mut child: std::process::Child, what: &str) -> String {
    let mut stdout = child.stdout.take();
    let begin = Instant::now();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        if let Some(stdout) = &mut stdout {
            stdout.read_to_string(&mut text).unwrap();
        }
        text
    });
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{what}: {status}");
            return reader.join().unwrap();
        }
        if begin.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{what}: still running");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Long enough that only an early end can be the reason for a reply.
const LONG: &str = "set_option seconds 100000\n";
/// Without any limit.
const ENDLESS: &str = "set_option seconds off\nset_option linger 0.2\n";

#[test]
fn the_end_of_input_ends_a_search_without_a_limit() {
    let mut child = running(&format!("{ENDLESS}7 genmove b\n"));
    std::thread::sleep(Duration::from_millis(200));
    drop(child.stdin.take());
    let output = ends_cleanly(child, "end of input");
    let frames = frames(&output);
    assert!(
        frames.len() == 3 && frames[2].len() > 3 && frames[2].starts_with("=7 "),
        "{output}"
    );
}

#[test]
fn quit_ends_a_search_without_a_limit() {
    let child = running(&format!("{ENDLESS}7 genmove b\nanalyze w 1\n8 quit\n"));
    let output = ends_cleanly(child, "quit");
    assert!(output.ends_with("=8 \n\n"), "{output}");
}

#[test]
fn what_was_asked_before_quit_or_the_end_of_input_is_done_as_asked() {
    for end in ["quit\n", ""] {
        let mut child = running(&format!(
            "set_option linger 0\nset_option threads 1\nset_searcher mcts\n\
             set_option seconds 1.5\ngenmove b\n1 search_stats\n\
             set_option seconds off\nset_option simulations 3000\ngenmove w\n2 search_stats\n\
             clear_board\nset_option simulations off\nset_option depth 4\nset_searcher alpha-beta\ngenmove b\n3 search_stats\n\
             set_game breakthrough\n4 perft 4\n{end}"
        ));
        drop(child.stdin.take());
        let output = ends_cleanly(child, "a script");
        let stats = |id: &str| -> serde_json::Value {
            let all = frames(&output);
            let frame = all.iter().find_map(|frame| frame.strip_prefix(id));
            serde_json::from_str(frame.unwrap_or_else(|| panic!("{id} in {output}"))).unwrap()
        };
        assert!(stats("=1 ")["seconds"].as_f64() > Some(1.4), "{output}");
        assert_eq!(stats("=2 ")["simulations"], 3000, "{output}");
        assert!(stats("=3 ")["depth"].as_u64() >= Some(4), "{output}");
        assert_eq!(stats("=4 "), 256_036, "{output}");
    }
}

#[cfg(unix)]
#[test]
fn sigterm_ends_the_process_cleanly() {
    for command in ["genmove b\n", "perft 60\n", "analyze b 10\n", ""] {
        let mut child = running(&format!("{LONG}name\n{command}"));
        // Before it serves, the signal would end it as it ends any program.
        let (out, mut said) = (child.stdout.as_mut().unwrap(), Vec::new());
        while !said.ends_with(b"Treeline\n\n") {
            let mut byte = [0];
            out.read_exact(&mut byte).unwrap();
            said.push(byte[0]);
        }
        let killed = Command::new("kill")
            .args(["-TERM", &child.id().to_string()])
            .status()
            .unwrap();
        assert!(killed.success());
        let output = ends_cleanly(child, "SIGTERM");
        frames(&(String::from_utf8(said).unwrap() + &output));
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_ends_the_engine() {
    let deep = "set_game breakthrough size=6x6\nperft 900\nquit\n";
    for command in [
        "analyze b 1\n",
        "genmove b\n",
        "genmove b\nquit\n",
        deep,
        "",
    ] {
        // Its stdin stays open.
        let mut child = running(&format!("{LONG}{command}"));
        std::thread::sleep(Duration::from_millis(100));
        drop(child.stdout.take());
        ends_cleanly(child, "closed stdout");
    }
}

#[test]
fn an_interrupt_stops_what_came_before_it_and_nothing_after() {
    let mut engine = Engine::start(&["--searcher", "mcts", "--set", "seconds=100000"]);
    let first = engine.client.send("genmove b").unwrap();
    std::thread::sleep(Duration::from_millis(100));
    engine.client.interrupt().unwrap();
    let reply = engine.client.receive(PATIENCE).unwrap();
    assert_eq!((reply.id, reply.ok), (Some(first), true));
    engine.ok("set_option simulations 100");
    engine.ok("genmove w");
    assert_eq!(
        engine.stat("simulations"),
        100.0,
        "the old interrupt must not stop a later search"
    );
}

#[test]
fn input_that_outruns_the_engine_is_answered_in_full() {
    let mut child = running("");
    let mut stdin = child.stdin.take().unwrap();
    let lines = 200_000;
    let writer = std::thread::spawn(move || {
        for i in 0..lines {
            writeln!(stdin, "{i} name").unwrap();
        }
    });
    let output = ends_cleanly(child, "a flood");
    writer.join().unwrap();
    let frames = frames(&output);
    assert_eq!(frames.len(), lines);
    assert_eq!(frames[lines - 1], format!("={} Treeline", lines - 1));
}
