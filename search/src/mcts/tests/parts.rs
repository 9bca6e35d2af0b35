//! The parts one by one: the fast formula and what it keeps, presets, stops, memory.

use super::super::bounds::Bounds;
use super::super::composition::{BiasBy, Explore, FirstPlay, Over, Threshold};
use super::super::edge::{Edge, ONE};
use super::super::formula::{Child as Terms, Formula};
use super::super::growth::Solver;
use super::super::ucb::{Seat, Ucb};
use super::*;
use crate::Entry;
use treeline_game::{Outcome, Player};

#[test]
fn the_fast_formula_is_the_formula() {
    let game = Synthetic::new(CHOICE);
    let mut rng = random::seeded(3);
    let mut ucb = Ucb::new(0.6, Seat::ALONE, 512);
    let mut pick = |n| random::pick(&mut rng, n);
    for round in 0..4000 {
        let mover = Player::BOTH[round % 2];
        let count = 1 + pick(40) as usize;
        let mut edges: Vec<Edge> = Vec::new();
        let (mut best, mut top, mut open) = (Vec::new(), f32::NEG_INFINITY, false);
        let mut total = 0;
        for _ in 0..count {
            let edge = Edge::zeroed();
            let most = 1 << (1 + pick(12));
            let visits = 1 + pick(most);
            let sum = i64::from(pick(2 * visits + 1)) - i64::from(visits);
            edge.add::<false>(visits, sum * ONE);
            if pick(4) == 0 {
                edge.prove(Bounds::of(Outcome::Win(Player::BOTH[pick(2) as usize])));
            }
            total += visits;
            edges.push(edge);
        }
        let formula = Formula::new(&composition(&game, "exploration=0.6"), total as f32, 0.0);
        let value = |edge: &Edge| {
            formula.value(&Terms {
                visits: edge.visits() as f32,
                sum: (edge.sum() / ONE) as f32,
                ..Terms::default()
            })
        };
        for edge in &edges {
            if !edge.bounds().is_lost(mover) {
                open = true;
                top = top.max(value(edge));
            }
        }
        for (i, edge) in edges.iter().enumerate() {
            let fits = !open || !edge.bounds().is_lost(mover) && value(edge) >= top - 1e-5;
            if fits {
                best.push(i);
            }
        }
        let found = ucb.best(round as u32 + 1, |_| &edges[..], mover);
        assert!(
            best.contains(&found),
            "round {round}: {found} is not in {best:?}"
        );
    }
}

#[test]
fn threads_prefer_different_ones_of_equal_children() {
    for of in [2, 3, 7] {
        let mut ucbs: Vec<Ucb> = (0..of)
            .map(|number| Ucb::new(0.5, Seat::new(number, of), 64))
            .collect();
        for block in 1..50 {
            let edges: Vec<Edge> = (0..of).map(|_| Edge::zeroed()).collect();
            edges.iter().for_each(|edge| edge.add::<false>(20, 0));
            // The first choice reads the node, the second one leans.
            let mut chosen: Vec<usize> = ucbs
                .iter_mut()
                .map(|ucb| {
                    ucb.best(block, |_| &edges[..], Player::One);
                    ucb.best(block, |_| &edges[..], Player::One)
                })
                .collect();
            chosen.sort_unstable();
            assert_eq!(chosen, (0..of).collect::<Vec<_>>(), "block {block}");
            // Not beyond what others are better by.
            edges[of - 1].add::<false>(0, 19 * ONE);
            for number in 0..of {
                let mut ucb = Ucb::new(0.5, Seat::new(number, of), 64);
                ucb.best(block, |_| &edges[..], Player::One);
                assert_eq!(ucb.best(block, |_| &edges[..], Player::One), of - 1);
            }
        }
    }
}

