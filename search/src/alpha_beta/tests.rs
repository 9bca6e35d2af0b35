//! Exact trees and graphs given as text; the games are compared with `minimax` in `tests/alpha_beta.rs`.

use crate::eval::{Evaluator, Family};
use crate::{Control, Equipment, Found, Limits, Resources, Stop};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use treeline_game::options::Values;
use treeline_game::synthetic::{At, Synthetic};
use treeline_game::{ForOne, Outcome, Player, Record, Tuning, random};

/// A network that says something else of every node, which no heuristic does, and counts the batches of children.
#[derive(Default, Clone)]
pub(super) struct Noise {
    batches: Arc<AtomicU64>,
}

impl Evaluator<Synthetic> for Noise {
    fn evaluate(&mut self, positions: &[At], values: &mut Vec<ForOne>) {
        // Thousandths, so that points and values agree to the last bit.
        let noise = |at: &At| (random::mix(u64::from(at.0)) % 1999) as f32 - 999.0;
        values.clear();
        values.extend(positions.iter().map(|at| ForOne(noise(at) / 1000.0)));
    }

    fn evaluate_children(
        &mut self,
        _: &[Family<'_, Synthetic>],
        children: &[At],
        values: &mut Vec<ForOne>,
    ) {
        self.batches.fetch_add(1, Relaxed);
        self.evaluate(children, values);
    }

    fn another(&self) -> Box<dyn Evaluator<Synthetic>> {
        Box::new(self.clone())
    }
}

fn resources(threads: usize) -> Resources {
    Resources {
        threads,
        memory: 2 << 20,
        seed: Some(1),
    }
}

/// Searches from the start with a searcher of the list and its options, `NAME [key=value …]`.
fn found(game: &Synthetic, searcher: &str, threads: usize, limits: Limits) -> Found<Synthetic> {
    searched(&Record::new(game.clone()), searcher, threads, limits)
}

fn searched(
    record: &Record<Synthetic>,
    searcher: &str,
    threads: usize,
    limits: Limits,
) -> Found<Synthetic> {
    judged(record, searcher, threads, limits, None)
}

/// The same, with a network.
pub(super) fn judged(
    record: &Record<Synthetic>,
    searcher: &str,
    threads: usize,
    limits: Limits,
    network: Option<&Noise>,
) -> Found<Synthetic> {
    with_multipv(1, record, searcher, threads, limits, network)
}

/// The same, with exact values for so many moves.
pub(super) fn with_multipv(
    multipv: usize,
    record: &Record<Synthetic>,
    searcher: &str,
    threads: usize,
    limits: Limits,
    network: Option<&Noise>,
) -> Found<Synthetic> {
    let mut words = searcher.split(' ');
    let name = words.next().unwrap();
    let mut values: Values = crate::find(name).unwrap().values();
    values.set_pairs(words).unwrap();
    let equipment = Equipment {
        network: network.map(|network| network as &dyn Evaluator<Synthetic>),
        ..resources(threads).into()
    };
    let mut built = crate::build(name, record.game(), &values, equipment).unwrap();
    let control = Control::new(limits, Stop::default(), 1).with_multipv(multipv);
    built.search(record, &control, &mut |_| ())
}

pub(super) fn depth(depth: u32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

/// The searchers and options whose results must be those of plain minimax to the end of the game.
pub(super) const ALL: &[&str] = &[
    "alpha-beta-classic",
    "alpha-beta-classic table=off",
    "alpha-beta",
    "alpha-beta table=off",
    "alpha-beta pvs=off",
    "alpha-beta aspiration=off enhanced-cutoffs=off",
    "alpha-beta history=off killers=off multi-cut=on quiescence=on",
];

#[test]
fn where_there_is_one_move_only_it_is_searched_a_ply_deeper() {
    // b looks well for player one, until what follows its only reply is looked at.
    let game = Synthetic::new(
        "a 1 0: b c\n b 2 0.5: d\n d 1 0.5: x y\n x two\n y two\n \
         c 2 0.1: e f\n e 1 0.1: y z\n f 1 0.1: y z\n z one",
    );
    let value = |single_replies| {
        let tuning = Tuning {
            single_replies,
            ..Tuning::DEFAULT
        };
        let equipment = Equipment {
            tuning,
            ..resources(1).into()
        };
        let values = crate::find("alpha-beta").unwrap().values();
        let mut built = crate::build("alpha-beta", &game, &values, equipment).unwrap();
        let control = Control::new(depth(2), Stop::default(), 1);
        let found = built.search(&Record::new(game.clone()), &control, &mut |_| ());
        found.value.unwrap().0
    };
    assert_eq!(value(false), 0.5);
    assert_eq!(value(true), 0.1);
}

#[test]
fn whole_graphs_are_solved_with_unequal_turns() {
    let (mut draws, mut wins) = (0, 0);
    for seed in 0..150 {
        let game = Synthetic::random(seed, 9, 12);
        let truth = game.truth(treeline_game::Rules::start(&game));
        let expected = match truth {
            v if v > 0.0 => Outcome::Win(Player::One),
            v if v < 0.0 => Outcome::Win(Player::Two),
            _ => Outcome::Draw,
        };
        draws += u32::from(expected == Outcome::Draw);
        wins += u32::from(expected != Outcome::Draw);
        for searcher in ALL {
            for threads in [1, 3] {
                let found = found(&game, searcher, threads, Limits::default());
                let value = found.value.unwrap().of(Record::new(game.clone()).turn());
                assert_eq!(found.proven, Some(expected), "{searcher}, graph {seed}");
                assert_eq!(value.0, truth, "{searcher}, graph {seed}");
            }
        }
    }
    assert!(draws > 20 && wins > 20, "{draws} draws, {wins} wins");
}

#[test]
fn every_depth_has_the_value_of_minimax() {
    for seed in 0..300 {
        let game = Synthetic::random(seed, 8, 14);
        for plies in 1..=8 {
            let minimax = found(
                &game,
                &format!("minimax plies={plies}"),
                1,
                Limits::default(),
            );
            for searcher in [
                "alpha-beta-classic table=off",
                "alpha-beta table=off",
                "alpha-beta table=off pvs=off",
                "alpha-beta table=off aspiration=off",
            ] {
                let found = found(&game, searcher, 1, depth(plies));
                assert_eq!(
                    found.value, minimax.value,
                    "{searcher}, graph {seed}, depth {plies}"
                );
                if let Some(outcome) = found.proven {
                    let truth = game.truth(treeline_game::Rules::start(&game));
                    assert_eq!(outcome.value().0, truth, "{searcher}, graph {seed}");
                }
                // A cut may leave a draw uncertain, or do without what minimax is uncertain of.
                if found.proven != minimax.proven {
                    let draw = Some(Outcome::Draw);
                    assert!(
                        minimax.proven.is_none()
                            || (found.proven.is_none() && minimax.proven == draw),
                        "{searcher}, graph {seed}, depth {plies}"
                    );
                }
                let best = found.best;
                let candidate = minimax
                    .candidates
                    .iter()
                    .find(|c| c.played == best)
                    .unwrap();
                assert_eq!(
                    Some(candidate.value),
                    minimax.value,
                    "{searcher}, graph {seed}"
                );
            }
        }
    }
}

#[test]
fn whole_graphs_are_solved_with_a_network() {
    let network = Noise::default();
    for seed in 0..60 {
        let record = Record::new(Synthetic::random(seed, 9, 12));
        let truth = found(record.game(), "alpha-beta", 1, Limits::default());
        for searcher in ALL {
            for threads in [1, 3] {
                let found = judged(
                    &record,
                    searcher,
                    threads,
                    Limits::default(),
                    Some(&network),
                );
                assert_eq!(found.proven, truth.proven, "{searcher}, graph {seed}");
                assert_eq!(found.value, truth.value, "{searcher}, graph {seed}");
            }
        }
    }
    assert!(network.batches.load(Relaxed) > 1000);
}

#[test]
fn every_depth_has_the_value_of_minimax_with_the_same_network() {
    let network = Noise::default();
    let mut others = 0;
    for seed in 0..150 {
        let record = Record::new(Synthetic::random(seed, 8, 14));
        for plies in 1..=8 {
            let minimax = format!("minimax plies={plies} heuristic=default");
            let minimax = judged(&record, &minimax, 1, Limits::default(), Some(&network));
            let plain = found(record.game(), "alpha-beta table=off", 1, depth(plies));
            others += u32::from(plain.value != minimax.value);
            for searcher in [
                "alpha-beta-classic table=off heuristic=default",
                "alpha-beta table=off",
                "alpha-beta table=off last-ply=off",
                "alpha-beta table=off aspiration=off pvs=off",
            ] {
                let found = judged(&record, searcher, 1, depth(plies), Some(&network));
                let at = format!("{searcher}, graph {seed}, depth {plies}");
                assert_eq!(found.value, minimax.value, "{at}");
                assert!(
                    found.proven.is_none() || found.value == minimax.value,
                    "{at}"
                );
                let mut candidates = minimax.candidates.iter();
                let candidate = candidates.find(|c| c.played == found.best).unwrap();
                assert_eq!(Some(candidate.value), minimax.value, "{at}");
            }
        }
        let greedy = judged(&record, "greedy", 1, Limits::default(), Some(&network));
        let one = judged(
            &record,
            "minimax plies=1",
            1,
            Limits::default(),
            Some(&network),
        );
        assert_eq!(greedy.value, one.value, "graph {seed}");
    }
    assert!(others > 100, "{others}: the network was not asked");
}

#[test]
fn a_heuristic_that_is_named_goes_before_the_network() {
    let network = Noise::default();
    for seed in 0..20 {
        let game = Synthetic::random(seed, 8, 14);
        let name = treeline_game::Knowledge::heuristics(&game)[0].name;
        let record = Record::new(game);
        let searcher = format!("alpha-beta heuristic={name}");
        let with = judged(&record, &searcher, 1, depth(3), Some(&network));
        let without = searched(&record, "alpha-beta", 1, depth(3));
        assert_eq!(with.value, without.value, "graph {seed}");
    }
    assert_eq!(network.batches.load(Relaxed), 0);
}

#[test]
fn repetitions_within_a_last_ply_draw() {
    // Player one comes to `a` for the second time or goes where the network likes it less than a draw.
    let mut record = Record::new(Synthetic::new(
        "a 1 0: b\n b 2 0: c\n c 1 0: a x\n x 2 0: y\n y one\n repetition 2",
    ));
    for _ in 0..2 {
        let m = record.moves()[0];
        record.play(m).unwrap();
    }
    let network = Noise::default();
    let mut values = Vec::new();
    let x = record.game().at("x");
    network.clone().evaluate(&[x], &mut values);
    for plies in 1..=2 {
        let found = judged(&record, "alpha-beta", 1, depth(plies), Some(&network));
        let minimax = format!("minimax plies={plies}");
        let minimax = judged(&record, &minimax, 1, Limits::default(), Some(&network));
        assert_eq!(found.value, minimax.value, "{plies}");
    }
}

#[test]
fn a_draw_is_certain_only_if_results_alone_make_it() {
    // The heuristic's 0 is no draw, and a draw beside something unknown is not certain.
    let unknown = Synthetic::new("a 1 0: b c\n b draw\n c 2 -0.5: d\n d 2 -0.5: e\n e one");
    let found_at = |plies| found(&unknown, "alpha-beta", 1, depth(plies));
    for plies in 1..=2 {
        let found = found_at(plies);
        assert_eq!(
            (found.value.unwrap().0, found.proven),
            (0.0, None),
            "{plies}"
        );
    }
    assert_eq!(found_at(3).proven, Some(Outcome::Win(Player::One)));
    let draw = Synthetic::new("a 1 0: b c\n b draw\n c 2 -0.5: d\n d two");
    assert_eq!(found(&draw, "alpha-beta", 1, depth(1)).proven, None);
    assert_eq!(
        found(&draw, "alpha-beta", 1, depth(2)).proven,
        Some(Outcome::Draw)
    );
    let nothing = Synthetic::new("a 1 0: b\n b 2 0: c\n c one");
    assert_eq!(found(&nothing, "alpha-beta", 1, depth(1)).proven, None);
}

#[test]
fn the_nearest_win_and_the_farthest_loss_are_chosen() {
    let game = Synthetic::new(
        "a 1 0: far near
         far 2 0.9: x
         x 1 0.9: y
         y one
         near 2 0: w
         w one",
    );
    let far = found(&game, "alpha-beta", 1, Limits::default());
    assert_eq!((far.best.0, far.pv.len()), (1, 2));
    let lost =
        Synthetic::new("a 1 0: near far\n near 2 0: w\n w two\n far 2 0: x\n x 1 0: y\n y 2 0: w");
    let found = found(&lost, "alpha-beta", 1, Limits::default());
    assert_eq!(
        (found.best.0, found.proven),
        (1, Some(Outcome::Win(Player::Two)))
    );
}

#[test]
fn a_repetition_draws_only_on_its_path() {
    // From `a` player one can shuffle between a, b, c, d for ever or let player two win.
    let text = "a 1 0.3: b lost
         b 2 0.3: c
         c 1 0.3: d
         d 2 0.3: a
         lost two
         repetition ";
    for limit in [2, 3] {
        let game = Synthetic::new(&format!("{text}{limit}"));
        for searcher in ["alpha-beta", "alpha-beta-classic", "alpha-beta table=off"] {
            let found = found(&game, searcher, 1, depth(30));
            assert_eq!(found.proven, Some(Outcome::Draw), "{searcher}, {limit}");
            assert_eq!(found.best.0, 0);
        }
    }
    // Player one wins through `c`, even when it comes there for the second time.
    let game = Synthetic::new(
        "a 1 0: b
         b 2 0: c
         c 1 0: a win
         win one
         repetition 3",
    );
    let mut record = Record::new(game.clone());
    let first = |record: &mut Record<Synthetic>| {
        let m = record.moves()[0];
        record.play(m).unwrap();
    };
    for plies in 0..6 {
        let found = searched(&record, "alpha-beta", 1, depth(30));
        let won = Some(Outcome::Win(Player::One));
        assert_eq!(found.proven, won, "after {plies} plies");
        first(&mut record);
    }
    assert_eq!(record.outcome(), Some(Outcome::Draw));
}

#[test]
fn limits_and_stops_leave_a_legal_move() {
    let game = Synthetic::random(5, 12, 12);
    for nodes in [0, 1, 2, 5, 50] {
        for threads in [1, 4] {
            let limits = Limits {
                nodes: Some(nodes),
                ..Limits::default()
            };
            let found = found(&game, "alpha-beta", threads, limits);
            assert!(Record::new(game.clone()).moves().contains(&found.best));
            assert!(found.stats.nodes <= (nodes.max(1) + 8) * threads as u64);
        }
    }
}

#[test]
fn the_games_own_solver_goes_first_where_time_allows() {
    let time = |seconds| Limits {
        time: Some(std::time::Duration::from_secs(seconds)),
        ..Limits::default()
    };
    for seed in 0..20 {
        let game = Synthetic::random(seed, 7, 10);
        let truth = found(&game, "alpha-beta", 1, Limits::default());
        let game = game.with_solver();
        // The solver alone makes no static evaluation; it is not asked without time, under other limits or when off.
        let solved = found(&game, "alpha-beta", 1, time(1000));
        assert_eq!(
            (solved.proven, solved.value),
            (truth.proven, truth.value),
            "{seed}"
        );
        assert_eq!(solved.stats.evaluations + solved.stats.nodes, 0, "{seed}");
        for (searcher, limits) in [
            ("alpha-beta", time(1)),
            ("alpha-beta", depth(50)),
            ("alpha-beta exact=off", time(1000)),
            ("alpha-beta-classic", time(1000)),
        ] {
            let searched = found(&game, searcher, 1, limits);
            assert_eq!(searched.proven, truth.proven, "{searcher}, {seed}");
            assert!(searched.stats.nodes > 0, "{searcher}, {seed}");
        }
    }
}

#[test]
fn reductions_stay_within_the_depth() {
    for depth in 3..100 {
        for i in 3..300 {
            for open in [false, true] {
                let less = super::cuts::reduction(depth, i, open);
                assert!((0..=depth - 2).contains(&less), "{depth} {i}: {less}");
            }
        }
    }
    // 0.5 or more everywhere late, and the product of the logarithms over 2.25 elsewhere.
    assert_eq!(super::cuts::reduction(6, 10, false), 2);
    assert_eq!(super::cuts::reduction(12, 30, false), 4);
}
