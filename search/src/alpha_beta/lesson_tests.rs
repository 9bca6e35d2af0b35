//! What the search teaches, beside plain minimax of the same depth.

use crate::{Bound, Control, Equipment, Found, Lesson, Limits, Resources, Stop};
use std::collections::HashSet;
use treeline_game::options::Values;
use treeline_game::synthetic::{At, Child, Synthetic};
use treeline_game::{ForMover, Knowledge, Outcome, Player, Record, Rules};

fn taught(
    record: &Record<Synthetic>,
    searcher: &str,
    threads: usize,
    limits: Limits,
    teaching: bool,
) -> (Found<Synthetic>, Vec<Lesson<At>>) {
    let mut words = searcher.split(' ');
    let name = words.next().unwrap();
    let mut values: Values = crate::find(name).unwrap().values();
    values.set_pairs(words).unwrap();
    let resources = Resources {
        threads,
        memory: 2 << 20,
        seed: Some(1),
    };
    let equipment = Equipment {
        teaching,
        ..resources.into()
    };
    let mut built = crate::build(name, record.game(), &values, equipment).unwrap();
    let mut lessons = Vec::new();
    built.lessons(&mut |lesson| lessons.push(*lesson));
    assert_eq!(lessons, [], "there was no search yet");
    let control = Control::new(limits, Stop::default(), 1);
    let found = built.search(record, &control, &mut |_| ());
    built.lessons(&mut |lesson| lessons.push(*lesson));
    (found, lessons)
}

