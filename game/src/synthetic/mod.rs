//! A game given as text, for tests: searchers and solvers are tried on exact trees and graphs.
//!
//! One node a line: `NAME TURN VALUE: CHILD…` with the turn `1` or `2` and the heuristic's value for player one, or
//! `NAME one|two|draw [POINTS]` for an end with player one's margin. A child may be written `NAME@LOGIT`, which is what a policy says of the move.
//! The first line is the start. Turns come as written, nodes may have many parents, and
//! cycles are allowed; `repetition N` on a line of its own draws the N-th occurrence of a node.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "only tests play it, and a text that is wrong is to end them"
)]

mod knowledge;
mod playouts;
mod rules;

use super::{Features, Outcome, Planes, Player, Symmetric, random};
use std::sync::Arc;

/// The graph.
#[derive(Debug, Clone)]
pub struct Synthetic {
    nodes: Arc<Vec<Node>>,
    repetition: Option<u32>,
    longest: Option<u32>,
    /// Whether the game brings a solver.
    solver: bool,
}

#[derive(Debug, Clone)]
struct Node {
    name: String,
    turn: Player,
    value: f32,
    end: Option<Outcome>,
    children: Vec<u16>,
    /// What a policy says of each; empty where the text has nothing.
    logits: Vec<f32>,
}

/// A node's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At(pub u16);

/// Which child, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Child(pub u8);

impl Synthetic {
    /// Reads the text; panics on a mistake, since only tests write it.
    pub fn new(text: &str) -> Self {
        let mut repetition = None;
        let mut lines = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            match line.strip_prefix("repetition ") {
                Some(n) => repetition = Some(n.trim().parse().unwrap()),
                None => lines.push(line),
            }
        }
        let names: Vec<&str> = lines
            .iter()
            .map(|line| line.split_whitespace().next().unwrap())
            .collect();
        let number = |name: &str| {
            let at = names.iter().position(|n| *n == name);
            at.unwrap_or_else(|| panic!("no node {name}")) as u16
        };
        let nodes = lines.iter().zip(&names).map(|(line, name)| {
            let (head, children) = line.split_once(':').unwrap_or((line, ""));
            let words: Vec<&str> = head.split_whitespace().collect();
            let end = match words[1] {
                "one" => Some(Outcome::Win(Player::One)),
                "two" => Some(Outcome::Win(Player::Two)),
                "draw" => Some(Outcome::Draw),
                _ => None,
            };
            let turn = if words[1] == "2" {
                Player::Two
            } else {
                Player::One
            };
            let value = words.get(2).map_or(0.0, |v| v.parse().unwrap());
            let named = |child: &str| number(child.split('@').next().unwrap());
            let logit = |child: &str| {
                let logit = child.split_once('@');
                logit.map_or(0.0, |(_, logit)| logit.parse().unwrap())
            };
            let logits = match children.contains('@') {
                true => children.split_whitespace().map(logit).collect(),
                false => Vec::new(),
            };
            let children: Vec<u16> = children.split_whitespace().map(named).collect();
            assert_eq!(end.is_some(), children.is_empty(), "{line}");
            Node {
                name: name.to_string(),
                turn,
                value,
                end,
                children,
                logits,
            }
        });
        Self::from_nodes(nodes.collect(), repetition)
    }

    fn from_nodes(nodes: Vec<Node>, repetition: Option<u32>) -> Self {
        // The longest path, unless there is a cycle.
        let mut depth = vec![0u32; nodes.len()];
        for _ in 0..=nodes.len() {
            let mut changed = false;
            for at in 0..nodes.len() {
                let below = nodes[at].children.iter().map(|c| depth[*c as usize] + 1);
                let now = below.max().unwrap_or(0);
                changed |= now != depth[at];
                depth[at] = now;
            }
            if !changed {
                break;
            }
        }
        let acyclic = depth.iter().all(|d| (*d as usize) < nodes.len());
        Synthetic {
            longest: acyclic.then(|| depth[0]),
            nodes: Arc::new(nodes),
            repetition,
            solver: false,
        }
    }

    /// The same game with a solver of its own.
    pub fn with_solver(mut self) -> Self {
        self.solver = true;
        self
    }

    /// A random acyclic graph of `layers` layers with at most `width` nodes each, unequal turns and transpositions.
    pub fn random(seed: u64, layers: usize, width: usize) -> Self {
        let mut rng = random::seeded(seed);
        let mut pick = |n: usize| random::pick(&mut rng, n as u32) as usize;
        let mut nodes = Vec::new();
        let sizes: Vec<usize> = (0..layers)
            .map(|layer| if layer == 0 { 1 } else { 1 + pick(width) })
            .collect();
        let mut first = 0;
        for (layer, size) in sizes.iter().enumerate() {
            let next = first + size;
            for i in 0..*size {
                let last = layer + 1 == layers;
                let end = (last || layer > 0 && pick(6) == 0).then(|| match pick(3) {
                    0 => Outcome::Win(Player::One),
                    1 => Outcome::Win(Player::Two),
                    _ => Outcome::Draw,
                });
                let mut children = Vec::new();
                if end.is_none() {
                    for _ in 0..1 + pick(4) {
                        let child = (next + pick(sizes[layer + 1])) as u16;
                        if !children.contains(&child) {
                            children.push(child);
                        }
                    }
                }
                nodes.push(Node {
                    name: format!("{layer}.{i}"),
                    turn: Player::BOTH[pick(2)],
                    value: (pick(1999) as f32 - 999.0) / 1000.0,
                    end,
                    children,
                    logits: Vec::new(),
                });
            }
            first = next;
        }
        Self::from_nodes(nodes, None)
    }

    /// The node called `name`.
    pub fn at(&self, name: &str) -> At {
        At(self.nodes.iter().position(|n| n.name == name).unwrap() as u16)
    }

    /// The name of a node.
    pub fn name(&self, at: At) -> &str {
        &self.node(&at).name
    }

    /// Plain minimax to the ends without any table: the value for player one. Only for graphs without cycles.
    pub fn truth(&self, at: At) -> f32 {
        let node = self.node(&at);
        if let Some(end) = node.end {
            return end.value().0;
        }
        let values = node.children.iter().map(|c| self.truth(At(*c)));
        match node.turn {
            Player::One => values.fold(-1.0, f32::max),
            Player::Two => values.fold(1.0, f32::min),
        }
    }

    #[expect(clippy::len_without_is_empty, reason = "a graph has a start")]
    /// The number of nodes: they are `At(0)` and so on.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The same game with a random logit for every move.
    pub fn with_policy(mut self, seed: u64) -> Self {
        let mut rng = random::seeded(seed);
        let nodes = Arc::make_mut(&mut self.nodes);
        for node in nodes {
            let logit = |_: &u16| random::pick(&mut rng, 4001) as f32 / 1000.0 - 2.0;
            node.logits = node.children.iter().map(logit).collect();
        }
        self
    }

    /// Whether the text says anything of a policy.
    pub fn has_policy(&self) -> bool {
        self.nodes.iter().any(|node| !node.logits.is_empty())
    }

    /// What a policy says of a move; 0 where the text says nothing.
    pub fn logit(&self, at: &At, m: Child) -> f32 {
        let logits = &self.node(at).logits;
        logits.get(m.0 as usize).copied().unwrap_or(0.0)
    }

    fn node(&self, at: &At) -> &Node {
        &self.nodes[at.0 as usize]
    }
}

