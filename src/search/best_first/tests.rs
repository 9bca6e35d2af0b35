//! Exact trees and graphs, step by step; cycles; threads.

use super::*;
use crate::eval::ByHeuristic;
use crate::game::synthetic::{At, Child, Synthetic};
use crate::game::{Outcome, Player};
use crate::search::{Limits, Stop};

/// `(c, v, r)` and visits.
type Seen = (i8, f32, bool, u32);

const BEST: Settings = Settings {
    to_the_end: false,
    law: Law::Best,
    decision: Decision::Best,
    completion: true,
};

fn searcher(
    game: &Synthetic,
    settings: Settings,
    threads: usize,
    memory: usize,
) -> BestFirst<Synthetic> {
    let evaluator = Box::new(ByHeuristic::new(game, &game.heuristics()[0]));
    let resources = Resources {
        threads,
        memory,
        seed: Some(1),
    };
    BestFirst::new(
        game,
        settings,
        LIFETIME,
        Expander::new(evaluator, Ends::Result),
        resources,
    )
}

fn control(limits: Limits) -> Control {
    Control::new(limits, Stop::default(), 1)
}

fn simulations(n: u64) -> Control {
    control(Limits {
        simulations: Some(n),
        ..Limits::default()
    })
}

fn run(
    searcher: &mut BestFirst<Synthetic>,
    record: &Record<Synthetic>,
    control: &Control,
) -> Found<Synthetic> {
    searcher.search(record, control, &mut |_| ())
}

fn from(game: &Synthetic, name: &str) -> Record<Synthetic> {
    Record::from_position(game.clone(), game.at(name))
}

fn seen(word: super::word::Word) -> Seen {
    let known = word.known();
    (
        known.completion,
        known.value.0,
        known.resolved,
        word.visits(),
    )
}

/// What the table knows of the state called `name`: itself without visits, and its edges.
fn state(
    searcher: &BestFirst<Synthetic>,
    game: &Synthetic,
    name: &str,
) -> Option<((i8, f32, bool), Vec<Seen>)> {
    let block = searcher.table.find(game.key(&game.at(name)))?;
    let state = searcher.table.state(block);
    let (c, v, r, _) = seen(read(state.own()));
    Some((
        (c, v, r),
        state.edges().iter().map(|e| seen(read(e))).collect(),
    ))
}

/// A tree for which every step was worked out by hand. `e` gives player one two turns in a row.
const TREE: &str = "a 1 0: b c
    b 2 0.5: d e
    c 2 0.25: f g
    d 1 0.125: h i
    e 1 0.75: j g
    f one
    g 1 -0.25: h i
    h two
    i draw
    j 1 0.1: f g";