fn depth(depth: u32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

/// The value for player one of a search to that depth without any cut.
fn minimax(game: &Synthetic, at: At, depth: u32) -> f32 {
    if let Some(outcome) = game.outcome(&at) {
        return outcome.value().0;
    }
    if depth == 0 {
        return game.heuristics()[0].value(game, &at).0;
    }
    let moves = game.moves(&at);
    let below = moves
        .iter()
        .map(|m| minimax(game, game.after(&at, *m), depth - 1));
    match game.turn(&at) {
        Player::One => below.fold(-1.0, f32::max),
        Player::Two => below.fold(1.0, f32::min),
    }
}

/// Checks each lesson against minimax; how many there are of each bound.
fn check(game: &Synthetic, lessons: &[Lesson<At>], about: &str) -> [usize; 3] {
    let mut seen = HashSet::new();
    let mut counts = [0; 3];
    for lesson in lessons {
        let at = lesson.position;
        let name = game.name(at);
        assert!(seen.insert(at.0), "{about}: {name} comes twice");
        assert!(lesson.depth >= 2 || at == game.start(), "{about}: {name}");
        assert!(!lesson.finished && game.outcome(&at).is_none());
        let truth = minimax(game, at, lesson.depth) * game.turn(&at).sign() as f32;
        let value = lesson.value.0;
        let holds = match lesson.bound {
            Bound::Exact => value == truth,
            Bound::Lower => value <= truth && value > -1.0,
            Bound::Upper => value >= truth && value < 1.0,
        };
        assert!(holds, "{about}: {name} {lesson:?}, but {truth}");
        counts[lesson.bound as usize] += 1;
    }
    counts
}

#[test]
fn lessons_hold_for_minimax_of_their_depth() {
    let mut all = [0; 3];
    for seed in 0..200 {
        let game = Synthetic::random(seed, 8, 14);
        let record = Record::new(game.clone());
        for searcher in [
            "alpha-beta-classic",
            "alpha-beta-classic table=off",
            "alpha-beta table=off",
            "alpha-beta",
        ] {
            for (plies, threads) in [(2, 1), (4, 1), (6, 1), (6, 3)] {
                // Of another thread's the table may say more than the depth.
                if threads > 1 && !searcher.ends_with("table=off") {
                    continue;
                }
                let (found, lessons) = taught(&record, searcher, threads, depth(plies), true);
                let about = format!("{searcher}, graph {seed}, depth {plies}, {threads} threads");
                for (sum, count) in all.iter_mut().zip(check(&game, &lessons, &about)) {
                    *sum += count;
                }
                let root = lessons.iter().find(|l| l.position == game.start());
                let root = root.unwrap_or_else(|| panic!("{about}: no root"));
                if threads == 1 {
                    assert_eq!((Some(root.value), root.bound), (found.value, Bound::Exact));
                }
            }
        }
    }
    assert!(all.iter().all(|n| *n > 500), "{all:?}");
}

#[test]
fn an_iteration_broken_off_teaches_what_it_finished() {
    let mut deeper = 0;
    for seed in 0..60 {
        let game = Synthetic::random(seed, 10, 14);
        let record = Record::new(game.clone());
        for nodes in [20, 50, 100, 200] {
            let limits = Limits {
                nodes: Some(nodes),
                ..Limits::default()
            };
            for searcher in ["alpha-beta-classic table=off", "alpha-beta"] {
                let (_, lessons) = taught(&record, searcher, 1, limits, true);
                check(
                    &game,
                    &lessons,
                    &format!("{searcher}, graph {seed}, {nodes} nodes"),
                );
                let root = lessons.iter().find(|l| l.position == game.start());
                let root = root.map_or(0, |root| root.depth);
                // Inner nodes of an iteration are shallower than its root.
                deeper += lessons.iter().filter(|l| l.depth >= root.max(2)).count();
            }
        }
    }
    assert!(deeper > 100, "{deeper}");
}

#[test]
fn a_small_tree_teaches_these() {
    // c is refuted by f, so that it is at most -0.5 for player one, which is at least 0.5 for its mover.
    let game = Synthetic::new(
        "a 1 0: b c
         b 2 0: d e
         c 2 0: f g
         d 1 0: x
         e 1 0: y
         f 1 0: z
         g 1 0: x
         x 2 0.5: end
         y 2 0.25: end
         z 2 -0.5: end
         end one",
    );
    let record = Record::new(game.clone());
    let (_, lessons) = taught(&record, "alpha-beta-classic table=off", 1, depth(3), true);
    let mut told: Vec<_> = lessons
        .iter()
        .map(|l| (game.name(l.position), l.value, l.bound, l.depth))
        .collect();
    told.sort_by_key(|lesson| lesson.0);
    assert_eq!(
        told,
        [
            ("a", ForMover(0.25), Bound::Exact, 3),
            ("b", ForMover(-0.25), Bound::Exact, 2),
            ("c", ForMover(0.5), Bound::Lower, 2),
        ]
    );
}

#[test]
fn teaching_changes_no_search() {
    for seed in 0..40 {
        let game = Synthetic::random(seed, 9, 14);
        let record = Record::new(game.clone());
        for searcher in ["alpha-beta", "alpha-beta-classic"] {
            let (with, lessons) = taught(&record, searcher, 1, depth(7), true);
            let (without, none) = taught(&record, searcher, 1, depth(7), false);
            let told = |found: &Found<Synthetic>| {
                let stats = (
                    found.stats.nodes,
                    found.stats.evaluations,
                    found.stats.depth,
                );
                (found.best, found.value, found.proven, stats)
            };
            assert_eq!(told(&with), told(&without), "{searcher}, graph {seed}");
            assert_eq!(none, []);
            assert!(!lessons.is_empty());
        }
    }
}

#[test]
fn a_new_search_forgets_and_a_solver_teaches_nothing() {
    let game = Synthetic::random(3, 7, 10);
    let values = crate::find("alpha-beta").unwrap().values();
    let resources = Resources {
        threads: 1,
        memory: 2 << 20,
        seed: Some(1),
    };
    let equipment = Equipment {
        teaching: true,
        ..resources.into()
    };
    let solving = game.clone().with_solver();
    let mut built = crate::build("alpha-beta", &solving, &values, equipment).unwrap();
    let mut record = Record::new(solving);
    let mut told = |record: &Record<Synthetic>, limits: Limits| {
        let control = Control::new(limits, Stop::default(), 1);
        let found = built.search(record, &control, &mut |_| ());
        let mut lessons = Vec::new();
        built.lessons(&mut |lesson| lessons.push(*lesson));
        (found.proven, lessons)
    };
    assert!(!told(&record, depth(5)).1.is_empty());
    let seconds = Limits {
        time: Some(std::time::Duration::from_secs(1000)),
        ..Limits::default()
    };
    let (proven, lessons) = told(&record, seconds);
    assert!(matches!(proven, Some(Outcome::Win(_) | Outcome::Draw)));
    assert_eq!(lessons, []);
    record.play(Child(0)).unwrap();
    let start = record.game().start();
    let (_, lessons) = told(&record, depth(2));
    assert!(lessons.iter().all(|l| l.position != start));
    assert!(lessons.iter().any(|l| l.position == *record.position()));
}
