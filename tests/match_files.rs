//! Match files through the binary: conditions, openings, scoring, stopping, refusals.

use crate::common::matches::{Folder, play, referee};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

#[test]
fn other_conditions_are_refused_and_more_games_are_not() {
    let folder = Folder::new("conditions");
    // A match that has not begun may change in any way.
    let nobody = "[[engine]]\nname = \"x\"\ncommand = \"no-such-program-here\"\n[[engine]]\nsearcher = \"random\"\n";
    let refused = referee(&folder.file(&format!("game = \"hex\"\n{nobody}")))
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let text = |games: u32, seed: u32, plies: u32| {
        format!(
            "game = \"connect-four\"\ngames = {games}\nseed = {seed}\n\
             [[engine]]\nsearcher = \"random\"\nmemory = 32\n\
             [[engine]]\nname = \"other\"\nsearcher = \"minimax plies={plies}\"\nmemory = 32\n"
        )
    };
    play(&folder.file(&text(2, 1, 1)));
    for (games, seed, plies, what) in [
        (2, 2, 1, "seed was 1 and is now 2"),
        (2, 1, 2, "engines.other.command"),
    ] {
        let output = referee(&folder.file(&text(games, seed, plies)))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            said.contains(what) && said.contains("another place"),
            "{said}"
        );
    }
    play(&folder.file(&text(4, 1, 1)));
    assert_eq!(folder.games().len(), 4);
    // A smaller match counts its own games and loses none.
    let output = play(&folder.file(&text(2, 1, 1)));
    let row: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(row["games"], 2);
    assert_eq!(folder.games().len(), 4);
    // The same two in the other order have played already: nobody plays again, and what was won is lost.
    let four = text(4, 1, 1);
    let (head, engines) = four.split_at(four.find("[[engine]]").unwrap());
    let (first, second) = engines.split_at(engines.rfind("[[engine]]").unwrap());
    let mut rows = [
        head.to_string() + first + second,
        head.to_string() + second + first,
    ]
    .map(|text| {
        let output = play(&folder.file(&text));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    });
    assert_eq!(folder.games().len(), 4);
    let [row, turned] = &mut rows;
    for (name, other) in [("a", "b"), ("a_wins", "b_wins"), ("draws", "draws")] {
        assert_eq!(row[name], turned[other], "{name}");
    }
}

#[test]
fn an_engine_may_lie_where_its_path_has_a_blank() {
    let folder = Folder::new("a blank");
    fs::copy(env!("CARGO_BIN_EXE_treeline"), folder.path().join("other")).unwrap();
    play(&folder.file(
        "game = \"connect-four\"\ngames = 2\n\
         [[engine]]\nsearcher = \"random\"\nmemory = 32\n\
         [[engine]]\nname = \"other\"\ncommand = \"./other --searcher greedy\"\n\
         new-game = [\"set_game {game} {variant}\"]\n",
    ));
    assert_eq!(folder.games().len(), 2);
}