#[test]
fn ubfm_with_completion_does_what_was_worked_out_by_hand() {
    let game = Synthetic::new(TREE);
    let mut s = searcher(&game, BEST, 1, 0);
    let record = Record::new(game.clone());
    let mut after = |n: u64, names: &str| {
        s.clear();
        let found = run(&mut s, &record, &simulations(n));
        let states: Vec<_> = names
            .split(' ')
            .map(|name| state(&s, &game, name).unwrap())
            .collect();
        (found, states)
    };
    // 1: b is best and expanded; player two would go to d.
    let (found, states) = after(1, "a b");
    let b = (
        (0, 0.125, false),
        vec![(0, 0.125, false, 0), (0, 0.75, false, 0)],
    );
    let a = (
        (0, 0.25, false),
        vec![(0, 0.125, false, 1), (0, 0.25, false, 0)],
    );
    assert_eq!(states, [a, b.clone()]);
    assert_eq!((found.best, found.proven), (Child(1), None));
    assert_eq!((found.stats.nodes, found.stats.evaluations), (2, 4));
    // 2: now c; its first child is lost for player two, its second is not.
    let (found, states) = after(2, "a b c");
    let c = (
        (0, -0.25, false),
        vec![(1, 1.0, true, 0), (0, -0.25, false, 0)],
    );
    let a = (
        (0, 0.125, false),
        vec![(0, 0.125, false, 1), (0, -0.25, false, 1)],
    );
    assert_eq!(states, [a, b, c.clone()]);
    assert_eq!((found.best, found.stats.evaluations), (Child(0), 5));
    // 3: b, d; d is a resolved draw, b not resolved.
    let (_, states) = after(3, "a b c d");
    let d = ((0, 0.0, true), vec![(-1, -1.0, true, 0), (0, 0.0, true, 0)]);
    let b = (
        (0, 0.0, false),
        vec![(0, 0.0, true, 1), (0, 0.75, false, 0)],
    );
    let a = (
        (0, 0.0, false),
        vec![(0, 0.0, false, 2), (0, -0.25, false, 1)],
    );
    assert_eq!(states, [a, b, c.clone(), d]);
    // 4: in b only e is unresolved, though d is better for player two; b's value stays d's.
    let (_, states) = after(4, "a b e");
    let e = (
        (0, 0.1, false),
        vec![(0, 0.1, false, 0), (0, -0.25, false, 0)],
    );
    let b = ((0, 0.0, false), vec![(0, 0.0, true, 1), (0, 0.1, false, 1)]);
    let a = (
        (0, 0.0, false),
        vec![(0, 0.0, false, 3), (0, -0.25, false, 1)],
    );
    assert_eq!(states, [a, b, e]);
    // 5: j wins for player one, which resolves e and with it b, as a draw.
    let (found, states) = after(5, "a b e j");
    let j = (
        (1, 1.0, true),
        vec![(1, 1.0, true, 0), (0, -0.25, false, 0)],
    );
    let e = (
        (1, 1.0, true),
        vec![(1, 1.0, true, 1), (0, -0.25, false, 0)],
    );
    let b = ((0, 0.0, true), vec![(0, 0.0, true, 1), (1, 1.0, true, 2)]);
    let a = (
        (0, 0.0, false),
        vec![(0, 0.0, true, 4), (0, -0.25, false, 1)],
    );
    assert_eq!(states, [a, b, e, j]);
    assert_eq!(found.proven, None);
    // 6: c, g: a draw, too. Everything is resolved and the search is over.
    let (found, states) = after(100, "a c g");
    let g = ((0, 0.0, true), vec![(-1, -1.0, true, 0), (0, 0.0, true, 0)]);
    let c = ((0, 0.0, true), vec![(1, 1.0, true, 0), (0, 0.0, true, 1)]);
    let a = ((0, 0.0, true), vec![(0, 0.0, true, 4), (0, 0.0, true, 2)]);
    assert_eq!(states, [a, c, g]);
    assert_eq!(
        (found.proven, found.stats.simulations),
        (Some(Outcome::Draw), 6)
    );
    assert_eq!((found.best, found.value.unwrap().0), (Child(0), 0.0));
    assert_eq!(found.pv, [0, 0, 1].map(Child));
    assert_eq!((found.stats.depth, found.stats.nodes), (4, 7));
}

#[test]
fn descent_goes_down_to_the_end() {
    let game = Synthetic::new(TREE);
    let settings = Settings {
        to_the_end: true,
        ..BEST
    };
    let mut s = searcher(&game, settings, 1, 0);
    let record = Record::new(game.clone());
    // 1: a, b and d, which is resolved.
    run(&mut s, &record, &simulations(1));
    let b = (
        (0, 0.0, false),
        vec![(0, 0.0, true, 1), (0, 0.75, false, 0)],
    );
    let a = (
        (0, 0.25, false),
        vec![(0, 0.0, false, 1), (0, 0.25, false, 0)],
    );
    assert_eq!(state(&s, &game, "a"), Some(a));
    assert_eq!(state(&s, &game, "b"), Some(b));
    // 2: c and g, all resolved. 3: b, e and j.
    run(&mut s, &record, &simulations(1));
    let a = ((0, 0.0, false), vec![(0, 0.0, false, 1), (0, 0.0, true, 1)]);
    assert_eq!(state(&s, &game, "a"), Some(a));
    let found = run(&mut s, &record, &simulations(100));
    assert_eq!(
        (found.proven, found.stats.simulations),
        (Some(Outcome::Draw), 1)
    );
    // e knows g from the table: a resolved draw that needs no evaluation.
    let e = ((1, 1.0, true), vec![(1, 1.0, true, 1), (0, 0.0, true, 0)]);
    assert_eq!(state(&s, &game, "e"), Some(e));
    assert_eq!(found.stats.reused_nodes, 2);
}

