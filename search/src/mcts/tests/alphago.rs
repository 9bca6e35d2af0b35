//! AlphaGo's search against a plain one: PUCT whose leaves are worth `(1-λ)·v + λ·z` (Silver et al. 2016, ALPHAS §4.5). Play-outs
//! stop at once with the text's value (`fet=0`), so that nothing is random but the order of the children.

use super::*;
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
