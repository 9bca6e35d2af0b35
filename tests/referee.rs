//! The referee among engines that misbehave and under kills, through the binary.

use crate::common::matches::{Folder, play, referee};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

fn faulty() -> String {
    format!("{}/tests/engines/faulty.sh", env!("CARGO_MANIFEST_DIR"))
}

const HEAD: &str = "games = 2\npairing = \"first-against-all\"\nconcurrency = 40\n\
    [time]\nseconds = 10\nallowance = 5\n\
    [patience]\nstart = 20\nreply = 15\nquit = 2\n\
    [[engine]]\nname = \"good\"\nsearcher = \"random\"\nmemory = 32\nallowance = 600\n";

/// What misbehaves when, and the causes of which the record must name one; none where the games are not lost by it. On a slow
/// machine a flood may take longer to be one than the referee waits.
const GTP: &[(&str, &str, &[&str])] = &[
    ("start", "hang", &["hang"]),
    ("start", "flood-reply", &["flood", "hang"]),
    ("start", "flood-line", &["flood", "hang"]),
    ("start", "flood-garbage", &["garbage"]),
    ("start", "flood-blank", &["hang"]),
    ("start", "garbage", &["garbage"]),
    ("start", "binary", &["garbage"]),
    ("start", "exit", &["crash"]),
    ("start", "close", &["crash"]),
    ("start", "wrong-id", &["garbage"]),
    ("setup", "hang", &["hang"]),
    ("setup", "flood-reply", &["flood", "hang"]),
    ("setup", "garbage", &["garbage"]),
    ("setup", "exit", &["crash"]),
    ("setup", "close", &["crash"]),
    ("setup", "refuse", &["refusal"]),
    ("setup", "noise", &["hang"]),
    ("play", "hang", &["hang"]),
    ("play", "flood-line", &["flood", "hang"]),
    ("play", "garbage", &["garbage"]),
    ("play", "exit", &["crash"]),
    ("play", "close", &["crash"]),
    ("play", "refuse", &["refusal"]),
    ("genmove", "hang", &["time"]),
    ("genmove", "flood-reply", &["flood", "time"]),
    ("genmove", "flood-garbage", &["garbage"]),
    ("genmove", "flood-blank", &["time"]),
    ("genmove", "garbage", &["garbage"]),
    ("genmove", "binary", &["garbage"]),
    ("genmove", "exit", &["crash"]),
    ("genmove", "close", &["crash"]),
    ("genmove", "refuse", &["refusal"]),
    ("genmove", "wrong-id", &["garbage"]),
    ("genmove", "illegal", &["illegal-move"]),
    ("genmove", "empty", &["illegal-move"]),
    ("quit", "hang", &[]),
    ("quit", "flood-reply", &[]),
    ("quit", "garbage", &[]),
    ("quit", "exit", &[]),
];

/// Every misbehaving engine against a good one.
fn check(folder: &Folder, game: &str, protocol: &str, cases: &[(&str, &str, &[&str])]) {
    // Nobody else sleeps as long as this, other tests included, which run at the same time in this process.
    let number = ["gtp", "hub", "nboard"].iter().position(|p| *p == protocol);
    let nap = format!("{}.{}", 100_000 + std::process::id(), 1 + number.unwrap());
    let mut text = format!("game = \"{game}\"\n{HEAD}");
    // Whoever misbehaves before the first game is not let in: the first process of each is well-behaved.
    let script = folder.path().join("later.sh");
    let later = "mark=$1; shift\n[ -e \"$mark\" ] && exec \"$@\"\n: > \"$mark\"; exec \"$1\" \"$2\" none none\n";
    fs::write(&script, later).unwrap();
    for (phase, how, causes) in cases {
        // Only who is to lose by time is in a hurry.
        let allowance = if causes.contains(&"time") { 5 } else { 600 };
        let mark = folder.path().join(format!("{phase}-{how}.mark"));
        text.push_str(&format!(
            "[[engine]]\nname = \"{phase} {how}\"\nprotocol = \"{protocol}\"\nallowance = {allowance}\n\
             command = [\"sh\", {script:?}, {mark:?}, \"{}\", \"{protocol}\", \"{phase}\", \"{how}\", \"{nap}\"]\n",
            faulty()
        ));
    }
    let file = folder.file(&text);
    play(&file);
    let games = folder.games();
    assert_eq!(games.len(), 2 * cases.len());
    for game in &games {
        let name = game["b"].as_str().unwrap();
        let (phase, _, causes) = cases
            .iter()
            .find(|(phase, how, _)| name == format!("{phase} {how}"))
            .unwrap();
        let cause = game["end"]["cause"].as_str().unwrap();
        if causes.is_empty() {
            // It played on as well as it could; the fault came when nothing was left to lose.
            assert!(["rules", "illegal-move"].contains(&cause), "{game}");
            continue;
        }
        assert!(causes.contains(&cause), "{game}");
        assert_eq!(game["end"]["by"], "b", "{game}");
        assert_eq!(game["winner"], "a", "{game}");
        assert_eq!(game["end"]["phase"], *phase, "{game}");
    }
    let again = String::from_utf8(play(&file).stdout).unwrap();
    assert_eq!(folder.games().len(), games.len(), "nothing is played twice");
    assert_eq!(again.lines().count(), cases.len());
    assert_eq!(sleepers(&nap), 0, "engines are left behind");
}