/// No symmetry, no planes and no features: networks that know this game read its graph.
impl Symmetric for Synthetic {}
impl Planes for Synthetic {}
impl Features for Synthetic {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Knowledge, Rules};

    #[test]
    fn text_becomes_a_graph() {
        let game = Synthetic::new(
            "a 1 0.5: b c
             b 1 0: d c
             c 2 -0.25: d e
             d one
             e two",
        );
        let b = game.after(&game.start(), Child(0));
        assert_eq!((game.name(b), game.turn(&b)), ("b", Player::One));
        assert_eq!(game.truth(game.start()), 1.0);
        assert_eq!(game.truth(game.at("c")), -1.0);
        assert_eq!(game.longest(), Some(3));
        assert_eq!(game.heuristics()[0].value(&game, &game.at("c")).0, -0.25);
        let cyclic = Synthetic::new("a 1 0: b\n b 2 0: a c\n c draw\n repetition 3");
        assert_eq!((cyclic.longest(), cyclic.repetition()), (None, Some(3)));
        let random = Synthetic::random(1, 8, 12);
        assert!(random.longest().unwrap() >= 1);
        assert!(!random.has_policy() && random.with_policy(1).has_policy());
        let policy = Synthetic::new("a 1 0: b c@-1.5\n b one\n c two");
        let logits = [0, 1, 2].map(|m| policy.logit(&policy.start(), Child(m)));
        assert_eq!(logits, [0.0, -1.5, 0.0]);
    }
}
