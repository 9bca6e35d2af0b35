//! Exact graphs: results, unequal turns, transpositions, cycles, histories.

use super::prover::{Prover, Question};
use super::setup::SolverSettings;
use super::solver::{Solution, Solver};
use crate::{Control, Limits, Stop};
use treeline_game::synthetic::{At, Synthetic};
use treeline_game::{Knowledge, Line, Outcome, Player, Record, Rules, random};

fn control() -> Control {
    Control::new(Limits::default(), Stop::default(), 1)
}

fn solve_with(record: &Record<Synthetic>, memory: usize) -> Solution<Synthetic> {
    let heuristic = &record.game().heuristics()[0];
    let mut solver = Solver::new(heuristic, SolverSettings::default(), memory);
    solver.solve(record, &control(), &mut |_, _| ()).0
}

fn outcome_of(value: f32) -> Outcome {
    Outcome::by_margin(value as i32)
}

#[test]
fn random_graphs_have_their_values() {
    let mut seen = [0; 3];
    for seed in 0..4000 {
        let game = Synthetic::random(seed, 3 + seed as usize % 7, 2 + seed as usize % 9);
        let truth = outcome_of(game.truth(game.start()));
        seen[(truth.value().0 as i32 + 1) as usize] += 1;
        // A table of one bucket forgets nearly everything.
        for memory in [0, 1 << 16] {
            let solution = solve_with(&Record::new(game.clone()), memory);
            assert_eq!(solution.outcome, Some(truth), "seed {seed}");
            let mut at = game.start();
            assert!(!solution.pv.is_empty());
            for m in solution.pv {
                game.apply(&mut at, m);
                assert_eq!(
                    outcome_of(game.truth(at)),
                    truth,
                    "seed {seed}: a move loses value"
                );
            }
            assert_eq!(
                game.outcome(&at),
                Some(truth),
                "seed {seed}: the line ends early"
            );
        }
    }
    assert!(seen.iter().all(|n| *n > 300), "{seen:?}");
}

fn value(text: &str) -> Option<Outcome> {
    solve_with(&Record::new(Synthetic::new(text)), 1 << 16).outcome
}

const ONE: Option<Outcome> = Some(Outcome::Win(Player::One));
const DRAW: Option<Outcome> = Some(Outcome::Draw);

#[test]
fn cycles_help_nobody_and_hide_no_win() {
    // Player two can go round for ever instead of losing.
    let round = "a 1 0: b\n b 2 0: a c\n c one";
    assert_eq!(value(&format!("{round}\n repetition 3")), DRAW);
    assert_eq!(value(round), None);
    // The way round is open, and a win all the same.
    assert_eq!(value("a 1 0: b\n b 1 0: a c\n c one"), ONE);
    // A drawn end is a result even without a rule against repetition only if nobody needs the way round for it.
    assert_eq!(value("a 1 0: b c\n b draw\n c two"), DRAW);
    // d is refuted below b by going back to b, and is a win for player one when it is reached from a.
    let history = "a 1 0: b d\n b 2 0: d e\n e 1 0: f d\n f two\n d 1 0: b g\n g 2 0: h\n h one\n repetition 3";
    assert_eq!(value(history), ONE);
}

/// A random graph with cycles, as text.
fn cyclic(seed: u64, nodes: usize, repetition: Option<u32>) -> Synthetic {
    let mut rng = random::seeded(seed);
    let mut pick = |n: usize| random::pick(&mut rng, n as u32) as usize;
    let mut text = String::new();
    for node in 0..nodes {
        if node > nodes / 2 && pick(2) == 0 {
            let end = ["one", "two", "draw"][pick(3)];
            text += &format!("n{node} {end}\n");
            continue;
        }
        let mut children = Vec::new();
        for _ in 0..1 + pick(3) {
            let child = pick(nodes);
            if !children.contains(&child) {
                children.push(child);
            }
        }
        let names: Vec<String> = children.iter().map(|c| format!("n{c}")).collect();
        let (turn, value) = (1 + pick(2), pick(199) as f32 / 100.0 - 1.0);
        text += &format!("n{node} {turn} {value}: {}\n", names.join(" "));
    }
    if let Some(repetition) = repetition {
        text += &format!("repetition {repetition}\n");
    }
    Synthetic::new(&text)
}

/// The values of all nodes for player one where going round for ever is a draw: wins spread from the ends until nothing
/// changes.
fn retrograde(game: &Synthetic, nodes: usize) -> Vec<i32> {
    let won = |winner: Player| {
        let mut wins = vec![false; nodes];
        loop {
            let before = wins.clone();
            for (at, win) in wins.iter_mut().enumerate() {
                let position = At(at as u16);
                if let Some(outcome) = game.outcome(&position) {
                    *win = outcome == Outcome::Win(winner);
                    continue;
                }
                let moves = game.moves(&position);
                let mut children = moves
                    .iter()
                    .map(|m| before[game.after(&position, *m).0 as usize]);
                *win = match game.turn(&position) == winner {
                    true => children.any(|win| win),
                    false => children.all(|win| win),
                };
            }
            if wins == before {
                return wins;
            }
        }
    };
    let [one, two] = Player::BOTH.map(won);
    (0..nodes)
        .map(|at| i32::from(one[at]) - i32::from(two[at]))
        .collect()
}