#[test]
fn kept_terms_follow_the_visits() {
    let game = Synthetic::new(CHOICE);
    let mut rng = random::seeded(3);
    let mut pick = |n| random::pick(&mut rng, n);
    // Three nodes, of which two share a place in the table.
    let blocks = [7, 7 + (1 << 25), 8];
    for shared in [false, true] {
        let seat = Seat {
            of: 1 + usize::from(shared),
            ..Seat::ALONE
        };
        let mut ucb = Ucb::new(0.5, seat, 512);
        // What the tree knows, and what there is to be known.
        let [nodes, truth]: [Vec<Vec<Edge>>; 2] = std::array::from_fn(|_| {
            let nodes = (0..3).map(|_| (0..13).map(|_| Edge::zeroed()).collect::<Vec<_>>());
            nodes
                .inspect(|edges| edges.iter().for_each(|edge| edge.add::<false>(20, 0)))
                .collect()
        });
        let edges_of = |block| {
            let number = blocks.iter().position(|known| *known == block);
            &nodes[number.expect("a block that was asked about")][..]
        };
        let mut held_back = 0;
        for round in 0..3000 {
            let number = pick(3) as usize;
            let (edges, truth) = (&nodes[number], &truth[number]);
            let total: u32 = truth.iter().map(Edge::visits).sum();
            let formula = Formula::new(&composition(&game, "exploration=0.5"), total as f32, 0.0);
            let values: Vec<f32> = truth
                .iter()
                .map(|edge| {
                    let terms = Terms {
                        visits: edge.visits() as f32,
                        sum: (edge.sum() / ONE) as f32,
                        ..Terms::default()
                    };
                    let lost = edge.bounds().is_lost(Player::One);
                    if lost {
                        f32::MIN
                    } else {
                        formula.value(&terms)
                    }
                })
                .collect();
            let top = values.iter().copied().fold(f32::MIN, f32::max);
            let found = ucb.best(blocks[number], edges_of, Player::One);
            assert!(
                values[found] >= top - 1e-5,
                "round {round}: {found} of {values:?}"
            );
            if round % 500 == 499 && number != 2 {
                for edge in [&edges[found], &truth[found]] {
                    edge.prove(Bounds::of(Outcome::Win(Player::Two)));
                }
            }
            let result = [1, -1][pick(2) as usize];
            truth[found].add::<false>(1, i64::from(result) * ONE);
            // Told now or later, as it comes.
            if pick(3) > 0 && ucb.owe(blocks[number], found, &edges[found], result) {
                held_back += 1;
            } else {
                edges[found].add::<false>(1, i64::from(result) * ONE);
                ucb.visited(blocks[number], found, &edges[found]);
            }
        }
        assert_eq!(held_back > 1000, shared, "{held_back}");
        let of = |nodes: &[Vec<Edge>]| -> Vec<(u32, i64)> {
            let edges = nodes.iter().flatten();
            edges.map(|edge| (edge.visits(), edge.sum())).collect()
        };
        assert_eq!(of(&nodes) != of(&truth), shared);
        ucb.tell_all(edges_of);
        assert_eq!(of(&nodes), of(&truth));
        ucb.tell_all(edges_of);
        assert_eq!(of(&nodes), of(&truth), "told twice");
        // What other threads do shows before long, or at once after recycling.
        nodes[2][3].add::<false>(400, 400 * ONE);
        let late = (0..40).position(|_| ucb.best(blocks[2], edges_of, Player::One) == 3);
        assert_eq!(late.is_some(), shared, "{late:?}");
        ucb.begin(1);
        assert_eq!(ucb.best(blocks[2], edges_of, Player::One), 3);
    }
}

#[test]
fn priors_are_visits_of_new_children() {
    let game = Synthetic::new(CHOICE);
    let found = search(
        &mut searcher(&game, "prior-weight=8 solver=off", 1, 1),
        &game,
        1,
    );
    let stats: Vec<_> = (0..4).map(|child| candidate(&found, child)).collect();
    // Eight visits each, at what the text gives for player two; the one simulation is d's or e's, and won by player one.
    let visits: u64 = stats.iter().map(|(visits, _)| visits).sum();
    assert_eq!(visits, 33);
    assert_eq!(stats[1], (8, -0.5));
    let (first, second) = if stats[2].0 == 9 {
        (stats[2], stats[3])
    } else {
        (stats[3], stats[2])
    };
    assert_eq!(second, (8, 0.25));
    assert_eq!(first, (9, (8.0 * 0.25 - 1.0) / 9.0));
}

