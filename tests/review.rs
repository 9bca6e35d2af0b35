//! `treeline review`: what it finds is so, whatever form the game has, and what it writes can be read.

use crate::common::{Engine, run};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use treeline::files;
use treeline::game::{Notation, Player, Record, random};
use treeline::games::{AnyGame, ENTRIES, find};

/// The review of a game on standard input, as JSON.
fn review(arguments: &[&str], input: &str) -> Value {
    let output = run(&[&["review", "-", "--json"], arguments].concat(), input);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{input}: {said}");
    serde_json::from_slice(&output.stdout).unwrap()
}

const QUICK: &[&str] = &[
    "--set",
    "seconds=off",
    "--set",
    "nodes=200",
    "--set",
    "seed=1",
    "--threads",
    "2",
];

/// The value of a position for player one, by trying all moves to the end.
fn minimax(record: &Record<AnyGame>) -> i8 {
    if let Some(outcome) = record.outcome() {
        return outcome.value().0 as i8;
    }
    let values = record
        .moves()
        .iter()
        .map(|m| {
            let mut next = record.clone();
            next.play(*m).unwrap();
            minimax(&next)
        })
        .collect::<Vec<_>>();
    match record.turn() {
        Player::One => values.into_iter().max().unwrap(),
        Player::Two => values.into_iter().min().unwrap(),
    }
}

fn result(value: i8, player: Player) -> &'static str {
    match i32::from(value) * player.sign() {
        1 => "won",
        0 => "drawn",
        _ => "lost",
    }
}

/// Played out at random from the position after some random moves: both players give results away all the time.
#[test]
fn every_move_that_changes_the_result_is_found_on_a_small_board() {
    let words = "width=4 height=4 line=3";
    let game = find("connect-four").unwrap().open_variant(words).unwrap();
    let mut rng = random::seeded(5);
    let mut changed = 0;
    for _ in 0..6 {
        let mut record = Record::new(game.clone());
        let mut texts = Vec::new();
        let mut values = Vec::new();
        while record.outcome().is_none() {
            // Before that minimax takes long.
            values.push((texts.len() >= 6).then(|| minimax(&record)));
            let moves = record.moves();
            let m = moves[random::pick(&mut rng, moves.len() as u32) as usize];
            texts.push(game.write_move(record.position(), m));
            record.play(m).unwrap();
        }
        values.push(Some(minimax(&record)));
        let input = format!("game: connect-four {words}\n{}\n", texts.join(" "));
        let found = review(&["--seconds", "60", "--set", "memory=256"], &input);
        for (i, ply) in found["moves"].as_array().unwrap().iter().enumerate() {
            let player = if ply["player"] == "b" {
                Player::One
            } else {
                Player::Two
            };
            let [Some(before), Some(after)] = [values[i], values[i + 1]] else {
                continue;
            };
            assert_eq!(ply["provenBefore"], result(before, player), "{input} {ply}");
            assert_eq!(ply["provenAfter"], result(after, player), "{input} {ply}");
            let gave_away = before != after;
            assert_eq!(ply["mark"] == "gave-away", gave_away, "{input} {ply}");
            assert_eq!(ply["proven"], gave_away, "{input} {ply}");
            changed += u32::from(gave_away);
        }
    }
    assert!(changed > 3, "only {changed} moves changed a result");
}

/// What the match plays, the review reads; each move that changes the solver's result is found, and no other.
#[test]
fn every_move_that_changes_the_solvers_result_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().to_str().unwrap();
    let players = ["--player", "auto", "--player", "greedy", "--seconds", "0.1"];
    let games = ["--games", "2", "--seed", "9", "--results", results];
    let played = run(
        &[&["match", "connect-four"], &players[..], &games].concat(),
        "",
    );
    assert!(played.status.success(), "{played:?}");
    let file = folder.path().join("games.jsonl");
    let arguments = [
        "review",
        file.to_str().unwrap(),
        "--all",
        "--json",
        "--seconds",
        "60",
        "--set",
        "memory=256",
    ];
    let output = run(&arguments, "");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 2);
    let mut engine = Engine::start(&["--game", "connect-four", "--set", "memory=128"]);
    let mut changed = 0;
    for line in text.lines() {
        let found: Value = serde_json::from_str(line).unwrap();
        engine.ok("clear_board");
        let mut before = solved(&mut engine);
        for ply in found["moves"].as_array().unwrap() {
            let player = ply["player"].as_str().unwrap();
            engine.ok(&format!("play {player} {}", ply["move"].as_str().unwrap()));
            let after = solved(&mut engine);
            let gave_away = before != after;
            assert_eq!(ply["proven"], gave_away, "{ply}: {before} {after}");
            changed += u32::from(gave_away);
            before = after;
        }
        assert_eq!(
            found["result"].as_str().unwrap_or("none"),
            engine.ok("game_result")
        );
    }
    assert!(changed > 0, "nobody gave anything away");
}

