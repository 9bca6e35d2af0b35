//! Searches with a network: what is asked of it, in which batches, and what becomes of the answers.

use super::super::edge::{Link, ONE};
use super::*;
use std::sync::atomic::Ordering::Relaxed;
use treeline_game::{ForOne, Outcome, Player, Rules};

/// Three replies to each of three moves; e and j end the game. The logits favour c.
const TREE: &str = "
    a 1 0.125: b@0.5 c@1.5 d@-1
    b 2 0.25: e f@2 g@-2
    c 2 -0.5: h@1 i@0.25 j@0
    d 1 0.75: k l m
    e draw
    f 1 0.5: z
    g 1 -0.25: z
    h 1 -0.75: z
    i 1 0.375: z
    j one
    k 2 0.1: z
    l 2 -0.3: z
    m 2 0.9: z
    z one";

/// Paths of `length / width` moves and more, `width` ways to go at each, which meet again.
pub fn wide(width: usize, length: usize) -> Synthetic {
    let mut text = String::new();
    for i in 0..length {
        let value = (i * 37 % 199) as f32 / 100.0 - 0.99;
        text += &format!("n{i} {} {value}:", 1 + i % 2);
        (1..=width).for_each(|step| text += &format!(" n{}", i + step));
        text += "\n";
    }
    for i in length..length + width {
        text += &format!("n{i} {}\n", ["one", "draw", "two"][i % 3]);
    }
    Synthetic::new(&text)
}

/// The edges of the children behind `edge` by number.
fn below(mcts: &Mcts<Synthetic>, edge: Index) -> Vec<Index> {
    let Link::Block(block) = mcts.tree.edge(edge).link() else {
        return Vec::new();
    };
    let mut edges: Vec<(Child, Index)> = mcts
        .tree
        .numbered(block)
        .map(|(index, edge)| (edge.played(), index))
        .collect();
    edges.sort_by_key(|(m, _)| *m);
    edges.into_iter().map(|(_, index)| index).collect()
}

fn near(found: f32, expected: f64) {
    let off = (f64::from(found) - expected).abs();
    assert!(off < 2e-7, "{found} is not {expected}");
}

/// A search of `TREE` with a network that can be asked what it was asked.
fn watched(options: &str, count: u64) -> (Mcts<Synthetic>, Written, Found<Synthetic>, Index) {
    let game = Synthetic::new(TREE);
    let network = Written::new(&game);
    let parts = composition_with(&game, options, &network);
    let mut mcts = with_evaluator(&game, parts, Box::new(network.clone()), 1, 1);
    let found = search(&mut mcts, &game, count);
    let root = root(&mut mcts, &game);
    (mcts, network, found, root)
}

pub const NIM: &str =
    "playout=none expand-after=0 solver=off alpha=0.8 exploration=0.0001 first-play=parent";
pub const PUCT: &str =
    "playout=none expand-after=0 solver=off explore=puct exploration=1 first-play=constant";

#[test]
fn nim_evaluates_all_children_of_a_node_in_one_call() {
    let (mcts, network, found, root) = watched(NIM, 1);
    // The root's three children; then d, the best, is made: k, l, m.
    assert_eq!(network.asked(), (2, 6));
    assert_eq!(found.stats.evaluations, 6, "the root's, too");
    assert_eq!((found.best, candidate(&found, 2)), (Child(2), (1, 0.75)));
    let d = below(&mcts, root)[2];
    // Its network value is the mean, m's its implicit minimax value: player one moves again.
    assert_eq!(mcts.tree.extra(d).implicit(), ForOne(0.9));
    assert_eq!(mcts.tree.extra(d).first(), ForOne(0.75));
    let values: Vec<f32> = below(&mcts, d)
        .into_iter()
        .map(|edge| mcts.tree.extra(edge).implicit().0)
        .collect();
    assert_eq!(values, [0.1, -0.3, 0.9]);
}

