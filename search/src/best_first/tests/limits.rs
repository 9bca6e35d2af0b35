//! Limits, stops, what is forgotten and what memory holds.

use super::*;

#[test]
fn a_state_is_forgotten_when_three_searches_did_not_see_it() {
    // Elsewhere, where one simulation proves nothing.
    let other = |i: usize| format!("\nk{i} 1 0: l{i}\nl{i} 2 0: m{i}\nm{i} 1 0: n{i}\nn{i} two");
    let game = Synthetic::new(&(TREE.to_string() + &(0..6).map(other).collect::<String>()));
    let record = Record::new(game.clone());
    for others in 0..6 {
        let mut s = searcher(&game, BEST, 1, 0);
        run(&mut s, &record, &simulations(3));
        for i in 0..others {
            run(&mut s, &from(&game, &format!("k{i}")), &simulations(1));
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

#[test]
fn what_is_proven_stays_proven_as_the_game_goes_on() {
    // Player one wins by never drawing, which he could at each of his turns.
    let line = |i: usize| match i % 2 {
        0 => format!("n{i} 1 0: n{} x\n", i + 1),
        _ => format!("n{i} 2 0: n{}\n", i + 1),
    };
    let text: String = (0..12).map(line).collect();
    let game = Synthetic::new(&(text + "n12 one\nx draw"));
    let mut ubfm = searcher(&game, BEST, 1, 1 << 20);
    let found = run(&mut ubfm, &from(&game, "n0"), &simulations(1000));
    assert_eq!(found.proven, Some(Outcome::Win(Player::One)));
    for i in 1..12 {
        let found = run(&mut ubfm, &from(&game, &format!("n{i}")), &simulations(1));
        assert_eq!(found.proven, Some(Outcome::Win(Player::One)), "n{i}");
    }
}