/// Who wins with best play: `b`, `w` or `draw`.
fn solved(engine: &mut Engine) -> String {
    let turn = match engine.ok("game_result").as_str() {
        "none" => engine.ok("side_to_move"),
        result => return result.into(),
    };
    let other = if turn == "b" { "w" } else { "b" };
    let reply = engine.ok("solve 100");
    match reply.split(' ').next().unwrap() {
        "win" => turn,
        "loss" => other.into(),
        "draw" => "draw".into(),
        _ => panic!("{reply}"),
    }
}

#[test]
fn a_player_who_moves_twice_keeps_its_point_of_view() {
    // The last seed of house 3 falls into the store.
    let found = review(QUICK, "game: kalah\n3 6 1\n");
    let moves = found["moves"].as_array().unwrap();
    assert_eq!(
        (&moves[0]["player"], &moves[1]["player"]),
        (&"b".into(), &"b".into())
    );
    assert_eq!(moves[0]["after"], moves[1]["before"], "{found}");
    assert_ne!(moves[0]["after"], 50.0, "{found}");
    let (mine, theirs) = (moves[1]["after"].as_f64(), moves[2]["before"].as_f64());
    assert!(
        (mine.unwrap() + theirs.unwrap() - 100.0).abs() < 0.02,
        "{found}"
    );
}

/// The same game in each form that its game has gives the same review.
#[test]
fn the_form_of_a_game_does_not_matter() {
    let forms = [
        (
            "connect-four",
            vec![
                "game: connect-four\nd d c # third\n",
                "1. d d 2. c",
                "(;FF[4]XG[connect-four];B[d];W[d](;B[c])(;B[a]))",
                r#"{"game":"connect-four","a":"x","b":"y","a_first":true,"winner":null,"moves":["d","d","c"],"movers":"bwb"}"#,
            ],
        ),
        (
            "hex size=5 swap=on",
            vec![
                "game: hex size=5\nc3 swap b2\n",
                "(;FF[4]GM[11]SZ[5];B[c3];W[swap-pieces];B[b2])",
                "(;FF[4]EV[hex.ld.DEFAULT]PB[p]PW[q]SZ[5]RE[B];W[cc];B[swap];W[bb];B[resign])",
            ],
        ),
        (
            "draughts",
            vec![
                "game: draughts\n32-28 19-23 28x19\n",
                "[Event \"x\"]\n[GameType \"20\"]\n\n1. 32-28 19-23 {a remark} 2. 28x19 *\n",
            ],
        ),
    ];
    for (game, texts) in forms {
        let mut moves = Vec::new();
        for text in texts {
            let found = review(&[&["--game", game], QUICK].concat(), text);
            assert_eq!(found["moves"].as_array().unwrap().len(), 3, "{text}");
            moves.push(found["moves"].clone());
        }
        assert!(moves.windows(2).all(|two| two[0] == two[1]), "{moves:#?}");
    }
}

#[test]
fn the_annotated_record_is_the_game() {
    for entry in ENTRIES {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("game.sgf");
        let path = file.to_str().unwrap();
        let (input, position) = some_game(entry.name);
        let output = run(&[&["review", "-", "--sgf", path], QUICK].concat(), &input);
        assert!(output.status.success(), "{input} {output:?}");
        let mut engine = Engine::start(&[]);
        engine.ok(&format!("loadsgf {path}"));
        assert_eq!(engine.ok("position"), position, "{}", entry.name);
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains("PB[A \\] player]"), "{text}");
        let sheet = files::first(&text).unwrap();
        assert_eq!(sheet.names[0].as_deref(), Some("A ] player"), "{text}");
    }
}

/// Some random moves of a game as text, and the position after them.
fn some_game(name: &str) -> (String, String) {
    let game = find(name).unwrap().open_variant("").unwrap();
    let mut rng = random::seeded(3);
    let mut record = Record::new(game.clone());
    let mut texts = Vec::new();
    for _ in 0..6 {
        let moves = record.moves();
        let m = moves[random::pick(&mut rng, moves.len() as u32) as usize];
        texts.push(game.write_move(record.position(), m));
        record.play(m).unwrap();
    }
    let text = format!(
        "game: {name}\nblack: A ] player\nwhite: </script><b>\n{}\n",
        texts.join(" ")
    );
    (text, game.write_position(record.position()))
}