/// Only Linux lets a referee have what left an engine's group.
#[cfg(target_os = "linux")]
#[test]
fn what_an_engine_started_ends_with_the_match() {
    let nap = format!("{}.7", 200_000 + std::process::id());
    let folder = Folder::new("orphans");
    let script = folder.path().join("engine.sh");
    // In a session of its own, and again one whose parent is gone by then.
    let engine = format!(
        "setsid sleep {nap} &\nsetsid sh -c 'setsid sleep {nap} & sleep {nap}' &\nexec \"$@\"\n"
    );
    fs::write(&script, engine).unwrap();
    let program = env!("CARGO_BIN_EXE_treeline");
    play(&folder.file(&format!(
        "game = \"breakthrough size=5x5\"\ngames = 2\nconcurrency = 2\n\
         [[engine]]\nsearcher = \"random\"\nmemory = 32\n\
         [[engine]]\nname = \"parent\"\nnew-game = [\"set_game {{game}} {{variant}}\"]\n\
         command = [\"sh\", {script:?}, \"{program}\", \"--set\", \"memory=32\", \"--searcher\", \"random\"]\n"
    )));
    assert_eq!(sleepers(&nap), 0, "processes are left behind");
}

/// Processes whose command line names `nap`; none where there is no /proc to look in.
fn sleepers(nap: &str) -> usize {
    let Ok(processes) = fs::read_dir("/proc") else {
        return 0;
    };
    let lines = processes.filter_map(|p| fs::read(p.unwrap().path().join("cmdline")).ok());
    lines
        .filter(|line| String::from_utf8_lossy(line).contains(nap))
        .count()
}

#[test]
fn misbehaviour_costs_the_game_and_nobody_else_anything() {
    check(&Folder::new("gtp"), "connect-four", "gtp", GTP);
}

#[test]
fn hub_and_nboard_engines_may_misbehave_too() {
    let both: &[(&str, &str, &[&str])] = &[
        ("start", "exit", &["crash"]),
        ("setup", "flood-line", &["flood", "hang"]),
        ("setup", "garbage", &["garbage"]),
        ("setup", "close", &["crash"]),
        ("genmove", "hang", &["time"]),
        ("genmove", "exit", &["crash"]),
        ("genmove", "garbage", &["garbage"]),
        ("genmove", "flood-garbage", &["garbage"]),
        ("genmove", "flood-blank", &["time"]),
        ("genmove", "wrong-move", &["illegal-move"]),
    ];
    // Only Hub has errors, and only its start is a question with an answer.
    let hub = [
        both,
        &[
            ("start", "hang", &["hang"]),
            ("setup", "error", &["refusal"]),
        ],
    ]
    .concat();
    // NBoard takes any line that it does not know for a mistake of the engine's: Hub's answer is one.
    let nboard: Vec<_> = both
        .iter()
        .copied()
        .filter(|(_, how, _)| *how != "wrong-move")
        .collect();
    // Both mostly wait.
    thread::scope(|scope| {
        scope.spawn(|| check(&Folder::new("hub"), "draughts", "hub", &hub));
        check(&Folder::new("nboard"), "othello", "nboard", &nboard);
    });
}

