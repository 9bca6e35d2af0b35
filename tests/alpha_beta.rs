//! `alpha-beta` and its presets have the value of `minimax` in every game and variant.

use treeline::eval::Evaluator;
use treeline::game::prelude::*;
use treeline::game::{Outcome, Player, Record, Rng, random};
use treeline::games::{AnyGame, AnyMove};
use treeline::search::{self, Control, Equipment, Found, Limits, Resources, Searcher, Stop};

/// A searcher, `NAME [key=value …]`.
fn build(game: &AnyGame, searcher: &str) -> Box<dyn Searcher<AnyGame>> {
    equipped(game, searcher, None)
}

/// The same with a network.
fn equipped(
    game: &AnyGame,
    searcher: &str,
    network: Option<&dyn Evaluator<AnyGame>>,
) -> Box<dyn Searcher<AnyGame>> {
    let mut words = searcher.split(' ');
    let name = words.next().unwrap();
    let mut values = search::find(name).unwrap().values();
    values.set_pairs(words).unwrap();
    let resources = Resources {
        threads: 1,
        memory: 4 << 20,
        seed: Some(1),
    };
    let equipment = Equipment {
        network,
        ..resources.into()
    };
    search::build(name, game, &values, equipment).unwrap()
}

fn run(
    searcher: &mut dyn Searcher<AnyGame>,
    record: &Record<AnyGame>,
    depth: Option<u32>,
    nodes: u64,
) -> Found<AnyGame> {
    let limits = Limits {
        depth,
        nodes: Some(nodes),
        ..Limits::default()
    };
    let control = Control::new(limits, Stop::default(), 1);
    searcher.search(record, &control, &mut |_| ())
}

/// Random moves, those that lead back to an earlier position preferred half of the time.
fn random_game(game: &AnyGame, rng: &mut Rng) -> Record<AnyGame> {
    let mut record = Record::new(game.clone());
    while record.outcome().is_none() {
        let moves = record.moves();
        let seen = |m: &AnyMove| {
            let key = game.key(&game.after(record.position(), *m));
            let steps = record.steps().iter();
            steps.clone().any(|step| game.key(&step.before) == key)
        };
        let mut m = moves[random::pick(rng, moves.len() as u32) as usize];
        if game.repetition().is_some() && random::pick(rng, 2) == 0 {
            m = moves.iter().copied().find(seen).unwrap_or(m);
        }
        record.play(m).unwrap();
    }
    record
}

for_every_game!(fixed_depths_are_those_of_minimax, depths);
/// Compares fixed depths with minimax from positions all over random games.
fn depths(game: &AnyGame, label: &str) {
    let mut rng = random::seeded(11);
    let plain = "table=off quiescence=off null-move=off late-moves=off single-reply=off lazy=off exact=off certain=off";
    let mut searchers = [
        "alpha-beta-classic table=off heuristic=default",
        &format!("alpha-beta {plain}"),
        &format!("alpha-beta {plain} pvs=off last-ply=off"),
        &format!("alpha-beta {plain} aspiration=off killers=off history=off"),
    ]
    .map(|text| (text.to_string(), build(game, text)));
    for _ in 0..4 {
        let mut record = random_game(game, &mut rng);
        let plies = record.steps().len();
        let step = 1 + plies / 12;
        while record.steps().len() > step {
            for _ in 0..step {
                record.undo();
            }
            for depth in [1, 2, 3] {
                let mut minimax = build(game, &format!("minimax plies={depth} heuristic=default"));
                let expected = run(minimax.as_mut(), &record, None, 4_000);
                if expected.stats.nodes >= 4_000 {
                    break;
                }
                for (name, searcher) in &mut searchers {
                    let found = run(searcher.as_mut(), &record, Some(depth), u64::MAX);
                    let place = game.write_position(record.position());
                    assert_eq!(
                        found.value,
                        expected.value,
                        "{} {name} at depth {depth} after {} plies: {place}",
                        label,
                        record.steps().len()
                    );
                }
            }
        }
    }
}