#[test]
fn priors_weigh_more_where_there_is_more_time() {
    let game = Synthetic::new(CHOICE);
    let mut mcts = searcher(&game, "prior-weight=10 prior-weight-per=second", 1, 1);
    let mut weight = |seconds: f64| {
        let limits = crate::Limits {
            time: Some(std::time::Duration::from_secs_f64(seconds)),
            simulations: Some(1),
            ..Default::default()
        };
        let control = Control::new(limits, crate::Stop::default(), 1);
        mcts.search(&Record::new(game.clone()), &control, &mut |_| ());
        mcts.tree.growth().prior_weight
    };
    // 10 at 1 s and 50 at 5 s (IM §4.2); what hardly differs is no reason to forget the tree.
    assert_eq!(weight(100.0), 1000);
    assert_eq!(weight(500.0), 5000);
    assert_eq!(weight(600.0), 5000);
    assert_eq!(weight(1e6), 10_000);
}

#[test]
fn games_that_a_limit_broke_off_are_worth_the_heuristic() {
    let game = Synthetic::new("a 1 0: b c d\n b draw 0.5\n c draw\n d 2 0: e\n e draw -0.25");
    let mut record = Record::new(game.clone());
    for options in [
        "playout=none explore=puct first-play=constant expand-after=0",
        "playout=none alpha=0.4 expand-after=0",
        "playout=none expand-after=2",
        "playout=random first-play=parent",
        "playout=random",
        "playout=greedy fet=9",
    ] {
        let found = search(&mut searcher(&game, options, 1, 1), &game, 400);
        assert_eq!(found.proven, Some(Outcome::Draw), "{options}");
        let broken = format!("{options} cut-offs=heuristic");
        let mut mcts = searcher(&game, &broken, 1, 1);
        let found = search(&mut mcts, &game, 400);
        assert_eq!((found.proven, found.best), (None, Child(0)), "{broken}");
        // A leaf's own value is 0 where no play-out is made.
        let means = [0, 1, 2].map(|child| candidate(&found, child).1);
        assert_eq!(means[..2], [0.5, 0.0], "{broken}");
        // PUCT hardly looks at it.
        let seen = !options.contains("puct");
        assert!(!seen || means[2] < -0.1, "{broken}: {means:?}");
        record.play(Child(0)).unwrap();
        assert_eq!(mcts.worth(&record).map(|v| v.0), Some(0.5), "{broken}");
        assert_eq!(
            searcher(&game, options, 1, 1).worth(&record).map(|v| v.0),
            Some(0.0)
        );
        record.undo();
    }
}

#[test]
fn every_preset_is_what_it_says() {
    let game = Synthetic::random(3, 8, 6);
    let build =
        |entry: &Entry| Composition::read(&game, &entry.values(), Judge::default()).unwrap();
    let named = |name: &str| build(ENTRIES.iter().find(|entry| entry.name == name).unwrap());
    for entry in ENTRIES {
        let plain = ["mcts", "mcts-alphas-uct"].contains(&entry.name);
        assert_eq!(build(entry).is_plain(), plain, "{}", entry.name);
        let resources = Resources {
            threads: 2,
            memory: 8 << 20,
            seed: None,
        };
        let mut built = crate::build(entry.name, &game, &entry.values(), resources).unwrap();
        let record = Record::new(game.clone());
        let found = built.search(&record, &simulations(40), &mut |_| ());
        assert!(record.moves().contains(&found.best), "{}", entry.name);
    }
    let bl = named("mcts-bl");
    assert_eq!(
        (bl.playout, bl.epsilon, bl.fixed),
        (Playout::Greedy, 0.1, None)
    );
    // Half of what is certain, in points of the text's heuristic.
    let half = Threshold {
        value: 0.5,
        points: treeline_game::fine(treeline_game::ForOne(0.5)),
    };
    assert_eq!((bl.dynamic, bl.alpha), (Some(half), 0.0));
    assert_eq!(named("mcts-bl-im").alpha, 0.4);
    let prime = named("mcts-bl-prime");
    assert_eq!(
        (prime.playout, prime.fixed, prime.prior_weight),
        (Playout::Improved, Some(20), 10)
    );
    assert_eq!(named("mcts-im-lh").alpha, 0.6);
    assert!(named("mcts-alphas").uniform && named("mcts-alphas-la").avoid_losses);
    // Ludii's, and NIM's programs that are built on them.
    let bench = named("mcts-pb-mast");
    assert_eq!((bench.bias, bench.bias_by), (10.0, BiasBy::Implicit));
    assert_eq!((bench.over, bench.playout), (Over::Visits, Playout::Mast));
    let ludii = ENTRIES
        .iter()
        .filter(|entry| entry.help.contains("Table 7.1"));
    assert_eq!(ludii.clone().count(), 7);
    for parts in ludii.map(build) {
        assert_eq!(parts.first_play, FirstPlay::Parent(0.0));
        assert!((parts.exploration - 2f32.sqrt()).abs() < 1e-4);
        assert_eq!(parts.solver, Solver::Off);
        let grave = parts
            .grave
            .is_none_or(|grave| (grave.visits, grave.bias, grave.unvisited) == (100, 1e-5, false));
        assert!(grave, "{:?}", parts.grave);
    }
    let az = named("az");
    assert_eq!((az.explore, az.solver), (Explore::Puct, Solver::Off));
}