#[test]
fn a_match_goes_on_where_its_programs_have_moved() {
    let folder = Folder::new("moved");
    let binary = env!("CARGO_BIN_EXE_treeline");
    let text = |place: &str, searcher: &str| {
        fs::create_dir_all(folder.path().join(place)).unwrap();
        let program = folder.path().join(place).join("other");
        let _ = fs::remove_file(&program);
        fs::copy(binary, &program).unwrap();
        format!(
            "game = \"connect-four\"\ngames = 2\n\
             [[engine]]\nsearcher = \"random\"\nmemory = 32\n\
             [[engine]]\nname = \"other\"\ncommand = [{program:?}, \"--searcher\", \"{searcher}\"]\n\
             directory = {place:?}\nnew-game = [\"set_game {{game}} {{variant}}\"]\n"
        )
    };
    play(&folder.file(&text("here", "greedy")));
    let games = folder.games();
    assert_eq!(games.len(), 2);
    let journal = folder.path().join("match.results/games.jsonl");
    let kept = fs::read_to_string(&journal).unwrap();
    let header = kept.lines().next().unwrap();
    assert!(
        !header.contains(folder.path().to_str().unwrap()),
        "{header}"
    );
    // Another place, another path of our own program; games of an older referee had these places in their conditions.
    let older = header.replace("\"treeline\"", "\"/old/target/release/treeline\"");
    assert_ne!(older, header);
    let again = kept
        .replace(header, &older)
        .replace("Treeline ", "Treeline 0.0.1, not ");
    fs::write(&journal, again).unwrap();
    let more = text("there", "greedy").replace("games = 2", "games = 4");
    let output = play(&folder.file(&more));
    assert_eq!(folder.games().len(), 4);
    // Another build goes on, and it is said.
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("engine random was 'Treeline 0.0.1, not"),
        "{said}"
    );
    let refused = referee(&folder.file(&text("there", "minimax")))
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn a_sequential_test_stops_the_match() {
    let folder = Folder::new("sprt");
    let output = play(&folder.file(
        "game = \"breakthrough size=5x5\"\ngames = 400\nconcurrency = 2\n[sprt]\nelo0 = 0\nelo1 = 100\n\
         [[engine]]\nsearcher = \"minimax plies=2\"\nmemory = 32\n[[engine]]\nsearcher = \"random\"\nmemory = 32\n",
    ));
    let row: Value = serde_json::from_slice(&output.stdout).unwrap();
    let games = row["games"].as_u64().unwrap();
    assert!((4..200).contains(&games), "{row}");
    let table = fs::read_to_string(folder.path().join("match.results/table.md")).unwrap();
    assert!(
        table.contains("the first is at least 100 Elo stronger (H1)"),
        "{table}"
    );
}

#[test]
fn pairs_of_games_on_random_boards_are_scored_as_one() {
    let folder = Folder::new("pairs");
    let output = play(&folder.file(
        "game = \"kalah\"\ngames = 40\nscoring = \"pairs\"\nrepetitions = 5\n[openings]\nrandom-seeds = true\n\
         [[engine]]\nsearcher = \"greedy seed=1\"\nmemory = 32\n[[engine]]\nsearcher = \"minimax plies=2 seed=1\"\nmemory = 32\n",
    ));
    let row: Value = serde_json::from_slice(&output.stdout).unwrap();
    let counted = row["counted"].as_u64().unwrap() + row["discarded_pairs"].as_u64().unwrap();
    assert_eq!((row["games"].as_u64(), counted), (Some(40), 20));
    let mut boards: BTreeMap<String, u32> = BTreeMap::new();
    let mut score = [0, 0, 0, 0];
    let games = folder.games();
    for game in &games {
        *boards.entry(game["start"].to_string()).or_default() += 1;
    }
    assert!(
        boards.len() == 20 && boards.values().all(|count| *count == 2),
        "{boards:?}"
    );
    for number in 0..20 {
        let winners: Vec<&Value> = games
            .iter()
            .filter(|g| g["number"].as_u64().unwrap() / 2 == number)
            .map(|g| &g["winner"])
            .collect();
        let class = match (winners[0].as_str(), winners[1].as_str()) {
            (None, None) => 1,
            (Some("a"), Some("b")) | (Some("b"), Some("a")) => 3,
            (Some("a"), _) | (_, Some("a")) => 0,
            _ => 2,
        };
        score[class] += 1;
    }
    assert_eq!(row["a_wins"], score[0]);
    assert_eq!(row["draws"], score[1]);
    assert_eq!(row["b_wins"], score[2]);
    assert_eq!(row["discarded_pairs"], score[3]);
    let table = fs::read_to_string(folder.path().join("match.results/table.md")).unwrap();
    assert!(
        table.contains("Analysis of variance over 5 repetitions: F(1, 8)"),
        "{table}"
    );
}