#[test]
fn ends_are_not_evaluated() {
    // Every node is made: of the thirteen others e, j and z are ends.
    let (_, network, found, _) = watched(&format!("{NIM} exploration=1"), 200);
    let (_, positions) = network.asked();
    assert_eq!(positions, 3 + 2 + 2 + 3);
    assert_eq!(found.stats.playouts, 0);
}

#[test]
fn puct_asks_for_a_leaf_and_its_policy_together() {
    let (mcts, network, found, root) = watched(PUCT, 3);
    // The root, and three leaves.
    assert_eq!(network.asked(), (4, 4));
    assert_eq!(network.counts.policies.load(Relaxed), 4);
    assert_eq!(network.counts.largest.load(Relaxed), 1);
    let edges = below(&mcts, root);
    let sum = 0.5f64.exp() + 1.5f64.exp() + (-1.0f64).exp();
    for (edge, logit) in edges.iter().zip([0.5f64, 1.5, -1.0]) {
        near(mcts.tree.extra(*edge).prior(), logit.exp() / sum);
    }
    // First c, by its prior 0.67; its value is -0.5. Then b, 0.25 against -0.5 + 0.67/2; then b's child.
    assert_eq!(candidate(&found, 1), (1, -0.5));
    assert_eq!(candidate(&found, 0).0, 2);
    let b = mcts.tree.extra(edges[0]);
    assert_eq!(b.first(), ForOne(0.25));
    // f has by far the largest prior below b, for player two its value is no matter.
    let f = below(&mcts, edges[0])[1];
    assert_eq!(mcts.tree.edge(f).visits(), 1);
    let mean = (0.25 + 0.5) / 2.0;
    assert_eq!(candidate(&found, 0).1, mean);
}

#[test]
fn without_a_policy_priors_come_from_the_children_s_values() {
    let text: String = TREE
        .lines()
        .map(|line| {
            let words = line.split(' ').map(|word| word.split('@').next().unwrap());
            words.collect::<Vec<_>>().join(" ") + "\n"
        })
        .collect();
    let game = Synthetic::new(&text);
    assert!(!game.has_policy());
    let mut mcts = networked(&game, &format!("{PUCT} prior-temperature=0.5"), 1, 1);
    search(&mut mcts, &game, 1);
    let root = root(&mut mcts, &game);
    let values = [0.25f64, -0.5, 0.75].map(|v| (v / 0.5).exp());
    let edges = below(&mcts, root);
    for (edge, weight) in edges.iter().zip(values) {
        near(
            mcts.tree.extra(*edge).prior(),
            weight / values.iter().sum::<f64>(),
        );
    }
    // d was visited first; a heuristic in the network's place gives the same.
    assert_eq!(mcts.tree.edge(edges[2]).visits(), 1);
    let mut plain = searcher(&game, &format!("{PUCT} prior-temperature=0.5"), 1, 1);
    let found = search(&mut plain, &game, 1);
    assert_eq!(found.best, Child(2));
}

#[test]
fn a_batch_is_one_call() {
    let game = wide(12, 300).with_policy(3);
    let network = Written::new(&game);
    for options in [PUCT, NIM, "playout=none exploration=0.3 solver=off"] {
        let options = format!("{options} batched=16");
        let parts = composition_with(&game, &options, &network);
        let mut mcts = with_evaluator(&game, parts, Box::new(network.clone()), 1, 1);
        let (before, _) = network.asked();
        let found = search(&mut mcts, &game, 320);
        assert_eq!(found.stats.simulations, 320);
        let calls = network.asked().0 - before;
        // Twenty rounds, and the root.
        assert!((1..=21).contains(&calls), "{options}: {calls}");
        let visits: u64 = found.candidates.iter().map(|c| c.visits).sum();
        assert_eq!(visits, 320);
    }
    assert!(network.counts.largest.load(Relaxed) > 16);
}