#[test]
fn a_preset_s_heuristic_is_a_wish_and_a_user_s_is_not() {
    let game = Synthetic::new(CHOICE);
    let mut values = ENTRIES[1].values();
    assert_eq!(values.name("heuristic"), "ms");
    assert_eq!(
        Composition::read(&game, &values, Judge::default())
            .unwrap()
            .heuristic
            .name,
        "written"
    );
    values.set("heuristic", "lh").unwrap();
    assert!(Composition::read(&game, &values, Judge::default()).is_err());
}

#[test]
fn a_stopped_search_names_a_legal_move() {
    let game = Synthetic::random(5, 60, 40);
    for options in ["", "alpha=0.4 playout=greedy", "batched=64 grave=3"] {
        let stop = crate::Stop::default();
        stop.terminate();
        let control = Control::new(crate::Limits::default(), stop, 1);
        let record = Record::new(game.clone());
        let mut mcts = searcher(&game, options, 1, 1);
        let found = mcts.search(&record, &control, &mut |_| ());
        assert!(record.moves().contains(&found.best));
        assert!(found.stats.simulations <= 64);
    }
}

#[test]
fn a_tree_that_is_all_there_ends_a_search_that_only_new_nodes_would_end() {
    let game = Synthetic::new("a 1 0: b c\n b 2 0.1: d e\n c 2 0.2: d e\n d draw\n e draw");
    let nodes = crate::Limits {
        nodes: Some(1_000_000),
        ..Default::default()
    };
    let depth = crate::Limits {
        depth: Some(1),
        ..Default::default()
    };
    for limits in [nodes, depth] {
        for (options, threads) in [("solver=off", 1), ("solver=win-loss alpha=0.4", 2)] {
            let control = Control::new(limits, crate::Stop::default(), 1);
            let record = Record::new(game.clone());
            let mut mcts = searcher(&game, options, threads, 1);
            let found = mcts.search(&record, &control, &mut |_| ());
            assert!(found.stats.simulations >= 4096, "{options}");
        }
    }
}

#[test]
fn memory_is_recycled_in_every_composition() {
    // Paths of thirty moves and more, three ways to go at each.
    let node = |i: i32| {
        format!(
            "n{i} {} 0.{}: n{} n{} n{}\n",
            1 + i % 2,
            i % 7,
            i + 1,
            i + 2,
            i + 3
        )
    };
    let text: String = (0..90).map(node).collect();
    let game = Synthetic::new(&(text + "n90 one\nn91 draw\nn92 two"));
    for options in [
        "",
        "alpha=0.4 fet=2",
        "grave=10 fet=0 expand-after=0",
        "playout=none explore=puct expand-after=0 batched=16",
    ] {
        let options = format!("solver=off {options}");
        let resources = Resources {
            threads: 2,
            memory: 1 << 20,
            seed: Some(1),
        };
        let network = Written::new(&game);
        let parts = composition_with(&game, &options, &network);
        let mut mcts = Mcts::new(&game, parts, Box::new(network), 1 << 18, resources);
        let found = search(&mut mcts, &game, 60_000);
        assert_eq!(found.stats.simulations, 60_000, "{options}");
        assert!(found.stats.nodes > 40_000, "{options}: {:?}", found.stats);
    }
}
