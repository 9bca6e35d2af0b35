//! AlphaGo's search against a plain one: PUCT whose leaves are worth `(1-λ)·v + λ·z` (Silver et al. 2016, ALPHAS §4.5). Play-outs
//! stop at once with the text's value (`fet=0`), so that nothing is random but the order of the children.

use super::super::static_values::StaticValues;
use super::*;
use crate::eval::Bundle;
use crate::eval::scribbled::Scribbled;
use treeline_game::Rules;
use treeline_game::synthetic::At;

#[derive(Default)]
struct Node {
    visits: f64,
    sum: f64,
    prior: f64,
    children: Vec<Node>,
}

struct Reference<'a> {
    game: &'a Synthetic,
    network: &'a Scribbled,
    lambda: f64,
    c: f64,
}

impl Reference<'_> {
    fn grow(&self, node: &mut Node, at: At) {
        let moves = self.game.moves(&at);
        let weights = moves
            .iter()
            .map(|m| f64::from(self.network.logit(&at, *m)).exp());
        let weights: Vec<f64> = weights.collect();
        let sum: f64 = weights.iter().sum();
        let child = |weight: &f64| Node {
            prior: weight / sum,
            ..Node::default()
        };
        node.children = weights.iter().map(child).collect();
    }

    /// The result for player one.
    fn simulate(&self, node: &mut Node, at: At) -> f64 {
        if let Some(outcome) = self.game.outcome(&at) {
            return f64::from(outcome.value().0);
        }
        if node.children.is_empty() {
            self.grow(node, at);
            let v = f64::from(self.network.value(&at));
            let z = f64::from(self.game.heuristics()[0].value(self.game, &at).0);
            return (1.0 - self.lambda) * v + self.lambda * z;
        }
        let total: f64 = node.children.iter().map(|child| child.visits).sum();
        let rate = |child: &Node| {
            let q = child.sum / child.visits.max(1.0);
            q + self.c * child.prior * total.max(1.0).sqrt() / (1.0 + child.visits)
        };
        let mut best = 0;
        for i in 1..node.children.len() {
            if rate(&node.children[i]) > rate(&node.children[best]) {
                best = i;
            }
        }
        let next = self.game.after(&at, self.game.moves(&at)[best]);
        let value = self.simulate(&mut node.children[best], next);
        let child = &mut node.children[best];
        child.visits += 1.0;
        child.sum += value * f64::from(self.game.turn(&at).sign());
        value
    }
}

#[test]
fn every_root_is_that_of_a_plain_search() {
    let (mut compared, mut playouts) = (0, 0);
    for seed in 0..220 {
        let game = Synthetic::random(seed, 12, 8);
        let lambda = [0.5, 0.25, 0.0][seed as usize % 3];
        let network = Scribbled::new(&game, seed);
        let preset = ENTRIES
            .iter()
            .find(|entry| entry.name == "alphago")
            .unwrap();
        let mut values = preset.values();
        let weight = format!("playout-weight={lambda}");
        let stopped = ["fet=0", "playout-heuristic=written", &weight];
        values.set_pairs(stopped).unwrap();
        let judge = Judge {
            is_network: true,
            has_policy: true,
        };
        let parts = Composition::read(&game, &values, judge).unwrap();
        let mut mcts = with_evaluator(&game, parts, Box::new(network.clone()), 1, seed);
        let found = search(&mut mcts, &game, 80);
        let reference = Reference {
            game: &game,
            network: &network,
            lambda,
            c: 1.0,
        };
        let mut root = Node::default();
        reference.grow(&mut root, game.start());
        for _ in 0..80 {
            reference.simulate(&mut root, game.start());
        }
        for (i, child) in root.children.iter().enumerate() {
            let (visits, mean) = candidate(&found, i as u8);
            let what = format!("seed {seed}, child {i}");
            assert_eq!(visits as f64, child.visits, "{what}");
            let expected = child.sum / child.visits.max(1.0);
            assert!(
                (f64::from(mean) - expected).abs() < 1e-5,
                "{what}: {mean} is not {expected}"
            );
            compared += 1;
        }
        playouts += found.stats.playouts;
    }
    assert!(compared > 350 && playouts > 2000, "{compared} {playouts}");
}

#[test]
fn play_outs_draw_their_moves_by_the_fast_policy() {
    let game = Synthetic::new("a 1 0: b c d\n b one\n c two\n d draw");
    let fast = Scribbled::new(&game, 7);
    let (at, moves) = (game.start(), game.moves(&game.start()));
    let judge = || Box::new(Scribbled::new(&game, 1));
    let bundle = Bundle::new(&game, judge(), None, None).with_playout(Some(Box::new(fast.clone())));
    let control = simulations(1);
    // Also of the evaluator of another thread.
    let mut other = Evaluator::another(&bundle);
    let mut statics = StaticValues::new(&control, &mut *other).with_fast_policy();
    let (mut counts, mut rng) = ([0.0; 3], random::seeded(3));
    for _ in 0..9000 {
        counts[statics.draw(&at, &moves, &mut rng).unwrap()] += 1.0;
    }
    let weights: Vec<f64> = moves
        .iter()
        .map(|m| f64::from(fast.logit(&at, *m)).exp())
        .collect();
    let total: f64 = weights.iter().sum();
    for (count, weight) in counts.iter().zip(&weights) {
        let (expected, sd) = (9000.0 * weight / total, (9000.0f64 / 4.0).sqrt());
        assert!(
            (count - expected).abs() < 5.0 * sd,
            "{counts:?} {weights:?}"
        );
    }
    let mut plain = judge();
    let mut statics = StaticValues::new(&control, &mut *plain).with_fast_policy();
    assert_eq!(statics.draw(&at, &moves, &mut rng), None);
}