/// The page in a browser: every game has a board, keys go through the game, and nothing of the file becomes part of the page.
#[test]
fn the_page_shows_the_game_in_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    for entry in ENTRIES {
        let file = folder.path().join("game.html");
        let (input, _) = some_game(entry.name);
        let path = file.to_str().unwrap();
        let output = run(&[&["review", "-", "--html", path], QUICK].concat(), &input);
        assert!(output.status.success(), "{input} {output:?}");
        let page = std::fs::read_to_string(&file).unwrap();
        assert!(
            !page.contains("</script><b>") && !page.contains("http:") && !page.contains("https:"),
            "{}",
            entry.name
        );
        // What a reader does: to the end, back once, along the better line.
        let keys = "for (const key of ['End', 'ArrowLeft', 'ArrowDown']) \
                    document.dispatchEvent(new KeyboardEvent('keydown', { key }));";
        let page = page.replace("</body>", &format!("<script>{keys}</script></body>"));
        std::fs::write(&file, page).unwrap();
        let Some(shown) = in_browser(&file) else {
            // Past the test harness, which keeps what passing tests print.
            let text = b"SKIPPED: no chromium (in Debian's chromium)\n";
            std::io::stderr().write_all(text).unwrap();
            return;
        };
        let here = shown
            .split("<tr class=\"")
            .find(|row| row.split('"').next().unwrap().contains("here"));
        assert!(
            here.is_some_and(|row| row.contains("data-i=\"5\"")),
            "{}: {here:?}",
            entry.name
        );
        let says = shown.split("id=\"says\"").nth(1).unwrap();
        let says = says.split("</p>").next().unwrap();
        assert!(
            says.contains("5. ") || says.contains("better: "),
            "{}: {says}",
            entry.name
        );
        let pieces =
            shown.matches("data-is=\"b\"").count() + shown.matches("class=\"seeds\"").count();
        assert!(pieces > 1, "{}: {pieces} pieces", entry.name);
    }
}

/// The document after its scripts have run.
fn in_browser(page: &Path) -> Option<String> {
    let address = format!("file://{}", page.display());
    let fixed = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"];
    let output = ["chromium", "chromium-browser", "google-chrome"]
        .iter()
        .find_map(|name| Command::new(name).args(fixed).arg(&address).output().ok())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn what_cannot_be_reviewed_is_refused_with_a_reason() {
    for (arguments, input, reason) in [
        (&["-"][..], "", "no game in it"),
        (&["-"], "game: hex\n", "the game has no moves"),
        (&["-"], "game: chess\ne4\n", "unknown game 'chess'"),
        (&["-"], "game: hex\na1 a1\n", "the cell is occupied"),
        (&["-"], "(;GM[1]SZ[19];B[aa])", "a game of Go"),
        (&["-"], "(;GM[11]SZ[5];B[a1]", "cut off"),
        (&["-"], "[GameType \"25\"]\n1. 12-16 *", "game type 25"),
        (&["-"], "colour: b\n", "unknown word 'colour:'"),
        (&["-"], "1. d4 2. e3\n", "no game was named"),
        (&["-", "--number", "2"], "game: hex\na1\n", "it has 1 game"),
        (
            &["-", "--searcher", "random"],
            "game: kalah\n1\n",
            "random says no value",
        ),
        (
            &["-", "--searcher", "deep"],
            "game: kalah\n1\n",
            "unknown searcher 'deep'",
        ),
        (&["-", "--seconds", "soon"], "game: kalah\n1\n", "soon"),
        (
            &["-", "--threads", "2", "--set", "memory=32"],
            "game: kalah\n1 2\n",
            "cannot share",
        ),
        (&["/nowhere.sgf"], "", "/nowhere.sgf"),
        (
            &["-", "--html", "/nowhere/x.html"],
            "game: kalah\n1\n",
            "cannot write /nowhere/x.html",
        ),
    ] {
        let quick = ["--set", "seed=1"];
        let output = run(&[&["review"], arguments, &quick[..]].concat(), input);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{arguments:?} {input}");
        assert!(said.contains(reason), "{arguments:?} {input}: {said}");
        assert!(
            !said.contains("panicked") && output.stdout.is_empty(),
            "{said}"
        );
    }
}
