//! Searchers play with every kind of network, and a position's evaluation is shown.

use super::*;

#[test]
fn searchers_play_with_every_kind_of_network() {
    let folder = Folder::new("play");
    let files = [
        ("cnet(4,8)", 1),
        ("cnet(4,8)", 2),
        ("a0(1,8)", 2),
        ("fcgp(1,8)", 2),
        ("inc(16)", 1),
    ]
    .map(|(architecture, version)| {
        let weights = weights(architecture, "breakthrough", "size=5x6", version);
        let name = format!("{}{version}", architecture.split('(').next().unwrap());
        folder.network(&name, &weights)
    });
    let mut engine = quick(&["--game", "breakthrough size=5x6"]);
    engine.ok("set_option simulations 40");
    for searcher in [
        "auto",
        "alpha-beta",
        "ubfm",
        "descent",
        "greedy heuristic=default",
        "minimax plies=2 heuristic=default",
        "dqn",
        "nim-base",
        "nim-alpha",
        "nim-exploration",
        "nim-combined",
        "poc",
        "uct-net",
        "puct",
        "az",
        "three-stage",
        "mpv",
        "hybrid",
        "alphago",
        "polygames",
        "az-uct",
        "az-la",
        "az-all",
    ] {
        for file in &files {
            engine.ok(&format!("set_network {file}"));
            engine.ok(&format!("set_searcher {searcher}"));
            engine.ok("clear_board");
            let played = engine.ok("genmove b");
            assert_eq!(played.len(), 4, "{searcher} {file}: {played}");
            let stats = stats(&mut engine);
            assert_eq!(stats["network"], file.as_str(), "{searcher}");
            assert!(
                stats["evaluations"].as_u64().unwrap() > 0,
                "{searcher} {file}: {stats}"
            );
        }
    }
    // Where others judge, it is not named.
    for searcher in [
        "random",
        "mcts",
        "mcts-bl heuristic=ms",
        "alpha-beta heuristic=ms",
        "ubfm heuristic=ms",
        // The papers' benchmarks keep their heuristic.
        "greedy",
        "minimax plies=2",
        "alpha-beta-classic",
        "alpha-beta-depth-5",
        "mcts-alphas-la",
        "mcts-im-loa",
        "mcts-pb-mast",
    ] {
        engine.ok(&format!("set_searcher {searcher}"));
        engine.ok("clear_board");
        engine.ok("genmove b");
        let stats = stats(&mut engine);
        assert!(stats["network"].is_null(), "{searcher}: {stats}");
    }
}

/// What a plain forward pass says of a position: the value for the mover, and priors by move.
fn expected(weights: &Weights, e: usize, position: &str) -> (f64, Vec<(String, f64)>) {
    struct Ask<'a>(&'a Weights, usize, &'a str);
    impl Ask<'_> {
        fn visit(self, game: AnyGame) -> (f64, Vec<(String, f64)>) {
            let position = game.read_position(self.2).unwrap();
            let shape = game.shape(self.1);
            let mut planes = vec![0.0; shape.planes * shape.rows * shape.columns];
            game.write_planes(self.1, &position, &mut planes);
            let Network::Planes {
                plan,
                weights,
                meta,
            } = Network::load(self.0.clone()).unwrap()
            else {
                panic!("no network over planes")
            };
            let (value, logits) = Reference::new(&plan, &weights).forward(&planes);
            let value = value * f64::from(meta.scale);
            let value = match meta.view {
                View::Mover => value,
                View::PlayerOne => value * f64::from(game.turn(&position).sign()),
            };
            let mut policy = Vec::new();
            if !logits.is_empty() {
                let all = game.moves(&position);
                let output = |m: &AnyMove| game.policy_output(self.1, &position, *m);
                // Moves that share an output share what it gets.
                let sharers = |m: &AnyMove| all.iter().filter(|n| output(n) == output(m)).count();
                let weight = |m: &AnyMove| logits[output(m)].exp() / sharers(m) as f64;
                let sum: f64 = all.iter().map(weight).sum();
                policy = all
                    .iter()
                    .map(|m| (game.write_move(&position, *m), weight(m) / sum))
                    .collect();
            }
            (value, policy)
        }
    }
    let meta = &weights.meta;
    let entry = games::find(&meta.game).unwrap();
    Ask(weights, e, position).visit(entry.open_variant(&meta.variant).unwrap())
}