#[test]
fn plain_minimax_goes_by_values_alone() {
    let game = Synthetic::new(TREE);
    let settings = Settings {
        completion: false,
        ..BEST
    };
    let mut s = searcher(&game, settings, 1, 0);
    let record = Record::new(game.clone());
    // 1 b, 2 c, 3 b-d: a draw at 0.
    run(&mut s, &record, &simulations(3));
    let a = (
        (0, 0.0, false),
        vec![(0, 0.0, false, 2), (0, -0.25, false, 1)],
    );
    assert_eq!(state(&s, &game, "a"), Some(a));
    // From then on the best line is b-d-i, which ends the game: nothing changes any more, and the search notices.
    let found = run(&mut s, &record, &control(Limits::default()));
    let d = (
        (0, 0.0, false),
        vec![(-1, -1.0, true, 0), (0, 0.0, true, 4096)],
    );
    assert_eq!(state(&s, &game, "d"), Some(d));
    assert_eq!((found.best, found.proven), (Child(0), None));
    assert_eq!((found.stats.nodes, found.stats.simulations), (0, 4096));
}

#[test]
fn equal_children_take_turns() {
    let game = Synthetic::new(
        "a 2 0: b c d
         b 1 0.5: e
         c 1 0.5: f
         d 1 0.75: e
         e 1 0.5: b2
         f 1 0.5: b2
         b2 1 0.5: c2
         c2 1 0.5: d2
         d2 draw",
    );
    let mut s = searcher(&game, BEST, 1, 0);
    let mut visits = Vec::new();
    for n in 1..=4 {
        s.clear();
        run(&mut s, &Record::new(game.clone()), &simulations(n));
        let (_, edges) = state(&s, &game, "a").unwrap();
        visits.push([edges[0].3, edges[1].3, edges[2].3]);
    }
    assert_eq!(visits, [[1, 0, 0], [1, 1, 0], [2, 1, 0], [2, 2, 0]]);
}

/// Everything that the laws may choose from is chosen, nothing else is.
#[test]
fn completed_epsilon_greedy_draws_from_the_unresolved() {
    let mut text = String::from("a 1 0: b c d e\nb two\nc draw\n");
    for (name, value) in [("d", 0.5), ("e", -0.5)] {
        text += &format!("{name} 1 {value}: {name}0\n");
        for i in 0..2000 {
            text += &format!("{name}{i} 1 {value}: {name}{}\n", i + 1);
        }
        text += &format!("{name}2000 draw\n");
    }
    let game = Synthetic::new(&text);
    let visits = |law| {
        let mut s = searcher(&game, Settings { law, ..BEST }, 1, 0);
        run(&mut s, &Record::new(game.clone()), &simulations(1000));
        let (_, edges) = state(&s, &game, "a").unwrap();
        edges.iter().map(|e| e.3).collect::<Vec<_>>()
    };
    assert_eq!(visits(Law::Best), [0, 0, 1000, 0]);
    // e gets half of ε, as d does.
    let near = |law, expected: f64| {
        let visits = visits(law);
        assert_eq!((visits[0], visits[1], visits[2] + visits[3]), (0, 0, 1000));
        let error = f64::from(visits[3]) - 1000.0 * expected;
        assert!(
            error.abs() < 4.0 * (1000.0 * expected * (1.0 - expected)).sqrt(),
            "{visits:?}"
        );
    };
    near(Law::EpsilonGreedy(0.2), 0.1);
    near(Law::EpsilonGreedy(1.0), 0.5);
    near(Law::Softmax(1.0), 1.0 / (1.0 + 1f64.exp()));
    near(Law::Softmax(0.5), 1.0 / (1.0 + 2f64.exp()));
    near(Law::Ordinal(0.2), 0.1);
}

