//! A thread that is alone goes on along the path of its last descent: the tree is that of descents from the root which look at
//! every child. These are what a thread makes that reckons with others.

use super::truth::cyclic;
use super::*;
use crate::certain::Certain;

/// Enough that nothing is recycled.
const MEMORY: usize = 4 << 20;

fn alone(game: &Synthetic, settings: Settings, shared: bool) -> BestFirst<Synthetic> {
    let evaluator = Box::new(ByHeuristic::new(game, &game.heuristics()[0]));
    let resources = Resources {
        threads: 1,
        memory: MEMORY,
        seed: Some(7),
    };
    let expander = Expander::new(evaluator, Ends::Result, Certain::Off);
    BestFirst::of_threads(game, settings, LIFETIME, expander, resources, shared)
}

fn with_and_without_completion() -> Vec<Settings> {
    let with = all_settings();
    let without = with.iter().map(|settings| Settings {
        completion: false,
        ..*settings
    });
    with.iter().copied().chain(without).collect()
}

/// Searches from each of `roots` in turn with both, and compares what they found and all that they know; how many
/// simulations they made.
fn same(game: &Synthetic, settings: Settings, roots: &[u16], limits: Limits) -> u64 {
    let mut both = [false, true].map(|shared| alone(game, settings, shared));
    let mut simulations = 0;
    for root in roots.iter().filter(|i| usize::from(**i) < game.len()) {
        if game.outcome(&At(*root)).is_some() {
            continue;
        }
        let record = Record::from_position(game.clone(), At(*root));
        let [kept, plain] = both.each_mut().map(|searcher| {
            let found = run(searcher, &record, &control(limits));
            let of = |c: &crate::Candidate<Synthetic>| (c.played, c.visits, c.value, c.pv.clone());
            let candidates: Vec<_> = found.candidates.iter().map(of).collect();
            let Stats {
                nodes,
                simulations,
                evaluations,
                depth,
                ..
            } = found.stats;
            let stats = (nodes, simulations, evaluations, depth);
            (found.best, found.value, found.proven, candidates, stats)
        });
        assert_eq!(kept, plain, "{settings:?}");
        simulations += kept.4.1;
        for at in (0..).map(At).take(game.len()) {
            let [kept, plain] = both.each_ref().map(|searcher| {
                let block = searcher.table.find(game.key(&at))?;
                let state = searcher.table.state(block);
                let edges: Vec<_> = state.edges().iter().map(read).collect();
                Some((read(state.own()), edges))
            });
            assert_eq!(kept, plain, "{settings:?}: {}", game.name(at));
        }
    }
    simulations
}

#[test]
fn the_tree_is_that_of_descents_from_the_root() {
    let all = with_and_without_completion();
    let mut simulations = 0;
    for seed in 0..600 {
        let game = Synthetic::random(seed, 20, 60);
        let settings = all[seed as usize % all.len()];
        let limits = Limits {
            simulations: Some(1 + seed * 7 % 900),
            ..Limits::default()
        };
        simulations += same(&game, settings, &[0, 1, 2, 0], limits);
    }
    assert!(simulations > 50_000, "{simulations}");
}

#[test]
fn the_tree_is_the_same_with_cycles_and_limits_of_depth() {
    let all = with_and_without_completion();
    for seed in 0..1500 {
        let repetition = ["repetition 3", "repetition 2", ""][seed as usize % 3];
        let (game, _) = cyclic(seed, repetition);
        let limits = Limits {
            simulations: Some(300),
            depth: (seed % 5 == 0).then_some(4),
            ..Limits::default()
        };
        same(
            &game,
            all[seed as usize / 3 % all.len()],
            &[0, 1, 2, 0],
            limits,
        );
    }
}