#[test]
fn evaluate_shows_what_the_network_computes() {
    let folder = Folder::new("evaluate");
    let mut engine = quick(&["--searcher", "alpha-beta"]);
    engine.ok("set_network none");
    let heuristics = engine.ok("evaluate");
    assert!(
        heuristics.starts_with("network none\ntuned "),
        "{heuristics}"
    );
    for (game, architecture, version, moves) in [
        ("breakthrough", "cnet(4,8)", 1, &["a2a3"][..]),
        ("breakthrough", "a0(1,8)", 2, &["a2a3"]),
        ("othello", "a0(1,8)", 2, &[]),
        ("lines-of-action", "a0(1,8)", 1, &["b1b3"]),
        ("hex", "fcgp(1,8)", 2, &["a4"]),
        ("hex", "fcgp(1,8)", 3, &["a4"]),
        ("kalah", "a0(1,8)", 2, &["3"]),
        ("connect-four", "a0(1,8)", 1, &["d"]),
        ("draughts", "a0(1,8)", 2, &["32-28"]),
        // The moves of a king in one direction share an output, and so do captures over one piece.
        ("draughts", "a0(1,8)", 2, &["W:W46,K28:B5"]),
        ("draughts", "a0(1,8)", 1, &["B:W33,20:BK14,K48"]),
    ] {
        let name = format!("{game} {architecture}");
        let mut weights = weights(architecture, game, "", version);
        weights.meta.scale = 0.5;
        let file = folder.network(&name.replace(' ', "-"), &weights);
        engine.ok(&format!("set_game {game}"));
        engine.ok(&format!("set_network {file}"));
        match moves.first() {
            Some(text) if text.contains(':') && game == "draughts" => {
                engine.ok(&format!("set_position {text}"))
            }
            Some(m) => engine.ok(&format!("play b {m}")),
            None => String::new(),
        };
        let shown = engine.ok("evaluate");
        let mut lines = shown.lines();
        assert_eq!(
            lines.next(),
            Some(&*format!("network {file}, {architecture}"))
        );
        let turn = engine.ok("side_to_move");
        let value = lines.next().unwrap().strip_prefix("value ").unwrap();
        let value = value
            .strip_suffix(&format!(" for {turn}, to move"))
            .unwrap();
        let (wanted, policy) = expected(&weights, version as usize - 1, &engine.ok("position"));
        assert!(
            (value.parse::<f64>().unwrap() - wanted).abs() < 1e-3,
            "{name}: {value}, {wanted}"
        );
        if policy.is_empty() {
            assert_eq!(lines.collect::<Vec<_>>(), ["policy none"], "{name}");
            continue;
        }
        let found: Vec<(&str, f64)> = lines
            .map(|line| {
                let mut words = line.strip_prefix("policy ").unwrap().split(' ');
                (
                    words.next().unwrap(),
                    words.next().unwrap().parse().unwrap(),
                )
            })
            .collect();
        assert_eq!(found.len(), policy.len(), "{name}");
        assert!(found.is_sorted_by(|a, b| a.1 >= b.1), "{name}: {found:?}");
        for (m, p) in &policy {
            let (_, shown) = found.iter().find(|(text, _)| text == m).unwrap();
            assert!((shown - p).abs() < 1e-3, "{name} {m}: {shown}, {p}");
        }
    }
}