/// Every combination that the options offer.
fn all_settings() -> Vec<Settings> {
    let mut all = Vec::new();
    for to_the_end in [false, true] {
        for law in [
            Law::Best,
            Law::EpsilonGreedy(0.05),
            Law::Softmax(0.5),
            Law::Ordinal(0.3),
        ] {
            for decision in [Decision::Best, Decision::Safest] {
                all.push(Settings {
                    to_the_end,
                    law,
                    decision,
                    completion: true,
                });
            }
        }
    }
    all
}

fn outcome(value: f32) -> Outcome {
    match value {
        v if v > 0.0 => Outcome::Win(Player::One),
        v if v < 0.0 => Outcome::Win(Player::Two),
        _ => Outcome::Draw,
    }
}

#[test]
fn random_graphs_are_resolved_to_their_truth() {
    for seed in 0..5000 {
        let game = Synthetic::random(seed, 8, 12);
        let record = Record::new(game.clone());
        let all = all_settings();
        let settings = all[seed as usize % all.len()];
        let mut s = searcher(&game, settings, 1 + seed as usize % 2, 0);
        let found = run(&mut s, &record, &control(Limits::default()));
        let truth = game.truth(game.start());
        assert_eq!(found.proven, Some(outcome(truth)), "{seed} {settings:?}");
        let after = game.after(&game.start(), found.best);
        assert_eq!(game.truth(after), truth, "{seed} {settings:?}");
        assert_eq!(found.value.unwrap().of(record.turn()).0, truth);
        // Whatever else is resolved is right, too.
        for at in (0..).map(At).take(game.len()) {
            let Some(block) = s.table.find(game.key(&at)) else {
                continue;
            };
            let known = read(s.table.state(block).own()).known();
            if let Some(found) = known.outcome() {
                assert_eq!(found, outcome(game.truth(at)), "{seed} {}", game.name(at));
            }
        }
    }
}

/// A random graph with cycles, with its truth where endless play is a draw.
fn cyclic(seed: u64, repetition: &str) -> (Synthetic, Vec<f32>) {
    let mut rng = random::seeded(seed);
    let mut pick = |n: u32| random::pick(&mut rng, n);
    let n = 4 + pick(12);
    let mut text = String::new();
    for i in 0..n {
        if i > 0 && pick(4) == 0 {
            text += &format!("n{i} {}\n", ["one", "two", "draw"][pick(3) as usize]);
            continue;
        }
        let value = f64::from(pick(19)) / 10.0 - 0.9;
        text += &format!("n{i} {} {value}:", 1 + pick(2));
        for _ in 0..1 + pick(3) {
            text += &format!(" n{}", pick(n));
        }
        text += "\n";
    }
    text += repetition;
    let game = Synthetic::new(&text);
    // Values from above for both players until nothing changes: what nobody can force is a draw.
    let mut truth: Vec<f32> = (0..n as u16)
        .map(|i| game.outcome(&At(i)).map_or(0.0, |end| end.value().0))
        .collect();
    let mut sure: Vec<bool> = (0..n as u16)
        .map(|i| game.outcome(&At(i)).is_some())
        .collect();
    loop {
        let mut changed = false;
        for i in 0..n as usize {
            if sure[i] {
                continue;
            }
            let at = At(i as u16);
            let sign = game.turn(&at).sign() as f32;
            let below: Vec<usize> = game
                .moves(&at)
                .iter()
                .map(|m| usize::from(game.after(&at, *m).0))
                .collect();
            let wins = below.iter().any(|b| sure[*b] && truth[*b] == sign);
            let loses = below.iter().all(|b| sure[*b] && truth[*b] == -sign);
            if wins || loses {
                (truth[i], sure[i], changed) = (if wins { sign } else { -sign }, true, true);
            }
        }
        if !changed {
            return (game, truth);
        }
    }
}

