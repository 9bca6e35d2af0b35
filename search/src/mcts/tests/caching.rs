//! Evaluations that are kept by position.

use super::network::{NIM, PUCT, wide};
use super::*;
use crate::Candidate;

#[test]
fn a_seeded_search_repeats_and_a_cache_changes_nothing() {
    let game = wide(6, 60).with_policy(4);
    for options in [
        NIM,
        PUCT,
        "playout=none solver=off exploration=0.2 batched=4",
    ] {
        let run = |cache: usize| {
            let network = Written::new(&game);
            let parts = composition_with(&game, options, &network);
            let resources = Resources {
                threads: 1,
                memory: 8 << 20,
                seed: Some(3),
            };
            let mut mcts = Mcts::new(&game, parts, Box::new(network.clone()), cache, resources);
            let found = search(&mut mcts, &game, 500);
            let visits = |c: &Candidate<Synthetic>| (c.played, c.visits, c.value);
            let all: Vec<_> = found.candidates.iter().map(visits).collect();
            let asked = network.asked().1;
            assert_eq!(found.stats.evaluations, asked, "{options}");
            (all, asked)
        };
        let (first, without) = run(0);
        assert_eq!(run(0), (first.clone(), without), "{options}");
        let (cached, with) = run(1 << 20);
        assert_eq!(cached, first, "{options}");
        // There are sixty positions.
        assert!(
            with <= 120 && with * 2 < without,
            "{options}: {with} of {without}"
        );
    }
}

#[test]
fn evaluations_are_kept_by_itself_where_the_network_has_a_policy() {
    let asked = |game: Synthetic, options: &str| {
        let network = Written::new(&game);
        let mut values = crate::find("puct").unwrap().values();
        values.set_pairs(options.split_whitespace()).unwrap();
        let resources = Resources {
            threads: 1,
            memory: 8 << 20,
            seed: Some(3),
        };
        let equipment = Equipment {
            network: Some(&network),
            ..resources.into()
        };
        let mut puct = build(&game, &values, equipment).unwrap();
        let record = Record::new(game.clone());
        puct.search(&record, &simulations(500), &mut |_| ());
        network.asked().1
    };
    let game = wide(6, 60).with_policy(4);
    let (by_itself, without) = (asked(game.clone(), ""), asked(game, "cache=0"));
    // There are sixty positions.
    assert!(
        by_itself <= 60 && by_itself * 2 < without,
        "{by_itself} of {without}"
    );
    assert_eq!(asked(wide(6, 60), ""), asked(wide(6, 60), "cache=0"));
}