#[test]
fn a_network_for_one_size_without_the_swap_plays_other_sizes_with_it() {
    let folder = Folder::new("sizes");
    let mut engine = quick(&["--searcher", "puct"]);
    let mut decisions = Vec::new();
    for times in [1.0, 10.0, -1.0, -10.0] {
        let mut weights = weights("fcgp(1,8)", "hex", "size=5", 3);
        // Some like the stone and others do not.
        let last = &mut weights.tensors.get_mut("value.dense2.weight").unwrap().data;
        last.iter_mut().for_each(|x| *x *= times);
        let file = folder.network(&format!("hex{times}"), &weights);
        for size in [3, 7, 19] {
            engine.ok(&format!("set_game hex size={size} swap=on"));
            engine.ok(&format!("set_network {file}"));
            engine.ok("play b c2");
            let shown = engine.ok("evaluate");
            let position = engine.ok("position");
            weights.meta.variant = format!("size={size}");
            weights.meta.shape = shape("hex", &weights.meta.variant, Some(2), true);
            let (value, policy) = expected(&weights, 2, &position);
            let number = |text: &str| {
                let line = shown.lines().find_map(|line| line.strip_prefix(text));
                let word = line.and_then(|line| line.split_whitespace().next());
                word.and_then(|word| word.parse::<f64>().ok()).unwrap()
            };
            // Whoever may swap has the better side; the odds of swapping follow from the value.
            assert!((number("value ") - value.abs()).abs() < 1e-3, "{shown}");
            let odds = (-4.0 * value).exp();
            let swaps = odds / (1.0 + odds);
            assert!(
                (number("policy swap-pieces ") - swaps).abs() < 2e-3,
                "{shown}"
            );
            for (m, share) in policy {
                let share = share * (1.0 - swaps);
                assert!((number(&format!("policy {m} ")) - share).abs() < 1e-3);
            }
            // So few that the odds decide.
            engine.ok("set_option simulations 2");
            decisions.push(engine.ok("genmove w") == "swap-pieces");
        }
    }
    assert!(decisions.contains(&true) && decisions.contains(&false));
}

/// Without the swap one opens in the middle; with it, where neither side would be much better.
#[test]
fn the_network_of_hex_opens_as_the_swap_bids() {
    let mut engine = quick(&["--searcher", "puct"]);
    let mut opens = |swap: &str| {
        engine.ok(&format!("set_game hex swap={swap}"));
        engine.ok("set_network hex-fcgp6x64");
        engine.ok("set_option simulations 100");
        engine.ok("set_option seconds off");
        let cell = engine.ok("genmove b");
        let column = i32::from(cell.as_bytes()[0] - b'a') - 5;
        let row = cell[1..].parse::<i32>().unwrap() - 6;
        column.abs().max(row.abs())
    };
    let middle = opens("off");
    assert!(middle <= 3, "{middle} columns or rows from the middle");
    assert!(opens("on") > middle);
}

/// A position of 17 empty squares. Networks that cost a thousand positions of the solver's each are not asked; whoever is asked,
/// the score is the same.
#[test]
fn only_fast_networks_advise_a_solver() {
    let folder = Folder::new("advice");
    let position = "2wwww2/b1wwwww1/bbwwbwbb/bwbwbbbb/bbbwbbbb/1bbwbwbb/2wbbb1b/4b3 w";
    let positions = |network: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_treeline"))
            .args(["solve", "--game", "othello", "--margin"])
            .args(["--network", network, "--position", position])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!said.contains("makes no use"), "{network}: {said}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut lines = text.lines();
        let verdict = lines.next().unwrap_or_default();
        assert!(verdict.starts_with("win +2 g8 "), "{network}: {text}");
        let count = lines.next().and_then(|line| line.split(' ').next());
        count.unwrap().parse::<u64>().unwrap()
    };
    let of = |name, architecture| {
        let weights = weights(architecture, "othello", "", 1);
        positions(&folder.network(name, &weights))
    };
    let alone = positions("none");
    assert_eq!(of("slow", "a0(1,8)"), alone);
    assert_ne!(of("fast", "inc(16)"), alone);
}
