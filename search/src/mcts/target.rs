//! What a policy should learn of the root's moves, and the chance by which self-play chooses among them.
//!
//! Sequential halving has Gumbel's improved policy, `softmax(logit + σ(q))` with the `v_mix` of moves without visits
//! (Danihelka et al. 2022, §4). Otherwise it is the visits, without those that were only forced (D. Wu, "Accelerating
//! self-play learning in Go", 2019, §3.2). What is proven goes before: if moves win, they are all there is to learn, and
//! moves that lose are learned only if all do.

use super::composition::{Composition, Sampling};
use super::edge::{Index, Link, ONE};
use super::formula::{Child, Columns, Formula};
use super::gumbel::Standings;
use super::shared::RootNoise;
use super::tree::Tree;
use crate::{Candidate, Found};
use treeline_game::{Game, Player, Rng, random};

/// The weights of the moves of `root`, those of weight 0 left out; nothing before the first simulation.
pub fn policy<G: Game>(
    tree: &Tree<G>,
    composition: &Composition<G>,
    noise: &RootNoise,
    root: Index,
    mover: Player,
) -> Vec<(G::Move, f32)> {
    let Link::Block(block) = tree.edge(root).link() else {
        return Vec::new();
    };
    let edges = tree.edges(block);
    let won = edges.iter().any(|edge| edge.bounds().is_won(mover));
    let lost = edges.iter().all(|edge| edge.bounds().is_lost(mover));
    let mut weights: Vec<f32> = match composition.gumbel {
        _ if won => edges
            .iter()
            .map(|edge| f32::from(edge.bounds().is_won(mover)))
            .collect(),
        Some(settings) => Standings::of(tree, composition, root, mover).improved(settings),
        None if composition.forced > 0.0 && tree.growth().extras => {
            let mut children = columns(tree, block, mover);
            let visits = children.visits.iter().sum();
            let formula = Formula::new(composition, visits, 0.0);
            formula.prepare(&mut children);
            noise.add_to(&mut children.priors);
            pruned(&formula, &children, composition.forced)
        }
        None => edges.iter().map(|edge| edge.visits() as f32).collect(),
    };
    if !lost {
        for (weight, edge) in weights.iter_mut().zip(edges) {
            if edge.bounds().is_lost(mover) {
                *weight = 0.0;
            }
        }
    }
    let moves = edges.iter().map(|edge| edge.played());
    moves.zip(weights).filter(|(_, w)| *w > 0.0).collect()
}

/// The children in `block` as `mover` sees them, without tables by move.
fn columns<G: Game>(tree: &Tree<G>, block: Index, mover: Player) -> Columns {
    let mut columns = Columns::default();
    for (edge, extra) in tree.edges(block).iter().zip(tree.extras(block)) {
        let implicit = match edge.bounds().exact() {
            Some(outcome) => outcome.value(),
            None => extra.implicit(),
        };
        columns.push(&Child {
            visits: edge.visits() as f32,
            sum: edge.sum() as f32 / ONE as f32,
            implicit: implicit.seen_by(mover).0,
            first: extra.first().seen_by(mover).0,
            prior: extra.prior(),
            ..Child::default()
        });
    }
    columns
}

/// The visits that a child with this prior is forced to have once it has one, at a node with so many.
pub fn forced_visits(factor: f32, prior: f32, visits: f32) -> f32 {
    (factor * prior * visits).sqrt()
}

/// The visits of children but for the forced ones: each child but the most visited loses as many of those as the formula
/// would not have asked for, and the last one, too, if but one is left.
fn pruned(formula: &Formula, children: &Columns, factor: f32) -> Vec<f32> {
    let total: f32 = children.visits.iter().sum();
    let mut most = 0;
    for (i, visits) in children.visits.iter().enumerate() {
        if *visits > children.visits[most] {
            most = i;
        }
    }
    if total < 1.0 {
        return children.visits.clone();
    }
    let limit = formula.value(&children.child(most));
    let left = |i: usize| {
        let child = children.child(i);
        if i == most {
            return child.visits;
        }
        let least = (child.visits - forced_visits(factor, child.prior, total)).max(1.0);
        let mut visits = child.visits;
        while visits - 1.0 >= least {
            let fewer = Child {
                visits: visits - 1.0,
                sum: child.sum / child.visits * (visits - 1.0),
                ..child
            };
            if formula.value(&fewer) >= limit {
                break;
            }
            visits -= 1.0;
        }
        if visits > 1.0 { visits } else { 0.0 }
    };
    (0..children.len()).map(left).collect()
}

/// Plays a candidate drawn by its visits, unless the result is certain.
pub fn draw<G: Game>(found: &mut Found<G>, sampling: Sampling, rng: &mut Rng) {
    if found.proven.is_some() {
        return;
    }
    if let Some(drawn) = sample(&found.candidates, sampling, rng) {
        found.candidates[..=drawn].rotate_right(1);
        found.best = found.candidates[0].played;
        found.pv.clone_from(&found.candidates[0].pv);
    }
}