#[test]
fn cycles_end_and_prove_nothing_that_is_not_so() {
    let (mut wins, mut open) = (0, 0);
    for seed in 0..1500 {
        let repetition = ["repetition 3", "repetition 2", ""][seed as usize % 3];
        let (game, truth) = cyclic(seed, repetition);
        let all = all_settings();
        let settings = all[seed as usize % all.len()];
        let mut s = searcher(&game, settings, 1, 0);
        // From several roots, so that what one path left is met on another.
        for root in [0, 1, 2, 0] {
            if game.outcome(&At(root)).is_some() {
                continue;
            }
            let record = Record::from_position(game.clone(), At(root));
            let found = run(&mut s, &record, &control(Limits::default()));
            let value = truth[usize::from(root)];
            match found.proven {
                Some(proven) => assert_eq!(proven, outcome(value), "{seed} from {root}"),
                None => {
                    // Only a draw by repetition may stay open.
                    assert_eq!(value, 0.0, "{seed} from {root}: {settings:?}");
                    open += 1;
                }
            }
            wins += u32::from(value != 0.0);
            for i in 0..truth.len() as u16 {
                let Some(block) = s.table.find(game.key(&At(i))) else {
                    continue;
                };
                if let Some(known) = read(s.table.state(block).own()).known().outcome() {
                    assert_eq!(known, outcome(truth[usize::from(i)]), "{seed}: {i}");
                }
            }
        }
    }
    assert!(wins > 500 && open > 500, "{wins} {open}");
}

/// The same position, with and without a past in which its way to win is used up.
#[test]
fn positions_that_may_not_come_again_are_draws() {
    let game = Synthetic::new(
        "x 1 0: q win
         q 1 0: x loss
         win one
         loss two
         repetition 3",
    );
    let mut record = Record::new(game.clone());
    for _ in 0..3 {
        record.play(Child(0)).unwrap();
    }
    let fresh = from(&game, "q");
    assert_eq!(record.position(), fresh.position());
    let mut s = searcher(&game, BEST, 1, 0);
    for _ in 0..2 {
        let found = run(&mut s, &fresh, &control(Limits::default()));
        assert_eq!(found.proven, Some(Outcome::Win(Player::One)));
        assert_eq!(found.best, Child(0));
        let found = run(&mut s, &record, &control(Limits::default()));
        assert_eq!((found.proven, found.best), (Some(Outcome::Draw), Child(0)));
    }
    // Once is not yet too often.
    for _ in 0..2 {
        record.undo();
    }
    assert_eq!(record.position(), fresh.position());
    let found = run(&mut s, &record, &control(Limits::default()));
    assert_eq!(found.proven, Some(Outcome::Win(Player::One)));
}

#[test]
fn a_state_is_forgotten_when_three_searches_did_not_see_it() {
    let game = Synthetic::new(TREE);
    let record = Record::new(game.clone());
    for others in 0..6 {
        let mut s = searcher(&game, BEST, 1, 0);
        run(&mut s, &record, &simulations(3));
        for _ in 0..others {
            run(&mut s, &from(&game, "j"), &simulations(1));
        }
        let found = run(&mut s, &record, &simulations(1));
        let kept = if others <= 2 { 3 } else { 0 };
        assert_eq!(found.stats.reused_nodes, kept, "{others}");
        assert_eq!(
            found.stats.nodes,
            if others <= 2 { 1 } else { 2 },
            "{others}"
        );
    }
}