#[test]
fn random_cycles_have_the_values_of_retrograde_analysis() {
    let mut seen = [0; 3];
    for seed in 0..6000 {
        let nodes = 4 + seed as usize % 13;
        let game = cyclic(seed, nodes, Some(3));
        if game.outcome(&game.start()).is_some() {
            continue;
        }
        let truth = Outcome::by_margin(retrograde(&game, nodes)[0]);
        seen[(truth.value().0 as i32 + 1) as usize] += 1;
        for memory in [0, 1 << 16] {
            let solution = solve_with(&Record::new(game.clone()), memory);
            assert_eq!(solution.outcome, Some(truth), "seed {seed}");
        }
        // Without the rule the same, except that a draw may be none.
        let endless = cyclic(seed, nodes, None);
        let solution = solve_with(&Record::new(endless), 1 << 16);
        match solution.outcome {
            None => assert_eq!(truth, Outcome::Draw, "seed {seed}"),
            Some(outcome) => assert_eq!(outcome, truth, "seed {seed}"),
        }
    }
    assert!(seen.iter().all(|n| *n > 500), "{seen:?}");
}

/// The value for player one by the rules alone: every path, its history included.
fn by_paths(line: &Line<'_, Synthetic>) -> f32 {
    if let Some(outcome) = line.outcome() {
        return outcome.value().0;
    }
    let game = line.game();
    let values = game.moves(line.position()).into_iter().map(|m| {
        let mut next = line.clone();
        next.apply(m);
        by_paths(&next)
    });
    match game.turn(line.position()) {
        Player::One => values.fold(-1.0, f32::max),
        Player::Two => values.fold(1.0, f32::min),
    }
}

#[test]
fn histories_count_as_the_rules_say() {
    let (mut tried, mut changed) = (0, 0);
    for seed in 0..3000u64 {
        let repetition = 2 + (seed % 2) as u32;
        let nodes = if repetition == 2 { 7 } else { 5 };
        let game = cyclic(seed, nodes, Some(repetition));
        let mut record = Record::new(game.clone());
        let mut rng = random::seeded(seed);
        // One solver for the whole game: what it knows of one history must not spoil another.
        let mut solver = Solver::new(&game.heuristics()[0], SolverSettings::default(), 1 << 14);
        for _ in 0..6 {
            if record.outcome().is_some() {
                break;
            }
            let truth = outcome_of(by_paths(&record.line()));
            let (solution, _) = solver.solve(&record, &control(), &mut |_, _| ());
            assert_eq!(solution.outcome, Some(truth), "seed {seed}");
            let mut next = record.line();
            next.apply(solution.pv[0]);
            assert_eq!(
                outcome_of(by_paths(&next)),
                truth,
                "seed {seed}: the move loses value"
            );
            tried += 1;
            let fresh = Record::from_position(game.clone(), *record.position());
            changed += u32::from(outcome_of(by_paths(&fresh.line())) != truth);
            let moves = record.moves();
            record
                .play(moves[random::pick(&mut rng, moves.len() as u32) as usize])
                .unwrap();
        }
    }
    assert!(tried > 3000 && changed > 50, "{tried} {changed}");
}

#[test]
fn limits_end_the_search_and_leave_nothing_false() {
    for seed in 0..300 {
        let game = Synthetic::random(seed, 9, 12);
        let truth = outcome_of(game.truth(game.start()));
        let record = Record::new(game.clone());
        let mut solver = Solver::new(&game.heuristics()[0], SolverSettings::default(), 1 << 14);
        let mut run = |limits| {
            let control = Control::new(limits, Stop::default(), 1);
            let (solution, tally) = solver.solve(&record, &control, &mut |_, _| ());
            assert!(
                solution.outcome.is_none_or(|outcome| outcome == truth),
                "seed {seed}"
            );
            (solution.outcome, tally)
        };
        for nodes in 1..6 {
            let (outcome, tally) = run(Limits {
                nodes: Some(nodes),
                ..Limits::default()
            });
            assert!(outcome.is_some() || tally.expanded == nodes, "{tally:?}");
        }
        for depth in 1..5 {
            let (outcome, tally) = run(Limits {
                depth: Some(depth),
                ..Limits::default()
            });
            assert!(outcome.is_some() || tally.deepest < depth, "{tally:?}");
        }
        assert_eq!(run(Limits::default()).0, Some(truth));
    }
}

#[test]
fn a_raised_flag_leaves_it_unknown() {
    let game = Synthetic::random(1, 9, 12);
    let stop = Stop::default();
    stop.terminate();
    let control = Control::new(Limits::default(), stop, 1);
    let mut prover = Prover::new(1 << 14);
    let record = Record::new(game);
    let solution = prover
        .solve(&record, Question::by("auto"), None, &control, &mut |_| ())
        .unwrap();
    assert!(solution.stats.simulations < 1000);
    assert!(
        prover
            .solve(&record, Question::by("exact"), None, &control, &mut |_| ())
            .is_err()
    );
}