#[test]
fn no_call_is_larger_than_a_look_at_the_clock_may_wait_for() {
    let game = wide(100, 400);
    let network = Written::new(&game);
    let options = format!("{NIM} batched=1024 exploration=1");
    let parts = composition_with(&game, &options, &network);
    let mut mcts = with_evaluator(&game, parts, Box::new(network.clone()), 1, 1);
    let found = search(&mut mcts, &game, 4096);
    assert_eq!(found.stats.simulations, 4096);
    let largest = network.counts.largest.load(Relaxed);
    assert!((1024..1024 + 100).contains(&largest), "{largest}");
}

#[test]
fn gumbel_halves_at_the_root() {
    // Whatever is visited below b, c and d, they are worth what the text says.
    let text = "a 1 0: b@0.5 c@1.5 d@-1\n b 2 0.25: b\n c 2 -0.5: c\n d 2 0.75: d";
    let game = Synthetic::new(text);
    let options = format!("{PUCT} root=gumbel gumbel-noise=0 gumbel-moves=2");
    let mut mcts = networked(&game, &options, 1, 1);
    let found = search(&mut mcts, &game, 8);
    // c and b have the largest priors; with two moves every phase is the last.
    assert_eq!([0, 1, 2].map(|m| candidate(&found, m).0), [4, 4, 0]);
    // Of moves with equal visits the better is played.
    assert_eq!(found.best, Child(0));
    // Three moves: 8/(2·3) = 1 each, 8/(2·2) = 2 for each of the better two, and one more for the best.
    let three = format!("{PUCT} root=gumbel gumbel-noise=0");
    let found = search(&mut networked(&game, &three, 1, 1), &game, 8);
    assert_eq!([0, 1, 2].map(|m| candidate(&found, m).0), [3, 1, 4]);
    assert_eq!(found.best, Child(2));
    // Time instead of simulations: passes.
    let control = Control::new(
        Limits {
            nodes: Some(30),
            ..Limits::default()
        },
        Stop::default(),
        1,
    );
    let record = Record::new(game.clone());
    let found = networked(&game, &three, 1, 1).search(&record, &control, &mut |_| ());
    assert_eq!(found.best, Child(2));
    let visits = [0, 1, 2].map(|m| candidate(&found, m).0);
    // A pass is one visit each, and one more for the better two.
    assert!(visits[1] >= 5, "{visits:?}");
    assert_eq!((visits[0], visits[2]), (2 * visits[1], 2 * visits[1]));
}

#[test]
fn noise_at_the_root_moves_the_search_and_is_seeded() {
    let game = wide(4, 300).with_policy(3);
    let visits = |options: &str, seed| {
        let mut mcts = networked(&game, options, 1, seed);
        let found = search(&mut mcts, &game, 60);
        [0, 1, 2, 3].map(|m| candidate(&found, m).0)
    };
    let noisy = format!("{PUCT} exploration=20 root-noise=1 root-noise-alpha=0.05");
    let quiet = format!("{PUCT} exploration=20");
    // One random number more is drawn with noise, so that the order of children is another; visits hardly depend on it.
    let found: Vec<[u64; 4]> = (0..6).map(|seed| visits(&noisy, seed)).collect();
    assert_eq!(found[0], visits(&noisy, 0));
    assert!(found.iter().any(|v| *v != found[0]), "{found:?}");
    let most = |v: &[u64; 4]| (0..4).max_by_key(|i| v[*i]).unwrap();
    let expected = most(&visits(&quiet, 0));
    assert!((0..6).all(|seed| most(&visits(&quiet, seed)) == expected));
    assert!(found.iter().any(|v| most(v) != expected), "{found:?}");
}