#[test]
fn limits_are_kept() {
    let game = Synthetic::random(3, 30, 400);
    let record = Record::new(game.clone());
    for settings in all_settings() {
        for n in [1, 2, 17, 100] {
            let mut s = searcher(&game, settings, 1, 0);
            let found = run(&mut s, &record, &simulations(n));
            assert!(found.stats.simulations == n || found.proven.is_some());
            let mut s = searcher(&game, settings, 1, 0);
            let limits = Limits {
                nodes: Some(n),
                ..Limits::default()
            };
            let found = run(&mut s, &record, &control(limits));
            assert!(found.stats.nodes == n || found.proven.is_some());
            let mut s = searcher(&game, settings, 1, 0);
            let limits = Limits {
                depth: Some(n as u32),
                ..Limits::default()
            };
            let found = run(&mut s, &record, &control(limits));
            assert!(found.stats.depth <= n as u32);
        }
    }
    // A depth limit leaves no marks for the next search.
    let mut s = searcher(&game, BEST, 1, 0);
    let limits = Limits {
        depth: Some(2),
        ..Limits::default()
    };
    run(&mut s, &record, &control(limits));
    let found = run(&mut s, &record, &control(Limits::default()));
    assert!(found.proven.is_some());
}

#[test]
fn a_stopped_search_names_a_move() {
    let game = Synthetic::random(3, 30, 400);
    let record = Record::new(game.clone());
    for settings in all_settings() {
        for threads in [1, 3] {
            let mut s = searcher(&game, settings, threads, 0);
            let stop = Stop::default();
            stop.terminate();
            let found = run(&mut s, &record, &Control::new(Limits::default(), stop, 1));
            assert!(record.moves().contains(&found.best));
            assert_eq!(found.pv[0], found.best);
        }
    }
}

/// Far more states than memory holds: they are recycled, and the truth is found all the same.
#[test]
fn a_full_table_recycles() {
    let game = Synthetic::random(11, 14, 4000);
    let record = Record::new(game.clone());
    let truth = truths(&game)[0];
    for threads in [1, 4] {
        let settings = Settings {
            law: Law::EpsilonGreedy(0.5),
            ..BEST
        };
        let mut s = searcher(&game, settings, threads, 0);
        let found = run(&mut s, &record, &simulations(100_000));
        if let Some(proven) = found.proven {
            assert_eq!(proven, outcome(truth));
        }
        let states = s.table.count();
        assert!(states < 8500, "{states}");
        assert!(
            found.proven.is_some() || found.stats.nodes > 12_000,
            "{:?}",
            found.stats
        );
    }
}

/// The truth of every node of a graph without cycles, the last first.
fn truths(game: &Synthetic) -> Vec<f32> {
    let mut truth = vec![0.0f32; game.len()];
    for i in (0..truth.len()).rev() {
        let at = At(i as u16);
        truth[i] = match game.outcome(&at) {
            Some(end) => end.value().0,
            None => {
                let below = game.moves(&at);
                let values = below
                    .iter()
                    .map(|m| truth[usize::from(game.after(&at, *m).0)]);
                match game.turn(&at) {
                    Player::One => values.fold(-1.0, f32::max),
                    Player::Two => values.fold(1.0, f32::min),
                }
            }
        };
    }
    truth
}

/// More threads than cores on one table, small enough to recycle all the time, with searches that begin where others
/// ended.
#[test]
fn stress_threads_share_a_table() {
    let rounds = if cfg!(debug_assertions) { 6 } else { 30 };
    for seed in 0..rounds {
        let game = Synthetic::random(seed + 100, 16, 1500);
        let truth = truths(&game);
        let all = all_settings();
        let mut s = searcher(&game, all[seed as usize * 5 % all.len()], 8, 0);
        let mut record = Record::new(game.clone());
        let mut rng = random::seeded(seed);
        while record.outcome().is_none() {
            let found = run(&mut s, &record, &simulations(4000));
            assert_eq!(found.stats.threads, 8.min(found.stats.threads));
            assert!(record.moves().contains(&found.best));
            if let Some(proven) = found.proven {
                let value = truth[usize::from(record.position().0)];
                assert_eq!(proven, outcome(value), "{seed}");
            }
            // No thread is left below any edge.
            for i in 0..truth.len() as u16 {
                if let Some(block) = s.table.find(game.key(&At(i))) {
                    let state = s.table.state(block);
                    assert!((0..state.length()).all(|edge| state.busy(edge) == 0));
                }
            }
            let moves = record.moves();
            let m = moves[random::pick(&mut rng, moves.len() as u32) as usize];
            record.play(m).unwrap();
        }
    }
}