for_every_game!(fixed_depths_with_a_network_are_those_of_minimax, networks);
/// Compares fixed depths with minimax by the same network.
fn networks(game: &AnyGame, label: &str) {
    if game.features() == 0 {
        return;
    }
    let network = crate::common::inc_net::random_network(game, 24, 8, 3);
    let network: Option<&dyn Evaluator<AnyGame>> = Some(&network);
    let plain = "table=off quiescence=off null-move=off late-moves=off single-reply=off lazy=off exact=off certain=off prob-cut=off";
    let mut searchers = [
        "alpha-beta-classic table=off heuristic=default".to_string(),
        format!("alpha-beta {plain}"),
        format!("alpha-beta {plain} sorted=off"),
        format!("alpha-beta {plain} last-ply=off"),
    ]
    .map(|text| (equipped(game, &text, network), text));
    let mut rng = random::seeded(13);
    let mut compared = 0;
    for _ in 0..2 {
        let mut record = random_game(game, &mut rng);
        let step = 1 + record.steps().len() / 6;
        while record.steps().len() > step {
            for _ in 0..step {
                record.undo();
            }
            for depth in [1, 2, 3] {
                let text = format!("minimax plies={depth} heuristic=default");
                let mut minimax = equipped(game, &text, network);
                let expected = run(minimax.as_mut(), &record, None, 4_000);
                if expected.stats.nodes >= 4_000 {
                    break;
                }
                for (searcher, name) in &mut searchers {
                    let found = run(searcher.as_mut(), &record, Some(depth), u64::MAX);
                    let [found, expected] = [&found, &expected].map(|f| f.value.unwrap().0);
                    // Points are millionths.
                    assert!(
                        (found - expected).abs() <= 6e-7,
                        "{} {name} at depth {depth}: {found}, {expected}: {}",
                        label,
                        game.write_position(record.position())
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 10, "{}: {compared}", label);
}

for_every_game!(quiet_moves_of_the_last_ply_are_one_batch, quiescence);
/// Captures searched on with a network: the children of the last ply evaluated at once and each for itself.
fn quiescence(game: &AnyGame, label: &str) {
    const MOST: u64 = 50_000;
    if game.features() == 0 {
        return;
    }
    let network = crate::common::inc_net::random_network(game, 24, 8, 5);
    let network: Option<&dyn Evaluator<AnyGame>> = Some(&network);
    let plain = "table=off quiescence=on null-move=off late-moves=off single-reply=off lazy=off exact=off prob-cut=off sorted=off";
    let [mut batch, mut each] = ["on", "off"].map(|batch| {
        equipped(
            game,
            &format!("alpha-beta {plain} last-ply={batch}"),
            network,
        )
    });
    let mut rng = random::seeded(17);
    let mut compared = 0;
    for _ in 0..2 {
        let mut record = random_game(game, &mut rng);
        let step = 1 + record.steps().len() / 6;
        while record.steps().len() > step {
            for _ in 0..step {
                record.undo();
            }
            for depth in [1, 2, 3] {
                let [one, other] = [&mut batch, &mut each]
                    .map(|searcher| run(searcher.as_mut(), &record, Some(depth), MOST));
                // A random network orders no captures, and their sequences can be long.
                if one.stats.nodes >= MOST || other.stats.nodes >= MOST {
                    break;
                }
                let [found, expected] = [&one, &other].map(|f| f.value.unwrap().0);
                // Points are millionths.
                assert!(
                    (found - expected).abs() <= 6e-7,
                    "{label} at depth {depth}: {found}, {expected}: {}",
                    game.write_position(record.position())
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 10, "{label}: {compared}");
}

for_every_game!(results_are_those_of_minimax, results);
/// Compares results with those that minimax proves near the end of random games.
fn results(game: &AnyGame, label: &str) {
    let mut rng = random::seeded(12);
    let searchers = [
        "alpha-beta-classic heuristic=default",
        "alpha-beta certain=glance",
        "alpha-beta exact=off",
        "alpha-beta quiescence=on multi-cut=on",
    ]
    .map(|text| (text, build(game, text)));
    let mut searchers = Vec::from(searchers);
    if game.features() > 0 {
        let network = crate::common::inc_net::random_network(game, 24, 8, 3);
        let text = "alpha-beta exact=off prob-cut=0.1";
        searchers.push((text, equipped(game, text, Some(&network))));
    }
    let mut compared = 0;
    for _ in 0..12 {
        let mut record = random_game(game, &mut rng);
        for _ in 0..8 {
            if !record.undo() {
                break;
            }
            let minimax = |plies| {
                let mut minimax = build(game, &format!("minimax plies={plies} heuristic=default"));
                run(minimax.as_mut(), &record, None, 20_000)
            };
            // What is too much for a depth is so for those beyond.
            let mut whole = (1..=9)
                .map(minimax)
                .take_while(|found| found.stats.nodes < 20_000);
            let proof = whole.find(|found| found.proven.is_some());
            let Some(proof) = proof else { break };
            for (name, searcher) in &mut searchers {
                let found = run(searcher.as_mut(), &record, None, 2_000_000);
                let place = game.write_position(record.position());
                // A cut that can err may put a proof off, and a draw may hang on the way to its position; neither may
                // make a wrong proof.
                let by_path = game.repetition().is_some() && proof.proven == Some(Outcome::Draw);
                let excused = name.contains("-cut=") || by_path;
                if found.proven.is_none() && excused {
                    continue;
                }
                assert_eq!(
                    found.proven,
                    proof.proven,
                    "{} {name} after {} plies: {place}",
                    label,
                    record.steps().len()
                );
                assert_eq!(found.value, proof.value, "{} {name}: {place}", label);
                compared += 1;
            }
        }
    }
    assert!(compared >= 24, "{label}: only {compared} compared");
}

/// Nodes, evaluations and values of searches of the positions by `searcher`, after the commands.
fn searched(commands: &str, searcher: &str, positions: &[&str]) -> (f64, f64, Vec<f64>) {
    // Nor by time, of which a busy machine leaves little.
    let mut script = format!(
        "{commands}\nset_option simulations off\nset_option seconds off\nset_searcher {searcher}\n"
    );
    for position in positions {
        // Whose turn it is: White, which begins in draughts, is b.
        let side = match position.as_bytes() {
            [b'W', ..] => "b",
            [b'B', ..] => "w",
            [.., b'w'] => "w",
            _ => "b",
        };
        script += &format!("set_position {position}\nreg_genmove {side}\nsearch_stats\n");
    }
    let output = crate::common::dialogue(script.as_bytes(), &crate::common::small_settings());
    let stats = output.lines().filter_map(|line| line.strip_prefix("= {"));
    let stats: Vec<serde_json::Value> = stats
        .map(|rest| serde_json::from_str(&format!("{{{rest}")).unwrap())
        .collect();
    assert_eq!(stats.len(), positions.len(), "{output}");
    let numbers = |key: &str| -> Vec<f64> {
        let number = |of: &serde_json::Value| of[key].as_f64().unwrap();
        stats.iter().map(number).collect()
    };
    let all = |key| numbers(key).iter().sum();
    (all("nodes"), all("evaluations"), numbers("value"))
}

/// Positions of the middle game, searched with the network that comes with the program.
#[test]
fn shallow_searches_spare_most_of_a_deep_one_in_othello() {
    let search = |options: &str| {
        let (nodes, _, values) = searched(
            "set_option memory 64\nset_game othello\nset_option depth 8",
            &format!("alpha-beta exact=off {options}"),
            &[
                "8/2w1wb2/1bbwbb2/2wbwbb1/3bbww1/4bb2/6b1/8 b",
                "2w5/2w5/bbbbbb2/w1wbb3/1bwbbb2/8/8/8 w",
            ],
        );
        (nodes, values)
    };
    let (all, values) = search("prob-cut=off");
    let (spared, near) = search("");
    assert!(spared < all / 3.0, "{spared} of {all}");
    for (value, near) in values.iter().zip(near) {
        assert!((value - near).abs() < 0.2, "{value} {near}");
    }
    // By so many deviations nothing is spared, and nothing changes.
    assert_eq!(search("prob-cut=100").1, values);
}

/// With the network that comes with the program, which knows what a man is worth.
#[test]
fn a_man_more_or_less_spares_evaluations_in_draughts() {
    let search = |lazy: &str| {
        searched(
            "set_game draughts\nset_option depth 12",
            &format!("alpha-beta lazy={lazy}"),
            &[
                "W:W27,31,32,35,36,37,38,39,40,41,42,43,45,46,47,48,49:B1,2,3,4,6,7,8,9,10,11,12,13,16,18,19,20,23",
                "B:W28,30,32,33,34,37,38,39,43,48:B4,8,9,12,13,14,16,18,19,23",
            ],
        )
    };
    let ((_, all, values), (_, some, near)) = (search("off"), search("on"));
    assert!(some < 0.75 * all, "{some} of {all}");
    for (value, near) in values.iter().zip(near) {
        assert!((value - near).abs() < 0.1, "{value} {near}");
    }
}

#[test]
fn what_is_known_to_be_lost_is_defended() {
    let entry = treeline::games::find("hex").unwrap();
    let game = entry.open_variant("").unwrap();
    // Bridges from edge to edge.
    let text = "11/5b5/11/4b6/11/3b7/11/2b8/11/1b9/11 w";
    let at = game.read_position(text).unwrap();
    let record = Record::from_position(game.clone(), at);
    let mut knows = build(&game, "alpha-beta certain=glance");
    let found = run(knows.as_mut(), &record, None, 20_000);
    assert_eq!(found.proven, Some(Outcome::Win(Player::One)));
    assert_eq!(
        found.value,
        Some(Outcome::Win(Player::One).value().seen_by(Player::Two))
    );
    assert!(
        (15_000..=20_000).contains(&found.stats.nodes),
        "{:?}",
        found.stats
    );
    // The first move of all, which is what is left where all lose alike, is no answer to anything.
    assert_ne!(found.best, record.moves()[0]);
}