#[test]
fn an_engine_that_fails_before_the_first_game_ends_the_match() {
    let folder = Folder::new("greeting");
    let plain = folder.path().join("plain.txt");
    fs::write(&plain, "no program\n").unwrap();
    let faulty = faulty();
    let bad = |phase: &str, how: &str| {
        format!("command = [\"{faulty}\", \"gtp\", \"{phase}\", \"{how}\"]")
    };
    for (engine, reason) in [
        (bad("start", "exit"), "out of luck"),
        (bad("start", "garbage"), "Segmentation fault"),
        (bad("setup", "refuse"), "refused"),
        (format!("command = [{plain:?}]"), "cannot be executed"),
        (
            format!("{}\ndirectory = \"nowhere-at-all\"", bad("none", "none")),
            "no directory",
        ),
        (
            format!(
                "command = [{:?}]\nstart = [\"no_such_command\"]",
                env!("CARGO_BIN_EXE_treeline")
            ),
            "no_such_command",
        ),
        (
            format!(
                "command = [{:?}]\ntime = [\"no_such_time {{seconds}}\"]",
                env!("CARGO_BIN_EXE_treeline")
            ),
            "no_such_time",
        ),
    ] {
        for time in ["seconds = 1", "main = 60"] {
            let file = folder.file(&format!(
                "game = \"connect-four\"\ngames = 2\n[time]\n{time}\n\
                 [[engine]]\nname = \"good\"\nsearcher = \"random\"\nmemory = 32\n\
                 [[engine]]\nname = \"broken\"\n{engine}\n"
            ));
            let output = referee(&file).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{engine}\n{said}");
            assert!(
                said.contains("engine broken") && said.contains(reason),
                "{engine}\n{said}"
            );
            assert!(!folder.path().join("match.results").exists());
        }
    }
}

#[test]
fn a_clock_runs_down_over_several_moves() {
    let folder = Folder::new("clock");
    let file = folder.file(&format!(
        "game = \"connect-four\"\ngames = 2\nconcurrency = 2\n[time]\nmain = 5\nincrement = 0.1\nallowance = 0.1\n[openings]\nplies = 0\n\
         [[engine]]\nname = \"slow\"\ncommand = [\"{}\", \"gtp\", \"genmove\", \"slow\"]\n\
         [[engine]]\nname = \"good\"\nsearcher = \"random\"\nmemory = 32\n",
        faulty()
    ));
    play(&file);
    assert_eq!(folder.games().len(), 2);
    for game in folder.games() {
        // The first move is quick; of those of two seconds the third is one too many, if the game lasts so long.
        let seconds = game["work"][0]["seconds"].as_f64().unwrap();
        match game["end"]["cause"].as_str().unwrap() {
            "time" => assert!(seconds >= 5.0 && game["winner"] == "b", "{game}"),
            cause => assert!(cause == "rules" && seconds < 5.5, "{game}"),
        }
    }
}

/// What of a game is the same whenever it is played, for players without randomness.
fn essence(game: &Value) -> String {
    format!(
        "{} {} {} {} {}",
        game["a"], game["b"], game["number"], game["moves"], game["winner"]
    )
}