/// Which candidate is played: one by `visits^(1/T)`, those left out that lose for certain. `None` leaves the choice alone.
fn sample<G: Game>(
    candidates: &[Candidate<G>],
    sampling: Sampling,
    rng: &mut Rng,
) -> Option<usize> {
    let most = candidates.iter().map(|c| c.visits).max()? as f64;
    let weight = |candidate: &Candidate<G>| {
        let share = candidate.visits as f64 / most.max(1.0);
        match candidate.value.0 > -1.0 {
            true => share.powf(1.0 / f64::from(sampling.temperature)),
            false => 0.0,
        }
    };
    let total: f64 = candidates.iter().map(weight).sum();
    if total <= 0.0 {
        return None;
    }
    let mut left = (random::word(rng) >> 11) as f64 / (1u64 << 53) as f64 * total;
    let mut found = None;
    for (i, candidate) in candidates.iter().enumerate() {
        let weight = weight(candidate);
        if weight > 0.0 {
            found = Some(i);
            left -= weight;
            if left < 0.0 {
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::composition::Judge;
    use super::*;
    use treeline_game::ForMover;
    use treeline_game::synthetic::{Child as Move, Synthetic};

    fn child(visits: f32, mean: f32, prior: f32) -> Child {
        Child {
            visits,
            sum: visits * mean,
            prior,
            ..Child::default()
        }
    }

    #[test]
    fn visits_are_pruned_as_far_as_the_formula_would_not_have_asked_for_them() {
        let game = Synthetic::new("a 1 0: b\n b one");
        let mut values = crate::find("puct").unwrap().values();
        values.set("exploration", "1").unwrap();
        let composition = Composition::read(&game, &values, Judge::default()).unwrap();
        let mut children = Columns::default();
        // 100 visits: the first child's value is 0.5 + 0.4·10/61 = 0.5656.
        children.push(&child(60.0, 0.5, 0.4));
        // Forced: sqrt(2·0.2·100) = 6.3, all without need.
        children.push(&child(18.0, 0.0, 0.2));
        // sqrt(2·0.32·100) = 8: 0.4 + 0.32·10/(1 + n) < 0.5656 as long as n > 18.3, so that one visit goes.
        children.push(&child(20.0, 0.4, 0.32));
        // sqrt(2·0.02·100) = 2: one goes, and then the other is alone.
        children.push(&child(2.0, -0.5, 0.02));
        children.push(&child(0.0, 0.0, 0.08));
        let formula = Formula::new(&composition, 100.0, 0.0);
        assert_eq!(
            pruned(&formula, &children, 2.0),
            [60.0, 12.0, 19.0, 0.0, 0.0]
        );
        assert_eq!(forced_visits(2.0, 0.5, 100.0), 10.0);
        assert!(pruned(&formula, &Columns::default(), 2.0).is_empty());
    }

    #[test]
    fn moves_are_drawn_by_their_visits_and_the_temperature() {
        let candidate = |(i, (visits, value)): (usize, &(u64, f32))| Candidate::<Synthetic> {
            played: Move(i as u8),
            visits: *visits,
            value: ForMover(*value),
            bound: crate::Bound::Exact,
            proven: None,
            pv: Vec::new(),
        };
        let all = [(60, 0.1), (30, 0.2), (10, -0.9), (100, -1.0), (0, 0.0)];
        let candidates: Vec<_> = all.iter().enumerate().map(candidate).collect();
        let mut rng = random::seeded(1);
        let mut shares = |temperature: f32, candidates: &[Candidate<Synthetic>]| {
            let sampling = Sampling {
                temperature,
                plies: 1,
            };
            let mut counts = vec![0.0; candidates.len()];
            for _ in 0..20_000 {
                counts[sample(candidates, sampling, &mut rng).unwrap()] += 1.0 / 20_000.0;
            }
            counts
        };
        let near = |found: &[f64], expected: &[f64]| {
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 0.015, "{found} for {expected}");
            }
        };
        near(&shares(1.0, &candidates), &[0.6, 0.3, 0.1, 0.0, 0.0]);
        // 36 : 9 : 1
        let squares = [36.0 / 46.0, 9.0 / 46.0, 1.0 / 46.0, 0.0, 0.0];
        near(&shares(0.5, &candidates), &squares);
        assert_eq!(shares(0.01, &candidates)[1..], [0.0; 4]);
        let sampling = Sampling {
            temperature: 1.0,
            plies: 1,
        };
        assert_eq!(sample(&candidates[3..], sampling, &mut rng), None);
        assert_eq!(sample::<Synthetic>(&[], sampling, &mut rng), None);
    }
}
