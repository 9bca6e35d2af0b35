//! What the search teaches, on trees worked out by hand and beside the truth of random graphs.

use crate::{Bound, Control, Equipment, Found, Lesson, Limits, Resources, Searcher, Stop};
use std::collections::HashSet;
use treeline_game::synthetic::{At, Child, Synthetic};
use treeline_game::{Outcome, Player, Record, Rules};

fn built(
    game: &Synthetic,
    searcher: &str,
    threads: usize,
    teaching: bool,
) -> Box<dyn Searcher<Synthetic>> {
    let mut words = searcher.split(' ');
    let name = words.next().unwrap();
    let mut values = crate::find(name).unwrap().values();
    values.set_pairs(words).unwrap();
    let resources = Resources {
        threads,
        memory: 4 << 20,
        seed: Some(1),
    };
    let equipment = Equipment {
        teaching,
        ..resources.into()
    };
    crate::build(name, game, &values, equipment).unwrap()
}

fn run(
    searcher: &mut dyn Searcher<Synthetic>,
    record: &Record<Synthetic>,
    simulations: Option<u64>,
) -> Found<Synthetic> {
    let limits = Limits {
        simulations,
        ..Limits::default()
    };
    let control = Control::new(limits, Stop::default(), 1);
    searcher.search(record, &control, &mut |_| ())
}

fn lessons(searcher: &mut dyn Searcher<Synthetic>) -> Vec<Lesson<At>> {
    let mut lessons = Vec::new();
    searcher.lessons(&mut |lesson| lessons.push(*lesson));
    lessons
}

/// Names, values for the mover and whether they are ends, by name.
fn told(game: &Synthetic, searcher: &mut dyn Searcher<Synthetic>) -> Vec<(String, f32, bool)> {
    let told = lessons(searcher);
    for lesson in &told {
        assert_eq!(lesson.bound, Bound::Exact);
        assert_eq!(lesson.depth, u32::from(!lesson.finished));
    }
    let told = told
        .iter()
        .map(|l| (game.name(l.position).to_string(), l.value.0, l.finished));
    let mut told: Vec<_> = told.collect();
    told.sort_by(|a, b| a.0.cmp(&b.0));
    told
}

fn expected(lessons: &[(&str, f32, bool)]) -> Vec<(String, f32, bool)> {
    let own = |(name, value, end): &(&str, f32, bool)| (name.to_string(), *value, *end);
    lessons.iter().map(own).collect()
}

/// The tree whose every step `tests` has worked out.
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
fn states_expanded_and_ends_are_taught_with_their_last_values() {
    let game = Synthetic::new(TREE);
    let record = Record::new(game.clone());
    let mut s = built(&game, "ubfm select=best decision=best", 1, true);
    assert_eq!(told(&game, &mut *s), []);
    run(&mut *s, &record, Some(3));
    let after_three = [
        ("a", 0.0, false),
        ("b", 0.0, false),
        ("c", 0.25, false),
        ("d", 0.0, false),
        ("f", 1.0, true),
        ("h", -1.0, true),
        ("i", 0.0, true),
    ];
    assert_eq!(told(&game, &mut *s), expected(&after_three));
    // The next search expands e and j, sees f again, and has the root besides.
    run(&mut *s, &record, Some(2));
    let after_five = [
        ("a", 0.0, false),
        ("e", 1.0, false),
        ("f", 1.0, true),
        ("j", 1.0, false),
    ];
    assert_eq!(told(&game, &mut *s), expected(&after_five));
    s.clear();
    assert_eq!(told(&game, &mut *s), []);
    let mut silent = built(&game, "ubfm select=best decision=best", 1, false);
    run(&mut *silent, &record, Some(3));
    assert_eq!(told(&game, &mut *silent), []);
}