/// A match of fast games is killed `kills` times at random moments; in the end every game is there once, and as it is
/// without kills.
fn kill(name: &str, games: u32, kills: u32) {
    let text = format!(
        "game = \"breakthrough size=5x5\"\ngames = {games}\nconcurrency = 2\n[openings]\nplies = 3\n\
         [[engine]]\nname = \"greedy\"\nsearcher = \"greedy seed=1\"\nmemory = 32\n\
         [[engine]]\nname = \"deep\"\nsearcher = \"minimax plies=2 seed=1\"\nmemory = 32\n"
    );
    let calm = Folder::new(&format!("{name}-calm"));
    let begun = std::time::Instant::now();
    play(&calm.file(&text));
    let whole = begun.elapsed().as_secs_f64();
    let folder = Folder::new(name);
    let file = folder.file(&text);
    let mut rng = u64::from(std::process::id());
    let mut left = kills;
    let mut early = 0;
    let journal = folder.path().join("match.results/games.jsonl");
    let size = || fs::metadata(&journal).map_or(0, |data| data.len());
    while left > 0 {
        // The first line is there before the first game.
        let before = size().max(2000);
        let mut child = referee(&file)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The match is under way when a game has been added; splitmix64 says how much longer this one lives.
        while size() <= before && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        rng = rng.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let random = (rng ^ (rng >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40;
        let share = 1.6 * whole / f64::from(kills);
        std::thread::sleep(Duration::from_secs_f64(
            share * random as f64 / (1u64 << 24) as f64,
        ));
        if child.try_wait().unwrap().is_some() {
            // The match was over before its killer came: it starts over, so that each kill hits one that runs.
            early += 1;
            assert!(early < 1000);
            let text = fs::read_to_string(&journal).unwrap();
            let half: Vec<&str> = text.lines().take(1 + games as usize / 2).collect();
            // And the last of them is torn.
            fs::write(&journal, &half.join("\n")[..half.join("\n").len() - 7]).unwrap();
            continue;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        left -= 1;
    }
    play(&file);
    let keys: BTreeSet<String> = folder
        .games()
        .iter()
        .map(|g| g["number"].to_string())
        .collect();
    assert_eq!(
        (keys.len(), folder.games().len()),
        (games as usize, games as usize)
    );
    let sorted = |folder: &Folder| {
        let mut games: Vec<String> = folder.games().iter().map(essence).collect();
        games.sort();
        games
    };
    assert_eq!(sorted(&folder), sorted(&calm));
    eprintln!("{kills} kills in a match of {games} games of {whole:.1} s, {early} too late");
}

#[test]
fn a_match_survives_kills() {
    kill("kill", 40, 6);
}

/// The measured run is in docs/results/referee.md.
#[test]
#[ignore = "takes minutes; run it on an optimised build: cargo test --profile quick --test all referee:: -- --ignored --nocapture"]
fn a_match_of_200_games_survives_50_kills() {
    kill("kill-50", 200, 50);
}

#[test]
fn a_signal_ends_the_match_and_costs_nobody_a_game() {
    let folder = Folder::new("signal");
    let file = folder.file(
        "game = \"hex size=11\"\ngames = 4\nconcurrency = 2\n[time]\nseconds = 1000\n\
         [[engine]]\nname = \"one\"\nsearcher = \"minimax plies=20\"\nmemory = 32\n\
         [[engine]]\nname = \"two\"\nsearcher = \"random\"\nmemory = 32\n",
    );
    let mut child = referee(&file)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let journal = folder.path().join("match.results/games.jsonl");
    while !journal.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended early");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(500));
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .unwrap()
            .success()
    );
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{said}");
    assert!(said.contains("interrupted"), "{said}");
    assert_eq!(folder.games().len(), 0);
}

/// What the referee is short of is nobody's loss: the match ends with a sentence, and goes on another time.
#[cfg(target_os = "linux")]
#[test]
fn a_referee_without_file_handles_blames_nobody() {
    let folder = Folder::new("handles");
    let file = folder.file(
        "game = \"connect-four\"\ngames = 40\nconcurrency = 20\n\
         [[engine]]\nsearcher = \"random\"\nmemory = 32\n\
         [[engine]]\nsearcher = \"greedy\"\nmemory = 32\n",
    );
    let short = Command::new("sh")
        .args(["-c", "ulimit -n 40; exec \"$0\" match \"$1\" --json"])
        .arg(env!("CARGO_BIN_EXE_treeline"))
        .arg(&file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&short.stderr);
    assert_eq!(short.status.code(), Some(1), "{said}");
    assert!(
        said.contains("engine ") && said.contains("open files"),
        "{said}"
    );
    play(&file);
    assert_eq!(folder.games().len(), 40);
    for game in folder.games() {
        assert_eq!(game["end"]["cause"], "rules", "{game}");
    }
}