#[test]
fn engine_files_openings_and_records() {
    let folder = Folder::new("files");
    fs::create_dir_all(folder.path().join("engines")).unwrap();
    // A dictionary that writes squares in capitals from the other side speaks to an engine that does not: it is refused a
    // legal move, or plays what is none.
    fs::write(
        folder.path().join("engines/base.toml"),
        "name = \"base\"\nsearcher = \"greedy\"\nmemory = 32\nstats = \"search_stats\"\n",
    )
    .unwrap();
    fs::write(
        folder.path().join("openings.txt"),
        "# two lines\na2a3 h7h6\n\nposition: 8/1w6/8/8/8/8/6b1/8 b # won\n",
    )
    .unwrap();
    let file = folder.file(
        "title = \"Files\"\ngame = \"breakthrough\"\ngames = 4\n[openings]\nfile = \"openings.txt\"\n\
         [[engine]]\nfile = \"engines/base.toml\"\nname = \"plain\"\n\
         [[engine]]\nfile = \"engines/base.toml\"\nname = \"confused\"\nmoves = { flip = \"rows\" }\n",
    );
    play(&file);
    for game in folder.games() {
        let number = game["number"].as_u64().unwrap();
        match number / 2 {
            0 => assert_eq!(
                (&game["moves"][0], &game["moves"][1]),
                (&"a2a3".into(), &"h7h6".into())
            ),
            _ => assert_eq!(game["start"], "8/1w6/8/8/8/8/6b1/8 b"),
        }
        assert_eq!(game["end"]["by"], "b", "{game}");
    }
    let results = folder.path().join("match.results");
    let sgf = fs::read_to_string(results.join("games.sgf")).unwrap();
    assert!(
        sgf.contains("EV[Files]") && sgf.contains("PB[plain]PW[confused]"),
        "{sgf}"
    );
    let plot = fs::read_to_string(results.join("plot.svg")).unwrap();
    assert!(
        plot.starts_with("<svg") && plot.contains("plain – confused"),
        "{plot}"
    );
    assert!(results.join("logs/plain-1.log").exists());
    // What the records say can be loaded again.
    let one = results.join("one.sgf");
    fs::write(&one, sgf.lines().next().unwrap()).unwrap();
    let mut engine = Command::new(env!("CARGO_BIN_EXE_treeline"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let commands = format!("loadsgf {}\nside_to_move\nquit\n", one.display());
    std::io::Write::write_all(&mut engine.stdin.take().unwrap(), commands.as_bytes()).unwrap();
    let said = String::from_utf8(engine.wait_with_output().unwrap().stdout).unwrap();
    assert!(!said.contains('?'), "{said}");
}

#[test]
fn what_a_match_file_gets_wrong_is_said_in_a_sentence() {
    let folder = Folder::new("wrong");
    let two = "[[engine]]\nsearcher = \"random\"\n[[engine]]\nsearcher = \"greedy\"\n";
    for (text, reason) in [
        (format!("game = \"chess\"\n{two}"), "unknown game 'chess'"),
        (
            format!("game = \"hex\"\ngame-count = 3\n{two}"),
            "unknown field `game-count`",
        ),
        (
            format!("game = [\"hex\", \"hex size=11\"]\n{two}"),
            "a game is named twice",
        ),
        (
            format!("game = \"hex\"\nscoring = \"pairs\"\ngames = 3\n{two}"),
            "even number",
        ),
        (
            format!("game = \"hex\"\n[time]\nseconds = 1\nmain = 3\n{two}"),
            "either seconds",
        ),
        (
            format!("game = \"hex\"\n[openings]\nrandom-seeds = true\n{two}"),
            "kalah",
        ),
        (format!("game = \"hex\"\n{two}seconds = nan\n"), "engine greedy: seconds"),
        (format!("game = \"hex\"\n{two}seconds = -1\n"), "engine greedy: seconds"),
        (format!("game = \"hex\"\n{two}seconds = inf\n"), "engine greedy: seconds"),
        (format!("game = \"hex\"\n{two}allowance = nan\n"), "engine greedy: allowance"),
        (format!("game = \"hex\"\n{two}allowance = -0.5\n"), "engine greedy: allowance"),
        (
            "game = \"hex\"\n[[engine]]\nsearcher = \"random\"\n[[engine]]\nname = \"x\"\nsearcher = \"greedy seconds=nan\"\n".into(),
            "engine x: seconds",
        ),
        (format!("game = \"hex\"\n[adjudication]\ndraw-after = 0\n{two}"), "draw-after"),
        (format!("game = \"hex\"\n[adjudication]\nvalue = 0.9\nmoves = 0\n{two}"), "moves"),
        (
            format!("game = \"hex\"\n[openings]\nfile = \"none.txt\"\n{two}"),
            "none.txt",
        ),
        (
            "game = \"hex\"\n[[engine]]\nsearcher = \"random\"\n".into(),
            "two engines or more",
        ),
        (
            "game = \"hex\"\n[[engine]]\nfile = \"none.toml\"\n".into(),
            "none.toml",
        ),
        (
            format!(
                "game = \"hex\"\n{two}[[engine]]\nname = \"x\"\ncommand = \"no-such-program-here\"\n"
            ),
            "no program 'no-such-program-here'",
        ),
        (
            format!(
                "game = \"hex\"\n{two}[[engine]]\nname = \"x\"\ncommand = \"no-such-program-here\"\nneeds = \"build it first\"\n"
            ),
            "no program 'no-such-program-here': build it first",
        ),
        (
            format!(
                "game = \"hex\"\n{two}[[engine]]\nname = \"x\"\ncommand = \"sh\"\nprotocol = \"hub\"\n"
            ),
            "for draughts",
        ),
        (
            format!("game = \"hex\"\n{two}[[engine]]\nname = \"x\"\ncommand = \"sh {{houses}}\"\n"),
            "{houses}",
        ),
        (
            format!("game = \"hex\"\n{two}[[engine]]\nname = \"x\"\ncommand = \"sh\"\ntime = \"time_setting\"\n"),
            "none of time_settings",
        ),
        (
            format!("game = \"hex\"\n{two}[[engine]]\nname = \"x\"\ncommand = \"sh\"\nstart = [\"boardsize {{size}}\"]\n"),
            "{size} is not filled in here",
        ),
        (
            format!("game = \"hex\"\n{two}[[engine]]\nsearcher = \"deep-thought\"\n"),
            "unknown searcher 'deep-thought'",
        ),
    ] {
        let output = referee(&folder.file(&text)).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{text}\n{said}");
        assert!(said.contains(reason) && said.lines().count() < 12, "{said}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn games_are_adjudicated_where_the_file_asks_for_it() {
    let folder = Folder::new("adjudication");
    let text = |rules: &str| {
        format!(
            "game = \"breakthrough size=5x5\"\ngames = 10\n[adjudication]\n{rules}\n\
             [[engine]]\nsearcher = \"minimax plies=2\"\nmemory = 32\nrestart = \"game\"\n\
             [[engine]]\nsearcher = \"minimax plies=3\"\nmemory = 32\n"
        )
    };
    play(&folder.file(&text("draw-after = 4")));
    for game in folder.games() {
        assert_eq!(game["moves"].as_array().unwrap().len(), 4);
        assert_eq!(
            (&game["end"]["cause"], &game["winner"]),
            (&"adjudication".into(), &Value::Null)
        );
    }
    let starts = |name: &str| {
        let log = folder
            .path()
            .join(format!("match.results/logs/{name}-1.log"));
        fs::read_to_string(log)
            .unwrap()
            .matches("# started")
            .count()
    };
    assert_eq!(
        (starts("minimax_plies=2"), starts("minimax_plies=3")),
        (10, 1)
    );
    fs::remove_dir_all(folder.path().join("match.results")).unwrap();
    play(&folder.file(&text("value = 1\nmoves = 1")));
    let adjudicated = |game: &&Value| game["end"]["cause"] == "adjudication";
    let games = folder.games();
    assert!(games.iter().filter(adjudicated).count() > 0, "{games:?}");
    for game in games.iter().filter(adjudicated) {
        assert!(!game["winner"].is_null(), "{game}");
    }
}
