//! Bundles of networks: pairs, networks by stage, both; and what is none.

use super::*;

/// A folder with networks for draughts, and one for Breakthrough.
fn folder() -> Folder {
    let folder = Folder::new("bundle");
    for (name, architecture) in [
        ("large", "a0(2,8,8)"),
        ("small", "a0(1,4,4)"),
        ("early", "a0(0,4,4)"),
        ("fast", "fast(0)"),
    ] {
        folder.network(name, &weights(architecture, "draughts", "", 2));
    }
    folder.network("other", &weights("cnet(4,8)", "breakthrough", "", 1));
    folder.network("mute", &weights("cnet(4,8)", "draughts", "", 2));
    folder
}

/// A bundle in `folder` with these lines; its path.
fn bundle(folder: &Folder, lines: &[&str]) -> String {
    let path = folder.path("bundle.toml");
    fs::write(&path, lines.join("\n")).unwrap();
    path
}

const MAIN: &str = "main = 'large'";
const SMALL: &str = "small = 'small'";
const EARLY: &str = "early = 'early'";
const FAST: &str = "playout = 'fast'";

#[test]
fn bundles_play_the_searchers_that_are_made_for_them() {
    let folder = folder();
    let mut engine = quick(&["--game", "draughts"]);
    engine.ok("set_option seconds off");
    engine.ok("set_option simulations 36");
    for (lines, searcher) in [
        (vec![MAIN, SMALL], "mpv"),
        (vec![MAIN, EARLY], "three-stage"),
        (vec![MAIN, SMALL, EARLY], "hybrid"),
        (vec![MAIN, SMALL, EARLY], "puct"),
        (vec![MAIN, FAST], "alphago"),
    ] {
        engine.ok(&format!("set_network {}", bundle(&folder, &lines)));
        engine.ok(&format!("set_searcher {searcher}"));
        engine.ok("clear_board");
        engine.ok("genmove b");
        let stats = stats(&mut engine);
        assert_eq!(stats["simulations"], 36, "{searcher}");
        assert!(
            stats["network"].as_str().unwrap().ends_with("bundle.toml"),
            "{stats}"
        );
        assert!(
            stats["evaluations"].as_u64().unwrap() > 20,
            "{searcher}: {stats}"
        );
        let shown = engine.ok("list_networks");
        let row = shown
            .lines()
            .find(|row| row.contains("bundle.toml"))
            .unwrap();
        assert_eq!(
            row.contains("early a0(0,4,4)"),
            lines.contains(&EARLY),
            "{row}"
        );
    }
}

#[test]
fn the_network_for_the_early_part_judges_it_and_no_other() {
    let folder = folder();
    let mut engine = quick(&["--game", "draughts"]);
    let mut value = |network: &str, position: &str| {
        engine.ok(&format!("set_network {network}"));
        engine.ok(&format!("set_position {position}"));
        engine.ok("evaluate")
    };
    let stages = bundle(&folder, &[MAIN, EARLY]);
    let start = "W:W31-50:B1-20";
    let kings = "W:W31-49,K5:B1-4,6-20";
    let few = "W:W31-34:B1-4";
    let number = |text: &str| -> f64 {
        let words = text
            .lines()
            .find(|line| line.starts_with("value"))
            .unwrap()
            .split_whitespace();
        words.filter_map(|word| word.parse().ok()).next().unwrap()
    };
    for (position, judge) in [(start, "early"), (kings, "large"), (few, "large")] {
        let by_bundle = value(&stages, position);
        let by_one = value(&folder.path(judge), position);
        assert_eq!(number(&by_bundle), number(&by_one), "{position}");
    }
}

#[test]
fn what_is_no_bundle_is_refused_with_its_file_and_the_reason() {
    let folder = folder();
    let mut engine = quick(&["--game", "draughts"]);
    for (lines, reason) in [
        (vec![MAIN], "a bundle names main with small, early, playout"),
        (vec![SMALL], "a bundle names main"),
        (vec![MAIN, SMALL, "large = 'x'"], "unknown field `large`"),
        (vec![MAIN, "small = 3"], "expected"),
        (vec!["main = "], "expected"),
        (vec![MAIN, "small = 'missing'"], "missing"),
        (vec![MAIN, "small = 'bundle.toml'"], "bundle.toml"),
        (
            vec![MAIN, "playout = 'mute'"],
            "playout draws moves by its policy, and cnet(4,8) in mute has none",
        ),
        (
            vec![MAIN, "early = 'other'"],
            "the first network is for draughts, and early for breakthrough",
        ),
    ] {
        let file = bundle(&folder, &lines);
        let refusal = engine.refused(&format!("set_network {file}"));
        assert!(
            refusal.contains(reason) && refusal.contains("bundle.toml"),
            "{lines:?}: {refusal}"
        );
    }
    let file = folder.path("bundle.toml");
    fs::write(&file, vec![b'#'; 70_000]).unwrap();
    let refusal = engine.refused(&format!("set_network {file}"));
    assert!(refusal.contains("more than 65536 bytes"), "{refusal}");
    fs::remove_file(&file).unwrap();
    let refusal = engine.refused(&format!("set_network {file}"));
    assert!(refusal.contains("bundle.toml"), "{refusal}");
    assert_eq!(engine.ok("get_option network"), "auto");
}
