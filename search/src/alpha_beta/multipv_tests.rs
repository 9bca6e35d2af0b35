//! Several moves with exact values.

use super::tests::{ALL, Noise, depth, judged, with_multipv};
use crate::{Bound, Found, Limits};
use treeline_game::synthetic::Synthetic;
use treeline_game::{Record, Rules};

/// Whether the first moves have exact values in order; then what they are worth.
fn exact_ones(found: &Found<Synthetic>, multipv: usize, at: &str) -> Vec<(u32, f32)> {
    let first = found.candidates.iter().take(multipv);
    let values: Vec<_> = first
        .map(|c| {
            assert_eq!(c.bound, Bound::Exact, "{at}: {found:?}");
            assert_eq!(c.pv.first(), Some(&c.played), "{at}");
            (u32::from(c.played.0), c.value.0)
        })
        .collect();
    assert!(values.is_sorted_by(|a, b| a.1 >= b.1), "{at}: {values:?}");
    assert!(
        values
            .first()
            .is_none_or(|(_, value)| Some(*value) == found.value.map(|v| v.0)),
        "{at}"
    );
    values
}

#[test]
fn so_many_moves_as_asked_have_the_values_of_searches_of_their_own() {
    let network = Noise::default();
    for seed in 0..50 {
        let record = Record::new(Synthetic::random(seed, 7, 14));
        let legal = record.moves().len();
        for plies in 1..=7 {
            for network in [None, Some(&network)] {
                let minimax = format!("minimax plies={plies} heuristic=default");
                let minimax = judged(&record, &minimax, 1, Limits::default(), network);
                for searcher in [
                    "alpha-beta-classic table=off heuristic=default",
                    "alpha-beta table=off",
                    "alpha-beta table=off pvs=off",
                    "alpha-beta table=off aspiration=off",
                ] {
                    for multipv in [2, 3, 100] {
                        let at = format!("{searcher}, graph {seed}, depth {plies}, {multipv}");
                        let found =
                            with_multipv(multipv, &record, searcher, 1, depth(plies), network);
                        let values = exact_ones(&found, multipv, &at);
                        assert_eq!(values.len(), multipv.min(legal), "{at}");
                        assert_eq!(found.candidates.len(), legal, "{at}");
                        for (i, (played, value)) in values.into_iter().enumerate() {
                            let own = minimax
                                .candidates
                                .iter()
                                .find(|c| u32::from(c.played.0) == played);
                            assert_eq!(own.unwrap().value.0, value, "{at}, move {played}");
                            assert_eq!(minimax.candidates[i].value.0, value, "{at}, place {i}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn every_move_of_a_whole_graph_is_proven() {
    for seed in 0..40 {
        let game = Synthetic::random(seed, 9, 12);
        let record = Record::new(game.clone());
        let truths: Vec<f32> = record
            .moves()
            .into_iter()
            .map(|m| game.truth(game.after(record.position(), m)))
            .collect();
        for searcher in ALL {
            for threads in [1, 3] {
                let at = format!("{searcher}, graph {seed}, {threads} threads");
                let found = with_multipv(100, &record, searcher, threads, Limits::default(), None);
                exact_ones(&found, 100, &at);
                assert_eq!(found.candidates.len(), truths.len(), "{at}");
                for (c, m) in found.candidates.iter().map(|c| (c, c.played)) {
                    let truth = truths[record.moves().iter().position(|own| *own == m).unwrap()];
                    assert_eq!(c.proven.map(|o| o.value().0), Some(truth), "{at}");
                    assert_eq!(c.value.of(record.turn()).0, truth, "{at}");
                }
            }
        }
    }
}

#[test]
fn values_are_exact_and_in_order_wherever_a_search_ends() {
    for seed in 0..20 {
        let record = Record::new(Synthetic::random(seed, 12, 12));
        if record.moves().len() == 1 {
            continue;
        }
        let mut finished = 0;
        for nodes in 1..400 {
            let limits = Limits {
                nodes: Some(nodes),
                ..Limits::default()
            };
            let found = with_multipv(3, &record, "alpha-beta", 1, limits, None);
            let at = format!("graph {seed}, {nodes} nodes");
            assert!(record.moves().contains(&found.best), "{at}");
            if found.candidates.len() == record.moves().len() {
                exact_ones(&found, 3, &at);
                finished += 1;
            }
        }
        assert!(finished > 300, "{finished}");
    }
}

#[test]
fn a_solver_judges_several_moves_where_they_are_asked_for() {
    let time = Limits {
        time: Some(std::time::Duration::from_secs(1000)),
        ..Limits::default()
    };
    for seed in 0..20 {
        let record = Record::new(Synthetic::random(seed, 7, 10).with_solver());
        let found = with_multipv(3, &record, "alpha-beta", 1, time, None);
        assert_eq!(found.candidates.len(), record.moves().len(), "{seed}");
        assert!(
            found.candidates.iter().all(|c| c.proven.is_some()),
            "{seed}"
        );
        let one = with_multipv(1, &record, "alpha-beta", 1, time, None);
        assert_eq!(one.candidates.len(), 1, "{seed}");
    }
}
