//! Step by step, as worked out by hand.

use super::*;
use treeline_game::Rules;

/// `(c, v, r)` and visits.
type Seen = (i8, f32, bool, u32);

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