#[test]
fn a_game_that_is_solved_teaches_nothing_but_the_truth() {
    let mut taught = 0;
    for seed in 0..400 {
        let game = Synthetic::random(seed, 8, 12);
        let record = Record::new(game.clone());
        let threads = 1 + seed as usize % 3;
        let searcher = [
            "ubfm",
            "descent",
            "descent ends=depth end-plies=20",
            "ubfm ends=depth",
        ][seed as usize / 3 % 4];
        let mut s = built(&game, searcher, threads, true);
        let found = run(&mut *s, &record, None);
        let truth = game.truth(game.start());
        let proven = found.proven.map(|outcome| outcome.value().0);
        assert_eq!(proven, Some(truth), "{searcher}, graph {seed}");
        let mut seen = HashSet::new();
        for lesson in lessons(&mut *s) {
            let at = lesson.position;
            let about = format!("{searcher}, graph {seed}, {}", game.name(at));
            assert!(seen.insert(at.0), "{about} comes twice");
            assert_eq!(lesson.finished, game.outcome(&at).is_some(), "{about}");
            let value = lesson.value.of(game.turn(&at)).0;
            if lesson.finished {
                // Layers are plies.
                let layer: u32 = game.name(at).split('.').next().unwrap().parse().unwrap();
                let plies = match searcher.contains("end-plies") {
                    true => 20,
                    false => game.longest().unwrap(),
                };
                let size = match searcher.contains("depth") {
                    true => (plies - layer + 1) as f32 / plies as f32,
                    false => 1.0,
                };
                assert_eq!(value, game.truth(at) * size, "{about}");
            }
            if at == game.start() {
                assert_eq!(Some(lesson.value), found.value, "{about}");
            }
            taught += 1;
        }
        assert!(seen.contains(&game.start().0));
    }
    assert!(taught > 3000, "{taught}");
}

/// What is backed up to the root is another number than the value of the safest move.
#[test]
fn a_root_s_value_is_its_lesson() {
    let mut others = 0;
    for seed in 0..200 {
        let game = Synthetic::random(seed, 30, 400);
        let record = Record::new(game.clone());
        let mut s = built(&game, ["ubfm", "descent"][seed as usize % 2], 1, true);
        let found = run(&mut *s, &record, Some(40));
        let told = lessons(&mut *s);
        let root = told.iter().find(|lesson| lesson.position == game.start());
        assert_eq!(s.root_value(), root.map(|lesson| lesson.value), "{seed}");
        others += u32::from(s.root_value() != found.value);
    }
    assert!(others > 0);
}

#[test]
fn additive_depth_counts_the_plies_of_the_record() {
    let game = Synthetic::new(
        "a 1 0: b
         b 1 0: quick slow
         quick 2 0.5: won
         slow 2 0.5: later
         later 1 0.5: won
         won one",
    );
    let mut record = Record::new(game.clone());
    record.play(Child(0)).unwrap();
    // `won` after three plies: (10 - 3 + 1)/10.
    let mut s = built(&game, "ubfm ends=depth end-plies=10 select=best", 1, true);
    let found = run(&mut *s, &record, None);
    assert_eq!(found.proven, Some(Outcome::Win(Player::One)));
    assert_eq!((found.best, found.value.unwrap().0), (Child(0), 0.8));
    let b = ("b", 0.8, false);
    let lessons = told(&game, &mut *s);
    assert_eq!(lessons[0], (b.0.to_string(), b.1, b.2));
}

#[test]
fn scores_are_shares_of_the_largest_margin() {
    // f, which nothing leads to, makes 12 points the largest margin.
    let game = Synthetic::new(
        "a 1 0: b c
         b 2 0.5: d
         c 2 0.25: e
         d one 6
         e one 2
         f two -12",
    );
    let record = Record::new(game.clone());
    let mut s = built(&game, "ubfm ends=score select=best", 1, true);
    let found = run(&mut *s, &record, None);
    assert_eq!(found.proven, Some(Outcome::Win(Player::One)));
    assert_eq!((found.best, found.value.unwrap().0), (Child(0), 0.5));
    let expected = expected(&[("a", 0.5, false), ("b", -0.5, false), ("d", 0.5, true)]);
    assert_eq!(told(&game, &mut *s), expected);
}