#[test]
fn one_of_the_top_children_is_chosen() {
    // Values only, d before b before c; never made again since everything is at the root.
    let share = |options: &str| {
        let mut counts = [0u64; 3];
        for seed in 0..30 {
            let game = Synthetic::new(TREE);
            let options = format!("{NIM} alpha=1 {options}");
            let found = search(&mut networked(&game, &options, 1, seed), &game, 1);
            for (m, count) in counts.iter_mut().enumerate() {
                *count += candidate(&found, m as u8).0;
            }
        }
        counts
    };
    assert_eq!(share(""), [0, 0, 30]);
    assert_eq!(share("top=1"), [0, 0, 30]);
    let two = share("top=2");
    assert!(two[1] == 0 && two[0] > 5 && two[2] > 5, "{two:?}");
    let three = share("top=3");
    assert!(three.iter().all(|n| *n > 2), "{three:?}");
    // A large constant among the top two: the one with fewer visits.
    let game = Synthetic::new(TREE);
    let options = format!("{NIM} top=2 top-exploration=50");
    let found = search(&mut networked(&game, &options, 1, 1), &game, 20);
    assert_eq!([0, 1, 2].map(|m| candidate(&found, m).0), [10, 0, 10]);
    // d's 0.75 against b's 0.25 times a factor up to 11.
    let random = share("random-factor=10");
    assert!(
        random[0] > 0 && random[1] == 0 && random[2] > 15,
        "{random:?}"
    );
}

#[test]
fn virtual_losses_are_taken_back() {
    let game = wide(8, 300).with_policy(3);
    for options in [NIM, PUCT] {
        for virtual_loss in ["0", "0.3", "1"] {
            let options = format!("{options} batched=8 virtual-loss={virtual_loss}");
            let mut mcts = networked(&game, &options, 1, 1);
            search(&mut mcts, &game, 400);
            let root = root(&mut mcts, &game);
            let sum = |edge: Index| mcts.tree.edge(edge).sum();
            // What is left at a node is the sum of what its children have and of its own value, by player.
            for index in below(&mcts, root) {
                let edge = mcts.tree.edge(index);
                let visits = i64::from(edge.visits());
                assert!(sum(index).abs() <= visits * ONE, "{options}");
                let at = game.after(&game.start(), edge.played());
                let sign = i64::from(game.turn(&game.start()).sign() * game.turn(&at).sign());
                let children: i64 = below(&mcts, index).into_iter().map(sum).sum();
                let own = mcts
                    .tree
                    .extra(index)
                    .first()
                    .seen_by(game.turn(&game.start()))
                    .0;
                let rest = (sum(index) - sign * children) as f64 / ONE as f64;
                // Its own value was backed up once or, by collisions within a batch, a few times.
                let below_visits: i64 = below(&mcts, index)
                    .into_iter()
                    .map(|edge| i64::from(mcts.tree.edge(edge).visits()))
                    .sum();
                let times = (visits - below_visits) as f64;
                assert!(
                    (rest - times * f64::from(own)).abs() < 1e-4,
                    "{options}: {rest}"
                );
            }
        }
    }
}

#[test]
fn a_network_guides_play_outs_that_ask_for_static_values() {
    // Greedy by the network: from a to d (0.75), from d to m (0.9), to the end.
    let game = Synthetic::new(TREE);
    let network = Written::new(&game);
    let run = |options: &str| {
        let parts = composition_with(&game, options, &network);
        let before = network.asked().1;
        let mut mcts = with_evaluator(&game, parts, Box::new(network.clone()), 1, 1);
        search(&mut mcts, &game, 1);
        network.asked().1 - before
    };
    assert!(run("playout=greedy epsilon=0 solver=off") >= 2);
    assert_eq!(run("fet=0"), 1);
    assert_eq!(run("fet=0 playout-heuristic=written"), 0);
    assert_eq!(run("playout=greedy playout-heuristic=written"), 0);
    assert_eq!(run(""), 0, "random play-outs ask nobody");
    assert_eq!(run("playout=mast"), 0);
}

#[test]
fn every_preset_runs_with_a_network_and_without() {
    let games = [wide(5, 100), wide(5, 100).with_policy(1)];
    const NETWORKED: &[&str] = &[
        "nim-base",
        "nim-exploration",
        "nim-alpha",
        "nim-combined",
        "poc",
        "uct-net",
        "uct-net-batched",
        "puct",
        "polygames",
        "az-uct",
        "az-la",
        "az-all",
    ];
    for game in &games {
        for entry in ENTRIES {
            let network = Written::new(game);
            let resources = Resources {
                threads: 2,
                memory: 8 << 20,
                seed: None,
            };
            for with in [false, true] {
                let equipment = Equipment {
                    resources,
                    network: with.then_some(&network as &dyn Evaluator<Synthetic>),
                    teaching: false,
                    tuning: treeline_game::Tuning::DEFAULT,
                };
                let values = entry.values();
                let mut built = crate::build(entry.name, game, &values, equipment).unwrap();
                let record = Record::new(game.clone());
                let found = built.search(&record, &simulations(60), &mut |_| ());
                assert!(record.moves().contains(&found.best), "{}", entry.name);
                let solved = found.proven.is_some();
                assert!(solved || found.stats.simulations == 60, "{}", entry.name);
                if NETWORKED.contains(&entry.name) {
                    assert!(found.stats.evaluations > 0, "{}", entry.name);
                }
            }
            let asked = network.asked().1 > 0;
            let own = entry.preset.iter().any(|(name, _)| *name == "heuristic");
            assert!(!(asked && own), "{}", entry.name);
            assert!(asked || !NETWORKED.contains(&entry.name), "{}", entry.name);
        }
    }
}

#[test]
fn a_heuristic_asked_for_by_name_keeps_the_network_out() {
    let game = wide(5, 100);
    let network = Written::new(&game);
    let equipment = Equipment {
        resources: Resources {
            threads: 1,
            memory: 8 << 20,
            seed: Some(1),
        },
        network: Some(&network as &dyn Evaluator<Synthetic>),
        teaching: false,
        tuning: treeline_game::Tuning::DEFAULT,
    };
    let mut values = crate::find("nim-alpha").unwrap().values();
    values.set("heuristic", "written").unwrap();
    let mut built = crate::build("nim-alpha", &game, &values, equipment).unwrap();
    let found = built.search(&Record::new(game), &simulations(30), &mut |_| ());
    assert!(found.stats.evaluations > 0);
    assert_eq!(network.asked(), (0, 0));
}

#[test]
fn the_tree_is_kept_between_moves() {
    let game = wide(8, 300).with_policy(3);
    for options in [
        NIM,
        PUCT,
        "playout=none expand-after=0 alpha=0.5 root=gumbel solver=off",
    ] {
        let network = Written::new(&game);
        let parts = composition_with(&game, options, &network);
        let mut mcts = with_evaluator(&game, parts, Box::new(network.clone()), 1, 1);
        let mut record = Record::new(game.clone());
        let first = mcts.search(&record, &simulations(400), &mut |_| ());
        record.play(first.best).unwrap();
        let visits = first.candidates[0].visits;
        let before = network.asked().1;
        let second = mcts.search(&record, &simulations(1), &mut |_| ());
        // The first visit of all ended with the move itself.
        assert_eq!(second.stats.reused_nodes, visits - 1, "{options}");
        assert!(
            network.asked().1 - before <= 60,
            "only the new leaf is asked for"
        );
        let total =
            |found: &Found<Synthetic>| found.candidates.iter().map(|c| c.visits).sum::<u64>();
        assert!(total(&second) > 50, "{options}: {}", total(&second));
        // Undone and played again: what began further down counts no visits here, which would have no results.
        record.undo();
        let third = mcts.search(&record, &simulations(1), &mut |_| ());
        assert_eq!(third.stats.reused_nodes, 400, "{options}");
        assert_eq!(total(&third), 401, "{options}");
    }
}

#[test]
fn what_is_proven_is_not_evaluated_again() {
    // b wins for player one by force, which all children's ends show at once.
    let game = Synthetic::new("a 1 0: b c\n b 2 -0.9: d\n c 2 0.9: e\n d one\n e two");
    for options in [NIM, PUCT] {
        let options = options.replace("solver=off", "");
        let found = search(&mut networked(&game, &options, 1, 1), &game, 1000);
        assert_eq!(found.proven, Some(Outcome::Win(Player::One)));
        assert_eq!(found.best, Child(0));
        assert!(found.stats.simulations < 10);
    }
}
